package expression_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/expression"
	"github.com/dovetail-store/dovetail/src/value"
)

const portSchema = `{
  "$defs": {"tree": {"type": "object", "properties": {"name": {"type": "string"}, "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}},
  "properties": {
    "spec": {"type": "object", "properties": {
      "min": {"type": "integer"}, "max": {"type": "integer"}, "ratio": {"type": "number"},
      "name": {"type": "string"}, "on": {"type": "boolean"}, "any": {"type": ["string", "integer"]},
      "ports": {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {"number": {"type": "integer"}}}},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "tree": {"$ref": "#/$defs/tree"},
      "few": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 10}}
    }}}}`

func scope(t testing.TB) *expression.Scope {
	t.Helper()
	data := expression.DataOf("port", parse(t, portSchema))
	s, err := expression.NewScope(map[string]*expression.Type{
		"self": data, "oldSelf": data, "open": expression.DataOf("open", nil),
		"key":  expression.ObjectOf("key", map[string]*expression.Type{"site": expression.Text}),
		"refs": expression.ObjectOf("refs", map[string]*expression.Type{"device": data, "ports": expression.ListOf(data)}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestHolds(t *testing.T) {
	values := map[string]*value.Value{
		"self": parse(t, `{"metadata": {"name": "eth0"}, "spec": {"min": 2.0, "max": 9007199254740993, "ratio": 1, "name": "eth0", "any": 7,
			"ports": [{"number": 1}, {"number": 2}], "labels": {"a.b": "c"}, "tree": {"name": "x", "below": [{"name": "y"}]},
			"huge": 123456789012345678901234567890}}`),
		"open": parse(t, `{"spec": {"a": {"b": [1, 2.5, "x", null, true]}, "one": 1, "float": 1.0}}`),
		"key":  parse(t, `{"site": "berlin"}`),
		"refs": parse(t, `{"ports": [{"spec": {"min": 1}}]}`),
	}
	for _, test := range []struct {
		name, expr string
		want       bool
		err        error
	}{
		{name: "integers", expr: "self.spec.min <= self.spec.max", want: true},
		{name: "an integer written with a fraction", expr: "self.spec.min == 2", want: true},
		{name: "integers are exact", expr: "self.spec.max == 9007199254740993 && self.spec.max != 9007199254740992", want: true},
		{name: "a number without a fraction", expr: "self.spec.ratio * 1.5 == 1.5", want: true},
		{name: "integers and numbers", expr: "self.spec.min > self.spec.ratio", want: true},
		{name: "has", expr: "has(self.spec.name) && !has(self.spec.on) && !has(self.spec.undeclared)", want: true},
		{name: "lists", expr: "self.spec.ports.all(p, p.number > 0) && size(self.spec.ports) == 2", want: true},
		{name: "lists joined", expr: "(self.spec.ports + self.spec.ports).map(p, p.number) == [1, 2, 1, 2]", want: true},
		{name: "an object is in a list", expr: "self.spec.ports[1] in self.spec.ports", want: true},
		{name: "maps", expr: "self.spec.labels['a.b'] == 'c' && 'x' in self.spec.labels", want: false},
		{name: "recursive schemas", expr: "self.spec.tree.below[0].name == 'y'", want: true},
		{name: "a type of several", expr: "type(self.spec.any) == int", want: true},
		{name: "data without a schema", expr: "open.spec.a.b.size() == 5 && open.spec.one == open.spec.float", want: true},
		{name: "equal objects", expr: "open == open && open.spec != self.spec", want: true},
		{name: "data without metadata", expr: "!has(open.metadata.labels) && size(open.metadata) == 0", want: true},
		{name: "the key", expr: "key.site.startsWith('ber')", want: true},
		{name: "a reference that is not there", expr: "!has(refs.device) && refs.ports[0].spec.min == 1", want: true},
		{name: "functions for texts", expr: "self.spec.name.upperAscii() == 'ETH0' && self.spec.name.replace('eth', 'x') == 'x0'", want: true},
		{name: "functions for sets", expr: "sets.contains(self.spec.ports.map(p, p.number), [2])", want: true},
		{name: "sorted lists", expr: "self.spec.ports.map(p, -p.number).sort() == [-2, -1] && self.spec.ports.sortBy(p, -p.number)[0].number == 2", want: true},
		{name: "functions for lists", expr: "self.spec.ports.map(p, p.number).distinct().size() == 2", want: true},
		{name: "names that are no identifiers", expr: "self.spec.labels.`a.b` == 'c'", want: true},
		{name: "regular expressions", expr: "self.spec.name.matches('^eth[0-9]+$') && matches(self.spec.name, self.spec.name)", want: true},

		{name: "a member is missing", expr: "self.spec.on", err: expression.ErrMissing},
		{name: "no values in errors", expr: "self.spec.labels[self.spec.name] == ''", err: expression.ErrMissing},
		{name: "an integer above 64 bits", expr: "self.spec.huge > 1", err: errAny},
		{name: "division by zero", expr: "self.spec.min / (self.spec.min - 2) > 1", err: errAny},
		{name: "types that do not fit", expr: "open.spec.a > 1", err: errAny},
		{name: "an index beyond the list", expr: "self.spec.ports[7].number == 1", err: errAny},
		{name: "a pattern that is none", expr: "self.spec.name.matches(self.spec.name + '(')", err: errAny},
		{name: "a value that is not true or false", expr: "open.spec.one", err: errAny},
	} {
		t.Run(test.name, func(t *testing.T) {
			program, problems := scope(t).Compile(test.expr)
			if problems != nil {
				t.Fatal(problems)
			}
			holds, err := program.Holds(context.Background(), values)
			if test.err == errAny && err == nil || test.err != errAny && !errors.Is(err, test.err) || holds != test.want {
				t.Errorf("%t, %v", holds, err)
			}
			if err != nil && strings.Contains(err.Error(), "eth0") {
				t.Errorf("a value shows: %v", err)
			}
		})
	}
}

var errAny = errors.New("any")

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name, expr string
		want       expression.Problem
	}{
		{"syntax", "self.spec.min <=", expression.Problem{Message: "Syntax error: mismatched input '<EOF>'", Line: 1, Column: 17}},
		{"misspelt member", "self.spec.nam == '' ||\n self.spec.on", expression.Problem{Message: "no member is called nam", Remedy: "did you mean name?", Line: 1, Column: 10}},
		{"member of a closed object", "self.spec.ports[0].speed > 1", expression.Problem{Message: "no member is called speed", Line: 1, Column: 19}},
		{"unknown variable", "slef.spec.min > 1", expression.Problem{Message: "unknown name slef", Remedy: "did you mean self?", Line: 1, Column: 1}},
		{"types", "self.spec.name > self.spec.min", expression.Problem{Message: "found no matching overload for '_>_' applied to '(string, int)'", Line: 1, Column: 16}},
		{"no condition", "self.spec.min", expression.Problem{Message: "its value is of the type int, not true or false"}},
		{"an object", "self.spec", expression.Problem{Message: "its value is an object, not true or false"}},
		{"a pattern", "self.spec.name.matches('(')", expression.Problem{Message: "invalid matches argument", Line: 1, Column: 24}},
		{"too expensive", "self.spec.ports.all(a, self.spec.ports.all(b, self.spec.ports.all(c, a == b || b == c)))", expression.Problem{Message: "it may be too expensive: its estimated cost is above the limit"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, problems := scope(t).Compile(test.expr)
			if len(problems) != 1 {
				t.Fatal(problems)
			}
			got := problems[0]
			if !strings.HasPrefix(got.Message, test.want.Message) || !strings.HasPrefix(got.Remedy, test.want.Remedy) || got.Line != test.want.Line || got.Column != test.want.Column {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What the schema bounds makes the same loops cheap enough.
func TestBoundedListsMayBeNested(t *testing.T) {
	if _, problems := scope(t).Compile("self.spec.few.all(a, self.spec.few.all(b, self.spec.few.all(c, a == b || b == c)))"); problems != nil {
		t.Error(problems)
	}
}

func TestReads(t *testing.T) {
	program, problems := scope(t).Compile("refs.ports.exists(p, p.spec.min == self.spec.min) && has(refs.device)")
	if problems != nil {
		t.Fatal(problems)
	}
	if members, reads := program.Reads("refs"); !reads || strings.Join(members, " ") != "ports device" && strings.Join(members, " ") != "device ports" {
		t.Errorf("%v %t", members, reads)
	}
	if _, reads := program.Reads("oldSelf"); reads {
		t.Error("it reads oldSelf")
	}
}

// Whatever the data are, an evaluation ends after a bounded number of steps.
func TestEvaluationsAreBounded(t *testing.T) {
	items := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	text := strings.Repeat("a", 1_000_000)
	var b strings.Builder
	for n := range 1_000_000 {
		fmt.Fprintf(&b, "%d,", n)
	}
	numbered := `{"spec": {"n": [` + b.String() + `0]}}`
	for _, test := range []struct{ name, expr, data string }{
		{"loops", "self.spec.few.all(x, self.spec.few.all(y, x == y))", `{"spec": {"few": ` + items(10_000, `"a"`) + `}}`},
		{"comparisons of objects in a loop", "open.spec.n.all(x, open.spec.deep == open.spec.deep)", `{"spec": {"n": ` + items(10_000, "1") + `, "deep": {"a": ` + items(100_000, "1") + `}}}`},
		{"replacing", "open.spec.a.replace('', open.spec.a).size() > 1", `{"spec": {"a": "` + text + `"}}`},
		{"joining", "open.spec.n.join(open.spec.a).size() > 1", `{"spec": {"n": ` + items(10_000, `"x"`) + `, "a": "` + text + `"}}`},
		{"searching", "open.spec.a.indexOf(open.spec.a + 'b') < 0", `{"spec": {"a": "` + text + `"}}`},
		{"sets", "sets.equivalent(open.spec.n, open.spec.n)", `{"spec": {"n": ` + items(10_000, "1") + `}}`},
		{"patterns", "open.spec.a.matches('(((a{9}){10}){10}){0,1}b')", `{"spec": {"a": "` + text + text + text + text + text + text + text + text + text + text + `"}}`},
		{"sorting", "open.spec.n.sort().size() > 1", `{"spec": {"n": ` + items(100_000, "1") + `}}`},
		{"sorting by keys", "open.spec.n.sortBy(x, -x).size() > 1", `{"spec": {"n": ` + items(100_000, "1") + `}}`},
		{"many that are no duplicates", "open.spec.n.distinct().size() > 1", numbered},
		{"comparisons of objects", "lists.range(1000).all(x, open.spec == open.spec)", numbered},
		{"sizes of texts", "lists.range(1000).all(x, open.spec.a.size() > 1)", `{"spec": {"a": "` + text + `"}}`},
		{"conversions of texts", "lists.range(1000).all(x, string(open.spec.a) == open.spec.a)", `{"spec": {"a": "` + text + `"}}`},
		{"texts joined", "lists.range(1000).all(x, open.spec.a + open.spec.a != 'b')", `{"spec": {"a": "` + text + `"}}`},
		{"texts turned", "['x' + open.spec.a].all(t, lists.range(1000).all(x, t.reverse() != 'b'))", `{"spec": {"a": "` + text + `"}}`},
		{"duplicates", "open.spec.n.distinct().size() > 1", `{"spec": {"n": ` + items(10_000, `1`) + `}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			program, problems := scope(t).Compile(test.expr)
			if problems != nil {
				t.Fatal(problems)
			}
			values := map[string]*value.Value{"open": parse(t, test.data), "self": parse(t, test.data)}
			begin := time.Now()
			_, err := program.Holds(context.Background(), values)
			if !errors.Is(err, expression.ErrExpensive) {
				t.Error(err)
			}
			if took := time.Since(begin); took > 30*time.Second { // the longest takes one, on a slow machine
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestHoldsEndsWithTheContext(t *testing.T) {
	program, problems := scope(t).Compile("open.spec.a.all(x, x == 1)")
	if problems != nil {
		t.Fatal(problems)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data := parse(t, `{"spec": {"a": [`+strings.Repeat("1,", 1_000)+`1]}}`)
	if _, err := program.Holds(ctx, map[string]*value.Value{"open": data}); dovetail.CodeOf(err) != dovetail.CodeOf(dovetail.AsError(context.Canceled)) {
		t.Error(err)
	}
}

// No text makes the compiler or an evaluation fail in another way than with an error.
func FuzzCompile(f *testing.F) {
	for _, expr := range []string{
		"self.spec.min <= self.spec.max", "has(self.spec.on) || oldSelf == self", "self.spec.ports.all(p, p.number in [1, 2u, 3.0])",
		"'x'.replace('', self.spec.name).matches(self.spec.name)", "self.spec.few.sortBy(x, x) == lists.range(3)", "refs.ports[0] == dyn(self)",
		"duration('1h') < timestamp('2020-01-01T00:00:00Z') - timestamp(self.spec.name)", "open.spec.a.b.map(x, [x, open]).flatten(9).join()", "'%s'.format([open])",
	} {
		f.Add(expr)
	}
	s := scope(f)
	values := map[string]*value.Value{"self": parse(f, `{"spec": {"min": 1, "max": 2, "name": "a", "ports": [{"number": 1}], "few": ["a", "b"]}}`),
		"open": parse(f, `{"spec": {"a": {"b": [1, 2.5, "x", null, true, {"c": []}]}}}`), "key": parse(f, `{"site": "x"}`), "refs": parse(f, `{"ports": []}`)}
	f.Fuzz(func(t *testing.T, text string) {
		program, problems := s.Compile(text)
		if (program == nil) != (len(problems) > 0) {
			t.Fatalf("%v %v", program, problems)
		}
		for _, p := range problems {
			if p.Message == "" || p.Line < 0 || p.Column < 0 {
				t.Errorf("%+v", p)
			}
		}
		if program == nil {
			return
		}
		if _, err := program.Holds(context.Background(), values); err != nil && strings.Contains(err.Error(), "internal") {
			t.Error(err)
		}
	})
}

func BenchmarkHolds(b *testing.B) {
	program, problems := scope(b).Compile("self.spec.min <= self.spec.max")
	if problems != nil {
		b.Fatal(problems)
	}
	values := map[string]*value.Value{"self": parse(b, `{"spec": {"min": 1, "max": 2}}`)}
	for b.Loop() {
		if holds, err := program.Holds(context.Background(), values); !holds || err != nil {
			b.Fatal(err)
		}
	}
}
