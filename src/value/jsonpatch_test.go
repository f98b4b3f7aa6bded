package value_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The first cases are those of RFC 6902, appendix A, in its order.
func TestJSONPatch(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, target, patch, want, refusal string }{
		{name: "A1 add a member", target: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz","value":"qux"}]`, want: `{"foo":"bar","baz":"qux"}`},
		{name: "A2 add an item", target: `{"foo":["bar","baz"]}`, patch: `[{"op":"add","path":"/foo/1","value":"qux"}]`, want: `{"foo":["bar","qux","baz"]}`},
		{name: "A3 remove a member", target: `{"baz":"qux","foo":"bar"}`, patch: `[{"op":"remove","path":"/baz"}]`, want: `{"foo":"bar"}`},
		{name: "A4 remove an item", target: `{"foo":["bar","qux","baz"]}`, patch: `[{"op":"remove","path":"/foo/1"}]`, want: `{"foo":["bar","baz"]}`},
		{name: "A5 replace", target: `{"baz":"qux","foo":"bar"}`, patch: `[{"op":"replace","path":"/baz","value":"boo"}]`, want: `{"baz":"boo","foo":"bar"}`},
		{name: "A6 move a member", target: `{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`,
			patch: `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`, want: `{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`},
		{name: "A7 move an item", target: `{"foo":["all","grass","cows","eat"]}`, patch: `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, want: `{"foo":["all","cows","eat","grass"]}`},
		{name: "A8 test", target: `{"baz":"qux","foo":["a",2,"c"]}`, patch: `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`,
			want: `{"baz":"qux","foo":["a",2,"c"]}`},
		{name: "A9 a test that fails", target: `{"baz":"qux"}`, patch: `[{"op":"test","path":"/baz","value":"bar"}]`, refusal: "operation 0 (test): /baz is another value"},
		{name: "A10 add a map", target: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`, want: `{"foo":"bar","child":{"grandchild":{}}}`},
		{name: "A11 unknown members", target: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`, want: `{"foo":"bar","baz":"qux"}`},
		{name: "A12 add to what does not exist", target: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz/bat","value":"qux"}]`, refusal: "/baz/bat does not exist"},
		{name: "A14 escapes", target: `{"/":9,"~1":10}`, patch: `[{"op":"test","path":"/~01","value":10},{"op":"replace","path":"/~1","value":1}]`, want: `{"/":1,"~1":10}`},
		{name: "A15 text is no number", target: `{"/":9,"~1":10}`, patch: `[{"op":"test","path":"/~01","value":"10"}]`, refusal: "is another value"},
		{name: "A16 add at the end", target: `{"foo":["bar"]}`, patch: `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, want: `{"foo":["bar",["abc","def"]]}`},

		{name: "the whole object", target: `{"a":1}`, patch: `[{"op":"test","path":"","value":{"a":1}},{"op":"replace","path":"","value":{"b":2}},{"op":"add","path":"","value":[1]}]`, want: `[1]`},
		{name: "remove the whole object", target: `{"a":1}`, patch: `[{"op":"remove","path":""}]`, refusal: "the whole object cannot be removed"},
		{name: "move the whole object", target: `{"a":1}`, patch: `[{"op":"move","from":"","path":"/a"}]`, refusal: "into itself"},
		{name: "a part becomes the whole", target: `{"a":{"b":[1]}}`, patch: `[{"op":"move","from":"/a","path":""},{"op":"copy","from":"/b/0","path":"/c"}]`, want: `{"b":[1],"c":1}`},
		{name: "move into itself", target: `{"a":[[1],[2]]}`, patch: `[{"op":"move","from":"/a/0","path":"/a/0/0"}]`, refusal: "into itself"},
		{name: "move to itself", target: `{"a":1,"b":2}`, patch: `[{"op":"move","from":"/a","path":"/a"}]`, want: `{"a":1,"b":2}`},
		{name: "a name that begins alike", target: `{"a":1,"ab":{}}`, patch: `[{"op":"move","from":"/a","path":"/ab/a"}]`, want: `{"ab":{"a":1}}`},
		{name: "the member without a name", target: `{"":{"":1}}`, patch: `[{"op":"add","path":"//","value":2}]`, want: `{"":{"":2}}`},
		{name: "negative positions", target: `[1,2,3]`, patch: `[{"op":"add","path":"/-1","value":4},{"op":"remove","path":"/-2"},{"op":"replace","path":"/-3","value":0}]`, want: `[0,2,4]`},
		{name: "positions that are none", target: `[1]`, patch: `[{"op":"add","path":"/01","value":4}]`, refusal: "/01 does not exist"},
		{name: "a position after the end", target: `[1]`, patch: `[{"op":"add","path":"/2","value":4}]`, refusal: "/2 does not exist"},
		{name: "replace after the end", target: `[1]`, patch: `[{"op":"replace","path":"/1","value":4}]`, refusal: "/1 does not exist"},
		{name: "remove at the end", target: `[1]`, patch: `[{"op":"remove","path":"/-"}]`, refusal: "/- does not exist"},
		{name: "below a scalar", target: `{"a":"b"}`, patch: `[{"op":"remove","path":"/a/0"}]`, refusal: "/a/0 does not exist"},
		{name: "an empty list", target: `[]`, patch: `[{"op":"add","path":"/0","value":2},{"op":"add","path":"/0","value":1},{"op":"remove","path":"/0"},{"op":"remove","path":"/0"},{"op":"add","path":"/-","value":3}]`, want: `[3]`},
		{name: "test for no member", target: `{"a":null}`, patch: `[{"op":"test","path":"/a","value":null},{"op":"test","path":"/b","value":null},{"op":"test","path":"/c"}]`, want: `{"a":null}`},
		{name: "test for a member that is missing", target: `{}`, patch: `[{"op":"test","path":"/b","value":1}]`, refusal: "/b does not exist"},
		{name: "test in what does not exist", target: `{}`, patch: `[{"op":"test","path":"/b/c","value":null}]`, refusal: "/b/c does not exist"},
		{name: "exact numbers", target: `{"n":1.50,"m":1}`, patch: `[{"op":"test","path":"/n","value":1.50},{"op":"add","path":"/m","value":2e400}]`, want: `{"n":1.50,"m":2e400}`},
		{name: "tests of what has changed", target: `{"l":[1,{"a":1,"b":[]}]}`,
			patch: `[{"op":"add","path":"/l/1/b/-","value":2},{"op":"test","path":"","value":{"l":[1,{"b":[2],"a":1}]}},{"op":"test","path":"/l","value":[1,{"a":1,"b":[3]}]}]`, refusal: "operation 2 (test)"},
		{name: "a copy is another value", target: `{"a":{"x":[1]}}`, patch: `[{"op":"add","path":"/a/x/0","value":0},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/a/x/-","value":2},{"op":"remove","path":"/b/x/0"}]`,
			want: `{"a":{"x":[0,1,2]},"b":{"x":[1]}}`},
		{name: "a value that is added twice", target: `{}`, patch: `[{"op":"add","path":"/a","value":{"x":[]}},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x/-","value":1}]`, want: `{"a":{"x":[]},"b":{"x":[1]}}`},
		{name: "removed and added again", target: `{"a":1,"b":2}`, patch: `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":3},{"op":"remove","path":"/b"}]`, want: `{"a":3}`},
		{name: "no operations", target: `{"a":[1,{}]}`, patch: `[]`, want: `{"a":[1,{}]}`},

		{name: "copies without end", target: `{"a":["` + strings.Repeat("x", 100) + `"]}`, patch: "[" + strings.Repeat(`{"op":"copy","from":"/a","path":"/a/-"},`, 39) + `{"op":"copy","from":"/a","path":"/a/-"}]`,
			refusal: "accumulated size increase"},
		{name: "nested too deep", target: `{"a":{}}`, patch: "[" + strings.Repeat(`{"op":"add","path":"/b","value":{"c":{}}},{"op":"move","from":"/a","path":"/b/c/a"},{"op":"move","from":"/b","path":"/a"},`, 60) + `{"op":"test","path":"/x"}]`,
			refusal: "deeper than 100 levels"},
		{name: "an unknown operation", target: `{}`, patch: `[{"op":"merge","path":"/a","value":1}]`, refusal: "no JSON patch (RFC 6902): op of operation 0"},
		{name: "no value", target: `{}`, patch: `[{"op":"add","path":"/a"}]`, refusal: "operation 0 (add) has no value"},
		{name: "no path", target: `{}`, patch: `[{"op":"remove"}]`, refusal: "path of operation 0 (remove)"},
		{name: "a path that is none", target: `{}`, patch: `[{"op":"remove","path":"a"}]`, refusal: "path of operation 0 (remove)"},
		{name: "an escape that is none", target: `{}`, patch: `[{"op":"remove","path":"/~2"}]`, refusal: "path of operation 0 (remove)"},
		{name: "no from", target: `{}`, patch: `[{"op":"move","path":"/a"}]`, refusal: "from of operation 0 (move)"},
		{name: "no list", target: `{}`, patch: `{"op":"remove"}`, refusal: "it is not a list"},
		{name: "too many", target: `{}`, patch: "[" + strings.Repeat("0,", value.MaxPatchOperations) + "0]", refusal: "10001 operations"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			target, list := parse(t, test.target), parse(t, test.patch)
			patch, err := value.ParseJSONPatch(list)
			for range 2 { // the patch is applied again where another writer was first
				var got *value.Value
				if err == nil {
					got, err = patch.Apply(target, value.Limits{})
				}
				switch {
				case test.refusal != "":
					if err == nil || !strings.Contains(err.Error(), test.refusal) {
						t.Errorf("got %v, want %q", err, test.refusal)
					}
				case err != nil:
					t.Error(err)
				case string(got.JSON()) != test.want:
					t.Errorf("got %s, want %s", got.JSON(), test.want)
				}
			}
			if string(target.JSON()) != test.target || string(list.JSON()) != test.patch {
				t.Error("an input changed")
			}
		})
	}
}

// longPatches are patches of n operations each of which could take as long as the document is large.
var longPatches = []struct {
	name      string
	operation func(i int) string
}{
	{name: "at the front", operation: func(int) string { return `{"op":"add","path":"/l/0","value":1}` }},
	{name: "at both ends", operation: func(i int) string { return `{"op":"add","path":"/l/` + []string{"0", "-"}[i%2] + `","value":1}` }},
	{name: "scattered", operation: func(i int) string { return fmt.Sprintf(`{"op":"add","path":"/l/%d","value":1}`, i*7919%20_000) }},
	{name: "from the front", operation: func(int) string { return `{"op":"remove","path":"/l/0"}` }},
	{name: "from the front to the end", operation: func(int) string { return `{"op":"move","from":"/l/0","path":"/l/-"}` }},
	{name: "copies to the front", operation: func(int) string { return `{"op":"copy","from":"/l/-1","path":"/l/0"}` }},
	{name: "new members", operation: func(i int) string { return fmt.Sprintf(`{"op":"add","path":"/m/new%d","value":1}`, i) }},
	{name: "last members", operation: func(i int) string { return fmt.Sprintf(`{"op":"replace","path":"/m/m%d","value":1}`, 19_999-i) }},
	{name: "members that go", operation: func(i int) string { return fmt.Sprintf(`{"op":"remove","path":"/m/m%d"}`, i) }},
	{name: "members that move", operation: func(i int) string { return fmt.Sprintf(`{"op":"move","from":"/m/m%d","path":"/m/n%d"}`, i, i) }},
	{name: "a large value that moves", operation: func(i int) string {
		return fmt.Sprintf(`{"op":"move","from":"/%s","path":"/%s"}`, []string{"l", "x"}[i%2], []string{"x", "l"}[i%2])
	}},
	{name: "tests", operation: func(i int) string { return fmt.Sprintf(`{"op":"test","path":"/l/%d","value":0}`, 19_999-i) }},
}

// largeDocument has a list and a map of n values.
func largeDocument(n int) string {
	return `{"l":[` + strings.Repeat("0,", n) + `0],"m":{` + members(n) + `"end":1},"end of all":0}`
}

func longPatch(n int, operation func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = operation(i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// TestJSONPatchWork counts how often a patch lets its work be ended, once in 512 steps or values: an operation takes the same for a document
// of any size.
func TestJSONPatchWork(t *testing.T) {
	t.Parallel()
	const n, operations = 160_000, 9_000
	for _, test := range longPatches {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			patch, err := value.ParseJSONPatch(parse(t, longPatch(operations, test.operation)))
			if err != nil {
				t.Fatal(err)
			}
			var calls [2]int
			for i, n := range []int{n / 8, n} {
				held := 0
				if _, err := patch.Apply(parse(t, largeDocument(n)), value.Limits{Charge: func(values int) error {
					calls[i]++
					held += values
					return nil
				}}); err != nil {
					t.Fatal(err)
				}
				if most := 3*(2*n+operations) + 100; held > most {
					t.Errorf("%d values are held in the end, want at most %d", held, most)
				}
			}
			if most := operations*5 + 2*n/512 + 100; calls[1] > most {
				t.Errorf("with %d values %d calls, want at most %d", n, calls[1], most)
			}
			if most := calls[0]*2 + 4*n/512; calls[1] > most {
				t.Errorf("with %d values %d calls, with %d %d", n, calls[1], n/8, calls[0])
			}
		})
	}
}

// TestJSONPatchEnds ends a patch when its request has ended.
func TestJSONPatchEnds(t *testing.T) {
	t.Parallel()
	patch, err := value.ParseJSONPatch(parse(t, longPatch(9_000, longPatches[0].operation)))
	if err != nil {
		t.Fatal(err)
	}
	target, calls := parse(t, largeDocument(20_000)), 0
	_, err = patch.Apply(target, value.Limits{Charge: func(int) error {
		if calls++; calls >= 3 {
			return context.Canceled
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("%d calls, then %v", calls, err)
	}
}

// TestJSONPatchLimits refuses results that a body could not have.
func TestJSONPatchLimits(t *testing.T) {
	t.Parallel()
	patch, err := value.ParseJSONPatch(parse(t, `[{"op":"copy","from":"/l","path":"/k"}]`))
	if err != nil {
		t.Fatal(err)
	}
	target := parse(t, `{"l":[`+strings.Repeat("0,", 1000)+`0]}`)
	if _, err := patch.Apply(target, value.Limits{Values: 2005}); err != nil {
		t.Error(err)
	}
	if _, err := patch.Apply(target, value.Limits{Values: 2004}); dovetail.CodeOf(err) != dovetail.CodeTooLarge {
		t.Errorf("got %v", err)
	}
}

func BenchmarkJSONPatch(b *testing.B) {
	target := parse(b, largeDocument(100_000))
	for _, c := range longPatches {
		patch, err := value.ParseJSONPatch(parse(b, longPatch(9_900, c.operation)))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := patch.Apply(target, value.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
