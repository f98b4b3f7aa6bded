package schema_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestHolding(t *testing.T) {
	for _, test := range []struct {
		name, path, want string
		found            int
	}{
		{"one place", "spec.a", `{"spec":{"a":"y"}}`, 1},
		{"a list", "spec.a[*]", `{"spec":{"a":["x","y"]}}`, 2},
		{"members of items", "spec.a[*].b", `{"spec":{"a":[{"b":"y"}]}}`, 1},
		{"names", "spec.a.*", `{"spec":{"a":{"m":"x","n":"y"}}}`, 2},
		{"both", "spec.*[*]", `{"spec":{"m":["x","y"]}}`, 2},
		{"quoted", `spec["a.b"]`, `{"spec":{"a.b":"y"}}`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, err := schema.ParsePath(test.path)
			if err != nil {
				t.Fatal(err)
			}
			data := path.Holding([]string{"m", "n"}, []*value.Value{value.NewString("x"), value.NewString("y")})
			if got := string(data.JSON()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			found := 0
			for range path.Values(data) {
				found++
			}
			if found != test.found {
				t.Errorf("%d places, want %d", found, test.found)
			}
		})
	}
}
