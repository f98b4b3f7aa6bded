package simulation

import (
	"context"
	"iter"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The scenarios of creations that are answered before their intents are taken away.
const (
	answeredAndRead    = "a creation that is answered, its reader, and a deleter of its target"
	answeredOrNot      = "a creation that is answered, and its reader"
	targetAgain        = "a target that is created again, a creator of a referrer, and a reader"
	targetTwice        = "a target that is created again and deleted again, a creator of a referrer, and a reader"
	answeredAndWritten = "a creation that is answered, then updated and deleted before its intent is gone, and another creator"
	answeredAndBelow   = "a creation that is answered, a creator below it, and a deleter of its parent"
	answeredAndPast    = "two creations that are answered, and a reader of two snapshots"
	answeredAndSwept   = "a creation that is answered, a remover of its target, and a sweep"
	readAndPast        = "a creation that is answered, its reader, and a reader of a snapshot"
	failedAndFollowed  = "a creator of a referrer, a deleter of the target, and a reader of the changes who looks once"
	answeredAndNow     = "an update and a creation that are answered, and a reader of the position of now"
	answeredWithTarget = "a creation that is answered, an update of its target, and a reader of a snapshot"
	untargetedInTime   = "a creation without targets in time, and a reader after it"
)

// lazily does its actions, and what is left of them after the last.
func lazily(name string, actions ...Action) Process {
	return Process{Name: name, Lazy: true, Actions: actions}
}

func answered() []Scenario {
	referrer := func(id dovetail.ID) Action { return create(document(id, "a", 1, "t/1")) }
	looks := roams(late)
	looks.Actions = []Action{{Follow: 1}}
	child := func(uid string, revision uint64) *dovetail.Document { return document("p/1/c/1", uid, revision) }
	return []Scenario{
		{Name: answeredAndRead, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2"), read("h/2")), does("B", read("h/2"), read("h/2")), does("C", remove(target))}},
		{Name: answeredOrNot, Documents: documents(target), Processes: []Process{lazily("A", referrer("h/2")), does("B", read("h/2"))}},
		{Name: targetAgain, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2")), does("B", remove(target), create(document("t/1", "u", 1))), does("C", read("h/2"))}},
		{Name: targetTwice, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2")), does("B", remove(target), create(document("t/1", "u", 1)), remove(document("t/1", "u", 1))), does("C", read("h/2"))}},
		{Name: answeredAndWritten, Documents: documents(parent),
			Processes: []Process{lazily("A", create(child("a", 1)), update(child("a", 2)), remove(child("a", 2))), does("B", create(child("b", 1)))}},
		{Name: answeredAndBelow, Documents: documents(parent),
			Processes: []Process{lazily("A", create(child("a", 1))), lazily("B", create(document("p/1/c/1/d/1", "b", 1))), does("C", remove(parent))}},
		{Name: answeredAndPast, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2"), referrer("h/3")), does("S", Action{Snapshot: true}, Action{Snapshot: true})}},
		{Name: answeredAndSwept, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2")), does("B", Action{Remove: "t/1"}), does("R", Action{Sweep: true})}},
		{Name: readAndPast, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2")), does("B", read("h/2")), does("S", Action{Snapshot: true})}},
		{Name: failedAndFollowed, Documents: documents(target),
			Processes: []Process{looks, lazily("A", referrer("h/2")), does("B", remove(target))}},
		{Name: answeredAndNow, Window: window, Documents: documents(target),
			Processes: []Process{lazily("A", update(document("t/1", "t", 2)), referrer("h/2")), does("S", Action{Snapshot: true, Head: true})}},
		{Name: answeredWithTarget, Documents: documents(target),
			Processes: []Process{lazily("A", referrer("h/2")), does("B", update(document("t/1", "t", 2))), does("S", Action{Snapshot: true})}},
		{Name: untargetedInTime, Documents: documents(),
			Processes: []Process{does("A", inTime(create(document("p/2", "a", 1)))), does("T", Action{EndTime: true}, read("p/2"))}},
	}
}

// TestMutantsOfAnswered explores creations that are answered before their intents are taken away with a defect.
func TestMutantsOfAnswered(t *testing.T) {
	testMutants(t, []mutant{
		{"creator answers though a target was created again", targetAgain, 0, 0, 0, func(c *Client) protocol.Server { return knowsNoStamps{c} }},
		{"creator does not look whether a snapshot was taken", answeredAndPast, 0, 0, 0, func(c *Client) protocol.Server { return looksAtNoClock{c} }},
		{"creator commits without its intent", targetTwice, 0, 0, 0, func(c *Client) protocol.Server { return comparesNothing{c} }},
		{"creator ignores intents of targets", answeredAndRead, 0, 0, 0, func(c *Client) protocol.Server { return seesNoDeletion{c} }},
		{"creator takes back what others have committed", answeredAndRead, 0, 0, 0, func(c *Client) protocol.Server { return removesBlindly{c} }},
		{"creator believes that an insertion that is not answered was not made", answeredOrNot, 0, 1, 0, func(c *Client) protocol.Server { return insertsOrNot{c} }},
		{"creator does not say until when it must be inserted", "a creation in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return insertsAnytime{c} }},
		{"creator takes intents of others away", answeredAndWritten, 0, 0, 0, func(c *Client) protocol.Server { return comparesNothing{c} }},
		{"reader does not know what may have been answered", answeredAndRead, 1, 0, 0, func(c *Client) protocol.Server { return knowsNoAnswers{c} }},
		{"reader takes every creation for answered", answeredAndRead, 1, 0, 0, func(c *Client) protocol.Server { return believesAnswers{c} }},
		{"reader commits though a target is about to go", answeredAndRead, 1, 0, 0, func(c *Client) protocol.Server { return seesNoDeletion{c} }},
		{"reader does not look whether a snapshot was taken", readAndPast, 1, 0, 0, func(c *Client) protocol.Server { return looksAtNoClock{c} }},
		{"deleter ignores creations that are answered", answeredAndRead, 2, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"sweep takes back what was answered", answeredAndSwept, 2, 0, 1, func(c *Client) protocol.Server { return knowsNoAnswers{c} }},
		{"snapshot takes back what was answered", answeredAndPast, 1, 0, 0, func(c *Client) protocol.Server { return knowsNoAnswers{c} }},
		{"snapshot does not wait for what was answered", answeredAndPast, 1, 0, 0, func(c *Client) protocol.Server { return seesNoIntents{c} }},
		{"position of now does not wait for what was answered", answeredAndNow, 1, 0, 0, func(c *Client) protocol.Server { return seesNoIntents{c} }},
		{"feed yields creations that are not decided", failedAndFollowed, 0, 0, 0, func(c *Client) protocol.Server { return believesAnswers{c} }},
	})
}

// knowsNoStamps takes every document for older than its own.
type knowsNoStamps struct{ *Client }

func (d knowsNoStamps) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	for _, r := range records {
		if r.Intent == nil {
			r.Stamp, r.Since = protocol.Stamp{}, protocol.Stamp{}
		}
	}
	return records, err
}

// removesBlindly believes that what it removes was there.
type removesBlindly struct{ *Client }

func (d removesBlindly) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	n, err := d.Client.Apply(ctx, changes)
	if changes[0].Remove {
		return len(changes), err
	}
	return n, err
}

// insertsOrNot takes an insertion that is not answered for one that was not made.
type insertsOrNot struct{ *Client }

func (d insertsOrNot) Insert(ctx context.Context, records []*protocol.Record) []error {
	errs := d.Client.Insert(ctx, records)
	for i, err := range errs {
		if dovetail.CodeOf(err) == dovetail.CodeUnknown {
			errs[i] = refused()
		}
	}
	return errs
}

type insertsAnytime struct{ *Client }

func (d insertsAnytime) Insert(ctx context.Context, records []*protocol.Record) []error {
	for _, r := range records {
		r.Intent.Before = timeLimit.AddDate(1, 0, 0)
	}
	return d.Client.Insert(ctx, records)
}

// knowsNoAnswers takes creations that may have been answered for those that have not been, as earlier versions of Dovetail do.
type knowsNoAnswers struct{ *Client }

func (d knowsNoAnswers) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	for _, r := range records {
		unanswered(r)
	}
	return records, err
}

func (d knowsNoAnswers) WithIntent(ctx context.Context, txn string) iter.Seq2[*protocol.Record, error] {
	return each(d.Client.WithIntent(ctx, txn), unanswered)
}

func (d knowsNoAnswers) WithOtherIntent(ctx context.Context, than []string) iter.Seq2[*protocol.Record, error] {
	return each(d.Client.WithOtherIntent(ctx, than), unanswered)
}

func unanswered(r *protocol.Record) {
	if r.Intent != nil {
		r.Intent.Implicit = false
	}
}

func each(records iter.Seq2[*protocol.Record, error], do func(*protocol.Record)) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		for r, err := range records {
			if err == nil {
				do(r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// believesAnswers takes all creations that may have been answered for answered.
type believesAnswers struct{ *Client }

func (d believesAnswers) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	for _, r := range records {
		made(r)
	}
	return records, err
}

func (d believesAnswers) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return each(d.Client.Changed(ctx, since), made)
}

func (d believesAnswers) WithIntent(ctx context.Context, txn string) iter.Seq2[*protocol.Record, error] {
	return each(d.Client.WithIntent(ctx, txn), made)
}

func made(r *protocol.Record) {
	if r.Intent != nil && r.Intent.Implicit {
		r.Intent = nil
	}
}
