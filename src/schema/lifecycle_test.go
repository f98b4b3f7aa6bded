package schema_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

const jobSchema = `
resources:
- name: site
  lifecycle: {initial: Open, actions: {close: {from: Open, to: Closed}}}
- name: job
  parent: site
  actions: [ping, {path: run, code: 200}]
`

func TestLifecycle(t *testing.T) {
	kind := kindOf(t, compile(t, jobSchema+`  lifecycle:
    initial: Created
    states: [Created, Approved, Running, Stopping, Lost, Found]
    actions:
      approve: {from: Created, to: Approved}
      run: {from: [Approved], to: Running, needs: {site: Open}}
      note: {}
      stop: {transitions: [{from: [Running], to: Stopping}, {from: [Lost], to: Found}]}
      reset: {to: Created}
    freeze: {put: [Running, Stopping], delete: Running}
`), "job")
	l := kind.Lifecycle
	for _, test := range []struct {
		state string
		want  string // actions and where they lead
	}{
		{"Created", "approve>Approved note>Created reset>Created"},
		{"Approved", "note>Approved reset>Created run>Running"},
		{"Running", "note>Running reset>Created stop>Stopping"},
		{"Lost", "note>Lost reset>Created stop>Found"},
	} {
		var got []string
		for _, name := range l.Allowed(schema.Standing{State: test.state}) {
			got = append(got, name+">"+cmp.Or(l.Action(name).Next(schema.Standing{State: test.state}).To, test.state))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %s", test.state, got, test.want)
		}
	}
	if got := l.Unreachable(); !slices.Equal(got, []string{"Found", "Lost"}) {
		t.Errorf("unreachable: %q", got)
	}
	var actions []string
	for _, a := range kind.Actions {
		actions = append(actions, a.Method+" "+a.Path)
	}
	if got := strings.Join(actions, ", "); got != "POST ping, POST run, POST approve, POST note, POST reset, POST stop" || kind.Action("run").Code != 200 {
		t.Errorf("actions: %s", got)
	}
	text, err := json.Marshal(kind.Describe().Lifecycle.Freeze)
	if err != nil || string(text) != `{"put":["Running","Stopping"],"delete":["Running"]}` {
		t.Errorf("%s %v", text, err)
	}
	if got := l.Action("stop").String(); got != "from Lost to Found, from Running to Stopping" {
		t.Error(got)
	}
}

// The order in which states and actions are written does not count; everything else does.
func TestLifecycleInHashAndDiff(t *testing.T) {
	with := func(lifecycle string) *schema.Model { return compile(t, jobSchema+lifecycle) }
	const head = "  lifecycle:\n    initial: A\n"
	base := with(head + "    actions: {go: {from: [A, B], to: B}, back: {from: B, to: A}}\n    freeze: {delete: [A, B]}\n")
	for _, test := range []struct {
		name, lifecycle string
		want            string // the differences
	}{
		{"another order", "  lifecycle:\n    freeze: {delete: [B, A]}\n    states: [B, A]\n    actions: {back: {to: A, from: [B]}, go: {to: B, from: [B, A]}}\n    initial: A\n", ""},
		{"another transition", head + "    actions: {go: {from: [A], to: B}, back: {from: B, to: A}}\n    freeze: {delete: [A, B]}\n", "job: the action go is possible from A to B, not from A or B to B"},
		{"a need", head + "    actions: {go: {from: [A, B], to: B, needs: {site: Open}}, back: {from: B, to: A}}\n    freeze: {delete: [A, B]}\n",
			"job: the action go is possible from A or B to B, and needs its site to be Open, not from A or B to B"},
		{"less frozen", head + "    actions: {go: {from: [A, B], to: B}, back: {from: B, to: A}}\n    freeze: {delete: [A]}\n", "job: frozen is now: not deleted in A; it was: not deleted in A, B"},
		{"none", "", "job: it no longer has states\njob: its actions are others"},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := with(test.lifecycle)
			var got []string
			for _, d := range schema.Diff(base, next) {
				got = append(got, d.Message)
			}
			if strings.Join(got, "\n") != test.want || (next.Hash() == base.Hash()) != (test.want == "") {
				t.Errorf("hash %s, that of the base %s; %q, want %q", next.Hash(), base.Hash(), got, test.want)
			}
		})
	}
}

func TestStanding(t *testing.T) {
	for _, test := range []struct {
		standing schema.Standing
		may, is  string // of the states below
	}{
		{schema.Standing{State: "A"}, "A A/pending A/done A/failed", "A"},
		{schema.Standing{State: "A", Progress: schema.Requested}, "A A/pending", "A A/pending"},
		{schema.Standing{State: "A", Progress: schema.Running}, "A A/pending", "A A/pending"},
		{schema.Standing{State: "A", Progress: schema.Done}, "A A/done", "A A/done"},
		{schema.Standing{State: "A", Progress: schema.Failed}, "A A/failed", "A A/failed"},
		{schema.Standing{State: "B"}, "", ""},
	} {
		var may, is []string
		for _, state := range []string{"A", "A/pending", "A/done", "A/failed"} {
			if test.standing.MayBeIn([]string{"C", state}) {
				may = append(may, state)
			}
			if test.standing.IsIn([]string{"C", state}) {
				is = append(is, state)
			}
		}
		if strings.Join(may, " ") != test.may || strings.Join(is, " ") != test.is {
			t.Errorf("%+v may be in %q, and is in %q", test.standing, may, is)
		}
	}
}

func TestLifecycleWithWorker(t *testing.T) {
	l := kindOf(t, compile(t, jobSchema+`  lifecycle:
    initial: Created
    actions:
      run: {from: [Created, Stopped/done], to: Running, via: Starting, failed: Broken, work: true, revision: first}
      update: {from: Running, work: true, revision: next}
      rollback: {from: Running, work: true, revision: next, restores: spec.revision}
      stop: {transitions: [{from: [Running, Broken/failed], to: Stopped, unreferenced: true}, {from: Stopped/failed, to: Created}], work: true}
    freeze: {delete: [Running, Stopped/pending]}
`), "job").Lifecycle
	if got := strings.Join(l.States, " "); got != "Broken Created Running Starting Stopped" {
		t.Errorf("states %s", got)
	}
	if got := l.Unreachable(); len(got) != 0 {
		t.Errorf("unreachable: %q", got)
	}
	if next := l.Action("run").Next(schema.Standing{State: "Created"}); next.To != "Running" || next.Via != "Starting" || next.Failed != "Broken" {
		t.Errorf("%+v", next)
	}
	if got := l.Allowed(schema.Standing{State: "Stopped", Progress: schema.Running}); len(got) != 0 {
		t.Errorf("while it stops are allowed: %q", got)
	}
	rollback := l.Action("rollback")
	if rollback.Revision != schema.RevisionNext || !slices.Equal(rollback.Restores, []string{"spec", "revision"}) {
		t.Errorf("%+v", rollback)
	}
	if got := strings.Join(l.Action("stop").Requirements(), ", "); got != "is carried out by a worker" {
		t.Error(got)
	}
	if got := l.Action("stop").String(); got != "from Broken/failed or Running to Stopped while nothing refers to it, from Stopped/failed to Created" {
		t.Error(got)
	}
	if got := l.Action("run").String(); got != "from Created or Stopped/done to Running by way of Starting (Broken where it fails)" {
		t.Error(got)
	}
}
