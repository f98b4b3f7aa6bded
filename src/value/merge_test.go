package value_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/value"
)

func TestMerge(t *testing.T) {
	tests := []struct {
		name, base, theirs, yours, want string
		conflicts                       []string
	}{
		{"nothing changed", `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`, nil},
		{"only theirs", `{"a":1}`, `{"a":2}`, `{"a":1}`, `{"a":2}`, nil},
		{"only yours", `{"a":1}`, `{"a":1}`, `{"a":2}`, `{"a":2}`, nil},
		{"both the same", `{"a":1}`, `{"a":2}`, `{"a":2}`, `{"a":2}`, nil},
		{"each another", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":1,"b":3}`, `{"a":2,"b":3}`, nil},
		{"both otherwise", `{"a":1}`, `{"a":2}`, `{"a":3}`, `{"a":2}`, []string{"/a"}},
		{"yours removes", `{"a":1,"b":1}`, `{"a":1,"b":2}`, `{"b":1}`, `{"b":2}`, nil},
		{"yours removes what theirs changed", `{"a":1}`, `{"a":2}`, `{}`, `{"a":2}`, []string{"/a"}},
		{"theirs removes what yours changed", `{"a":1}`, `{}`, `{"a":2}`, `{}`, []string{"/a"}},
		{"both add", `{}`, `{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`, nil},
		{"deep", `{"s":{"a":1,"b":[1,2]}}`, `{"s":{"a":5,"b":[1,7]}}`, `{"s":{"a":1,"b":[9,2]}}`, `{"s":{"a":5,"b":[9,7]}}`, nil},
		{"lists of other lengths", `{"l":[1]}`, `{"l":[1,2]}`, `{"l":[]}`, `{"l":[1,2]}`, []string{"/l"}},
		{"a map against a text", `{"a":{"b":1}}`, `{"a":"x"}`, `{"a":{"b":2}}`, `{"a":"x"}`, []string{"/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, conflicts := value.Merge(parse(t, tt.base), parse(t, tt.theirs), parse(t, tt.yours))
			if !value.Equal(got, parse(t, tt.want)) {
				t.Errorf("merged %s, want %s", got.JSON(), tt.want)
			}
			var paths []string
			for _, c := range conflicts {
				paths = append(paths, c.Path)
			}
			if !slices.Equal(paths, tt.conflicts) {
				t.Errorf("conflicts at %v, want %v", paths, tt.conflicts)
			}
		})
	}
}

// TestMergeOfOne: where one side is the base, the merge is the other one.
func TestMergeOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := values(3).Draw(t, "a"), values(3).Draw(t, "b")
		if got, conflicts := value.Merge(a, b, a); !value.Equal(got, b) || len(conflicts) > 0 {
			t.Errorf("theirs changed alone: %s, %v", got.JSON(), conflicts)
		}
		if got, conflicts := value.Merge(a, a, b); !value.Equal(got, b) || len(conflicts) > 0 {
			t.Errorf("yours changed alone: %s, %v", got.JSON(), conflicts)
		}
	})
}
