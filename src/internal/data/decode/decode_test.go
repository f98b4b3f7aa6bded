package decode_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ExampleDecoder() {
	v, _ := value.ParseJSON([]byte("{\"name\": 7,\n \"port\": [], \"tags\": [\"a\", \"\"]}"), value.Limits{})
	d := decode.Decoder{File: "service.json"}
	service := d.Root(v, "the service", "")
	service.Map("name", "ports", "tags", "host")
	service.Get("name").Text()
	service.Get("tags").Texts("a tag")
	service.Get("host").Text()
	fmt.Println(d.Err("the service is invalid"))
	// Output:
	// the service is invalid: 4 errors
	// service.json:2:2 /port: the service has the unknown member "port"; did you mean ports? The members are name, ports, tags, host
	// service.json:1:10 /name: name must be a string, not the number 7; write "7" in quotes
	// service.json:2:28 /tags/1: a tag is empty; write a text
	// service.json:1:1 /host: host is missing; add it
}

// TestField reads one member, "a", in each way.
func TestField(t *testing.T) {
	text := func(f decode.Field) any { return f.Text() }
	optional := func(f decode.Field) any { return f.OptionalText() }
	boolean := func(f decode.Field) any { return f.Bool() }
	texts := func(f decode.Field) any { return f.Texts("an item") }
	natural := func(f decode.Field) any { return f.Integer(0) }
	anyText := func(f decode.Field) any { text, ok := f.AnyText(); return fmt.Sprint(text, ok) }
	isMap := func(f decode.Field) any { return f.Map("b") }
	list := func(f decode.Field) any { return f.List("an item") }
	nonEmpty := func(f decode.Field) any { return len(f.NonEmptyList("an item")) }
	paths := func(of iter.Seq2[string, decode.Field]) any {
		found := []string{}
		for name, m := range of {
			found = append(found, name, m.Path())
		}
		return found
	}
	members := func(f decode.Field) any { return paths(f.Members("b", "c", "b/")) }
	all := func(f decode.Field) any { return paths(f.All()) }
	required := func(f decode.Field) any { f.Require("b", "c"); return "" }
	tests := []struct {
		name, text string
		read       func(decode.Field) any
		want       string // what is read
		err        string // "" if there is none
	}{
		{name: "a text", text: `{"a": "x"}`, read: text, want: "x"},
		{name: "an empty text", text: `{"a": ""}`, read: text, err: "1:7 /a: a is empty"},
		{name: "a missing text", text: `{}`, read: text, err: "1:1 /a: a is missing"},
		{name: "null for a text", text: `{"a": null}`, read: text, err: "1:7 /a: a must be a string, not null"},
		{name: "a list for a text", text: `{"a": []}`, read: text, err: "1:7 /a: a must be a string, not a list"},
		{name: "a boolean for a text", text: `{"a": true}`, read: text, err: `write "true" in quotes`},
		{name: "an optional text", text: `{"a": "x"}`, read: optional, want: "x"},
		{name: "a missing optional text", text: `{}`, read: optional},
		{name: "null for an optional text", text: `{"a": null}`, read: optional, err: "must be a string, not null"},
		{name: "true", text: `{"a": true}`, read: boolean, want: "true"},
		{name: "false", text: `{"a": false}`, read: boolean, want: "false"},
		{name: "a missing boolean", text: `{}`, read: boolean, want: "false"},
		{name: "a text for a boolean", text: `{"a": "true"}`, read: boolean, want: "false", err: "1:7 /a: a must be true or false, not a string"},
		{name: "null for a boolean", text: `{"a": null}`, read: boolean, want: "false", err: "must be true or false, not null"},
		{name: "texts", text: `{"a": ["x", "y"]}`, read: texts, want: "[x y]"},
		{name: "missing texts", text: `{}`, read: texts, want: "[]"},
		{name: "null for texts", text: `{"a": null}`, read: texts, want: "[]"},
		{name: "one text for texts", text: `{"a": "x"}`, read: texts, want: "[]", err: "1:7 /a: a must be a list, not a string"},
		{name: "a number among texts", text: `{"a": ["x", 1]}`, read: texts, want: "[x ]", err: "1:13 /a/1: an item must be a string, not the number 1"},
		{name: "an integer", text: `{"a": 3}`, read: natural, want: "3"},
		{name: "a missing integer", text: `{}`, read: natural, want: "0"},
		{name: "a negative integer", text: `{"a": -1}`, read: natural, want: "0", err: "1:7 /a: a must be an integer from 0, not the number -1"},
		{name: "a fraction for an integer", text: `{"a": 1.5}`, read: natural, want: "0", err: "not the number 1.5"},
		{name: "a text for an integer", text: `{"a": "3"}`, read: natural, want: "0", err: "not a string"},
		{name: "an empty text where it may be", text: `{"a": ""}`, read: anyText, want: "true"},
		{name: "a map for any text", text: `{"a": {}}`, read: anyText, want: "false", err: "a must be a string, not a map"},
		{name: "a map", text: `{"a": {"b": 1}}`, read: isMap, want: "true"},
		{name: "an unknown member", text: `{"a": {"zzzzzz/": 1}}`, read: isMap, want: "true", err: `1:8 /a/zzzzzz~1: a has the unknown member "zzzzzz/"; use b`},
		{name: "a missing map", text: `{}`, read: isMap, want: "false", err: "1:1 /a: a is missing"},
		{name: "a list where null is none", text: `{"a": null}`, read: list, want: "[]", err: "1:7 /a: a must be a list, not null"},
		{name: "a list that must be there", text: `{}`, read: list, want: "[]", err: "1:1 /a: a is missing"},
		{name: "an empty list", text: `{"a": []}`, read: nonEmpty, want: "0", err: "1:7 /a: a is empty; add an item"},
		{name: "a list with items", text: `{"a": [1]}`, read: nonEmpty, want: "1"},
		{name: "members in their order", text: `{"a": {"c": 1, "b/": 2}}`, read: members, want: "[c /a/c b/ /a/b~1]"},
		{name: "a member that is not known", text: `{"a": {"b": 1, "bb": 2, "c": 3}}`, read: members, want: "[b /a/b c /a/c]", err: `1:16 /a/bb: a has the unknown member "bb"; did you mean b?`},
		{name: "members of a list", text: `{"a": []}`, read: members, want: "[]", err: "1:7 /a: a must be a map, not a list"},
		{name: "members without checks", text: `{"a": {"": 1, "x": 2}}`, read: all, want: "[ /a/ x /a/x]"},
		{name: "members of nothing", text: `{}`, read: all, want: "[]"},
		{name: "a member that is required", text: `{"a": {"b": 1}}`, read: required, err: "1:7 /a/c: c is missing; add it"},
		{name: "a long text", text: `{"a": {"` + strings.Repeat("x", 200) + `": 1}}`, read: members, want: "[]", err: `member "` + strings.Repeat("x", 80) + `..."; use`},
		{name: "a list for a map", text: `{"a": []}`, read: isMap, want: "false", err: "1:7 /a: a must be a map, not a list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d decode.Decoder
			got := fmt.Sprint(tt.read(d.Root(parse(t, tt.text), "it", "").Get("a")))
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			err := d.Err("it is invalid")
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got the error %v, want %q", err, tt.err)
			}
		})
	}
}

// TestJoin adds the errors of another reader below a field.
func TestJoin(t *testing.T) {
	var parts dovetail.Errors
	parts.Add(&dovetail.Error{Code: dovetail.CodeMissing, Message: "placed", Position: dovetail.Position{Line: 7, Column: 8, Path: "/x"}}, &dovetail.Error{Message: "not placed"})
	parts.Count(5)
	for _, countOnly := range []bool{false, true} {
		d := decode.Decoder{File: "f", CountOnly: countOnly}
		a := d.Root(parse(t, `{"a": 1}`), "it", "/root").Get("a")
		a.Join(nil)
		a.Join(parts.Err("parts"))
		a.Fail("", "one more")
		want := "f:7:8 /root/a/x: placed\nf:1:7 /root/a: not placed\nf:1:7 /root/a: one more\n"
		if countOnly {
			want = ""
		}
		var got strings.Builder
		for _, e := range d.Errors.Kept() {
			got.WriteString(e.Error() + "\n")
		}
		if got.String() != want || d.Errors.Total() != 8 {
			t.Errorf("count only %t: got %d errors, %s", countOnly, d.Errors.Total(), got.String())
		}
	}
}

// TestManyErrors checks that a list of wrong items is counted and not all described.
func TestManyErrors(t *testing.T) {
	completed := 0
	d := decode.Decoder{Complete: func(e *dovetail.Error) {
		completed++
		e.Reason = "Wrong"
	}}
	d.Root(parse(t, "["+strings.Repeat("1,", 999)+"1]"), "the list", "/list").Texts("an item")
	e := dovetail.AsError(d.Err("the list is invalid"))
	if e == nil || e.Total != 1000 || len(e.Errors) != dovetail.MaxErrors || completed != dovetail.MaxErrors {
		t.Fatalf("got %v, completed %d", e, completed)
	}
	if first := e.Errors[0]; first.Position.Path != "/list/0" || first.Reason != "Wrong" || first.Code != dovetail.CodeInvalid {
		t.Errorf("got %+v", first)
	}
}
