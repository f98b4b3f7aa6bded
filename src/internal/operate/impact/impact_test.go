package impact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/value"
)

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestChanges(t *testing.T) {
	tests := []struct{ name, was, is, want string }{
		{name: "equal", was: `{"a":1}`, is: `{"a":1}`, want: `[]`},
		{name: "added, removed, replaced", was: `{"a":1,"b":2}`, is: `{"b":3,"c":null}`,
			want: `[{"op":"remove","path":"/a","from":1},{"op":"replace","path":"/b","from":2,"to":3},{"op":"add","path":"/c","to":null}]`},
		{name: "nested", was: `{"a":{"b":[1,2]}}`, is: `{"a":{"b":[1,3]}}`, want: `[{"op":"replace","path":"/a/b/1","from":2,"to":3}]`},
		{name: "created", is: `{"a":1}`, want: `[{"op":"add","path":"","to":{"a":1}}]`},
		{name: "deleted", was: `{"a":1}`, want: `[{"op":"remove","path":"","from":{"a":1}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.Marshal(impact.Changes(parse(t, test.was), parse(t, test.is)))
			if err != nil || string(text) != test.want {
				t.Errorf("%s %v, want %s", text, err, test.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	many := func(n int) *value.Value {
		v := value.NewMap()
		for i := range n {
			v.Members = append(v.Members, value.Member{Name: fmt.Sprint(i), Value: value.NewString("x")})
		}
		return v
	}
	forbidden := dovetail.Errorf(dovetail.CodeForbidden, "no")
	derived := func(text string) *impact.Derived { return &impact.Derived{Value: parse(t, text)} }
	tests := []struct {
		name              string
		was, is           *impact.Derived
		total, unreadable int
		changes, more     int
		fails             bool
	}{
		{name: "equal", was: derived(`{}`), is: derived(`{}`)},
		{name: "differs", was: derived(`{}`), is: derived(`{"a":1}`), total: 1, changes: 1},
		{name: "unreadable before", was: &impact.Derived{Err: forbidden}, is: derived(`{}`), unreadable: 1},
		{name: "unreadable after", was: derived(`{}`), is: &impact.Derived{Err: forbidden}, unreadable: 1},
		{name: "broken", was: derived(`{}`), is: &impact.Derived{Err: errors.New("x")}, total: 1, fails: true},
		{name: "broken as before", was: &impact.Derived{Err: errors.New("x")}, is: &impact.Derived{Err: errors.New("x")}},
		{name: "no longer broken", was: &impact.Derived{Err: errors.New("x")}, is: derived(`{"a":1}`), total: 1, changes: 1},
		{name: "many", was: &impact.Derived{Value: many(0)}, is: &impact.Derived{Value: many(impact.MaxChanges + 7)}, total: 1, changes: impact.MaxChanges, more: 7},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := (&impact.Report{Limit: 1}).Of("s")
			r.Compare("id", "title", test.was, test.is)
			if r.Total != test.total || r.Unreadable != test.unreadable || len(r.Items) != test.total {
				t.Fatalf("%+v", r)
			}
			if test.total == 1 {
				if item := r.Items[0]; len(item.Changes) != test.changes || item.More != test.more || (item.Error != "") != test.fails || item.Service != "s" {
					t.Errorf("%+v", item)
				}
			}
			r.Compare("other", "title", derived(`{}`), derived(`[]`))
			if r.Total != test.total+1 || len(r.Items) != 1 {
				t.Errorf("beyond the limit: %+v", r)
			}
		})
	}
}
