package schema_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
)

// Queries are part of the meaning; their order is not.
func TestQueriesInHashAndDiff(t *testing.T) {
	with := func(queries string) *schema.Model {
		return compile(t, "resources:\n- name: cluster\n"+queries+"- name: clusterLabel\n  parent: cluster\n")
	}
	base := with("  queries: {label: {child: clusterLabel}, zone: {selector: spec.zone}}\n")
	tests := []struct {
		name, queries string
		want          string // the difference
	}{
		{"another order", "  queries: {zone: {selector: 'spec[\"zone\"]'}, label: {child: clusterLabel}}\n", ""},
		{"another path", "  queries: {label: {child: clusterLabel}, zone: {element: cluster}}\n",
			"cluster: the query parameters of its collections are label: there is a clusterLabel of this name below the document; zone: cluster in the document's key is the value, " +
				"not label: there is a clusterLabel of this name below the document; zone: spec.zone is the value"},
		{"none", "", "cluster: the query parameters of its collections are none, not label: there is a clusterLabel of this name below the document; zone: spec.zone is the value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			next := with(test.queries)
			var got []string
			for _, d := range schema.Diff(base, next) {
				if d.Change != schema.QueriesChanged {
					t.Errorf("%+v", d)
				}
				got = append(got, d.Message)
			}
			if strings.Join(got, "\n") != test.want || (next.Hash() == base.Hash()) != (test.want == "") {
				t.Errorf("hash %s, that of the base %s; %q, want %q", next.Hash(), base.Hash(), got, test.want)
			}
		})
	}
}
