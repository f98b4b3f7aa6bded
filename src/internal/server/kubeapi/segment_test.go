package kubeapi

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestSegments(t *testing.T) {
	cases := []struct {
		name    string
		values  []string
		segment string
	}{
		{"one", []string{"cluster-01"}, "cluster-01"},
		{"several", []string{"p1", "shop", "v1"}, "p1:shop:v1"},
		{"a colon", []string{"a:b", "c"}, "a~3ab:c"},
		{"a slash", []string{"site/east"}, "site~2feast"},
		{"a dot", []string{"."}, "~2e"},
		{"two dots", []string{".."}, "~2e."},
		{"other letters", []string{"köln"}, "köln"},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if got := joinSegment(tt.values); got != tt.segment {
				t.Errorf("%q, want %q", got, tt.segment)
			}
			if got, err := splitSegment(tt.segment); err != nil || !slices.Equal(got, tt.values) {
				t.Errorf("%q %v, want %q", got, err, tt.values)
			}
		})
	}
	for _, refused := range []string{"a~", "a~3", "a~zz", "a~3A", "~61", "a b", "a%2fb"} {
		if got, err := splitSegment(refused); err == nil {
			t.Errorf("%q is read as %q", refused, got)
		}
	}
}

// TestSegmentsOfAnything: all values that ids may have come back, and clients take what is made of them for one segment of a path.
func TestSegmentsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringN(1, 12, -1).Filter(func(s string) bool { return dovetail.CheckValue(s) == "" }), 1, 4).Draw(t, "values")
		segment := joinSegment(values)
		got, err := splitSegment(segment)
		if err != nil || !slices.Equal(got, values) {
			t.Fatalf("%q: %q %v", segment, got, err)
		}
		if segment == "." || segment == ".." || slices.ContainsFunc([]byte(segment), func(c byte) bool { return c == '/' || c == '%' }) {
			t.Fatalf("%q is no name of a path's segment", segment)
		}
	})
}
