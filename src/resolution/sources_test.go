package resolution

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// history is what happened to a few documents.
type history struct {
	now     map[dovetail.ID]*dovetail.Document
	changes []store.Change
	uids    int
}

// step changes one document, or creates or deletes it.
func (h *history) step(t *rapid.T) {
	id := dovetail.ID("source/" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"))
	kind, spec := "source", fmt.Sprintf(`{"priority":%d}`, rapid.IntRange(0, 2).Draw(t, "priority"))
	if depth := rapid.IntRange(0, 2).Draw(t, "depth"); depth > 0 {
		id += dovetail.ID("/package/" + rapid.SampledFrom([]string{"p", "q"}).Draw(t, "package"))
		kind, spec = "package", fmt.Sprintf(`{"deprecated":%t}`, rapid.Bool().Draw(t, "deprecated"))
		if depth > 1 {
			id += dovetail.ID("/packageVersion/" + rapid.SampledFrom([]string{"1.0.0", "2.0.0"}).Draw(t, "version"))
			kind, spec = "packageVersion", fmt.Sprintf(`{"channels":["c"],"image":"%d"}`, rapid.IntRange(0, 2).Draw(t, "image"))
		}
	}
	was := h.now[id]
	change := store.Change{Op: store.Created, ID: id, Kind: kind}
	switch {
	case was != nil && rapid.Bool().Draw(t, "delete"):
		change.Op, change.UID = store.Deleted, was.UID
		delete(h.now, id)
		h.changes = append(h.changes, change)
		return
	case was != nil:
		change.Op, change.UID = store.Updated, was.UID
	default:
		h.uids++
		change.UID = fmt.Sprint("u", h.uids)
	}
	h.now[id] = &dovetail.Document{ID: id, Kind: kind, UID: change.UID, Data: json.RawMessage(`{"spec":` + spec + `}`)}
	h.changes = append(h.changes, change)
}

// event shows a change as a watch does: with the document as it is now.
func (h *history) event(c store.Change) store.EventChange {
	e := store.EventChange{Change: c}
	if doc := h.now[c.ID]; doc != nil && c.Op != store.Deleted && doc.UID == c.UID {
		e.Document = doc
	}
	return e
}

// Following changes, of which some come again, late and with documents that have moved on, gives what reading all
// documents gives.
func TestSourcesFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{now: make(map[dovetail.ID]*dovetail.Document)}
		followed := newSources()
		seen := 0
		follow := func() {
			for from := max(0, seen-rapid.IntRange(0, 3).Draw(t, "again")); from < len(h.changes); from++ {
				if _, err := followed.change(h.event(h.changes[from])); err != nil {
					t.Fatal(err)
				}
			}
			seen = len(h.changes)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			h.step(t)
			if rapid.Bool().Draw(t, "follow") {
				follow()
				followed.all()
			}
		}
		follow()
		read := newSources()
		for _, doc := range h.now {
			if err := read.put(doc); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := tellSources(followed), tellSources(read); got != want {
			t.Fatalf("followed\n%s\nread\n%s", got, want)
		}
	})
}

func tellSources(s *sources) string {
	text := ""
	for _, source := range s.all() {
		text += fmt.Sprintln(source.Name, source.Priority, source.Digest())
	}
	return text
}

// What did not change is not made again.
func TestSourcesAreKept(t *testing.T) {
	s := newSources()
	put := func(id dovetail.ID, kind, spec string) {
		t.Helper()
		if err := s.put(&dovetail.Document{ID: id, Kind: kind, UID: string(id), Data: json.RawMessage(`{"spec":` + spec + `}`)}); err != nil {
			t.Fatal(err)
		}
	}
	put("source/a", "source", `{}`)
	put("source/b", "source", `{}`)
	put("source/b/package/p/packageVersion/1.0.0", "packageVersion", `{"channels":["c"]}`)
	put("source/b/package/p", "package", `{}`)
	put("source/none/package/p", "package", `{}`)
	before := s.all()
	if again := s.all(); len(before) != 2 || before[0] != again[0] || before[1] != again[1] {
		t.Error("unchanged sources are built again")
	}
	put("source/b/package/p", "package", `{"deprecated":true}`)
	after := s.all()
	if after[0] != before[0] || after[1] == before[1] || after[1].Digest() == before[1].Digest() {
		t.Error("not only the changed source is built again")
	}
	if err := s.put(&dovetail.Document{ID: "source/a", Kind: "source", Data: json.RawMessage(`{`)}); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
		t.Errorf("of damaged data: %v", err)
	}
}
