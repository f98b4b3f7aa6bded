package resolution_test

import (
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution"
)

// A short body of very many sources costs no more than the memory that bodies may take, and its errors are few.
func TestManyEmptySources(t *testing.T) {
	s := openStore(t, openBackend(t))
	body := func(n int) string {
		return `{"spec":{"constraints":[]},"sources":[` + strings.Repeat("{},", n-1) + "{}]}"
	}
	tests := []struct {
		name      string
		sources   int
		status    int
		says      string
		allocated uint64
	}{
		{name: "more than there is memory for", sources: 900_000, status: 413, says: `"code":"too-large"`, allocated: 300 << 20},
		{name: "as many as there is memory for", sources: 100_000, status: 400, says: `"total":100000`, allocated: 300 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := httpapi.New(s, httpapi.Options{Limits: httpapi.Limits{Bodies: 170 << 20},
				Services: []httpapi.Service{resolution.New(s, resolution.Options{}).Service()}})
			defer api.Close()
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/resolve", strings.NewReader(body(tt.sources)))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			api.ServeHTTP(w, r)
			runtime.ReadMemStats(&after)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("%d %.300s", w.Code, w.Body)
			}
			if w.Body.Len() > 1<<20 {
				t.Errorf("the answer has %d bytes", w.Body.Len())
			}
			grown := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d allocated, %d answered", grown, w.Body.Len())
			if grown > tt.allocated {
				t.Errorf("%d bytes were allocated", grown)
			}
		})
	}
}
