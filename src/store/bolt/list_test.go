package bolt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// What is not to be kept is neither yielded nor counted, whether the kind is asked for or not.
func TestListKeeps(t *testing.T) {
	b := openTemporary(t, Options{})
	commit(t, b, put("a/1", "a/2", "a/3", "a/4"))
	for _, kind := range []string{"", "kind"} {
		var looked, found []dovetail.ID
		q := store.Query{Kind: kind, Limit: 2, Keep: func(id dovetail.ID) bool {
			looked = append(looked, id)
			return id != "a/1" && id != "a/3"
		}}
		for doc, err := range b.List(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, doc.ID)
		}
		if !slices.Equal(found, []dovetail.ID{"a/2", "a/4"}) || len(looked) != 4 {
			t.Errorf("of kind %q are %v, after a look at %v", kind, found, looked)
		}
	}
}

// memoryOf counts what is held, up to a limit.
type memoryOf struct{ held, limit int64 }

func (m *memoryOf) Hold(bytes int64) error {
	if m.held += bytes; bytes > 0 && m.held > m.limit {
		m.held -= bytes
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "too much"}
	}
	return nil
}

// A list counts a part of its temporary file while it is there, and nothing is counted after it.
func TestListHoldsMemory(t *testing.T) {
	b := openTemporary(t, Options{})
	var txn store.Txn
	for _, id := range []dovetail.ID{"a/1", "a/2", "a/3", "a/4"} {
		doc := document(id)
		doc.Data = fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat("x", 2<<20))
		txn.Puts = append(txn.Puts, doc)
	}
	commit(t, b, txn)
	for _, tt := range []struct {
		name  string
		limit int64
		found int
	}{
		{name: "room for the file and one document", limit: 3500 << 10, found: 4},
		{name: "room for the file only", limit: 1500 << 10},
		{name: "no room", limit: 100 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			memory, found := &memoryOf{limit: tt.limit}, 0
			var failed error
			for _, err := range b.List(store.WithMemory(t.Context(), memory), store.Query{Kind: "kind"}) {
				if failed = err; err == nil {
					found++
				}
			}
			if found != tt.found || (failed == nil) != (found == 4) || memory.held != 0 {
				t.Errorf("%d documents, %v, %d bytes held in the end", found, failed, memory.held)
			}
		})
	}
}

// TestListInParts: a list with a limit copies no more than what is taken, and shows the same as one without.
func TestListInParts(t *testing.T) {
	t.Parallel()
	b := openTemporary(t, Options{})
	const documents = 10
	var txn store.Txn
	for i := range documents {
		doc := document(dovetail.ID(fmt.Sprintf("a/%d", i)))
		doc.Data = fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat("x", 2<<20>>(i%3)))
		txn.Puts = append(txn.Puts, doc)
	}
	commit(t, b, txn)
	then, err := b.At(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	memory := &memoryOf{limit: 2500 << 10} // for the largest document and the part that it is in, not for all
	for n := range 2 * (documents + 1) {
		limit, list, found := n/2+1, b.List, []dovetail.ID(nil)
		if n%2 == 0 {
			list = then.List
		}
		for doc, err := range list(store.WithMemory(t.Context(), memory), store.Query{Under: "a", Kind: "kind", Limit: limit}) {
			if err != nil {
				t.Fatal(limit, err)
			}
			found = append(found, doc.ID)
		}
		if want := min(limit, documents); len(found) != want || !slices.IsSorted(found) || found[want-1] != txn.Puts[want-1].ID || memory.held != 0 {
			t.Errorf("with the limit %d: %q, %d bytes held in the end", limit, found, memory.held)
		}
	}
}
