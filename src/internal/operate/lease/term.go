package lease

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The kinds of the two documents; their ids begin with an underscore, as those of all internal ones.
const (
	termKind = "_lease"
	beatKind = "_beat"
)

// record is the data of both documents.
type record struct {
	Holder   string `json:"holder"`
	Term     uint64 `json:"term,omitempty"`     // how often the lease was taken
	ID       string `json:"id"`                 // of this term alone: two processes may try to begin one of the same number
	Session  string `json:"session,omitempty"`  // of the leader, whose heartbeat says that it is alive; see heartbeatOf if there is none
	Released bool   `json:"released,omitempty"` // no process leads
}

// term is the time that this process leads a task: the document as it wrote it last.
type term struct {
	task   Task
	record record
	held   *dovetail.Document
}

func termID(task string) dovetail.ID    { return dovetail.ID("").Child(termKind, task) }
func beatID(session string) dovetail.ID { return dovetail.ID("").Child(beatKind, session) }

// fence holds as long as no other process leads.
func (t *term) fence() store.Condition { return unchanged(t.held.ID, t.held) }

// campaign takes the tasks without a leader, all at once, and leads them. It fails with a conflict where another process is faster.
func (l *leadership) campaign(ctx context.Context) error {
	free, dead, err := l.free(ctx)
	if err != nil || len(free) == 0 {
		return err
	}
	began := time.Now()
	own := l.own
	var txn store.Txn
	if own == nil && !l.exclusive {
		own = &session{}
	}
	var sign *dovetail.Document
	if own != nil {
		says := record{Holder: l.options.Holder, ID: l.options.NewUID()}
		id := beatID(says.ID)
		if own.sign != nil {
			says, id = read(own.sign), own.sign.ID
		}
		sign = l.after(id, beatKind, own.sign, says)
		txn.Require = append(txn.Require, unchanged(id, own.sign))
		txn.Puts = append(txn.Puts, sign)
	}
	for _, beat := range dead {
		txn.Require = append(txn.Require, unchanged(beat.ID, beat))
		txn.Deletes = append(txn.Deletes, beat.ID)
	}
	terms := make([]*term, len(free))
	for i, f := range free {
		says := record{Holder: l.options.Holder, Term: 1, ID: l.options.NewUID()}
		if f.held != nil {
			says.Term = read(f.held).Term + 1
		}
		if sign != nil {
			says.Session = read(sign).ID
		}
		terms[i] = &term{task: f.task, record: says, held: l.after(termID(f.task.Name), termKind, f.held, says)}
		txn.Require = append(txn.Require, unchanged(terms[i].held.ID, f.held))
		txn.Puts = append(txn.Puts, terms[i].held)
	}
	if err := l.commit(ctx, txn, terms[0].held); err != nil {
		return err
	}
	if own != nil {
		if l.own = own; own.leading == nil {
			own.leading, own.stop = context.WithCancel(ctx)
		}
		l.wrote(sign, began)
	}
	l.lead(ctx, terms)
	return nil
}

// freed is a task without a leader, and its lease as it is stored, nil if there is none.
type freed struct {
	task Task
	held *dovetail.Document
}

// free reads which tasks have no leader, and the heartbeats of dead leaders.
func (l *leadership) free(ctx context.Context) (free []freed, dead []*dovetail.Document, err error) {
	asked := time.Now()
	var asking []Task
	var ids []dovetail.ID
	for _, w := range l.tasks {
		if l.terms[w.Name] == nil {
			asking, ids = append(asking, w), append(ids, termID(w.Name))
		}
	}
	for id := range l.seen { // usually those are the leaders still
		ids = append(ids, id)
	}
	documents, err := l.readAll(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	var leaders []dovetail.ID
	for _, w := range asking {
		if held := documents[termID(w.Name)]; l.isHeld(held) {
			leaders = append(leaders, heartbeatOf(w.Name, held))
		}
	}
	beats := make(map[dovetail.ID]*dovetail.Document)
	var others []dovetail.ID
	for _, id := range leaders {
		if _, known := l.seen[id]; known {
			beats[id] = documents[id]
		} else {
			others = append(others, id)
		}
	}
	if len(others) > 0 {
		more, err := l.readAll(ctx, others)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range others {
			beats[id] = more[id]
		}
	}
	gone, seen := make(map[dovetail.ID]bool), make(map[dovetail.ID]sight)
	for id, beat := range beats {
		if beat == nil || read(beat).Released {
			gone[id] = true
			continue
		}
		s := l.seen[id]
		if s.tag != beat.ETag() {
			s = sight{beat.ETag(), time.Now()}
		}
		seen[id] = s
		switch over := s.since.Add(l.options.TTL); {
		case !asked.Before(over):
			gone[id], dead = true, append(dead, beat)
		case over.Before(l.look):
			l.look = over
		}
	}
	l.seen = seen
	for _, w := range asking {
		held := documents[termID(w.Name)]
		if !l.isHeld(held) || gone[heartbeatOf(w.Name, held)] {
			free = append(free, freed{w, held})
		}
	}
	return free, dead, nil
}

// isHeld reports whether a process leads, or has led when it died.
func (l *leadership) isHeld(held *dovetail.Document) bool {
	return held != nil && !l.exclusive && !read(held).Released
}

// heartbeatOf returns the id of the heartbeat of who holds a lease. Versions without sessions have one for each lease, and give a lease back there. They
// take one that has no such heartbeat.
func heartbeatOf(task string, held *dovetail.Document) dovetail.ID {
	if session := read(held).Session; session != "" {
		return beatID(session)
	}
	return beatID(task)
}

// lost returns the tasks whose leases name another holder. Only a version without sessions takes a lease without ending the session.
func (l *leadership) lost(ctx context.Context) (lost []string, err error) {
	var ids []dovetail.ID
	for name := range l.terms {
		ids = append(ids, termID(name))
	}
	documents, err := l.readAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	for name, t := range l.terms {
		if held := documents[t.held.ID]; held == nil || read(held).ID != t.record.ID {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return lost, nil
}

func (l *leadership) readAll(ctx context.Context, ids []dovetail.ID) (map[dovetail.ID]*dovetail.Document, error) {
	documents, err := l.backend.GetAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[dovetail.ID]*dovetail.Document, len(ids))
	for i, id := range ids {
		byID[id] = documents[i]
	}
	return byID, nil
}

// writeBeat writes a heartbeat. It fails with a conflict when another process has ended the session.
func (l *leadership) writeBeat(ctx context.Context) error {
	began, was := time.Now(), l.own.sign
	sign := l.after(was.ID, beatKind, was, read(was))
	err := l.commit(ctx, store.Txn{Require: []store.Condition{unchanged(sign.ID, was)}, Puts: []*dovetail.Document{sign}}, sign)
	if store.IsConflict(err) {
		// A write whose answer never came is no other process's.
		switch found, again := l.backend.Get(ctx, sign.ID); {
		case dovetail.CodeOf(again) == dovetail.CodeNotFound:
			return err
		case again != nil:
			return again
		case found.Revision != was.Revision:
			l.own.sign = found
			return l.writeBeat(ctx)
		}
		return dovetail.Errorf(dovetail.CodeUnavailable, "the heartbeat is being written by another process")
	}
	if err == nil {
		l.wrote(sign, began)
	}
	return err
}

// wrote notes a heartbeat that began to be written at a time.
func (l *leadership) wrote(sign *dovetail.Document, began time.Time) {
	l.own.sign, l.own.beat, l.own.until = sign, began.Add(l.interval()), began.Add(l.options.TTL-l.margin())
}

// commit reads whether the write was committed where the backend reports an unknown outcome.
func (l *leadership) commit(ctx context.Context, txn store.Txn, written *dovetail.Document) error {
	err := l.backend.Commit(ctx, txn)
	if dovetail.CodeOf(err) != dovetail.CodeUnknown {
		return err
	}
	found, again := l.backend.Get(ctx, written.ID)
	if again == nil && found.ETag() == written.ETag() && read(found) == read(written) {
		return nil
	}
	return err
}

// unchanged is the condition that a document is as it was read.
func unchanged(id dovetail.ID, doc *dovetail.Document) store.Condition {
	if doc == nil {
		return store.Condition{Test: store.Absent, ID: id}
	}
	return store.Condition{Test: store.AtVersion, ID: id, Version: doc.ETag()}
}

// after is the document after the one that was there, nil if there is none.
func (l *leadership) after(id dovetail.ID, kind string, was *dovetail.Document, says record) *dovetail.Document {
	now := time.Now().UTC().Truncate(time.Millisecond)
	doc := &dovetail.Document{ID: id, Kind: kind, UID: l.options.NewUID(), Revision: 1, Created: now, Updated: now}
	if was != nil {
		doc.UID, doc.Revision, doc.Created = was.UID, was.Revision+1, was.Created
	}
	doc.Data, _ = json.Marshal(says) // a flat struct of texts and numbers
	return doc
}

// read returns the record of a document; the zero record for a document that no process of ours wrote.
func read(doc *dovetail.Document) record {
	var r record
	if json.Unmarshal(doc.Data, &r) != nil {
		return record{}
	}
	return r
}
