package resolution_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/store"
)

// ruled returns a store that has the rules of the service, with documents.
func ruled(t *testing.T, documents map[string]string) *store.Store {
	t.Helper()
	s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(resolution.Rules()), "ref-schemas/v1.yaml", "../inventory/ref-schemas/v1.yaml")
	var operations []store.Operation
	for id, data := range documents {
		operations = append(operations, store.NewOperation(store.Create, dovetail.ID(id), json.RawMessage(data)))
	}
	if _, err := s.Apply(t.Context(), operations, store.Options{Managed: true}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRenameSaysWhatDoesNotFollow renames what requests name as text, also as a dry run.
func TestRenameSaysWhatDoesNotFollow(t *testing.T) {
	documents := map[string]string{
		"source/s": `{}`, "source/s/package/a": `{}`, "source/s/package/a/packageVersion/1.0.0": `{"metadata":{"name":"1.0.0"},"spec":{"channels":["stable"]}}`,
		"activeResolution/installed":   `{"spec":{"installed":[{"name":"a","version":"1.0.0","source":"s"}]}}`,
		"activeResolution/constrained": `{"spec":{"constraints":["required(\"a\", \">=1.0.0\")"]}}`,
		"activeResolution/policy":      `{"spec":{"policy":{"default":"latest","packages":{"a":"frozen"}}}}`,
		"activeResolution/other":       `{"spec":{"installed":[{"name":"ab","version":"1.0.1"}],"constraints":["required(\"ab\")"]}}`,
		"activeResolutionSet/set":      `{"spec":{"clusters":[],"template":{"spec":{"constraints":[{"required":["a"]}]}}}}`,
	}
	for _, test := range []struct{ from, to, want string }{
		{"source/s", "source/z", "activeResolution/installed"},
		{"source/s/package/a", "source/s/package/z", "activeResolution/constrained activeResolution/installed activeResolution/policy activeResolutionSet/set"},
		{"source/s/package/a/packageVersion/1.0.0", "source/s/package/a/packageVersion/2.0.0", "activeResolution/installed"},
	} {
		for _, dryRun := range []bool{true, false} {
			s := ruled(t, documents)
			for range 2 { // a repetition says the same
				done, err := s.Rename(t.Context(), dovetail.ID(test.from), dovetail.ID(test.to), store.Options{DryRun: dryRun, Key: "k"})
				if err != nil {
					t.Fatal(err)
				}
				var named []string
				for _, o := range done.Outcomes {
					for _, warning := range o.Warnings {
						id, _, _ := strings.Cut(warning.Message, " ")
						named = append(named, id)
					}
				}
				slices.Sort(named)
				if got := strings.Join(named, " "); got != test.want {
					t.Errorf("%s, dry run %v: it names %q, want %q", test.from, dryRun, got, test.want)
				}
			}
		}
	}
}

// TestVerify has an ActiveResolution that was one of another set, as a rename once left it.
func TestVerify(t *testing.T) {
	member := func(set string) string {
		return `{"metadata":{"labels":{"resolution.dovetail.dev/set":"` + set + `","resolution.dovetail.dev/cluster":"c"}},"spec":{"set":"s"}}`
	}
	s := ruled(t, map[string]string{"activeResolutionSet/s": `{"spec":{"clusters":[{"name":"c"}],"template":{"spec":{}}}}`,
		"activeResolution/s-c": member("s"), "activeResolution/former-c": member("former"), "activeResolution/own": `{"spec":{"set":"s"}}`})
	for _, want := range []string{"resolution-member activeResolution/former-c repaired", ""} {
		var found []string
		for f, err := range s.Check(t.Context(), true) {
			if err != nil {
				t.Fatal(err)
			}
			text := f.Problem + " " + string(f.ID)
			if f.Repaired {
				text += " repaired"
			}
			found = append(found, text)
		}
		if got := strings.Join(found, "; "); got != want {
			t.Errorf("fsck finds %q, want %q", got, want)
		}
	}
}
