package simulation

import (
	"context"
	"testing"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// The scenarios of processes of two versions beside each other.
const (
	beside     = "a creation that is answered once the level is raised, a sweep of an earlier version, and one who raises the level"
	besidePast = "a creation that is answered once the level is raised, a snapshot of an earlier version, and one who raises the level"
)

// earlierVersion does its actions as a version that knows no implicit commits.
func earlierVersion(name string, actions ...Action) Process {
	return Process{Name: name, Actions: actions, Knows: protocol.ThreeSteps, Wrap: func(s protocol.Server) protocol.Server { return knowsNoAnswers{s.(*Client)} }}
}

func levels() []Scenario {
	creator := lazily("A", Action{Announce: true}, create(document("h/2", "a", 1, "t/1")))
	raiser := does("R", Action{Raise: true})
	return []Scenario{
		{Name: beside, Level: protocol.ThreeSteps, Documents: documents(target),
			Processes: []Process{creator, earlierVersion("B", Action{Sweep: true}), raiser}},
		{Name: besidePast, Level: protocol.ThreeSteps, Documents: documents(target),
			Processes: []Process{creator, earlierVersion("B", Action{Snapshot: true}), raiser}},
	}
}

// TestMutantsOfLevels explores processes of two versions beside each other with a defect.
func TestMutantsOfLevels(t *testing.T) {
	testMutants(t, []mutant{
		{"creator ignores the level", beside, 0, 0, 1, func(c *Client) protocol.Server { return usesNewest{c} }},
		{"creator ignores the level beside a reader", besidePast, 0, 0, 0, func(c *Client) protocol.Server { return usesNewest{c} }},
		{"process joins at a level that it does not know", beside, 1, 0, 1, func(c *Client) protocol.Server { return joinsAny{knowsNoAnswers{c}} }},
		{"process does not announce itself", beside, 1, 0, 1, func(c *Client) protocol.Server { return announcesNothing{knowsNoAnswers{c}} }},
		{"level is raised though a process runs that does not know it", beside, 2, 0, 1, func(c *Client) protocol.Server { return seesNoMembers{c} }},
		{"level is raised though a process has joined since", beside, 2, 0, 1, func(c *Client) protocol.Server { return raisesBlindly{c} }},
	})
}

// usesNewest takes every store for one at the newest level.
type usesNewest struct{ *Client }

func (d usesNewest) Announce(ctx context.Context, m protocol.Member) (protocol.Registry, error) {
	read, err := d.Client.Announce(ctx, m)
	read.Level = protocol.NewestLevel
	return read, err
}

// joinsAny takes every level for the one that it knows.
type joinsAny struct{ knowsNoAnswers }

func (d joinsAny) Announce(ctx context.Context, m protocol.Member) (protocol.Registry, error) {
	read, err := d.Client.Announce(ctx, m)
	read.Level = m.Knows
	return read, err
}

// announcesNothing is a process as of the versions that know no levels.
type announcesNothing struct{ knowsNoAnswers }

func (d announcesNothing) Announce(context.Context, protocol.Member) (protocol.Registry, error) {
	return protocol.Registry{Level: protocol.ThreeSteps}, nil
}

// seesNoMembers does not look who runs.
type seesNoMembers struct{ *Client }

func (d seesNoMembers) Announce(ctx context.Context, m protocol.Member) (protocol.Registry, error) {
	read, err := d.Client.Announce(ctx, m)
	read.Members = nil
	return read, err
}

// raisesBlindly does not compare the registry with what it has read.
type raisesBlindly struct{ *Client }

func (d raisesBlindly) RaiseLevel(ctx context.Context, _ protocol.Registry, to protocol.Level) (bool, error) {
	err := d.step(ctx, true, func() string { return "raise the level blindly" }, func() { d.server.registry.Level = to })
	return err == nil, err
}

// TestExploreLevels tries all schedules of processes of two versions, none of which fails: with faults they are too many for TestExplore.
func TestExploreLevels(t *testing.T) {
	s := levels()[0]
	s.Attempts, s.Expiries = 1, 1
	if result := s.Explore(0); !result.Whole || result.Violation != nil {
		t.Fatalf("all of them: %v: %v", result.Whole, result.Violation)
	}
}
