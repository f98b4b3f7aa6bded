package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// An answer over HTTP/2 may be quiet for longer than one write may take.
func TestAnswerOverHTTP2IsQuiet(t *testing.T) {
	t.Parallel()
	const patient = 500 * time.Millisecond
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := newAnswer(w, patient)
		for _, part := range []string{"begin", " end"} {
			if _, err := io.WriteString(a, part); err != nil {
				t.Error(err)
			}
			a.Flush()
			time.Sleep(3 * patient) // the deadline is that of a connection, which knows no other clock
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || string(text) != "begin end" || response.ProtoMajor != 2 {
		t.Errorf("%s: %q, %v", response.Proto, text, err)
	}
}
