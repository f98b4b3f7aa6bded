package inventory_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

func TestParseEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		id         dovetail.ID // "" for an error
	}{
		{"plain", "c1/dev", "cluster/c1/environment/dev"},
		{"backslash", `c\1/a\b`, `cluster/c%5C1/environment/a%5Cb`},
		{"dots", "c..1/a.b..c", "cluster/c..1/environment/a.b..c"},
		{"spaces inside", "c 1/a b", "cluster/c%201/environment/a%20b"},
		{"unicode", "c1/größe-東京", "cluster/c1/environment/gr%C3%B6%C3%9Fe-%E6%9D%B1%E4%BA%AC"},
		{"percent", "c1/a%2Fb", "cluster/c1/environment/a%252Fb"},
		{"empty", "", ""},
		{"no environment", "c1", ""},
		{"no cluster", "/dev", ""},
		{"three parts", "c1/dev/x", ""},
		{"slash at the end", "c1/dev/", ""},
		{"parent folder", "c1/..", ""},
		{"line break", "c1/a\nb", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := inventory.ParseEnvironment(tt.text)
			if tt.id == "" {
				if dovetail.CodeOf(err) != dovetail.CodeInvalid {
					t.Errorf("got %v, %v", e, err)
				}
				return
			}
			if err != nil || e.ID() != tt.id || e.String() != tt.text {
				t.Errorf("got %v %s: %v", e, e.ID(), err)
			}
		})
	}
}
