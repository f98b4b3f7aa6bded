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

// Created is a creation that has been answered, and whose intent is to be taken away.
type Created struct {
	id  dovetail.ID
	txn string
	at  Stamp
}

// maxImplicit is up to how many creations of a group are committed implicitly: of more, each insertion with a stamp costs the server more than
// the change that commits them together.
const maxImplicit = 8

// latestStamp is later than any other.
var latestStamp = Stamp{math.MaxUint32, math.MaxUint32}

// implicitly says whether a group is committed by the check of its targets, and the intents are taken away after the answer: where all
// processes understand that.
func (e *Engine) implicitly(group []*Creation) bool {
	return e.env.Level() >= Implicit && len(group) <= maxImplicit && !slices.ContainsFunc(group, func(c *Creation) bool { return len(c.targets) == 0 })
}

// inTime says whether a stamp is earlier than a moment, if there is one.
func (s Stamp) inTime(before time.Time) bool {
	return before.IsZero() || int64(s.Seconds) < before.Unix()
}

// mayBeAnswered says whether the record is of a creation that its owner may have answered.
func (r *Record) mayBeAnswered() bool { return r.implicit() && r.Stamp.inTime(r.Intent.Before) }

// lastNow is the last stamp that Now returned according to records that were looked for with ClockID, or zero.
func lastNow(records map[dovetail.ID]*Record) Stamp {
	if clock := records[ClockID]; clock != nil {
		return clock.Stamp
	}
	return Stamp{}
}

// lastNow returns the last stamp that Now returned, or one that it is about to return; zero where there is none.
func (e *Engine) lastNow(ctx context.Context) (Stamp, error) {
	records, err := e.server.Find(ctx, []dovetail.ID{ClockID}, true) // without a projection, which would be larger than it
	return lastNow(records), err
}

// freshUntil is when it is too late to commit something with a stamp: readers of changes must still look that far back.
func (e *Engine) freshUntil(at Stamp) time.Time {
	return at.Forward(max(e.env.VisibilityWindow/2, time.Second)).Time()
}

// checkImplicit looks, once the documents are inserted, whether they are created with that: all targets are there, were written before, and
// no transaction is about to delete one, which from then on none can; the document was inserted in time; and no snapshot
// was taken since that may lack it. Then the answer need not wait until the intents are gone. Of those that only must have a later stamp it
// takes the intents away before. Others are taken back.
func (e *Engine) checkImplicit(ctx context.Context, txn string, group []*Creation) {
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
		case r == nil || r.Intent == nil || r.Intent.Txn != txn:
			c.outcome = e.wasCreated(ctx, txn, c, nil)
			continue
		}
		switch c.outcome = examineTargets(c.targets, views); {
		case c.outcome.err != nil || c.outcome.decision != done:
			rejected = append(rejected, c)
		case r.mayBeAnswered() && taken.Before(r.Stamp) && allBefore(c.targets, views, r.Stamp):
			e.env.SubmitCreated(e, &Created{c.doc.ID, txn, r.Stamp})
		default:
			late = append(late, c)
		}
	}
	if len(rejected) > 0 {
		e.takeBack(ctx, txn, rejected)
	}
	if len(late) > 0 {
		e.commitCreations(ctx, txn, late)
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

// allBefore says whether all of the documents were written before a stamp: none of them has come since in the place of another.
func allBefore(ids []dovetail.ID, views map[dovetail.ID]view, at Stamp) bool {
	return !slices.ContainsFunc(ids, func(id dovetail.ID) bool { return !views[id].committedAt().Before(at) })
}

// takeBack removes creations that have an outcome already, unless others have committed them meanwhile, which is their outcome then. While
// that is not known, others may commit them.
func (e *Engine) takeBack(ctx context.Context, txn string, group []*Creation) {
	if !group[0].implicit {
		e.rollback(ctx, removals(txn, group))
		return
	}
	answer := e.retryUntilKnown(ctx, removals(txn, group))
	if answer.all {
		return
	}
	for _, c := range group {
		switch now := e.wasCreated(ctx, txn, c, cmp.Or(answer.lost, answer.refused)); {
		case now.err == nil && now.decision == done, dovetail.CodeOf(now.err) == dovetail.CodeUnknown:
			c.outcome = now
		}
	}
}

// ClearCreated takes the intents of creations away that have been answered.
func (e *Engine) ClearCreated(ctx context.Context, group []*Created) error {
	records := make([]*Record, len(group))
	for i, c := range group {
		records[i] = &Record{ID: c.id, Stamp: c.at, Intent: &Intent{Txn: c.txn}}
	}
	_, err := e.commitImplicit(ctx, records)
	return err
}

// commitImplicit takes the intents of implicit creations away, which keep their stamps; where that is too late they get one of now. It
// returns how many it took away.
func (e *Engine) commitImplicit(ctx context.Context, records []*Record) (n int, err error) {
	changes := make([]Change, len(records))
	ids := make([]dovetail.ID, len(records))
	for i, r := range records {
		ids[i] = r.ID
		changes[i] = Change{ID: r.ID, IntentTxn: r.Intent.Txn, Before: e.freshUntil(r.Stamp)}
	}
	if n, err = e.server.Apply(ctx, changes); err != nil || n == len(changes) {
		return n, err
	}
	now, err := e.server.Find(ctx, ids, false) // others may have done it
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

// moveImplicit commits implicit creations with a stamp of now.
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

// verdicts are implicit creations by what becomes of them.
type verdicts struct {
	commit    []*Record // all targets are there: they may have been answered, and can only be committed
	remove    []*Record // a target is gone: they have not been answered, and never will be
	undecided []*Record // a target may be about to go, or to be found gone
}

// decide says what becomes of implicit creations. Their owner answers without taking the intent away only where it has seen all targets after
// the insertion, none of them about to go, and each written before. A target that was seen so stays as long as the intent is there. So
// where one is missing, the owner has not seen all, and will not, since what comes in its place is written later. Of what is in none of the
// lists a target is not there yet, and will be written later: it will not be answered without taking the intent away either, and counts as any other creation.
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

// decideImplicit commits implicit creations, or takes them back, and says what is there then.
func (e *Engine) decideImplicit(ctx context.Context, implicit []*Record, whole bool, views map[dovetail.ID]view) error {
	if len(implicit) == 0 {
		return nil
	}
	slices.SortFunc(implicit, func(a, b *Record) int { return cmp.Compare(a.ID, b.ID) })
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
	ids := make([]dovetail.ID, len(changed))
	for i, r := range changed {
		ids[i] = r.ID
		delete(views, r.ID)
	}
	slices.Sort(ids)
	records, err := e.server.Find(ctx, ids, whole)
	if err != nil {
		return err
	}
	return e.classify(ctx, records, whole, views)
}

// decideBefore decides those of implicit creations whose stamps are before one.
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

// commitSeen commits implicit creations for others. One that a snapshot may lack that was taken since gets a later stamp.
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
		n, err := e.commitImplicit(ctx, sure)
		if e.resolved(true, n); err != nil {
			return err
		}
	}
	n, err := e.moveImplicit(ctx, unsure)
	e.resolved(true, n)
	return err
}

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

// finishImplicit does for other processes what they have not come to: creations that may have been answered are committed, with a stamp
// of now. It returns those that cannot be decided.
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

// unblock resolves what keeps implicit creations from being decided, where its owner seems dead.
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

// decideAnswered decides the creations that may have been answered before the call: what is read of the changes afterwards has them.
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
