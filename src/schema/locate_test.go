package schema_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestLocate(t *testing.T) {
	model := compile(t, readText(t, "rules.yaml"))
	tests := []struct {
		name, kind, data string
		target           dovetail.ID
		want             string
	}{
		{name: "by a field", kind: "field", data: `{"spec":{"note":"c","target":"c"}}`, target: "project/own%20project/cloud/c", want: "/spec/target"},
		{name: "by the name of the kind", kind: "one", data: `{"spec":{"a":{"provider":"p"},"cluster":"c"}}`, target: "provider/p/cluster/c", want: "/spec/cluster"},
		{name: "one of many", kind: "many", data: `{"spec":{"at":[{"provider":"p","cluster":"a"},{"provider":"p","cluster":"b"}]}}`, target: "provider/p/cluster/b", want: "/spec/at/1/cluster"},
		{name: "in a list of texts", kind: "field", data: `{"spec":{"name":["a","b"]}}`, target: "provider/p/cluster/b", want: "/spec/name/1"},
		{name: "a member of a map", kind: "map", data: `{"spec":{"clouds":{"a":1,"b/c":2}}}`, target: "project/own%20project/cloud/b%2Fc", want: "/spec/clouds/b~1c"},
		{name: "a name to be escaped", kind: "field", data: `{"spec":{"in/out":{"target":"a b"}}}`, target: "project/own%20project/cloud/a%20b", want: "/spec/in~1out/target"},
		{name: "another document", kind: "field", data: `{"spec":{"target":"c"}}`, target: "project/own%20project/cloud/other"},
		{name: "no spec", kind: "field", data: `{}`, target: "project/own%20project/cloud/c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kind := kindOf(t, model, test.kind)
			if got := kind.Locate(ownID(t, kind), parseJSON(t, test.data), test.target); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
