package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

// Of a document with many children and many referrers a graph shows some, says so, and stays whole: no
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
		}
		Edges []struct{ From, To string }
		More  bool
	}
	for _, query := range []string{"depth=1", "depth=5&limit=1000", "depth=2&limit=7"} {
		t.Run(query, func(t *testing.T) {
			text := s.must(200, "GET", "/v2/projects/p1?view=graph&"+query, "").Body.Bytes()
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
			if !graph.More || len(graph.Nodes) < 7 {
				t.Errorf("%d documents, more: %v", len(graph.Nodes), graph.More)
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
