package gateway

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// An answer over HTTP/2 may be quiet for longer than one write may take.
func TestAnswerOverHTTP2IsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patient = 10 * time.Second
		var http2 http.Protocols
		http2.SetUnencryptedHTTP2(true)
		network := apitest.ServeInMemory(t, &http.Server{Protocols: &http2, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			a := newAnswer(w, patient)
			for _, part := range []string{"begin", " end"} {
				if _, err := io.WriteString(a, part); err != nil {
					t.Error(err)
				}
				a.Flush()
				clocktest.Advance(3 * patient)
			}
		})})
		response, err := network.Client(t, &http2).Get("http://gateway")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || string(text) != "begin end" || response.ProtoMajor != 2 {
			t.Errorf("%s: %q, %v", response.Proto, text, err)
		}
	})
}
