package httpapi_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func TestSearch(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	defer s.api.Close()
	s.seed()
	for _, c := range []struct {
		name, query string
		status      int
		want        string
	}{
		{"a name", "text=p1&limit=1", 200, `{"items":[{"id":"project/p1","kind":"project"}]}`},
		{"of a kind", "text=c&kind=controller&limit=1", 200, `{"items":[{"id":"controllerGroup/orchestrator/controller/c1","kind":"controller"}]}`},
		{"nothing", "text=qqqq", 200, `{"items":[]}`},
		{"no text", "", 200, `{"items":[]}`},
		{"an unknown kind", "text=p&kind=projekt", 400, "there is no kind"},
		{"none", "text=p&limit=0", 400, "limit"},
		{"too many", "text=p&limit=101", 400, "give a number from 1 to 100"},
		{"a long text", "text=" + strings.Repeat("x", 201), 400, "longer than 200 bytes"},
		{"an unknown parameter", "q=p", 400, "q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.get("/v2/search?" + c.query)
			if got := w.Body.String(); w.Code != c.status || !strings.Contains(got, c.want) {
				t.Errorf("got %d %s, want %d %s", w.Code, got, c.status, c.want)
			}
		})
	}
}
