package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// statesOf are the documents as lines "ID data status files", without versions.
func statesOf(t testing.TB, s *store.Store) (all []string) {
	t.Helper()
	for doc, err := range s.Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stateOf(doc))
	}
	return all
}

func stateOf(doc *dovetail.Document) string {
	line := fmt.Sprintf("%s %s %s", doc.ID, doc.Data, doc.Status)
	for _, file := range doc.Content {
		line += string(file.Data)
	}
	return line
}

func textOf(v *value.Value) string {
	if v == nil {
		return "absent"
	}
	return string(v.JSON())
}

// TestMergeOperations stages operations, changes the store meanwhile, and merges.
func TestMergeOperations(t *testing.T) {
	const path = "/spec/n"
	chart := func(text string) store.Operation {
		return store.Operation{Verb: store.Put, ID: "chart/c", Data: parse(t, "{}"), Content: []dovetail.File{{Name: "file", Data: []byte(text)}}}
	}
	tests := []struct {
		name          string
		before, stage []string
		stageFile     string
		since         []string
		sinceFile     string
		resolve       map[string]api.Take // of project/p or chart/c
		conflicts     []string            // "path now staged"
		want          []string            // the contents then
	}{
		{name: "a creation", stage: []string{"create project/p"}, want: []string{"project/p {} "}},
		{name: "a creation with a status", stage: []string{"create project/p", `status project/p {"a":1}`}, want: []string{`project/p {} {"a":1}`}},
		{name: "a creation that another user made the same", stage: []string{"create project/p"}, since: []string{"create project/p"}, want: []string{"project/p {} "}},
		{name: "a creation that another user made otherwise", stage: []string{"create project/p"}, since: []string{`create project/p {"spec":{"n":1}}`},
			conflicts: []string{" absent absent"}, want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "that, staged", stage: []string{"create project/p"}, since: []string{`create project/p {"spec":{"n":1}}`}, resolve: map[string]api.Take{"": api.TakeStaged},
			want: []string{"project/p {} "}},
		{name: "that, now", stage: []string{"create project/p"}, since: []string{`create project/p {"spec":{"n":1}}`}, resolve: map[string]api.Take{"": api.TakeNow},
			want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "an update", before: []string{"create project/p"}, stage: []string{`put project/p {"spec":{"n":1}}`}, want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "an update beside another one", before: []string{`create project/p {"spec":{"n":1,"m":1}}`}, stage: []string{`patch project/p {"spec":{"n":2}}`},
			since: []string{`patch project/p {"spec":{"m":2}}`}, want: []string{`project/p {"spec":{"n":2,"m":2}} `}},
		{name: "an update of what was updated", before: []string{`create project/p {"spec":{"n":1}}`}, stage: []string{`patch project/p {"spec":{"n":2}}`},
			since: []string{`patch project/p {"spec":{"n":3}}`}, conflicts: []string{"/spec/n 3 2"}, want: []string{`project/p {"spec":{"n":3}} `}},
		{name: "that, staged", before: []string{`create project/p {"spec":{"n":1}}`}, stage: []string{`patch project/p {"spec":{"n":2}}`},
			since: []string{`patch project/p {"spec":{"n":3,"m":1}}`}, resolve: map[string]api.Take{path: api.TakeStaged}, want: []string{`project/p {"spec":{"n":2,"m":1}} `}},
		{name: "that, now", before: []string{`create project/p {"spec":{"n":1}}`}, stage: []string{`patch project/p {"spec":{"n":2,"m":1}}`},
			since: []string{`patch project/p {"spec":{"n":3}}`}, resolve: map[string]api.Take{path: api.TakeNow}, want: []string{`project/p {"spec":{"n":3,"m":1}} `}},
		{name: "an update that was taken back", before: []string{"create project/p"}, stage: []string{`put project/p {"spec":{"n":1}}`, "put project/p {}"},
			since: []string{`put project/p {"spec":{"n":3}}`}, want: []string{`project/p {"spec":{"n":3}} `}},
		{name: "an update of what was deleted", before: []string{"create project/p"}, stage: []string{`put project/p {"spec":{"n":1}}`},
			since: []string{"delete project/p"}, conflicts: []string{" absent absent"}},
		{name: "that, staged", before: []string{"create project/p"}, stage: []string{`put project/p {"spec":{"n":1}}`},
			since: []string{"delete project/p"}, resolve: map[string]api.Take{"": api.TakeStaged}, want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "a deletion", before: []string{"create project/p"}, stage: []string{"delete project/p"}},
		{name: "a deletion of what was deleted", before: []string{"create project/p"}, stage: []string{"delete project/p"}, since: []string{"delete project/p"}},
		{name: "a deletion of what was updated", before: []string{"create project/p"}, stage: []string{"delete project/p"}, since: []string{`put project/p {"spec":{"n":1}}`},
			conflicts: []string{" absent absent"}, want: []string{`project/p {"spec":{"n":1}} `}},
		{name: "that, staged", before: []string{"create project/p"}, stage: []string{"delete project/p"}, since: []string{`put project/p {"spec":{"n":1}}`},
			resolve: map[string]api.Take{"": api.TakeStaged}},
		{name: "a deletion of what got a status", before: []string{"create project/p"}, stage: []string{"delete project/p"}, since: []string{`status project/p {"a":1}`}},
		{name: "a status", before: []string{"create project/p"}, stage: []string{`status project/p {"a":1}`}, since: []string{`put project/p {"spec":{"n":1}}`},
			want: []string{`project/p {"spec":{"n":1}} {"a":1}`}},
		{name: "data and a status", before: []string{"create project/p", "create project/q"}, stage: []string{`status project/p {"a":1}`, `put project/p {"spec":{"n":1}}`},
			want: []string{`project/p {"spec":{"n":1}} {"a":1}`, "project/q {} "}},
		{name: "a status beside another one", before: []string{"create project/p"}, stage: []string{`status project/p {"a":1}`}, since: []string{`status project/p {"b":1}`},
			want: []string{`project/p {} {"b":1,"a":1}`}},
		{name: "a status of which both made another", before: []string{"create project/p"}, stage: []string{`status project/p {"a":1}`}, since: []string{`status project/p {"a":2}`},
			conflicts: []string{"/status/a 2 1"}, want: []string{`project/p {} {"a":2}`}},
		{name: "created again", before: []string{`create project/p {"spec":{"n":1}}`}, stage: []string{"delete project/p", `create project/p {"spec":{"n":2}}`},
			want: []string{`project/p {"spec":{"n":2}} `}},
		{name: "created again, without its status", before: []string{"create project/p", "create project/q"}, stage: []string{`status project/p {"a":1}`, "delete project/p", "create project/p"},
			since: []string{"delete project/q"}, want: []string{"project/p {} "}},
		{name: "files", stageFile: "staged", want: []string{"chart/c {} staged"}},
		{name: "files of which both made others", stageFile: "staged", sinceFile: "now", conflicts: []string{" absent absent"}, want: []string{"chart/c {} now"}},
		{name: "those, staged", stageFile: "staged", sinceFile: "now", resolve: map[string]api.Take{"": api.TakeStaged}, want: []string{"chart/c {} staged"}},
		{name: "files of which both made the same", stageFile: "same", sinceFile: "same", want: []string{"chart/c {} same"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, testSchema)
			write := func(s *store.Store, lines []string, file string) {
				for _, line := range lines {
					apply(t, s, line)
				}
				if file != "" {
					if _, err := s.Put(t.Context(), chart(file)); err != nil {
						t.Fatal(err)
					}
				}
			}
			first := ""
			if tt.stageFile != "" {
				first = "first"
			}
			write(s, tt.before, first)
			staged := staging{}
			write(overlayOf(t, s, staged), tt.stage, tt.stageFile)
			write(s, tt.since, tt.sinceFile)

			resolve := store.Resolutions{"project/p": tt.resolve, "chart/c": tt.resolve}
			operations, conflicts, err := s.MergeOperations(t.Context(), staged.list(), resolve)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, c := range conflicts {
				found = append(found, c.Path+" "+textOf(c.Now)+" "+textOf(c.Staged))
				if c.Message == "" || c.ID == "" {
					t.Errorf("the conflict %+v says nothing", c)
				}
			}
			if !slices.Equal(found, tt.conflicts) {
				t.Errorf("conflicts are %q, want %q", found, tt.conflicts)
			}
			if _, err := s.Apply(t.Context(), operations, store.Options{}); err != nil {
				t.Fatal(err)
			}
			if got := statesOf(t, s); !slices.Equal(got, tt.want) {
				t.Errorf("there is %q, want %q", got, tt.want)
			}
		})
	}
}

// merge merges what is staged if there is no conflict, and reports whether it did.
func merge(t testing.TB, s *store.Store, staged staging) bool {
	t.Helper()
	operations, conflicts, err := s.MergeOperations(t.Context(), staged.list(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(conflicts) > 0 {
		return false
	}
	before := statesOf(t, s)
	if _, err = s.Apply(t.Context(), operations, store.Options{}); err != nil && !slices.Equal(statesOf(t, s), before) {
		t.Fatalf("the merge that was refused with %v left its traces", err)
	}
	return err == nil
}

// drawTransactions applies random transactions, of which many are refused, one after the other to each of the stores.
func drawTransactions(t *testing.T, rt *rapid.T, most int, stores ...*store.Store) {
	for range rapid.IntRange(0, most).Draw(rt, "transactions") {
		var operations []store.Operation
		for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(rt, "size") {
			o, _ := drawOperation(t, rt)
			operations = append(operations, o)
		}
		var first error
		for n, s := range stores {
			_, err := s.Apply(t.Context(), operations, store.Options{})
			if n > 0 && dovetail.CodeOf(err) != dovetail.CodeOf(first) {
				rt.Fatalf("store %d ends with %v, the first one with %v", n, err, first)
			}
			first = err
		}
	}
}

// TestMergeOfRandomChanges: of what only one side changed, the merge has that; where the store was not changed meanwhile, it is
// the view. What both changed is the same, or a conflict. Nothing dangles.
func TestMergeOfRandomChanges(t *testing.T) {
	rounds.Checks(t, 30, 100)
	rapid.Check(t, func(rt *rapid.T) {
		s, staged := openOnce(t, rt, testSchema), staging{}
		drawTransactions(t, rt, 6, s)
		view, base := overlayOf(t, s, staged), states(t, s)
		drawTransactions(t, rt, 4, view)
		if rapid.Bool().Draw(rt, "others write") {
			drawTransactions(t, rt, 4, s)
		}
		wanted, now := states(t, view), states(t, s)
		merged := merge(t, s, staged)
		requireClean(t, s)
		switch got := states(t, s); {
		case merged:
			for _, id := range slices.Concat(keysOf(base), keysOf(wanted), keysOf(now)) {
				want := wanted[id]
				if wanted[id] == base[id] {
					want = now[id]
				} else if now[id] != base[id] && now[id] != wanted[id] && (now[id] != "") == (wanted[id] != "") {
					continue // both changed it; values are merged, or in conflict: see TestMergeOperations
				}
				if got[id] != want {
					rt.Fatalf("%s is %q, want %q: it was %q, staged as %q, and %q before the merge", id, got[id], want, base[id], wanted[id], now[id])
				}
			}
		case slices.Equal(keysOf(now), keysOf(base)) && fmt.Sprint(now) == fmt.Sprint(base):
			rt.Fatalf("what no other writer touched was not merged: %v", staged.list())
		}
	})
}

func states(t testing.TB, s *store.Store) map[dovetail.ID]string {
	t.Helper()
	all := map[dovetail.ID]string{}
	for doc, err := range s.Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all[doc.ID] = stateOf(doc)
	}
	return all
}

func keysOf(of map[dovetail.ID]string) []dovetail.ID { return slices.Sorted(maps.Keys(of)) }

// TestMergeInAnyOrder merges change sets that have no document in common in both orders.
func TestMergeInAnyOrder(t *testing.T) {
	rounds.Checks(t, 30, 100)
	rapid.Check(t, func(rt *rapid.T) {
		one, other := openOnce(t, rt, testSchema), openOnce(t, rt, testSchema)
		drawTransactions(t, rt, 6, one, other)
		first, second := staging{}, staging{}
		drawTransactions(t, rt, 3, overlayOf(t, one, first))
		drawTransactions(t, rt, 3, overlayOf(t, one, second))
		for id := range first {
			if _, both := second[id]; both {
				rt.Skip("they share a document")
			}
		}
		oneFirst, oneSecond := merge(t, one, first), merge(t, one, second)
		otherSecond, otherFirst := merge(t, other, second), merge(t, other, first)
		requireClean(t, one)
		requireClean(t, other)
		if got, want := statesOf(t, other), statesOf(t, one); oneFirst && oneSecond && otherFirst && otherSecond && !slices.Equal(got, want) {
			rt.Fatalf("in the other order there is\n%q, want\n%q", got, want)
		}
	})
}
