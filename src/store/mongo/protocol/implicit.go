package protocol

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Created is an acknowledged creation whose intent is to be removed.
type Created struct {
	id  dovetail.ID
	txn string
	at  Stamp
}

// maxImplicit is the maximum number of creations of a group that are committed implicitly. For larger groups one update that
// commits them together costs the server less than insertions with a timestamp each.
const maxImplicit = 8

// latestStamp is later than any other timestamp.
var latestStamp = Stamp{math.MaxUint32, math.MaxUint32}

// implicitly reports whether a group is committed by the check of its targets, with intents that are removed after the
// acknowledgement. All processes must support that. A creation without targets gains nothing: it needs no check, and so only two
// steps anyway.
func (e *Engine) implicitly(group []*Creation) bool {
	return e.env.Level() >= Implicit && len(group) <= maxImplicit && !slices.ContainsFunc(group, func(c *Creation) bool { return len(c.targets) == 0 })
}

// inTime reports whether a timestamp is certainly before a deadline, if there is one: in an earlier second, since Count has no unit.
func (s Stamp) inTime(before time.Time) bool {
	return before.IsZero() || int64(s.Seconds) < before.Unix()
}

// mayBeAnswered reports whether the record is a creation that its owner may have acknowledged.
func (r *Record) mayBeAnswered() bool { return r.implicit() && r.Stamp.inTime(r.Intent.Before) }

// lastNow returns the last timestamp that Now returned, according to records that were read with ClockID, or zero.
func lastNow(records map[dovetail.ID]*Record) Stamp {
	if clock := records[ClockID]; clock != nil {
		return clock.Stamp
	}
	return Stamp{}
}

// lastNow returns the last timestamp that Now returned, or one that it is about to return; zero if there is none.
func (e *Engine) lastNow(ctx context.Context) (Stamp, error) {
	records, err := e.server.Find(ctx, []dovetail.ID{ClockID}, true) // without a projection, which would be larger than the record
	return lastNow(records), err
}

// freshUntil returns the deadline for a commit with a given timestamp: readers of changes must still look that far back.
func (e *Engine) freshUntil(at Stamp) time.Time {
	return at.Forward(max(e.env.VisibilityWindow/2, time.Second)).Time()
}

// checkImplicit checks, after the insertion, whether the insertion has created the documents: all targets exist, have earlier
// timestamps, and cannot be deleted any more, since no transaction is about to do so; the insertion was in time; and no later
// snapshot may lack the document. Then the creation is acknowledged before its intent is removed. If only its timestamp is not early
// or late enough for that, the intent is removed first, with a new timestamp. The others are rolled back.
func (e *Engine) checkImplicit(ctx context.Context, group []*Creation) {
	var own, targets []dovetail.ID
	for _, c := range group {
		own, targets = append(own, c.doc.ID), append(targets, c.targets...)
	}
	targets = unique(targets)
	views := make(map[dovetail.ID]view, len(targets))
	records, err := e.server.Find(ctx, append(unique(slices.Concat(own, targets)), ClockID), false)
	taken := lastNow(records)
	if err == nil {
		err = e.classify(ctx, only(records, targets), false, views)
	}
	var rejected, late []*Creation
	for _, c := range group {
		r := records[c.doc.ID]
		switch {
		case err != nil:
			c.outcome = failure(err)
			rejected = append(rejected, c)
			continue
		case r == nil || r.Intent == nil || r.Intent.Txn != c.intentTxn:
			c.outcome = e.wasCreated(ctx, c, nil)
			continue
		}
		switch c.outcome = examineTargets(c.targets, views); {
		case c.outcome.err != nil || c.outcome.decision != done:
			rejected = append(rejected, c)
		case r.mayBeAnswered() && taken.Before(r.Stamp) && allBefore(c.targets, views, r.Stamp):
			e.env.SubmitCreated(e, &Created{c.doc.ID, c.intentTxn, r.Stamp})
		default:
			late = append(late, c)
		}
	}
	if len(rejected) > 0 {
		e.takeBack(ctx, rejected)
	}
	if len(late) > 0 {
		e.commitCreations(ctx, late)
	}
}

func only(records map[dovetail.ID]*Record, ids []dovetail.ID) map[dovetail.ID]*Record {
	some := make(map[dovetail.ID]*Record, len(ids))
	for _, id := range ids {
		if r := records[id]; r != nil {
			some[id] = r
		}
	}
	return some
}

// allBefore reports whether all documents were written before a timestamp, so that none was created after it in place of a deleted
// one with the same id.
func allBefore(ids []dovetail.ID, views map[dovetail.ID]view, at Stamp) bool {
	return !slices.ContainsFunc(ids, func(id dovetail.ID) bool { return !views[id].committedAt().Before(at) })
}

// takeBack removes creations that have failed. The outcome of one that another process has committed meanwhile is that it was
// created; if that cannot be found out, it is unknown.
func (e *Engine) takeBack(ctx context.Context, group []*Creation) {
	if !group[0].implicit {
		e.rollback(ctx, removals(group))
		return
	}
	answer := e.retryUntilKnown(ctx, removals(group))
	if answer.all {
		return
	}
	for _, c := range group {
		switch now := e.wasCreated(ctx, c, cmp.Or(answer.lost, answer.refused)); {
		case now.err == nil && now.decision == done, dovetail.CodeOf(now.err) == dovetail.CodeUnknown:
			c.outcome = now
		}
	}
}

// ClearCreated removes the intents of acknowledged creations.
func (e *Engine) ClearCreated(ctx context.Context, group []*Created) error {
	records := make([]*Record, len(group))
	for i, c := range group {
		records[i] = &Record{ID: c.id, Stamp: c.at, Intent: &Intent{Txn: c.txn}}
	}
	_, err := e.commitImplicit(ctx, records, true)
	return err
}

// commitImplicit removes the intents of implicit creations, which keep their timestamps, or get a current one if it is too late for
// that. It returns how many intents it removed. Own means that this process has created them, so that each has a transaction of its
// own: processes of earlier versions gave all creations of a group the same.
func (e *Engine) commitImplicit(ctx context.Context, records []*Record, own bool) (n int, err error) {
	changes := make([]Change, len(records))
	ids := make([]dovetail.ID, len(records))
	for i, r := range records {
		ids[i] = r.ID
		changes[i] = Change{ID: r.ID, IntentTxn: r.Intent.Txn, OnlyIntent: own, Before: e.freshUntil(r.Stamp)}
	}
	if n, err = e.server.Apply(ctx, changes); err != nil || n == len(changes) {
		return n, err
	}
	now, err := e.server.Find(ctx, ids, false) // another process may have committed them
	if err != nil {
		return n, err
	}
	late := slices.DeleteFunc(slices.Clone(records), func(r *Record) bool {
		left := now[r.ID]
		return left == nil || left.Intent == nil || left.Intent.Txn != r.Intent.Txn
	})
	moved, err := e.moveImplicit(ctx, late)
	return n + moved, err
}

// moveImplicit commits implicit creations with a current timestamp.
func (e *Engine) moveImplicit(ctx context.Context, records []*Record) (n int, err error) {
	if len(records) == 0 {
		return 0, nil
	}
	changes := make([]Change, len(records))
	for i, r := range records {
		changes[i] = Change{ID: r.ID, IntentTxn: r.Intent.Txn, Txn: r.Intent.Txn, Stamping: StampCreated, Moved: true}
	}
	return e.server.Apply(ctx, changes)
}

// verdicts are implicit creations by their outcome.
type verdicts struct {
	commit    []*Record // all targets exist: they may have been acknowledged, and must be committed
	remove    []*Record // a target is missing: they have not been acknowledged, and never will be
	undecided []*Record // a transaction is about to delete a target, or a target is itself undecided
}

// decide determines the outcome of implicit creations. Their owner acknowledges one before it removes the intent only if it has
// seen all targets after the insertion, none of them about to be deleted, and each with an earlier timestamp. A target that was seen
// in that state exists as long as the intent does. So if one is missing, the owner has not seen all of them and never will, since a
// new target has a later timestamp. A creation is in none of the lists if one of its targets is still to be created, and so will
// have a later timestamp: it is not acknowledged before its intent is removed either, and is treated like one that is not implicit.
func (e *Engine) decide(ctx context.Context, implicit []*Record) (v verdicts, err error) {
	var ids []dovetail.ID
	var last Stamp
	for _, r := range implicit {
		ids = append(ids, r.Intent.Targets...)
		last = later(last, r.Stamp)
	}
	records, err := e.server.Find(ctx, unique(ids), false)
	if err != nil {
		return v, err
	}
	views := make(map[dovetail.ID]view, len(records))
	if err := e.classifyBefore(ctx, records, false, views, last); err != nil {
		return v, err
	}
	for _, r := range implicit {
		gone, coming, unclear := false, false, false
		for _, id := range r.Intent.Targets {
			switch t := views[id]; {
			case t.status == undecided || t.exclusive():
				unclear = true
			case t.document() != nil:
			case t.Record != nil && t.status == pending:
				coming = true
			default:
				gone = true
			}
		}
		switch {
		case gone:
			v.remove = append(v.remove, r)
		case coming:
		case unclear:
			v.undecided = append(v.undecided, r)
		default:
			v.commit = append(v.commit, r)
		}
	}
	return v, nil
}

// decideImplicit commits implicit creations or rolls them back, and adds the resulting views. Those that cannot be decided get the
// status undecided; the views of those that decide leaves out stay as they are.
func (e *Engine) decideImplicit(ctx context.Context, implicit []*Record, whole bool, views map[dovetail.ID]view) error {
	if len(implicit) == 0 {
		return nil
	}
	slices.SortFunc(implicit, func(a, b *Record) int { return cmp.Compare(a.ID, b.ID) })
	ids := make([]dovetail.ID, len(implicit))
	for i, r := range implicit {
		ids[i] = r.ID
	}
	if own, end, fresh := e.env.Consistent(ctx); fresh { // otherwise a target that is found missing may have been written before the intent
		defer end()
		return e.reclassify(own, ids, whole, views)
	}
	v, err := e.decide(ctx, implicit)
	if err != nil {
		return err
	}
	for _, r := range v.undecided {
		views[r.ID] = view{Record: r, status: undecided}
	}
	if len(v.commit) > 0 {
		if err := e.commitSeen(ctx, v.commit); err != nil {
			return nothingDone(err)
		}
	}
	if err := e.removeImplicit(ctx, v.remove); err != nil {
		return nothingDone(err)
	}
	changed := slices.Concat(v.commit, v.remove)
	if len(changed) == 0 {
		return nil
	}
	ids = ids[:0]
	for _, r := range changed {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return e.reclassify(ctx, ids, whole, views)
}

// reclassify reads records again, and replaces their views.
func (e *Engine) reclassify(ctx context.Context, ids []dovetail.ID, whole bool, views map[dovetail.ID]view) error {
	for _, id := range ids {
		delete(views, id)
	}
	records, err := e.server.Find(ctx, ids, whole)
	if err != nil {
		return err
	}
	return e.classify(ctx, records, whole, views)
}

// decideBefore resolves the implicit creations with timestamps before a given one.
func (e *Engine) decideBefore(ctx context.Context, implicit []*Record, before Stamp) error {
	var ids []dovetail.ID
	for _, r := range implicit {
		if r.Stamp.Before(before) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	_, err := e.find(ctx, ids, false)
	return err
}

// commitSeen commits implicit creations whose targets all exist. One that a later snapshot may lack gets a new timestamp.
func (e *Engine) commitSeen(ctx context.Context, records []*Record) error {
	taken, err := e.lastNow(ctx)
	if err != nil {
		return err
	}
	var sure, unsure []*Record
	for _, r := range records {
		if taken.Before(r.Stamp) {
			sure = append(sure, r)
		} else {
			unsure = append(unsure, r)
		}
	}
	if len(sure) > 0 {
		n, err := e.commitImplicit(ctx, sure, false)
		if e.resolved(true, n); err != nil {
			return err
		}
	}
	n, err := e.moveImplicit(ctx, unsure)
	e.resolved(true, n)
	return err
}

// removeImplicit rolls implicit creations back.
func (e *Engine) removeImplicit(ctx context.Context, records []*Record) error {
	if len(records) == 0 {
		return nil
	}
	changes := make([]Change, len(records))
	for i, r := range records {
		changes[i] = resolveIntent(r, false, Stamp{})
	}
	n, err := e.server.Apply(ctx, changes)
	e.resolved(false, n)
	return err
}

// finishImplicit commits the implicit creations that may have been acknowledged, with a current timestamp, and rolls back those that
// cannot have been. It returns those that cannot be decided.
func (e *Engine) finishImplicit(ctx context.Context, implicit []*Record) (left []*Record, err error) {
	v, err := e.decide(ctx, implicit)
	if err != nil {
		return nil, err
	}
	n, err := e.moveImplicit(ctx, v.commit)
	if e.resolved(true, n); err != nil {
		return nil, nothingDone(err)
	}
	decided := slices.Concat(v.commit, v.undecided)
	others := slices.DeleteFunc(slices.Clone(implicit), func(r *Record) bool { return slices.Contains(decided, r) })
	if err := e.removeImplicit(ctx, others); err != nil {
		return nil, nothingDone(err)
	}
	if len(v.undecided) > 0 {
		e.unblock(ctx, v.undecided)
	}
	return v.undecided, nil
}

// unblock resolves the intents that keep implicit creations undecided, if their owners seem dead.
func (e *Engine) unblock(ctx context.Context, implicit []*Record) {
	var ids []dovetail.ID
	for _, r := range implicit {
		ids = append(ids, r.Intent.Targets...)
	}
	views, err := e.find(ctx, unique(ids), false)
	if err != nil {
		return
	}
	var conflicts []view
	for _, v := range views {
		if v.exclusive() {
			conflicts = append(conflicts, v)
		}
	}
	slices.SortFunc(conflicts, func(a, b view) int { return cmp.Compare(a.ID, b.ID) })
	e.resolveConflicts(ctx, conflicts)
}

func errUndecided() error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Remedy: "try again",
		Message: "it could not be found out whether a document was created, since a transaction is about to delete what it needs"}
}

// findDecided is find for readers: it waits until it is known whether documents were created.
func (e *Engine) findDecided(ctx context.Context, ids []dovetail.ID, whole bool) (map[dovetail.ID]view, error) {
	views, err := e.find(ctx, ids, whole)
	for attempt := 1; err == nil; attempt++ {
		var open []*Record
		for _, v := range views {
			if v.status == undecided {
				open = append(open, v.Record)
			}
		}
		if len(open) == 0 {
			return views, nil
		}
		slices.SortFunc(open, func(a, b *Record) int { return cmp.Compare(a.ID, b.ID) })
		e.unblock(ctx, open)
		again, paused := e.env.Pause(ctx, attempt)
		switch {
		case paused != nil:
			return nil, dovetail.AsError(paused)
		case !again:
			return nil, errUndecided()
		}
		var more map[dovetail.ID]view
		left := make([]dovetail.ID, len(open))
		for i, r := range open {
			left[i] = r.ID
			delete(views, r.ID)
		}
		if more, err = e.find(ctx, left, whole); err == nil {
			for id, v := range more {
				views[id] = v
			}
		}
	}
	return nil, err
}

// decideAnswered resolves the creations that may have been acknowledged before the call, so that later reads of changes include
// them.
func (e *Engine) decideAnswered(ctx context.Context) error {
	waiting, err := collect(e.server.WithIntent(ctx, ""))
	if err != nil {
		return err
	}
	var ids []dovetail.ID
	for _, r := range waiting {
		if r.implicit() {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) > 0 {
		_, err = e.findDecided(ctx, unique(ids), false)
	}
	return err
}

// decided yields views for readers: it waits until it is known whether documents were created.
func (e *Engine) decided(ctx context.Context, views iter.Seq2[view, error], whole bool) iter.Seq2[view, error] {
	return func(yield func(view, error) bool) {
		for v, err := range views {
			if err == nil && v.status == undecided {
				var found map[dovetail.ID]view
				id := v.ID
				if found, err = e.findDecided(ctx, []dovetail.ID{id}, whole); err == nil && found[id].Record == nil {
					continue
				}
				v = found[id]
			}
			if !yield(v, err) {
				return
			}
		}
	}
}
