package simulation

import (
	"context"
	"iter"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// mutant is a defect of one process of a scenario.
type mutant struct {
	name     string
	scenario string
	process  int // that has the defect
	faults   int
	expiries int
	defect   func(*Client) protocol.Server
}

// testMutants explores scenarios with a defect until a promise is broken; more are scenarios for mutants only.
func testMutants(t *testing.T, cases []mutant, more ...Scenario) {
	byName := make(map[string]Scenario)
	for _, s := range append(scenarios(), more...) {
		byName[s.Name] = s
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := byName[c.scenario]
			s.Attempts, s.Faults, s.Expiries = 1, c.faults, c.expiries
			s.Processes = append([]Process(nil), s.Processes...)
			s.Processes[c.process].Wrap = func(connection protocol.Server) protocol.Server { return c.defect(connection.(*Client)) }
			result := s.Explore(100_000)
			if result.Violation == nil {
				t.Fatalf("nothing was noticed in %d states, all of them: %v", result.States, result.Whole)
			}
			t.Logf("noticed after %d states: %v", result.States, result.Violation)
		})
	}
}

// TestMutantsOfRemovers explores removers with a defect.
func TestMutantsOfRemovers(t *testing.T) {
	testMutants(t, []mutant{
		{"remover ignores intents of children", "creator of a child, remover of the parent", 1, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"remover ignores intents of referrers", "creator of a referrer, remover of the target", 1, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"remover ignores intents of updates", "updater that adds a reference, remover of the target", 1, 0, 0, func(c *Client) protocol.Server { return ignoresIntents{c} }},
		{"remover sets no intent", "creator of a referrer, remover of the target", 1, 0, 0, func(c *Client) protocol.Server { return &setsNoIntent{Client: c} }},
		{"remover looks before it sets its intent", "creator of a referrer, remover of the target", 1, 0, 0, func(c *Client) protocol.Server { return &holdersFirst{Client: c} }},
		{"remover takes the intent of another", "a parent and a child at once, and a remover of the child", 1, 1, 0, func(c *Client) protocol.Server { return locksAny{c} }},
		{"creator ignores intents of targets of a remover", "creator of a referrer, remover of the target", 0, 0, 0, func(c *Client) protocol.Server { return seesNoDeletion{c} }},
		{"remover decides though it was aborted", "creator of a referrer, remover of the target", 1, 0, 2, func(c *Client) protocol.Server { return updatesAnyState{c} }},
	})
}

// holdersFirst looks what holds a document before it sets the intent to delete it.
type holdersFirst struct {
	*Client
	found []*protocol.Record
}

func (d *holdersFirst) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	for r, err := range d.Client.Holders(ctx, change.ID) {
		if err != nil {
			return nil, err
		}
		d.found = append(d.found, r)
	}
	return d.Client.SetIntent(ctx, change)
}

func (d *holdersFirst) Holders(context.Context, dovetail.ID) iter.Seq2[*protocol.Record, error] {
	return func(yield func(*protocol.Record, error) bool) {
		for _, r := range d.found {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// locksAny puts its intent in the place of another's.
type locksAny struct{ *Client }

func (d locksAny) SetIntent(ctx context.Context, change protocol.Change) (*protocol.Record, error) {
	if r := peek(d.Client, change.ID); r != nil && r.Intent != nil {
		change.IntentTxn = r.Intent.Txn
	}
	return d.Client.SetIntent(ctx, change)
}
