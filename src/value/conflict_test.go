package value_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

func TestConflicts(t *testing.T) {
	tests := []struct{ name, base, theirs, yours, want string }{
		{"same", `{"a":1}`, `{"a":1}`, `{"a":1}`, ""},
		{"only yours", `{"a":1}`, `{"a":1}`, `{"a":2,"b":3}`, ""},
		{"only theirs", `{"a":1}`, `{"a":2}`, `{"a":1}`, "/a 1 2 1\n"},
		{"both the same", `{"a":1}`, `{"a":2}`, `{"a":2}`, ""},
		{"both", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":3,"b":2}`, "/a 1 2 3\n"},
		{"different leaves", `{"s":{"a":1,"b":1}}`, `{"s":{"a":2,"b":1}}`, `{"s":{"a":2,"b":2}}`, ""},
		{"theirs removed", `{"s":{"a":1}}`, `{"s":{}}`, `{"s":{"a":1}}`, "/s/a 1 - 1\n"},
		{"theirs added", `{}`, `{"s":{"a":1}}`, `{}`, "/s - {\"a\":1} -\n"},
		{"both added", `{}`, `{"s":{"a":1,"b":1}}`, `{"s":{"a":2,"b":1}}`, "/s/a - 1 2\n"},
		{"yours removed what they changed", `{"s":{"a":1}}`, `{"s":{"a":2}}`, `{}`, "/s {\"a\":1} {\"a\":2} -\n"},
		{"another kind", `{"s":1}`, `{"s":{"a":2}}`, `{"s":[2]}`, "/s 1 {\"a\":2} [2]\n"},
		{"null is a value", `{}`, `{"a":null}`, `{}`, "/a - null -\n"},
		{"order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"a":3,"b":2}`, ""},
		{"items", `{"l":[1,2]}`, `{"l":[1,3]}`, `{"l":[5,2]}`, "/l/1 2 3 2\n"},
		{"lists of other lengths", `{"l":[1]}`, `{"l":[1,2]}`, `{"l":[1,3]}`, "/l [1] [1,2] [1,3]\n"},
		{"escaped", `{"a/b":1}`, `{"a/b":2}`, `{"a/b":3}`, "/a~1b 1 2 3\n"},
		{"many members", "{" + members(40) + `"x":1}`, "{" + members(40) + `"x":2}`, "{" + members(40) + `"x":3}`, "/x 1 2 3\n"},
		{"the whole", `{"a":1}`, `[1]`, `{"a":2}`, " {\"a\":1} [1] {\"a\":2}\n"},
		{"no base, same", ``, `{"a":1}`, `{"a":1}`, ""},
		{"no base", ``, `{"a":1,"b":1,"l":[1,2]}`, `{"a":2,"c":1,"l":[1,3]}`, "/a - 1 2\n/b - 1 -\n/l/1 - 2 3\n/c - - 1\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var base *value.Value
			if test.base != "" {
				base = parse(t, test.base)
			}
			text := func(v *value.Value) string {
				if v == nil {
					return "-"
				}
				return string(v.JSON())
			}
			got := ""
			for _, c := range value.Conflicts(base, parse(t, test.theirs), parse(t, test.yours)) {
				got += c.Path + " " + text(c.Base) + " " + text(c.Theirs) + " " + text(c.Yours) + "\n"
			}
			if got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}
