package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestLines sends lines as they are worked out, an error as the last of them, and ends the work when the client stops reading.
func TestLines(t *testing.T) {
	go1, ended := make(chan bool), make(chan error, 1)
	lines := func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
		return &httpapi.Response{Lines: func(ctx context.Context) iter.Seq2[any, error] {
			return func(yield func(any, error) bool) {
				if !yield(map[string]int{"n": 1}, nil) {
					return
				}
				switch call.Query.Get("then") {
				case "end":
					<-go1
					yield(map[string]string{"last": "<&>"}, nil)
				case "fail":
					yield(nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "it is wrong", Remedy: "repair it"})
				case "wait":
					<-ctx.Done()
					ended <- ctx.Err()
				}
			}
		}}, nil
	}
	service := httpapi.Service{Name: "lines", Endpoints: []httpapi.Endpoint{{Method: "GET", Path: "/api/lines", Summary: "lines", Query: []httpapi.Parameter{{Name: "then", Description: "what comes then"}},
		Answer: httpapi.Schema{"type": "object"}, Line: httpapi.Schema{"type": "integer"}, Watches: func(url.Values) bool { return true }, Handle: lines}}}
	server := apitest.Serve(t, apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}, "../../../inventory/ref-schemas/v1.yaml"),
		httpapi.Options{Services: []httpapi.Service{service}, Limits: httpapi.Limits{Request: time.Second}})
	open := func(then string) (*bufio.Reader, *http.Response, func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/lines?then="+then, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(answer.Body), answer, func() { cancel(); answer.Body.Close() }
	}
	read := func(r *bufio.Reader) string {
		t.Helper()
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}

	r, answer, done := open("end")
	if got := read(r); got != `{"n":1}` || answer.Header.Get("Content-Type") != "application/x-ndjson" || answer.StatusCode != http.StatusOK {
		t.Errorf("%s as %s: %d", got, answer.Header.Get("Content-Type"), answer.StatusCode)
	}
	close(go1) // only now is the next one worked out
	if got := read(r); got != `{"last":"<&>"}` {
		t.Error(got)
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
	done()

	r, _, done = open("fail")
	read(r)
	if got := read(r); !strings.HasPrefix(got, `{"problem":{`) || !strings.Contains(got, `"detail":"it is wrong"`) || !strings.Contains(got, `"remedy":"repair it"`) {
		t.Error(got)
	}
	done()

	r, _, done = open("wait")
	read(r)
	done()
	if err := <-ended; err == nil {
		t.Error("the work goes on although the client has gone")
	}
	if text := server.Must(200, "GET", "/openapi.json", "").Text; !strings.Contains(text, `"application/x-ndjson"`) {
		t.Error("lines are not described")
	}
}
