package mongo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Processes of Dovetail versions without levels do not announce themselves. They are detected by their writes: to the clock,
// without the fields that this version adds, and by heartbeats of leases whose holder has not announced itself.

// The fields of the document clockID.
const (
	clockNow   = "now"
	clockKnown = "known" // like clockNow, by versions with levels
	clockTime  = "utc"
	// clockEarlier is written instead of clockTime by versions without levels, before they write documents.
	clockEarlier = "time"
)

// earlierExpiry is how long a write of such a process counts as a sign that it is running.
const earlierExpiry = time.Minute

// earlier describes the evidence that processes of versions without levels are running, "" if there is none. beats are the heartbeats that were seen
// before, nil if there is none: an old one that does not change is left over from a process that has ended.
func (r registry) earlier(ctx context.Context, members []protocol.Member, beats map[dovetail.ID]dovetail.ETag) (string, error) {
	now, err := r.Time(ctx)
	if err != nil {
		return "", err
	}
	for clock, err := range query(ctx, r.log.in(ctx), bson.D{{Key: fieldID, Value: clockID}}, options.Find(), raw) {
		if err != nil {
			return "", err
		}
		if last := lastOfEarlier(clock); now.Sub(last) < earlierExpiry {
			return fmt.Sprintf("one used the store %d s ago", max(0, int(now.Sub(last).Seconds()))), nil
		}
	}
	const heartbeats = "_beat"
	for r, err := range r.Scan(ctx, store.Query{Under: heartbeats}) {
		if err != nil {
			return "", err
		}
		var beat struct {
			Holder   string
			Released bool
		}
		if r.Doc == nil || json.Unmarshal(r.Doc.Data, &beat) != nil || beat.Released {
			continue
		}
		before, known := beats[r.Doc.ID]
		if beats != nil {
			beats[r.Doc.ID] = r.Doc.ETag()
		}
		runs := known && before != r.Doc.ETag() || now.Sub(r.Doc.Updated) < earlierExpiry
		if runs && !slices.ContainsFunc(members, func(m protocol.Member) bool { return m.Name == beat.Holder }) {
			return fmt.Sprintf("%q leads tasks and has not announced itself", beat.Holder), nil
		}
	}
	return "", nil
}

// lastOfEarlier returns when a version without levels last wrote the clock, if that is known.
func lastOfEarlier(clock bson.Raw) (last time.Time) {
	if at, ok := clock.Lookup(clockEarlier).DateTimeOK(); ok {
		last = bson.DateTime(at).Time()
	}
	now, _, _ := clock.Lookup(clockNow).TimestampOK()
	known, _, _ := clock.Lookup(clockKnown).TimestampOK()
	if at := time.Unix(int64(now), 0); now > known+1 && at.After(last) {
		last = at
	}
	return last
}

// RaiseLevel looks for processes without levels for watchEarlier, longer than the intervals of heartbeats and of probes, every
// lookEarlier.
const (
	watchEarlier = 15 * time.Second
	lookEarlier  = 250 * time.Millisecond
)

// RaiseLevel raises the protocol level of the store to the newest, irreversibly, and returns the previous one. Processes use the
// new level from their next announcement on. Once no process without levels is found, and before the level is raised, it calls prepare, which
// undoes what is not true of what they wrote; its error ends the work.
//
// Errors: CodeConflict if running processes are found that do not support it.
func (b *Backend) RaiseLevel(ctx context.Context, prepare func(context.Context) error) (from protocol.Level, err error) {
	if err := b.announce(ctx); err != nil {
		return 0, err
	}
	r := registry{b.server}
	if read := b.registered.Load(); read.Level < protocol.Implicit {
		beats := make(map[dovetail.ID]dovetail.ETag)
		for end := b.clock.Now().Add(cmp.Or(b.options.watch, watchEarlier)); ; {
			seen, err := r.earlier(ctx, read.Members, beats)
			switch {
			case err != nil:
				return 0, err
			case seen != "":
				return read.Level, errEarlier(seen)
			}
			if !b.clock.Now().Before(end) {
				break
			}
			if err := clock.Sleep(ctx, b.clock, lookEarlier); err != nil {
				return 0, dovetail.AsError(err)
			}
		}
		if err := prepare(ctx); err != nil {
			return read.Level, err
		}
	}
	if from, err = protocol.Raise(ctx, r, b.member, b.member.Knows); err != nil {
		return from, err
	}
	return from, b.announce(ctx)
}

func errEarlier(seen string) error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: "a process of a version of Dovetail that knows no protocol levels seems to run: " + seen,
		Remedy: fmt.Sprintf("stop all processes of earlier versions, and try again after %.0f s", earlierExpiry.Seconds())}
}
