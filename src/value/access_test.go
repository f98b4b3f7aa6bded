package value_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestGetAndAt(t *testing.T) {
	v := parse(t, `{"metadata":{"name":"a","labels":{"x":"y"}},"list":[{"name":"b"}],"n":null}`)
	tests := []struct {
		name string
		path []string
		want *value.Value
	}{
		{"nothing", nil, v},
		{"one", []string{"n"}, value.NullValue()},
		{"nested", []string{"metadata", "labels", "x"}, value.NewString("y")},
		{"missing", []string{"spec"}, nil},
		{"below missing", []string{"spec", "a", "b"}, nil},
		{"below a scalar", []string{"metadata", "name", "x"}, nil},
		{"not into lists", []string{"list", "0"}, nil},
		{"names are not pointers", []string{"/metadata"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := v.At(test.path...); !value.Equal(got, test.want) {
				t.Errorf("got %s, want %s", got.JSON(), test.want.JSON())
			}
		})
	}
	var none *value.Value
	if none.Get("a") != nil || none.At("a", "b") != nil {
		t.Error("a nil value has members")
	}
}

func TestStr(t *testing.T) {
	tests := []struct {
		name string
		v    *value.Value
		want string
		ok   bool
	}{
		{"string", value.NewString("a"), "a", true},
		{"empty string", value.NewString(""), "", true},
		{"number", value.NewNumber(1), "", false},
		{"boolean", value.NewBool(true), "", false},
		{"null", value.NullValue(), "", false},
		{"nil", nil, "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := test.v.Str(); got != test.want || ok != test.ok {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

// The document and the pointers are those of RFC 6901, section 5.
func TestFind(t *testing.T) {
	v := parse(t, `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`)
	tests := []struct{ name, pointer, want string }{
		{"whole", "", string(v.JSON())},
		{"list", "/foo", `["bar","baz"]`},
		{"item", "/foo/0", `"bar"`},
		{"empty name", "/", "0"},
		{"slash", "/a~1b", "1"},
		{"percent", "/c%d", "2"},
		{"caret", "/e^f", "3"},
		{"bar", "/g|h", "4"},
		{"backslash", `/i\j`, "5"},
		{"quotation mark", `/k"l`, "6"},
		{"space", "/ ", "7"},
		{"tilde", "/m~0n", "8"},
		{"no slash at the beginning", "foo", ""},
		{"index too large", "/foo/2", ""},
		{"index with a zero", "/foo/00", ""},
		{"index with a sign", "/foo/+1", ""},
		{"negative index", "/foo/-1", ""},
		{"index after the last", "/foo/-", ""},
		{"no index", "/foo/bar", ""},
		{"below a scalar", "/foo/0/0", ""},
		{"unknown escape", "/m~2n", ""},
		{"open escape", "/m~", ""},
		{"tilde as it is", "/m~n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := v.Find(test.pointer)
			switch {
			case ok != (test.want != ""):
				t.Errorf("found: %v", ok)
			case ok && string(got.JSON()) != test.want:
				t.Errorf("got %s, want %s", got.JSON(), test.want)
			}
		})
	}
}

func TestPointer(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		want  string
	}{
		{"root", nil, ""},
		{"one", []string{"a"}, "/a"},
		{"empty name", []string{""}, "/"},
		{"escapes", []string{"a/b", "~1", "~0/"}, "/a~1b/~01/~00~1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := value.Pointer(test.parts...)
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if parts, ok := value.SplitPointer(got); !ok || !reflect.DeepEqual(parts, test.parts) {
				t.Errorf("split again: %q", parts)
			}
		})
	}
}

func TestSetAndDelete(t *testing.T) {
	v := parse(t, `{"a":1,"b":2,"c":3}`)
	v.Set("b", value.NewString("new"))
	v.Set("d", value.NewList(value.NullValue()))
	if !v.Delete("a") || v.Delete("a") || v.Delete("z") {
		t.Error("Delete does not return what was there")
	}
	const want = `{"b":"new","c":3,"d":[null]}`
	if got := string(v.JSON()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("Set on a list does not panic")
		}
	}()
	value.NewList().Set("a", v)
}

func TestCloneIsIndependent(t *testing.T) {
	const text = `{"a":{"b":[1,{"c":null}]},"d":"x"}`
	v := parse(t, text)
	c := v.Clone()
	if !reflect.DeepEqual(v, c) {
		t.Fatal("the clone differs")
	}
	c.Get("a").Set("b", value.NullValue())
	c.Delete("d")
	c.Set("e", value.NewBool(false))
	if got := string(v.JSON()); got != text {
		t.Errorf("the original became %s", got)
	}
	if (*value.Value)(nil).Clone() != nil {
		t.Error("a clone of nothing is something")
	}
}

func TestUnplaced(t *testing.T) {
	v := parse(t, `{"a":{"b":[1]}}`)
	u := v.Unplaced()
	if !value.Equal(u, v) || u.Line != 0 || u.Members[0].Line != 0 || u.At("a", "b").Items[0].Line != 0 {
		t.Errorf("%+v", u)
	}
	if v.Line == 0 || v.At("a", "b").Items[0].Line == 0 {
		t.Error("the original lost its positions")
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"same", `{"a":[1,"x",null,true]}`, "{ \"a\":\n[1,\"x\",null,true]}", true},
		{"member order", `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		{"item order", `[1,2]`, `[2,1]`, false},
		{"text of numbers", `1`, `1.0`, false},
		{"number and string", `1`, `"1"`, false},
		{"null and nothing", `{"a":null}`, `{}`, false},
		{"other names", `{"a":1,"b":1}`, `{"a":1,"c":1}`, false},
		{"other values", `{"a":1,"b":1}`, `{"b":2,"a":1}`, false},
		{"more items", `[1]`, `[1,1]`, false},
		{"empty list and map", `[]`, `{}`, false},
		{"many members", "{" + members(40) + `"x":1}`, `{"x":1,` + members(39) + `"m39":""}`, true},
		{"many members, one other", "{" + members(40) + `"x":1}`, `{"y":1,` + members(39) + `"m39":""}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := parse(t, test.a), parse(t, test.b)
			if value.Equal(a, b) != test.want || value.Equal(b, a) != test.want {
				t.Errorf("not %v both ways", test.want)
			}
		})
	}
	if value.Equal(nil, value.NullValue()) || !value.Equal(nil, nil) {
		t.Error("nil equals null, or not nil")
	}
}

func TestFromAnyAndToAny(t *testing.T) {
	type part struct {
		Z string         `json:"z"`
		A map[string]any `json:"a"`
	}
	from := []any{nil, true, "<é>", 12, 1.5, json.Number("1e400"), part{Z: "z", A: map[string]any{"b": 1, "a": value.NewNumber(2)}}}
	v, err := value.FromAny(from)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[null,true,"<é>",12,1.5,1e400,{"z":"z","a":{"a":2,"b":1}}]`
	if got := string(v.JSON()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if v.Line != 0 || v.Items[6].Members[0].Line != 0 || v.Items[6].Get("z").Column != 0 {
		t.Error("a value that was not parsed has positions")
	}
	back := []any{nil, true, "<é>", json.Number("12"), json.Number("1.5"), json.Number("1e400"),
		map[string]any{"z": "z", "a": map[string]any{"a": json.Number("2"), "b": json.Number("1")}}}
	if got := value.ToAny(v); !reflect.DeepEqual(got, back) {
		t.Errorf("got %v", got)
	}
	if value.ToAny(nil) != nil {
		t.Error("nothing becomes something")
	}
	if _, err := value.FromAny(map[string]any{"n": json.Number("1e9999")}); err == nil || err.Error() != "/n: the number's exponent is beyond 1000; write it as a string" {
		t.Errorf("a number that is too large: %v", err)
	}
	if _, err := value.FromAny(func() {}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a function: %v", err)
	}
}

func TestJSONOfMadeValues(t *testing.T) {
	v := value.NewMap(value.Member{Name: "s", Value: value.NewString("bad \xff UTF-8")}, value.Member{Name: "nil"},
		value.Member{Name: "list", Value: value.NewList(value.NewNumber(-1), value.NewBool(true), value.NullValue())})
	const want = "{\"s\":\"bad \uFFFD UTF-8\",\"nil\":null,\"list\":[-1,true,null]}"
	if got := string(v.JSON()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	encoded, err := json.Marshal(map[string]any{"v": v})
	if err != nil || string(encoded) != `{"v":`+want+`}` {
		t.Errorf("encoding/json: %s, %v", encoded, err)
	}
}
