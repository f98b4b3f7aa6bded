package changeset

import (
	"encoding/json"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestCache(t *testing.T) {
	version := func(revision uint64) dovetail.ETag { return dovetail.ETag{UID: "u", Revision: revision} }
	operations := func(size int) []*operation {
		return []*operation{{staged: staged{ID: "a/b", Document: &dovetail.Document{ID: "a/b", Data: make(json.RawMessage, size)}}}}
	}
	var c cache
	for revision := range uint64(4) {
		c.put(version(revision), operations(maxCached/4))
	}
	c.put(version(9), operations(maxCached)) // does not fit
	for revision, want := range map[uint64]bool{0: false, 1: true, 2: true, 3: true, 4: false, 9: false} {
		if _, known := c.get(version(revision)); known != want {
			t.Errorf("version %d is known: %t, want %t", revision, known, want)
		}
	}
	c.get(version(1))
	c.put(version(4), operations(maxCached/4))
	if _, known := c.get(version(1)); !known {
		t.Error("what was used last is dropped")
	}
	taken, _ := c.get(version(4))
	taken[0] = nil
	if again, _ := c.get(version(4)); again[0] == nil {
		t.Error("the list is shared with who took it")
	}
}
