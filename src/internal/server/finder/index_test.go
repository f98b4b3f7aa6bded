package finder_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/finder"
)

func fill(x *finder.Index, ids ...dovetail.ID) {
	for _, id := range ids {
		parts := strings.Split(string(id), "/")
		x.Put(id, parts[len(parts)-2])
	}
}

func TestFind(t *testing.T) {
	var x finder.Index
	fill(&x, "cluster/prod", "cluster/c1", "cluster/c1/env/prod-eu", "cluster/c1/env/prod-us", "cluster/c1/env/preprod", "cluster/c1/env/Dev", "cluster/c1/env/a%2Fb", "cluster/c2/env/dev", "cluster/gone")
	x.Delete("cluster/gone")
	x.Delete("cluster/never")
	x.Put("cluster/c1", "cluster")
	for _, c := range []struct {
		name string
		q    finder.Query
		want []dovetail.ID
	}{
		{"best first", finder.Query{Text: "prod"}, []dovetail.ID{"cluster/prod", "cluster/c1/env/prod-eu", "cluster/c1/env/prod-us", "cluster/c1/env/preprod"}},
		{"no more than the limit", finder.Query{Text: "prod", Limit: 2}, []dovetail.ID{"cluster/prod", "cluster/c1/env/prod-eu"}},
		{"a kind", finder.Query{Text: "prod", Kind: "cluster"}, []dovetail.ID{"cluster/prod"}},
		{"letters", finder.Query{Text: "prdus"}, []dovetail.ID{"cluster/c1/env/prod-us"}},
		{"words", finder.Query{Text: " C1  dev "}, []dovetail.ID{"cluster/c1/env/Dev"}},
		{"a path", finder.Query{Text: "c2/d"}, []dovetail.ID{"cluster/c2/env/dev"}},
		{"an escaped slash", finder.Query{Text: "a/b"}, []dovetail.ID{"cluster/c1/env/a%2Fb"}},
		{"what may be read", finder.Query{Text: "prod", Limit: 1, Reads: func(_ string, id dovetail.ID) bool { return id == "cluster/c1/env/preprod" }}, []dovetail.ID{"cluster/c1/env/preprod"}},
		{"what was deleted", finder.Query{Text: "gone"}, nil},
		{"no words", finder.Query{Text: " "}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.q.Limit == 0 {
				c.q.Limit = 10
			}
			var got []dovetail.ID
			for _, m := range x.Find(c.q) {
				got = append(got, m.ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	var x finder.Index
	fill(&x, "cluster/c1", "cluster/c1/env/dev", "cluster/c1/env/prod", "cluster/c10/env/dev", "cluster/c2", "cluster/gone")
	x.Delete("cluster/gone")
	for _, c := range []struct {
		name  string
		under dovetail.ID
		reads func(kind string, id dovetail.ID) bool
		want  map[string]int
	}{
		{"all", "", nil, map[string]int{"cluster": 2, "env": 3}},
		{"below a document, and not those with a longer name", "cluster/c1", nil, map[string]int{"env": 2}},
		{"what may be read", "", func(kind string, id dovetail.ID) bool { return kind == "env" && id != "cluster/c1/env/prod" }, map[string]int{"env": 2}},
		{"none", "", func(string, dovetail.ID) bool { return false }, map[string]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := x.Count(c.under, c.reads); !maps.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	var x finder.Index
	for i := range 100_000 {
		fill(&x, dovetail.ID(fmt.Sprintf("cluster/c-%d/environment/env-%06d", i%100, i)))
	}
	for _, text := range []string{"env-0999", "v99", "c-7 99", "nothing"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				x.Find(finder.Query{Text: text, Limit: 20})
			}
		})
	}
}
