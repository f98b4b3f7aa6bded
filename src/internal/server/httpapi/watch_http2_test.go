package httpapi_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// A watch over HTTP/2 outlasts the time that one write may take, without anything to tell: there the deadline of a write ends the
// stream also while nothing is written.
func TestWatchOverHTTP2IsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10 * time.Second
		s := newServer(t, httpapi.Options{Limits: httpapi.Limits{Write: limit, Heartbeat: time.Hour}})
		t.Cleanup(s.api.Close)
		var http2 http.Protocols
		http2.SetUnencryptedHTTP2(true)
		network := apitest.ServeInMemory(t, &http.Server{Handler: s.api, Protocols: &http2})
		response, err := network.Client(t, &http2).Get("http://dovetail/v2/watch")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.ProtoMajor != 2 {
			t.Fatalf("this is %s", response.Proto)
		}
		clocktest.Advance(3 * limit)
		s.seed()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), `"op":"created"`) {
				return
			}
		}
		t.Errorf("the watch ended: %v", lines.Err())
	})
}
