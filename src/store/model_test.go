package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"pgregory.net/rapid"
)

// world is the simplest thing that could be a store: ids, each with the one document it refers to.
type world map[dovetail.ID]dovetail.ID

// after does the operations one by one without looking at integrity, then deletes what
// cascades, and reports whether the whole is allowed: no verb on the wrong state, nothing dangling.
func (w world) after(operations []store.Operation, refs []dovetail.ID) (world, bool) {
	next := maps.Clone(w)
	var roots []dovetail.ID
	written := map[dovetail.ID]bool{}
	for i, o := range operations {
		_, there := w[o.ID]
		if written[o.ID] || o.Verb == store.Create && there || (o.Verb == store.Patch || o.Verb == store.Delete) && !there {
			return w, false
		}
		written[o.ID] = true
		if o.Verb != store.Delete {
			next[o.ID] = refs[i]
			continue
		}
		delete(next, o.ID)
		if o.Cascade {
			roots = append(roots, o.ID)
		}
	}
	for changed := true; changed; {
		changed = false
		for id, ref := range next {
			if written[id] {
				continue
			}
			_, refThere := next[ref]
			goes := ref != "" && !refThere && kindOf(id) == "hook"
			for _, root := range roots {
				if id.IsDescendantOf(root) || ref == root {
					goes = true
				}
			}
			if goes {
				delete(next, id)
				if len(roots) > 0 {
					roots = append(roots, id)
				}
				changed = true
			}
		}
	}
	for id, ref := range next {
		if parent := parentOf(id); parent != "" {
			if _, there := next[parent]; !there {
				return w, false
			}
		}
		if ref != "" {
			if _, there := next[ref]; !there {
				return w, false
			}
		}
	}
	return next, true
}

func kindOf(id dovetail.ID) string { key := id.Key(); return key[len(key)-1].Name }

func parentOf(id dovetail.ID) dovetail.ID { key := id.Key(); return key[:len(key)-1].ID() }

// drawOperation draws an operation on one of a few documents, and to which document its data refer.
func drawOperation(t *testing.T, rt *rapid.T) (store.Operation, dovetail.ID) {
	name := rapid.SampledFrom([]string{"a", "b"})
	project := dovetail.ID("").Child("project", name.Draw(rt, "project"))
	kind := rapid.SampledFrom([]string{"project", "app", "version", "profile", "link", "hook"}).Draw(rt, "kind")
	id, ref, data := project, dovetail.ID(""), `{}`
	other := name.Draw(rt, "target")
	switch kind {
	case "project":
	case "version":
		id = project.Child("app", other).Child("version", name.Draw(rt, "name"))
	default:
		id = project.Child(kind, name.Draw(rt, "name"))
	}
	if target, field := map[string]string{"profile": "app", "hook": "app", "link": "link"}[kind],
		map[string]string{"profile": "app", "hook": "app", "link": "to"}[kind]; target != "" && rapid.Bool().Draw(rt, "refers") {
		ref = project.Child(target, other)
		data = fmt.Sprintf(`{"spec":{%q:%q}}`, field, other)
	} else if target != "" {
		data = fmt.Sprintf(`{"spec":{%q:null}}`, field)
	}
	if kind == "link" && ref == "" {
		ref = id // with nothing in spec, the own key fills the whole key of the rule's target
	}
	verb := rapid.SampledFrom([]store.Verb{store.Create, store.Put, store.Put, store.Patch, store.Delete, store.Delete}).Draw(rt, "verb")
	o := store.Operation{Verb: verb, ID: id, Data: parse(t, data)}
	o.Cascade = verb == store.Delete && rapid.IntRange(0, 3).Draw(rt, "cascade") == 0
	return o, ref
}

// TestStoreBehavesLikeAMap runs random transactions over all sorts of kinds against the store and
// the simple model, and compares what is allowed and what is there.
func TestStoreBehavesLikeAMap(t *testing.T) {
	rounds.Checks(t, 40, 100)
	rapid.Check(t, func(rt *rapid.T) {
		s := openOnce(t, rt, testSchema)
		w := world{}
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			var operations []store.Operation
			var refs []dovetail.ID
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 3, 5}).Draw(rt, "size") {
				o, ref := drawOperation(t, rt)
				operations, refs = append(operations, o), append(refs, ref)
			}
			next, allowed := w.after(operations, refs)
			_, dryErr := s.Apply(t.Context(), operations, store.Options{DryRun: true})
			_, err := s.Apply(t.Context(), operations, store.Options{})
			if (err == nil) != allowed || (dryErr == nil) != allowed {
				rt.Fatalf("%s on %v: the model says %v, the store %v, the dry run %v", show(operations, refs), keys(w), allowed, err, dryErr)
			}
			w = next
			stored := world{}
			for doc, err := range s.Export(t.Context()) {
				if err != nil {
					rt.Fatal(err)
				}
				stored[doc.ID] = ""
				for _, ref := range doc.References {
					stored[doc.ID] = ref.ID
				}
			}
			if !maps.Equal(stored, w) {
				rt.Fatalf("after %s stored is %v, want %v", show(operations, refs), stored, w)
			}
		}
		for f, err := range s.Check(t.Context(), false) {
			rt.Fatalf("fsck: %v %v", f, err)
		}
	})
}

func keys(w world) []dovetail.ID { return slices.Sorted(maps.Keys(w)) }

func show(operations []store.Operation, refs []dovetail.ID) (lines []string) {
	for i, o := range operations {
		lines = append(lines, fmt.Sprintf("%s %s cascade=%v -> %s", o.Verb, o.ID, o.Cascade, refs[i]))
	}
	return lines
}
