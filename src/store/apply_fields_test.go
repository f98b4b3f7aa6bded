package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// by is an ApplyFields on one document.
func by(t testing.TB, manager string, force store.Force, data string) store.Operation {
	t.Helper()
	return store.Operation{Verb: store.ApplyFields, ID: "app/web", FieldManager: manager, Force: force, Data: parse(t, data)}
}

// partsOf are the errors that an error is made of.
func partsOf(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if e == nil || len(e.Errors) > 0 {
		return e.Errors
	}
	return []*dovetail.Error{e}
}

// TestApplyFields: what a manager applies is merged, within the transaction and with its checks.
func TestApplyFields(t *testing.T) {
	t.Parallel()
	const schema = "resources:\n  - name: app\n    defaults: true\n    schema:\n      properties:\n        spec: {properties: {n: {type: number}, mode: {type: string, default: fast}}}\n"
	tests := []struct {
		name    string
		before  string // put without a manager
		applied []store.Operation
		want    string // the data
		refused []string
		effect  store.Effect
	}{
		{name: "a new document", applied: []store.Operation{by(t, "a", "", `{"spec":{"n":1.50}}`)}, want: `{"spec":{"n":1.50,"mode":"fast"}}`, effect: store.WasCreated},
		{name: "the same again", applied: []store.Operation{by(t, "a", "", `{"spec":{"n":1}}`), by(t, "a", "", `{"spec":{"n":1}}`)}, want: `{"spec":{"n":1,"mode":"fast"}}`, effect: store.WasUnchanged},
		{name: "a default has no manager", applied: []store.Operation{by(t, "a", "", `{"spec":{"n":1}}`), by(t, "b", "", `{"spec":{"mode":"slow"}}`)}, want: `{"spec":{"n":1,"mode":"slow"}}`, effect: store.WasUpdated},
		{name: "what others set stays", applied: []store.Operation{by(t, "a", "", `{"metadata":{"labels":{"a":"1"}},"spec":{"n":1}}`), by(t, "b", "", `{"metadata":{"labels":{"b":"1"}}}`), by(t, "a", "", `{"spec":{"n":2}}`)},
			want: `{"metadata":{"labels":{"b":"1"}},"spec":{"n":2,"mode":"fast"}}`, effect: store.WasUpdated},
		{name: "conflicts", applied: []store.Operation{by(t, "a", "", `{"metadata":{"labels":{"l":"1"}},"spec":{"n":1}}`), by(t, "b", store.ForceUnowned, `{"metadata":{"labels":{"l":"2"}},"spec":{"n":2}}`)},
			want:    `{"metadata":{"labels":{"l":"1"}},"spec":{"n":1,"mode":"fast"}}`,
			refused: []string{`/metadata/labels/l metadata.labels.l of app/web: conflict with "a"`, `/spec/n spec.n of app/web: conflict with "a"`}},
		{name: "by force", applied: []store.Operation{by(t, "a", "", `{"spec":{"n":1}}`), by(t, "b", store.ForceAll, `{"spec":{"n":2}}`)}, want: `{"spec":{"n":2,"mode":"fast"}}`, effect: store.WasUpdated},
		{name: "without a known manager", before: `{"spec":{"n":1},"x":1}`, applied: []store.Operation{by(t, "a", store.ForceUnowned, `{"spec":{"n":2}}`)}, want: `{"spec":{"n":2,"mode":"fast"},"x":1}`, effect: store.WasUpdated},
		{name: "without a known manager, strictly", before: `{"spec":{"n":1}}`, applied: []store.Operation{by(t, "a", store.ForceNone, `{"spec":{"n":2}}`)}, want: `{"spec":{"n":1,"mode":"fast"}}`,
			refused: []string{`/spec/n spec.n of app/web: conflict with "before-first-apply" (Update)`}},
		{name: "a null is a value", applied: []store.Operation{by(t, "a", "", `{"spec":{"n":1},"x":null}`)}, want: `{"spec":{"n":1,"mode":"fast"},"x":null}`, effect: store.WasCreated},
		{name: "the schema holds", applied: []store.Operation{by(t, "a", "", `{"spec":{"n":"text"}}`)}, refused: []string{"/spec/n "}},
		{name: "no manager", applied: []store.Operation{by(t, "", "", `{"spec":{"n":1}}`)}, refused: []string{"who applies is not said"}},
		{name: "no name of a manager", applied: []store.Operation{by(t, "a\nb", "", `{"spec":{"n":1}}`)}, refused: []string{"at most 128 printable characters"}},
		{name: "at a version", before: `{"spec":{"n":1}}`, applied: []store.Operation{by(t, "a", store.ForceAll, `{"spec":{"n":2}}`).IfVersion(dovetail.ETag{UID: "x", Revision: 1})}, want: `{"spec":{"n":1,"mode":"fast"}}`,
			refused: []string{"was changed by another user"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, schema)
			if tt.before != "" {
				apply(t, s, "put app/web "+tt.before)
			}
			for i, op := range tt.applied {
				last := i == len(tt.applied)-1
				// with another document, which shares its fate
				result, err := s.Apply(t.Context(), []store.Operation{op, {Verb: store.Put, ID: dovetail.ID(fmt.Sprintf("app/other%d", i)), Data: parse(t, `{}`)}}, store.Options{})
				if !last || tt.refused == nil {
					if err != nil {
						t.Fatal(err)
					}
					if got := result.Outcomes[0].Effect; last && got != tt.effect {
						t.Errorf("%s, want %s", got, tt.effect)
					}
					continue
				}
				for _, want := range tt.refused {
					if !slices.ContainsFunc(partsOf(err), func(e *dovetail.Error) bool { return strings.Contains(e.Position.Path+" "+e.Message, want) }) {
						t.Errorf("%v lacks %q", err, want)
					}
				}
				if _, err := s.Get(t.Context(), dovetail.ID(fmt.Sprintf("app/other%d", i))); dovetail.CodeOf(err) != dovetail.CodeNotFound {
					t.Errorf("the other document: %v", err)
				}
			}
			doc, err := s.Get(t.Context(), "app/web")
			switch {
			case tt.want == "" && dovetail.CodeOf(err) == dovetail.CodeNotFound:
			case err != nil:
				t.Fatal(err)
			case string(doc.Data) != tt.want:
				t.Errorf("%s, want %s", doc.Data, tt.want)
			}
		})
	}
}

// TestStagedFieldManagers: what was applied in a change set belongs to its manager after the merge, too.
func TestStagedFieldManagers(t *testing.T) {
	t.Parallel()
	s := open(t, "resources:\n  - name: app\n")
	for _, data := range []string{`{"spec":{"x":1}}`, `{"spec":{"x":2}}`, `{"spec":{"y":2}}`} {
		staged := staging{}
		if _, err := overlayOf(t, s, staged).Apply(t.Context(), []store.Operation{by(t, "a", "", data)}, store.Options{}); err != nil {
			t.Fatal(err)
		}
		if !merge(t, s, staged) {
			t.Fatal("not merged")
		}
		doc := get(t, s, "app/web")
		if string(doc.Data) != data || strings.Contains(string(doc.Status), "Update") {
			t.Fatalf("%s with %s, want %s", doc.Data, doc.Status, data)
		}
	}
}

// TestManagersInAnyOrder: applications of several managers and puts without one give what a model says, whatever their order: each field
// has the value that was set last, and stays as long as a manager applies it.
func TestManagersInAnyOrder(t *testing.T) {
	t.Parallel()
	const other = "(put)"
	paths := []string{"metadata.labels.a", "metadata.labels.b", "spec.x", "spec.deep.y", "z"}
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, "resources:\n  - name: app\n")
		values := make(map[string]string)
		owners := make(map[string]map[string]bool)
		exists := false
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			config := rapid.MapOfN(rapid.SampledFrom(paths), rapid.SampledFrom([]string{"1", "2"}), 1, len(paths)).Draw(rt, "config")
			manager := rapid.SampledFrom([]string{"a", "b", "c", other}).Draw(rt, "manager")
			force := rapid.SampledFrom([]store.Force{store.ForceNone, store.ForceAll}).Draw(rt, "force")
			data := value.NewMap()
			for _, path := range slices.Sorted(maps.Keys(config)) {
				at := data
				names := strings.Split(path, ".")
				for _, name := range names[:len(names)-1] {
					if at.Get(name) == nil {
						at.Set(name, value.NewMap())
					}
					at = at.Get(name)
				}
				at.Set(names[len(names)-1], value.NewString(config[path]))
			}
			op := store.Operation{Verb: store.ApplyFields, ID: "app/web", FieldManager: manager, Force: force, Data: data}
			if manager == other {
				op = store.Operation{Verb: store.Put, ID: "app/web", Data: data}
				if !exists { // which would have no known manager
					continue
				}
			}
			conflicts := 0
			for path, to := range config {
				if is, has := values[path]; manager != other && force == store.ForceNone && has && is != to {
					for who := range owners[path] {
						if who != manager {
							conflicts++
						}
					}
				}
			}
			_, err := s.Apply(t.Context(), []store.Operation{op}, store.Options{})
			if conflicts > 0 {
				if got := len(partsOf(err)); got != conflicts || dovetail.CodeOf(err) != dovetail.CodeConflict {
					rt.Fatalf("%d conflicts, want %d: %v", got, conflicts, err)
				}
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			exists = true
			for path, to := range config {
				if values[path] != to {
					values[path], owners[path] = to, make(map[string]bool)
					owners[path][manager] = true
				} else if manager != other {
					owners[path][manager] = true
				}
			}
			for path := range values {
				if _, says := config[path]; says {
					continue
				}
				if delete(owners[path], manager); len(owners[path]) == 0 || manager == other {
					delete(values, path)
					delete(owners, path)
				}
			}
			doc, err := s.Get(t.Context(), "app/web")
			if err != nil {
				rt.Fatal(err)
			}
			stored, err := value.DataOf(doc, nil)
			if err != nil {
				rt.Fatal(err)
			}
			got := make(map[string]string)
			for _, path := range paths {
				if text, is := stored.At(strings.Split(path, ".")...).Str(); is {
					got[path] = text
				}
			}
			if !maps.Equal(got, values) {
				rt.Fatalf("%s, want %v of %v", doc.Data, values, owners)
			}
		}
	})
}

// TestConfigurationsInAnyOrder: managers that say the same of what they share come to the same document in every order.
func TestConfigurationsInAnyOrder(t *testing.T) {
	t.Parallel()
	configs := map[string]string{
		"a": `{"metadata":{"labels":{"team":"x"}},"spec":{"n":1,"size":{"cpu":2}}}`,
		"b": `{"metadata":{"labels":{"team":"x","tier":"web"}},"spec":{"size":{"memory":3}}}`,
		"c": `{"spec":{"n":1,"list":[1,2]}}`,
		"d": `{"metadata":{"annotations":{"note":"y"}}}`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, "resources:\n  - name: app\n")
		for _, manager := range rapid.Permutation([]string{"a", "b", "c", "d"}).Draw(rt, "order") {
			if _, err := s.Apply(t.Context(), []store.Operation{by(t, manager, "", configs[manager])}, store.Options{}); err != nil {
				rt.Fatal(err)
			}
		}
		doc, err := s.Get(t.Context(), "app/web")
		if err != nil {
			rt.Fatal(err)
		}
		want := parse(t, `{"metadata":{"annotations":{"note":"y"},"labels":{"team":"x","tier":"web"}},"spec":{"list":[1,2],"n":1,"size":{"cpu":2,"memory":3}}}`)
		if got := parse(t, string(doc.Data)); !value.Equal(got, want) {
			rt.Fatalf("%s, want %s", doc.Data, want.JSON())
		}
	})
}
