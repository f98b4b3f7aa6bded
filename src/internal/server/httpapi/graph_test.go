package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// Of a document with many children a graph shows as many as there may be, says where there are more, and stays whole: no
// document twice, no edge that leads out of it.
func TestGraphOfABusyDocument(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	s.seed()
	var batch []string
	for i := range 60 {
		batch = append(batch, fmt.Sprintf(`{"kind":"compositeApp","key":{"project":"p1","compositeApp":"many-%02d","compositeAppVersion":"v1"},"data":{"metadata":{"name":"many-%02d"},"spec":{"compositeAppVersion":"v1"}}}`, i, i))
	}
	s.must(200, "POST", "/v2/batch", "["+strings.Join(batch, ",")+"]")
	var graph struct {
		Nodes []struct {
			ID       string
			Distance int
			More     bool
		}
		Edges []struct{ From, To string }
		More  bool
	}
	for _, tt := range []struct {
		name, query string
		least, most int
		more        []string // where there are more
	}{
		{"all", "depth=1", 61, 200, nil},
		{"far", "depth=5&limit=1000", 61, 1000, nil},
		{"cut", "depth=1&limit=50", 50, 50, []string{"project/p1"}},
		{"few", "depth=2&limit=7", 7, 7, []string{"project/p1", "project/p1/compositeApp/CA/compositeAppVersion/v3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := s.must(200, "GET", "/v2/projects/p1?view=graph&"+tt.query, "").Body.Bytes()
			graph.Nodes, graph.Edges, graph.More = nil, nil, false
			if err := json.Unmarshal(text, &graph); err != nil {
				t.Fatal(err)
			}
			distance := make(map[string]int)
			last := 0
			for _, node := range graph.Nodes {
				if _, twice := distance[node.ID]; twice || node.Distance < last {
					t.Errorf("duplicate %s, or out of order", node.ID)
				}
				distance[node.ID], last = node.Distance, node.Distance
			}
			var more []string
			for _, node := range graph.Nodes {
				if node.More {
					more = append(more, node.ID)
				}
			}
			if n := len(graph.Nodes); n < tt.least || n > tt.most || graph.More != (tt.more != nil) || !slices.Equal(more, tt.more) {
				t.Errorf("%d documents, more: %v, of %q", n, graph.More, more)
			}
			for _, edge := range graph.Edges {
				from, hasFrom := distance[edge.From]
				to, hasTo := distance[edge.To]
				if !hasFrom || !hasTo || from-to > 1 || to-from > 1 {
					t.Errorf("an edge from %s to %s, at distances %d and %d", edge.From, edge.To, from, to)
				}
			}
		})
	}
}
