package selector_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

func parse(t *testing.T, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLabelsMatch(t *testing.T) {
	data := parse(t, `{"metadata":{"name":"a","labels":{"tier":"front","empty":"","app.kubernetes.io/name":"nginx","ünï":"wörld 日本","in":"x","number":1,"null":null}}}`)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", true},
		{"white space", " \t", true},
		{"equals", "tier=front", true},
		{"equals another", "tier=back", false},
		{"two equal signs", "tier == front", true},
		{"equals of a missing label", "zone=a", false},
		{"differs", "tier!=back", true},
		{"differs not", "tier != front", false},
		{"differs of a missing label", "zone!=a", true},
		{"exists", "tier", true},
		{"exists not", "zone", false},
		{"absent", "!zone", true},
		{"absent not", "! tier", false},
		{"in", "tier in (back,front)", true},
		{"in not", "tier in(back)", false},
		{"in of a missing label", "zone in (a,)", false},
		{"notin", "tier notin (back, side)", true},
		{"notin not", "tier notin (back,front)", false},
		{"notin of a missing label", "zone notin (a)", true},
		{"all must hold", "tier=front,app.kubernetes.io/name=nginx,!zone", true},
		{"one does not", "tier=front,zone", false},
		{"empty value", "empty=", true},
		{"empty value before a comma", "empty=,tier", true},
		{"not the empty value", "tier=", false},
		{"empty value in a list", "empty in (,)", true},
		{"empty value of a missing label", "zone=", false},
		{"Unicode", "ünï in (wörld,x)", false},
		{"operators as names", "in in (x),notin notin (y),in", true},
		{"numbers are no labels", "number=1", false},
		{"numbers do not exist", "!number,!null", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			labels, err := selector.ParseLabels(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := labels.Matches(data); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestLabelsOfOddData(t *testing.T) {
	labels, err := selector.ParseLabels("a=b")
	if err != nil {
		t.Fatal(err)
	}
	absent, err := selector.ParseLabels("!a")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, json string }{
		{"no metadata", `{}`}, {"no labels", `{"metadata":{}}`}, {"labels are a list", `{"metadata":{"labels":["a"]}}`},
		{"metadata is a text", `{"metadata":"a=b"}`}, {"a list", `[{"metadata":{"labels":{"a":"b"}}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if data := parse(t, test.json); labels.Matches(data) || !absent.Matches(data) {
				t.Error("it has the label")
			}
		})
	}
	if labels.Matches(nil) || !absent.Matches(nil) {
		t.Error("nothing has the label")
	}
}

func TestLabelsString(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", " ", ""},
		{"all operators", " ! f , e notin( b,a ,b) ,d in (x) , c!=1,b == 2,a=3 , g ", "a=3,b=2,c!=1,d in (x),e notin (a,b),!f,g"},
		{"repetitions", "a,a=1,!b,a,a==1", "a,a=1,!b"},
		{"empty values", "a=,b!=,c in (,),d in (,x),e notin (x,,)", "a=,b!=,c in (,),d in (,x),e notin (,x)"},
		{"Unicode", "ö=ä", "ö=ä"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			labels, err := selector.ParseLabels(test.text)
			if err != nil {
				t.Fatal(err)
			}
			got := labels.String()
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if labels.Empty() != (test.want == "") {
				t.Errorf("Empty is %v", labels.Empty())
			}
			if again, err := selector.ParseLabels(got); err != nil || again.String() != got {
				t.Errorf("again: %s, %v", again, err)
			}
		})
	}
}

func TestParseLabelsRefuses(t *testing.T) {
	const remedy = "; write it as in tier=front,!old,zone in (a,b)"
	tests := []struct{ name, text, want string }{
		{"no key", "=a", `1:1: invalid label selector: expected the name of a label, found "="`},
		{"no key after a comma", "a=b,", "1:5: invalid label selector: expected the name of a label, found the end"},
		{"two commas", "a,,b", `1:3: invalid label selector: expected the name of a label, found ","`},
		{"only !", "!", "1:2: invalid label selector: expected the name of a label, found the end"},
		{"! and an operator", "!a=b", `1:3: invalid label selector: expected a comma, found "="`},
		{"two words", "a=b c=d", `1:5: invalid label selector: expected a comma, found "c"`},
		{"two names", "ö b", `1:4: invalid label selector: expected one of = == != in notin, found "b"`},
		{"greater", "a>1", `1:2: invalid label selector: expected one of = == != in notin, found ">"`},
		{"only !", "a!b", `1:2: invalid label selector: expected one of = == != in notin, found "!"`},
		{"three equal signs", "a===b", `1:4: invalid label selector: expected a comma, found "="`},
		{"in without parentheses", "a in b", `1:6: invalid label selector: expected a list of values in parentheses, found "b"`},
		{"in of nothing", "a in ()", `1:7: invalid label selector: expected a value, found ")"`},
		{"in without end", "a in (b,c", "1:10: invalid label selector: expected a comma or the closing parenthesis, found the end"},
		{"in with nothing", "a notin", "1:8: invalid label selector: expected a list of values in parentheses, found the end"},
		{"two values", "a in (b c)", `1:9: invalid label selector: expected a comma or the closing parenthesis, found "c"`},
		{"not UTF-8", "a=é\xff", "1:5: invalid label selector: the byte 0xFF is not UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := selector.ParseLabels(test.text)
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != test.want+remedy || dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Errorf("got  %s (%s)\nwant %s", err, dovetail.CodeOf(err), test.want+remedy)
			}
		})
	}
}
