package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestConfusableNames: no way in creates a document whose name looks like another.
func TestConfusableNames(t *testing.T) {
	for _, name := range []string{"a\u202eb", "a\u200bb", "cafe\u0301", " ", " a", "a ", "*"} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, httpapi.Options{})
			text, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			body := `{"metadata":{"name":` + string(text) + `},"spec":{}}`
			for _, c := range []call{
				{method: "PUT", path: "/v2/projects/" + url.PathEscape(name), body: body},
				{method: "POST", path: "/v2/projects", body: body},
				{method: "POST", path: "/v2/batch", body: `[{"kind":"project","metadata":{"name":` + string(text) + `},"spec":{}}]`},
			} {
				got := s.do(c)
				if got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), `"remedy"`) {
					t.Errorf("%s %s: got %d %s", c.method, c.path, got.Code, got.Body)
				}
			}
		})
	}
}

// TestStoredConfusableNames: what an older version stored can be read, changed and deleted, and an import names it.
func TestStoredConfusableNames(t *testing.T) {
	backend := newBackend(t)
	s := newServerOn(t, backend, httpapi.Options{})
	id := dovetail.Key{{Name: "project", Value: "cafe\u0301"}}.ID()
	old := &dovetail.Document{ID: id, Kind: "project", UID: "u", Revision: 1, Created: time.Unix(1, 0), Updated: time.Unix(1, 0), Data: []byte(`{"metadata":{"name":"cafe\u0301"},"spec":{}}`)}
	if err := backend.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{old}}); err != nil {
		t.Fatal(err)
	}
	path := "/v2/projects/" + url.PathEscape("cafe\u0301")
	s.must(200, "GET", path, "")
	s.must(200, "PUT", path, `{"metadata":{"name":"cafe\u0301"},"spec":{"description":"x"}}`)
	var exported struct {
		Items json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(s.must(200, "GET", "/v2/documents?content=true", "").Body.Bytes(), &exported); err != nil {
		t.Fatal(err)
	}
	s.must(204, "DELETE", path, "")
	refused := s.must(400, "POST", "/v2/documents", string(exported.Items)).Body.String()
	if !strings.Contains(refused, string(id)) || !strings.Contains(refused, "normalization form") {
		t.Errorf("the import says %s", refused)
	}
}
