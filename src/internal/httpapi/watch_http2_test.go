package httpapi_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

// A watch over HTTP/2 outlasts the time that one write may take, without anything to tell: there the deadline of a write ends the
// stream also while nothing is written.
func TestWatchOverHTTP2IsQuiet(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Write: limit, Heartbeat: time.Hour}})
	server := httptest.NewUnstartedServer(s.api)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v2/watch", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.ProtoMajor != 2 {
		t.Fatalf("this is %s", response.Proto)
	}
	time.Sleep(3 * limit)
	s.seed()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), `"op":"created"`) {
			return
		}
	}
	t.Errorf("the watch ended: %v", lines.Err())
}
