package migration

import (
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// TestIDs goes from ids to what they become, and back by the origin that is stored.
func TestIDs(t *testing.T) {
	c := &Change{elements: map[string]string{"device": "host", "a": "b", "b": "a"}, subtrees: []dovetail.Move{{From: "site/a", To: "region/eu/site/a=1"}}}
	tests := []struct{ name, id, want string }{
		{"nothing", "site/x/port/1", "site/x/port/1"},
		{"an element", "site/x/device/1/port/2", "site/x/host/1/port/2"},
		{"elements that swap names", "a/1/b/2", "b/1/a/2"},
		{"a subtree", "site/a", "region/eu/site/a=1"},
		{"an element within a subtree", "site/a/device/1", "region/eu/site/a=1/host/1"},
		{"a name that begins alike", "site/ab/device/1", "site/ab/host/1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, want := dovetail.ID(test.id), dovetail.ID(test.want)
			if got := c.Of(id); got != want {
				t.Errorf("it becomes %s, want %s", got, want)
			}
			if sources := c.Sources(want); !slices.Contains(sources, id) {
				t.Errorf("the sources of %s are %v", want, sources)
			}
			if got := OfOrigin(c.Origin(), id, false); got != want {
				t.Errorf("by the origin %s, want %s", got, want)
			}
			if got := OfOrigin(c.Origin(), want, true); got != id {
				t.Errorf("it was %s, want %s", got, id)
			}
		})
	}
}
