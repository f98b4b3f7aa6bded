package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// Whatever a client sends, the answer is none of the server's defects, and every problem says what is wrong.
func FuzzRequest(f *testing.F) {
	body, contentType := form(f, file{name: "metadata", data: named("x")}, file{name: "file", filename: "f", data: "data"})
	f.Add("POST", "/v2/projects", "application/json", named("x"))
	f.Add("PUT", "/v2/projects/x", "application/yaml", "metadata: {name: x}\n---\n")
	f.Add("PATCH", "/v2/projects/x?dryRun=true", "application/merge-patch+json", `{"a":null}`)
	f.Add("POST", "/v2/projects/p1/composite-apps/CA/v3/apps", contentType, body)
	f.Add("POST", "/v2/batch", "", `[{"kind":"project","key":{"project":"x"},"data":{},"content":[{"name":"f","data":"AA=="}]},{"op":"delete","id":"project/x","cascade":true}]`)
	f.Add("POST", "/v2/batch", "text/yaml", "kind: app\nkey: {project: p1}\nifMatch: [a-1, '*']\n---\nop: status\nid: project/p1\nstatus: {}\n")
	f.Add("POST", "/v2/documents", "", `[{"id":"project/q","kind":"project","data":{},"uid":"u","revision":1}]`)
	f.Add("POST", "/v2/schema/impact", "", `{"sources":[{"name":"a","text":"resources: [{name: project}]"}]}`)
	f.Add("POST", "/v2/projects/p1/logical-clouds/l/instantiate", "", `[[[]]]`)
	f.Add("GET", "/v2/projects?limit=1&continue=eyJhIjoiYSJ9&labelSelector=a%20in%20(b)&fieldSelector=a.b!=c", "", "")
	f.Add("GET", "/v2/projects/%ff%2F..?view=tree&depth=2", "", "")
	f.Add("DELETE", "/v2/projects/p1?cascade=plan", "", "")
	s := newServer(f, httpapi.Options{Limits: httpapi.Limits{Body: 1 << 16, Batch: 1 << 16}})
	s.seed()
	f.Fuzz(func(t *testing.T, method, target, contentType, body string) {
		switch method {
		case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		default:
			return
		}
		if !isTarget(target) || strings.Contains(target, "watch") {
			return
		}
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		if w.Code >= 400 && method != "HEAD" {
			var problem struct{ Code, Detail string }
			if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Code == "" || problem.Detail == "" {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
		}
	})
}

// isTarget reports whether httptest takes the text as a request target.
func isTarget(target string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
		return false
	}
	httptest.NewRequest(http.MethodGet, target, nil)
	return true
}
