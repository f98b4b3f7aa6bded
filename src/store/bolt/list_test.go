package bolt

import (
	"slices"
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
