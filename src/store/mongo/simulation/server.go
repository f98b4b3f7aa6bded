package simulation

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Server keeps records in memory. What it does to one record is atomic; between records anything may
// come in between. It is safe for concurrent use. The zero value is not ready: use NewServer.
type Server struct {
	mutex   sync.Mutex
	records map[dovetail.ID]*protocol.Record // never changed, only replaced
	entries map[string]protocol.LogEntry
	kept    map[string]*protocol.Record // versions, by their keys
	purged  protocol.Stamp
	taken   protocol.Stamp // the last that Now returned
	clock   uint32
	over    bool             // what must be committed before timeLimit no longer is
	now     func() time.Time // where not nil, the time instead
	passed  uint32           // seconds, since the scenario began
	learned uint64           // what the current step reveals, summed up

	registry protocol.Registry // where processes announce themselves
	died     map[string]bool   // the processes, by their names

	followed bool // a feed reads the changes, or a snapshot the past, so that stamps count
	// underway are writes that have taken a stamp, or looked at the time, and are not visible yet: at which second. Nil where no time passes.
	underway map[*Client]uint32
	late     bool // what a write commits becomes visible a step after its stamp is taken
}

// NewServer returns an empty server.
func NewServer() *Server {
	return &Server{records: make(map[dovetail.ID]*protocol.Record), entries: make(map[string]protocol.LogEntry), kept: make(map[string]*protocol.Record), died: make(map[string]bool)}
}

// Client is one process's connection to a server: the protocol.Server that the process works with.
// Its gate, if it has one, decides when each step happens and what the process gets for an answer.
type Client struct {
	server *Server
	gate   Gate
}

// Gate lets steps through. It calls apply once, never, or later, and returns the error that the caller gets.
type Gate interface {
	Step(step Step, apply func()) error
}

// Step describes what is about to happen to the server.
type Step struct {
	Text   func() string
	Writes bool
	// Blocked, where not nil, says that it cannot happen now.
	Blocked func() bool
	// Learned sums up, once it has happened, what the caller learns from it.
	Learned func() uint64
}

// Connect returns a client. A nil gate lets every step through at once.
func (s *Server) Connect(gate Gate) *Client { return &Client{s, gate} }

// step lets one atomic thing happen.
func (c *Client) step(ctx context.Context, writes bool, text func() string, apply func()) error {
	if err := ctx.Err(); err != nil {
		return dovetail.AsError(err)
	}
	locked := func() {
		c.server.mutex.Lock()
		defer c.server.mutex.Unlock()
		c.server.learned = 0
		if writes {
			delete(c.server.underway, c)
		}
		apply()
	}
	if c.gate == nil {
		locked()
		return nil
	}
	return c.gate.Step(Step{Text: text, Writes: writes, Learned: func() uint64 { return c.server.learned }}, locked)
}

// Insert implements protocol.Server.
func (c *Client) Insert(ctx context.Context, records []*protocol.Record) []error {
	errs := make([]error, len(records))
	for i, r := range records {
		var duplicate bool
		implicit := r.Intent != nil && r.Intent.Implicit
		at, err := c.stamp(ctx, implicit)
		if err != nil {
			errs[i] = err
			continue
		}
		errs[i] = c.step(ctx, true, func() string { return "insert " + describe(r) }, func() {
			duplicate = c.server.records[r.ID] != nil
			c.server.learn(sumBool(duplicate))
			if !duplicate {
				stored := whole(r)
				if implicit {
					stored.Txn, stored.Origin, stored.Stamp = r.Intent.Txn, r.Intent.Txn, c.server.stampOf(at)
					stored.Created = stored.Stamp
				}
				c.server.records[r.ID] = stored
			}
		})
		if errs[i] == nil && duplicate {
			errs[i] = protocol.ErrDuplicate
		}
	}
	return errs
}

// Apply implements protocol.Server. When a step fails the rest is not done, which the error does not
// tell apart from the rest being done.
func (c *Client) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	n := 0
	for i, change := range changes {
		var done bool
		at, err := c.stamp(ctx, change.Stamping == protocol.StampNow || change.Stamping == protocol.StampCreated)
		if err != nil {
			return 0, err
		}
		made, err := c.compare(ctx, change)
		if err != nil {
			return 0, err
		}
		err = c.step(ctx, true, func() string { return explain(change) }, func() {
			done = c.server.apply(made(), at) != nil
			c.server.learn(sumBool(done))
		})
		if err != nil && i > 0 {
			err = lost()
		}
		if err != nil {
			return 0, err
		}
		if done {
			n++
		}
	}
	return n, nil
}

// SetIntent implements protocol.Server.
func (c *Client) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	var before *protocol.Record
	err := c.step(ctx, true, func() string { return explain(change) }, func() {
		before = c.server.apply(change, nil)
		c.server.learn(c.server.sumRecord(before))
	})
	if err != nil || before == nil {
		return nil, err
	}
	return whole(before), nil
}

// Replace implements protocol.Server.
func (c *Client) Replace(ctx context.Context, change protocol.Change) (at protocol.Stamp, done bool, err error) {
	taken, err := c.stamp(ctx, true)
	if err != nil {
		return at, false, err
	}
	err = c.step(ctx, true, func() string { return explain(change) }, func() {
		if done = c.server.apply(change, taken) != nil; done {
			at = c.server.records[change.ID].Stamp
		}
		c.server.learn(sumBool(done))
	})
	return at, done && err == nil, err
}

// apply makes a change if its condition is true, and returns the record before.
func (s *Server) apply(change protocol.Change, taken *protocol.Stamp) *protocol.Record {
	before := s.records[change.ID]
	switch {
	case before == nil:
		return nil
	case change.IntentTxn != "":
		if before.Intent == nil || before.Intent.Txn != change.IntentTxn || s.isLate(change.Before) {
			return nil
		}
	case before.Intent != nil, before.Doc == nil, !change.AnyVersion && before.Doc.ETag() != change.Version:
		return nil
	case s.isLate(change.Before):
		return nil
	case change.Intent != nil && change.Intent.Prev != nil && (change.Intent.Prev.Txn != before.Txn || change.Intent.Prev.Rewritten != before.Rewritten):
		return nil
	}
	if change.Remove {
		delete(s.records, change.ID)
		return before
	}
	after := *before
	after.Intent = nil
	if change.Intent != nil {
		intent := *change.Intent
		intent.Next = intent.Next.Clone()
		if intent.Prev != nil {
			intent.Prev = whole(intent.Prev)
		}
		after.Intent = &intent
	}
	if change.Doc != nil {
		after.Doc = change.Doc.Clone()
		if change.Rewritten != "" {
			after.Doc.Terms = merged(after.Doc.Terms, before.Doc.Terms)
		}
	}
	if change.Link != protocol.KeepLinks {
		strong, weak := protocol.Links(change.Links)
		if change.Link == protocol.AddLinks {
			strong, weak = append(strong, before.Strong...), append(weak, before.Weak...)
		}
		after.Strong, after.Weak = sorted(strong), sorted(weak)
	}
	if change.Txn != "" {
		after.Txn = change.Txn
	}
	if change.Doc != nil && change.Stamping != protocol.KeepStamp {
		after.By = change.By
	}
	if change.Rewritten != "" {
		after.Rewritten = change.Rewritten
	}
	if change.Stamping != protocol.KeepStamp {
		after.Moved = change.Moved
	}
	switch change.Stamping {
	case protocol.StampCreated:
		after.Stamp = s.stampOf(taken)
		after.Created, after.Origin = after.Stamp, change.Txn
	case protocol.StampNow:
		after.Stamp = s.stampOf(taken)
	case protocol.StampOrigin, protocol.StampSince:
		after.Stamp, after.Since = protocol.Stamp{}, change.Since
		if change.Stamping == protocol.StampOrigin {
			after.Origin = change.Txn
		}
	case protocol.KeepStamp:
	}
	s.records[change.ID] = &after
	return before
}

func sorted(ids []dovetail.ID) []dovetail.ID {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// head returns a record without what heads lack.
func head(r *protocol.Record) *protocol.Record {
	h := *r
	strip := func(doc *dovetail.Document) *dovetail.Document {
		if doc == nil {
			return nil
		}
		d := *doc
		d.Data, d.Content, d.Status = nil, nil, nil
		return &d
	}
	h.Doc = strip(r.Doc)
	if r.Intent != nil {
		m := *r.Intent
		m.Next = strip(r.Intent.Next)
		if m.Prev != nil {
			m.Prev = head(m.Prev)
		}
		h.Intent = &m
	}
	return &h
}

// whole returns a copy of a record that the caller may keep.
func whole(r *protocol.Record) *protocol.Record {
	w := *r
	w.Doc = r.Doc.Clone()
	if r.Intent != nil {
		m := *r.Intent
		m.Next = m.Next.Clone()
		if m.Prev != nil {
			m.Prev = whole(m.Prev)
		}
		w.Intent = &m
	}
	return &w
}

// walk yields the records that fit in the order of ids. Under a gate each is as it is when it is come
// to, and anything may happen in between.
func (c *Client) walk(ctx context.Context, what string, all bool, after dovetail.ID, limit int, fits func(*protocol.Record) bool) iter.Seq2[*protocol.Record, error] {
	copied := head
	if all {
		copied = whole
	}
	return sequence(ctx, c, what, limit, c.server.sumRecord, func() []*protocol.Record {
		var found []*protocol.Record
		for id, r := range c.server.records {
			if id > after && fits(r) {
				found = append(found, r)
			}
		}
		slices.SortFunc(found, func(a, b *protocol.Record) int { return cmp.Compare(a.ID, b.ID) })
		return found
	}, func(r *protocol.Record) *protocol.Record {
		after = r.ID
		return copied(r)
	})
}

// ordered yields what is stamped since, in the order of stamps, as walk does.
func ordered[T any](ctx context.Context, c *Client, what string, since protocol.Stamp, sum func(T) uint64, all func() []T, stamp func(T) protocol.Stamp) iter.Seq2[T, error] {
	first := true
	return sequence(ctx, c, what, 0, sum, func() []T {
		found := slices.DeleteFunc(all(), func(item T) bool {
			return stamp(item).Before(since) || !first && stamp(item) == since
		})
		slices.SortFunc(found, func(a, b T) int { return stamp(a).Compare(stamp(b)) })
		return found
	}, func(item T) T {
		since, first = stamp(item), false
		return item
	})
}

// sequence yields what the rest holds, at most limit (0: all), and says of each that it was taken.
func sequence[T any](ctx context.Context, c *Client, what string, limit int, sum func(T) uint64, rest func() []T, take func(T) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var items []T
		for n := 0; limit == 0 || n < limit; n++ {
			if n == 0 || c.gate != nil {
				if err := c.step(ctx, false, func() string { return what }, func() {
					if items = rest(); len(items) > 0 {
						c.server.learn(sum(items[0]))
					}
				}); err != nil {
					var none T
					yield(none, err)
					return
				}
			}
			if len(items) == 0 || !yield(take(items[0]), nil) {
				return
			}
			items = items[1:]
		}
	}
}

// Children implements protocol.Server.
func (c *Client) Children(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return c.walk(ctx, "look below "+join(of), false, "", 0, func(r *protocol.Record) bool {
		return slices.ContainsFunc(of, r.ID.IsDescendantOf)
	})
}

// Referrers implements protocol.Server.
func (c *Client) Referrers(ctx context.Context, of []dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return c.walk(ctx, "look for referrers of "+join(of), false, "", 0, func(r *protocol.Record) bool { return linked(r, of, false) })
}

// Holders implements protocol.Server.
func (c *Client) Holders(ctx context.Context, of dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		for _, records := range []iter.Seq2[*protocol.Record, error]{c.Referrers(ctx, []dovetail.ID{of}), c.Children(ctx, []dovetail.ID{of})} {
			for r, err := range records {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// Linked implements protocol.Server.
func (c *Client) Linked(ctx context.Context, to []dovetail.ID, weak bool, after dovetail.ID, limit int) iter.Seq2[*protocol.Record, error] {
	return c.walk(ctx, "list referrers of "+join(to), false, after, limit, func(r *protocol.Record) bool { return linked(r, to, weak) })
}

// linked reports whether the strong links of a record, or the weak ones, have any of the ids.
func linked(r *protocol.Record, to []dovetail.ID, weak bool) bool {
	links := r.Strong
	if weak {
		links = r.Weak
	}
	return slices.ContainsFunc(to, func(id dovetail.ID) bool { return slices.Contains(links, id) })
}

// Scan implements protocol.Server.
func (c *Client) Scan(ctx context.Context, q store.Query) iter.Seq2[*protocol.Record, error] {
	return c.walk(ctx, "list", true, q.After, q.Limit, func(r *protocol.Record) bool {
		return hasTerms(r, q.Terms) && strings.HasPrefix(string(r.ID), q.Under.Prefix()) && (q.Kind == "" || r.Doc != nil && r.Doc.Kind == q.Kind)
	})
}

// WithIntent implements protocol.Server.
func (c *Client) WithIntent(ctx context.Context, txn string) iter.Seq2[*protocol.Record, error] {
	return c.walk(ctx, "look for intents", false, "", 0, func(r *protocol.Record) bool {
		return r.Intent != nil && (txn == "" || r.Intent.Txn == txn)
	})
}

// WithOtherIntent implements protocol.Server.
func (c *Client) WithOtherIntent(ctx context.Context, than []string) iter.Seq2[*protocol.Record, error] {
	return c.walk(ctx, "look for other intents than of "+strings.Join(than, ", "), false, "", 0, func(r *protocol.Record) bool {
		return r.Intent != nil && !slices.Contains(than, r.Intent.Txn)
	})
}

// Changed implements protocol.Server.
func (c *Client) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return ordered(ctx, c, "look for changes", since, c.server.sumRecord, func() []*protocol.Record {
		var found []*protocol.Record
		for _, r := range c.server.records {
			if !r.Stamp.IsZero() {
				found = append(found, head(r))
			}
		}
		return found
	}, func(r *protocol.Record) protocol.Stamp { return r.Stamp })
}
