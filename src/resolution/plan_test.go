package resolution_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/store"
)

const upgradable = `{"packages":[{"name":"a","versions":[{"version":"1.0.0","channels":["c"]},{"version":"1.1.0","channels":["c"],"replaces":"1.0.0"},
	{"version":"1.2.0","channels":["c"],"replaces":"1.1.0"}]},{"name":"b","versions":[{"version":"1.0.0","channels":["c"]}]}]}`

// TestPlan checks that the status has the plan of what is installed, follows its source, and has none where none is possible.
func TestPlan(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	w.source("s", upgradable)
	const spec = `{"spec":{"constraints":["required(\"a\")","required(\"b\")"],"installed":[{"name":"a","version":"1.0.0"}],"policy":`
	for _, c := range []struct {
		name, data string
		want       []solver.Step
		obstacle   string
	}{
		{"latest", spec + `"latest"}}`, []solver.Step{{Package: "a", From: "1.0.0", To: "1.1.0"}, {Package: "a", From: "1.1.0", To: "1.2.0"}, {Package: "b", To: "1.0.0"}}, ""},
		{"single", spec + `{"default":"latest","packages":{"a":"frozen"}}}}`, []solver.Step{{Package: "b", To: "1.0.0"}}, ""},
		{"nothing-changes", `{"spec":{"constraints":["required(\"a\")"],"installed":[{"name":"a","version":"1.2.0"}],"policy":"frozen"}}`, []solver.Step{}, ""},
		{"frozen", spec + `"frozen"}}`, nil, solver.ObstaclePolicy},
		{"no-policy", `{"spec":{"constraints":["required(\"a\")"],"installed":[{"name":"a","version":"1.0.0"}]}}`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.put(c.name, c.data)
			if !slices.Equal(got.Plan, c.want) || (got.Plan == nil) != (c.want == nil) {
				t.Errorf("plan %v, want %v: %s", got.Plan, c.want, tell(got))
			}
			if got.Unsat != nil && got.Unsat.Obstacle != c.obstacle || got.Unsat == nil && c.obstacle != "" {
				t.Errorf("unsat %+v, want the obstacle %s", got.Unsat, c.obstacle)
			}
		})
	}
	var shown struct{ Plan json.RawMessage }
	if err := json.Unmarshal(w.get("single").Status, &shown); err != nil || string(shown.Plan) != `[{"package":"b","from":null,"to":"1.0.0"}]` {
		t.Errorf("%s, %v", shown.Plan, err)
	}
}

// TestPlanSchema checks that members of a spec for plans which are misspelt are not stored.
func TestPlanSchema(t *testing.T) {
	s := openStore(t, openBackend(t))
	for _, c := range []struct{ name, spec, want string }{
		{"a policy", `{"policy":"lates"}`, "/spec/policy"},
		{"a policy of packages", `{"policy":{"default":"latest","package":{"a":"frozen"}}}`, "/spec/policy"},
		{"a policy of one package", `{"policy":{"default":"latest","packages":{"a":"frosen"}}}`, "/spec/policy"},
		{"an installed version", `{"installed":[{"name":"a","versions":"1.0.0"}]}`, "/spec/installed/0"},
		{"upgrades", `{"installed":[{"name":"a","version":"1.0.0","upgrades":"all"}]}`, "/spec/installed/0/upgrades"},
		{"a number of changes", `{"policy":"latest","maxChanges":-1}`, "/spec/maxChanges"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Put(t.Context(), store.Operation{ID: resolutionID("r"), Data: parse(t, `{"spec":`+c.spec+`}`)})
			if err == nil || !strings.Contains(told(err), c.want) {
				t.Errorf("got %v, want %s", told(err), c.want)
			}
		})
	}
}

// told is where the parts of an error are, and what they say.
func told(err error) string {
	e := dovetail.AsError(err)
	if e == nil {
		return ""
	}
	text := e.Position.Path + ": " + e.Message
	for _, part := range e.Errors {
		text += "\n" + part.Position.Path + ": " + part.Message
	}
	return text
}
