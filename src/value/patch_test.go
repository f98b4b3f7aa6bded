package value_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// The first cases are those of RFC 7396, appendix A, in its order.
func TestMergePatch(t *testing.T) {
	tests := []struct{ name, target, patch, want string }{
		{"A1", `{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{"A2", `{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{"A3", `{"a":"b"}`, `{"a":null}`, `{}`},
		{"A4", `{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{"A5", `{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{"A6", `{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{"A7", `{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{"A8", `{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{"A9", `["a","b"]`, `["c","d"]`, `["c","d"]`},
		{"A10", `{"a":"b"}`, `["c"]`, `["c"]`},
		{"A11", `{"a":"foo"}`, `null`, `null`},
		{"A12", `{"a":"foo"}`, `"bar"`, `"bar"`},
		{"A13", `{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{"A14", `[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{"A15", `{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{"section 3", `{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}`,
			`{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}`,
			`{"title":"Hello!","author":{"givenName":"John"},"tags":["example"],"content":"This will be unchanged","phoneNumber":"+01-123-456-7890"}`},
		{"order", `{"c":1,"b":2,"a":3}`, `{"z":1,"a":4,"y":2,"c":5}`, `{"c":5,"b":2,"a":4,"z":1,"y":2}`},
		{"nulls inside of lists stay", `{}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{"b":null}]}`},
		{"empty patch", `{"a":{"b":null}}`, `{}`, `{"a":{"b":null}}`},
		{"exact numbers", `{"n":1.50}`, `{"m":2e400}`, `{"n":1.50,"m":2e400}`},
		{"many members", "{" + members(40) + `"x":1}`, "{" + members(39) + `"x":null,"y":2}`, "{" + members(40) + `"y":2}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target, patch := parse(t, test.target), parse(t, test.patch)
			if got := string(value.MergePatch(target, patch).JSON()); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if string(target.JSON()) != test.target || string(patch.JSON()) != test.patch {
				t.Error("an input changed")
			}
		})
	}
}

func TestMergePatchOfNothing(t *testing.T) {
	v := parse(t, `{"a":{"b":1}}`)
	if got := value.MergePatch(nil, v); !value.Equal(got, v) {
		t.Errorf("patch on nothing: %s", got.JSON())
	}
	if got := value.MergePatch(v, nil); !value.Equal(got, v) {
		t.Errorf("no patch: %s", got.JSON())
	}
}

// The patch is what the user wrote, so only it has positions.
func TestMergePatchPositions(t *testing.T) {
	target, patch := parse(t, `{"a":{"b":1},"c":2}`), parse(t, "{\n\"a\":\n{\"d\":3}}")
	got := value.MergePatch(target, patch)
	tests := []struct {
		name, pointer string
		line          int
	}{
		{"root", "", 1}, {"merged", "/a", 3}, {"from the patch", "/a/d", 3}, {"from the target", "/a/b", 0}, {"untouched", "/c", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if v, _ := got.Find(test.pointer); v.Position().Line != test.line {
				t.Errorf("line %d, want %d", v.Position().Line, test.line)
			}
		})
	}
}
