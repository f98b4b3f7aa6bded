package selector_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

var data = value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(
	value.Member{Name: "name", Value: value.NewString("a")},
	value.Member{Name: "labels", Value: value.NewMap(value.Member{Name: "x", Value: value.NewString("y")})})})

func FuzzParseLabels(f *testing.F) {
	for _, seed := range []string{"", "a=b,c!=d,e in (x,y),f notin (x),g,!h", "a in (,)", " ! a , b == c ", "in in (in)", "a=é,\xff", "a in (b", "!!a", "a>1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := selector.ParseLabels(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		again, err := selector.ParseLabels(labels.String())
		if err != nil || again.String() != labels.String() || again.Matches(data) != labels.Matches(data) {
			t.Fatalf("%q became %q, then %q, %v", text, labels, again, err)
		}
	})
}

func FuzzParseFields(f *testing.F) {
	for _, seed := range []string{"", "metadata.name=a,spec.app!=b", "/a~1b/c.d=x", `a=\,\=\\\ `, " a == b , c != d ", "a..b=c", "a=b=c", "/=", `\`, "metadata.labels.x=y", "a=é\xff", "/~"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fields, err := selector.ParseFields(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		again, err := selector.ParseFields(fields.String())
		if err != nil || again.String() != fields.String() || again.Matches(data) != fields.Matches(data) {
			t.Fatalf("%q became %q, then %q, %v", text, fields, again, err)
		}
	})
}

func checkError(t *testing.T, text string, err error) {
	e := dovetail.AsError(err)
	if e.Code != dovetail.CodeInvalid || e.Remedy == "" || e.Position.Line != 1 || e.Position.Column < 1 || e.Position.Column > len(text)+1 {
		t.Fatalf("%q: %#v", text, e)
	}
}
