package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestPing(t *testing.T) {
	cases := []struct {
		name   string
		answer http.HandlerFunc
		want   dovetail.Code // "" if there is none
	}{
		{"ready", answer(200, `{"status":"ok"}`), ""},
		{"not ready", answer(503, `{"status":"failed"}`), dovetail.CodeUnavailable},
		{"something else", answer(404, `nothing`), dovetail.CodeNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, cl := newFake(t)
			f.on("GET /readyz", c.answer)
			if got := dovetail.CodeOf(cl.Ping(t.Context())); got != c.want {
				t.Errorf("code %q, want %q", got, c.want)
			}
			if len(f.requests) != 1 {
				t.Errorf("asked %d times, want once", len(f.requests))
			}
		})
	}
	t.Run("no server", func(t *testing.T) {
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		cl, err := client.New(gone.URL, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := dovetail.CodeOf(cl.Ping(t.Context())); got != dovetail.CodeUnavailable {
			t.Errorf("code %q, want %q", got, dovetail.CodeUnavailable)
		}
	})
}
