package changeset_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// edit is a change of one document in a change set: a member of its spec gets a value, or the document is deleted.
type edit struct {
	id      dovetail.ID
	member  string // "" to delete
	text    string // JSON
	created bool
}

// state is what documents say: of each its members.
type state map[dovetail.ID]map[string]string

func (s state) apply(e edit) {
	switch {
	case e.member == "":
		delete(s, e.id)
	case s[e.id] == nil:
		s[e.id] = map[string]string{e.member: e.text}
	default:
		s[e.id][e.member] = e.text
	}
}

func (e edit) operation(t testing.TB) store.Operation {
	op := store.Operation{Verb: store.Patch, ID: e.id}
	if e.created {
		op.Verb = store.Create
	}
	if e.member == "" {
		op.Verb = store.Delete
		return op
	}
	op.Data = spec(t, fmt.Sprintf(`{%q:%s}`, e.member, e.text))
	return op
}

// TestConcurrentMerges merges change sets at the same time. Whatever comes of it, nothing dangles, and the store says what the
// merged ones say, one after the other: no update is lost. What is refused changes nothing.
func TestConcurrentMerges(t *testing.T) {
	rounds.Checks(t, 50, 1000)
	s := newStore(t, store.Config{})
	sets := changeset.New(s, changeset.Options{})
	round := 0
	merged, refused := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		project := fmt.Sprintf("p%d", round)
		id := func(name string) dovetail.ID { return dovetail.ID("project/" + project + "/app/" + name) }
		model := state{}
		ops := []store.Operation{{Verb: store.Create, ID: dovetail.ID("project/" + project), Data: spec(t, "{}")}}
		for _, name := range []string{"a", "b", "c"} {
			model[id(name)] = map[string]string{"x": "0", "y": "0", "uses": "[]"}
			ops = append(ops, store.Operation{Verb: store.Create, ID: id(name), Data: spec(t, `{"x":0,"y":0,"uses":[]}`)})
		}
		must[*store.Result](t)(s.Apply(t.Context(), ops, store.Options{}))

		edits := make(map[string][]edit)
		var names []string
		for i := range rapid.IntRange(2, 4).Draw(r, "change sets") {
			name := fmt.Sprintf("%s-%d", project, i)
			names = append(names, name)
			must[*changeset.Shown](t)(sets.Create(t.Context(), name, "", "", store.Options{}))
			view := maps.Clone(model)
			for id, members := range view {
				view[id] = maps.Clone(members)
			}
			for n := range rapid.IntRange(1, 3).Draw(r, "edits") {
				e := edit{id: id(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "app"))}
				switch rapid.IntRange(0, 6).Draw(r, "what") {
				case 0:
				case 1, 2:
					e.member, e.text = "uses", fmt.Sprintf("[%q]", rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "used"))
				default:
					e.member, e.text = rapid.SampledFrom([]string{"x", "y"}).Draw(r, "member"), strconv.Itoa(100*(i+1)+n)
				}
				if e.created = view[e.id] == nil; e.created && e.member == "" {
					continue
				}
				open := must[*httpapi.View](t)(sets.View(t.Context(), name, true))
				if _, err := open.Store.Apply(t.Context(), []store.Operation{e.operation(t)}, store.Options{}); err != nil {
					if code := dovetail.CodeOf(err); code != dovetail.CodeMissing && code != dovetail.CodeInUse {
						r.Fatal(err)
					}
					continue // the view keeps references
				}
				view.apply(e)
				if e.member == "" && model[e.id] == nil { // created and deleted: nothing of it is staged
					edits[name] = slices.DeleteFunc(edits[name], func(before edit) bool { return before.id == e.id })
					continue
				}
				edits[name] = append(edits[name], e)
			}
		}

		var wait sync.WaitGroup
		var mu sync.Mutex
		positions := make(map[string]int)
		for _, name := range names {
			wait.Go(func() {
				result, err := sets.Merge(t.Context(), name, store.Options{})
				mu.Lock()
				defer mu.Unlock()
				switch code := dovetail.CodeOf(err); {
				case err == nil:
					_, number, _ := strings.Cut(string(result.Position), "-") // of the commit
					if positions[name], err = strconv.Atoi(number); err != nil {
						r.Error(err)
					}
				case code == dovetail.CodeMissing, code == dovetail.CodeInUse, dovetail.AsError(err).Reason == api.ReasonChangeSetConflict:
					refused++
				default:
					r.Errorf("%s: %v", name, err)
				}
			})
		}
		wait.Wait()
		merged += len(positions)
		if len(positions) == 0 {
			r.Fatal("none was merged")
		}
		for _, name := range slices.SortedFunc(maps.Keys(positions), func(a, b string) int { return positions[a] - positions[b] }) {
			for _, e := range edits[name] {
				model.apply(e)
			}
		}
		for doc, err := range s.Documents(t.Context(), store.ListQuery{Under: dovetail.ID("project/" + project)}) {
			if err != nil {
				r.Fatal(err)
			}
			members := must[*value.Value](t)(value.DataOf(doc, nil)).Get("spec").Members
			if len(members) != len(model[doc.ID]) {
				r.Errorf("%s is %s, want %v", doc.ID, doc.Data, model[doc.ID])
			}
			for _, m := range members {
				if string(m.Value.JSON()) != model[doc.ID][m.Name] {
					r.Errorf("%s is %s, want %v", doc.ID, doc.Data, model[doc.ID])
				}
			}
			delete(model, doc.ID)
		}
		if len(model) > 0 {
			r.Errorf("lost: %v", model)
		}
	})
	if merged == 0 || refused == 0 {
		t.Errorf("%d were merged and %d refused", merged, refused)
	}
	for finding, err := range s.Check(t.Context(), false) {
		t.Error(finding, err)
	}
}
