package resolution_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution"
)

// TestMessageIsShort makes clashes of many long constraints and facts.
func TestMessageIsShort(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		name     string
		packages int
		suffix   string
		mentions []string
	}{
		{"many", 60, "", []string{"[0] required", "more cannot hold together; it is about app, p00, p01"}},
		{"long", 3, long, []string{"[0] required", "...", "cannot hold together"}},
		{"many and long", 60, long, []string{"[0] required", "more cannot hold together"}},
		{"not ASCII", 60, "äöü" + strings.Repeat("ü", 50), []string{"[0] required", "cannot hold together"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var packages, constraints, all []any
			for i := range c.packages {
				name := fmt.Sprintf("p%02d%s", i, c.suffix)
				packages = append(packages, object{"name": name, "versions": []any{object{"version": "1.0.0", "channels": []string{"m"}}}})
				constraints = append(constraints, object{"required": object{"name": name}})
				all = append(all, object{"required": object{"name": name}})
			}
			// All of them are needed: one version of app forbids each.
			var versions []any
			for i := range c.packages {
				name := fmt.Sprintf("p%02d%s", i, c.suffix)
				versions = append(versions, object{"version": fmt.Sprintf("1.%d.0", i), "channels": []string{"m"}, "conflicts": []any{object{"name": name}}})
			}
			packages = append(packages, object{"name": "app", "versions": versions})
			constraints = append(constraints, object{"required": object{"name": "app"}})
			problem, err := parse(fromJSON(object{"sources": []any{object{"name": "cat", "packages": packages}}, "spec": object{"constraints": constraints}}))
			if err != nil {
				t.Fatal(err)
			}
			out, err := resolution.Resolve(t.Context(), problem, resolution.Options{})
			if err != nil || out.Unsat == nil || len(out.Unsat.Core) != len(all)+1 {
				t.Fatalf("%+v, %v", out, err)
			}
			if len(out.Message) > resolution.MaxMessage {
				t.Errorf("%d bytes: %s", len(out.Message), out.Message)
			}
			if strings.ToValidUTF8(out.Message, "?") != out.Message {
				t.Errorf("not UTF-8: %q", out.Message)
			}
			for _, text := range c.mentions {
				if !strings.Contains(out.Message, text) {
					t.Errorf("%q is not in %s", text, out.Message)
				}
			}
		})
	}
}

// TestRangesOfTheirOwn says in one sentence what differs in ranges only.
func TestRangesOfTheirOwn(t *testing.T) {
	problem, err := parse(catalog{packages: 20, versions: 5, roots: 3, seed: 1, mode: modeUnsat}.document())
	if err != nil {
		t.Fatal(err)
	}
	out, err := resolution.Resolve(t.Context(), problem, resolution.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "[3] required clash-left and [4] required clash-right cannot hold together: " +
		"every version of clash-left needs clash-left-mid in a range of its own; every version of clash-right needs clash-right-mid in a range of its own; " +
		"every version of clash-left-mid needs clash-lib <=2.1.0; every version of clash-right-mid needs clash-lib >2.1.0; only one version of clash-lib can be selected; without [3]: "
	if !strings.HasPrefix(out.Message, want) {
		t.Errorf("got %s", out.Message)
	}
	if len(out.Unsat.Facts) != 13 {
		t.Errorf("%d facts, want one for each range: %v", len(out.Unsat.Facts), out.Unsat.Facts)
	}
}
