package httpapi_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

func TestCounts(t *testing.T) {
	s := newServer(t, httpapi.Options{})
	defer s.api.Close()
	if got := s.get("/v2/counts").Body.String(); got != `{"kinds":{}}` {
		t.Errorf("an empty store has %s", got)
	}
	full := newServer(t, httpapi.Options{})
	defer full.api.Close()
	full.seed()
	w := full.get("/v2/counts")
	if got := w.Body.String(); w.Code != 200 || !strings.Contains(got, `"project":1`) || strings.Contains(got, `partial`) {
		t.Errorf("got %d %s, want one project", w.Code, got)
	}
	if got := full.get("/v2/counts?under=project/p1").Body.String(); strings.Contains(got, `"project"`) || !strings.Contains(got, `"app":`) {
		t.Errorf("below a project is %s", got)
	}
	if w := full.get("/v2/counts?under=project"); w.Code != 400 {
		t.Errorf("half an id is answered %d %s", w.Code, w.Body)
	}
	if w := full.get("/v2/counts?kind=project"); w.Code != 400 {
		t.Errorf("an unknown parameter is answered %d %s", w.Code, w.Body)
	}
}
