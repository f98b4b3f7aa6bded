package simulation

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The scenarios in which time passes.
const (
	followedLate    = "a creation whose intent goes late, and a reader of the changes, while time passes"
	followedBlindly = "a creation whose intent goes late, and a reader of the changes who decides nothing, while time passes"
	decidedLate     = "a creation that another reader decides late, and a reader of the changes who decides nothing, while time passes"
)

// passing are scenarios in which time passes, as far as the window of readers and beyond it.
func passing() []Scenario {
	follower := does("F", Action{Follow: 1})
	time := does("T", Action{Pass: 3}, Action{Pass: 2})
	return []Scenario{
		{Name: followedLate, Window: window, Documents: documents(target),
			Processes: []Process{lazily("A", create(document("h/2", "a", 1, "t/1"))), time, follower}},
	}
}

// blind are scenarios in which who reads the changes decides no creations: late stamps alone keep it from missing them.
func blind() []Scenario {
	follower := does("F", Action{Follow: 1})
	follower.Wrap = func(connection protocol.Server) protocol.Server { return seesNoneOverdue{connection.(*Client)} }
	time := does("T", Action{Pass: 3}, Action{Pass: 2})
	creator := lazily("A", create(document("h/2", "a", 1, "t/1")))
	return []Scenario{
		{Name: followedBlindly, Window: window, Documents: documents(target), Processes: []Process{creator, time, follower}},
		{Name: decidedLate, Window: window, Documents: documents(target), Processes: []Process{creator, time, follower, does("R", read("h/2"))}},
	}
}

// window is that of readers.
const window = 4 * time.Second

// TestMutantsOfClocks explores what comes too late with a defect.
func TestMutantsOfClocks(t *testing.T) {
	testMutants(t, []mutant{
		{"creator takes its intent away twice as late", followedBlindly, 0, 0, 0, func(c *Client) protocol.Server { return clearsLate{c} }},
		{"creator gives no later stamp to what is late", followedBlindly, 0, 0, 0, func(c *Client) protocol.Server { return keepsStamps{c} }},
		{"reader gives no later stamp to what is late", decidedLate, 3, 0, 0, func(c *Client) protocol.Server { return keepsStamps{c} }},
		{"reader looks back half as far", followedLate, 2, 0, 0, func(c *Client) protocol.Server { return looksBackLess{c} }},
		{"reader does not decide what is overdue", followedLate, 2, 1, 0, func(c *Client) protocol.Server { return seesNoneOverdue{c} }},
		{"creator takes its stamp for early enough", "a creation in time, and a reader after it", 0, 0, 0, func(c *Client) protocol.Server { return knowsNoLimit{c} }},
		{"reader takes a stamp for early enough", "a creation in time, and a reader after it", 1, 0, 0, func(c *Client) protocol.Server { return knowsNoLimit{c} }},
	}, blind()...)
}

// clearsLate takes intents of creations away, with their stamps, until twice as late.
type clearsLate struct{ *Client }

func (d clearsLate) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	for i, c := range changes {
		if !c.Before.IsZero() && c.Txn == "" {
			changes[i].Before = c.Before.Add(window / 2)
		}
	}
	return d.Client.Apply(ctx, changes)
}

// keepsStamps leaves creations the stamps that they have.
type keepsStamps struct{ *Client }

func (d keepsStamps) Apply(ctx context.Context, changes []protocol.Change) (int, error) {
	for i, c := range changes {
		if c.Moved {
			changes[i] = protocol.Change{ID: c.ID, IntentTxn: c.IntentTxn}
		}
	}
	return d.Client.Apply(ctx, changes)
}

// looksBackLess reads the changes since half a window later.
type looksBackLess struct{ *Client }

func (d looksBackLess) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return d.Client.Changed(ctx, since.Forward(window/2))
}

// seesNoneOverdue reads no creations that are not decided.
type seesNoneOverdue struct{ *Client }

func (d seesNoneOverdue) Changed(ctx context.Context, since protocol.Stamp) iter.Seq2[*protocol.Record, error] {
	return decidedOnly(d.Client.Changed(ctx, since))
}

func (d seesNoneOverdue) WithIntent(ctx context.Context, txn string) iter.Seq2[*protocol.Record, error] {
	return decidedOnly(d.Client.WithIntent(ctx, txn))
}

func decidedOnly(records iter.Seq2[*protocol.Record, error]) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		for r, err := range records {
			if err == nil && r.Intent != nil && r.Intent.Implicit {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// knowsNoLimit does not know until when creations may be committed.
type knowsNoLimit struct{ *Client }

func (d knowsNoLimit) Find(ctx context.Context, ids []dovetail.ID, all bool) (map[dovetail.ID]*protocol.Record, error) {
	records, err := d.Client.Find(ctx, ids, all)
	for _, r := range records {
		if r.Intent != nil {
			r.Intent.Before = time.Time{}
		}
	}
	return records, err
}
