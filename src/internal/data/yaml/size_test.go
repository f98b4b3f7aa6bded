package yaml

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

func TestSize(t *testing.T) {
	deep := func(inner string) string { return strings.Repeat(`{"a":`, 90) + inner + strings.Repeat("}", 90) }
	for _, tt := range []struct{ name, json string }{
		{"a scalar", `1`},
		{"a list", `[1,2,{"a":[{"b":null}]}]`},
		{"a list that lies deep", deep("[" + strings.TrimSuffix(strings.Repeat("{},", 1000), ",") + "]")},
		{"lines that lie deep", deep(`"` + strings.Repeat(`x\n`, 1000) + `"`)},
		{"members that lie deep", deep(`{"b":{"c":1,"d":{"e":1}},"f":[[[1]]]}`)},
		{"escapes", `["` + strings.Repeat(`\u0001`, 1000) + `","` + strings.Repeat(`\u2028`, 1000) + `"]`},
		{"quotes", `"` + strings.Repeat(`\"\\`, 1000) + `: "`},
		{"a long name", `{"` + strings.Repeat("n", 3000) + `":{"a":1}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := value.ParseJSON([]byte(tt.json), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if size, written := Size(v), int64(len(Marshal(v))); size < written*2/3 {
				t.Errorf("Size says %d, %d bytes are written", size, written)
			}
		})
	}
}
