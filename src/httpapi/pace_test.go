package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/httpapi"
)

// Answers to requests that are refused again and again are delayed, until their sender goes away; those of others, and
// requests that are served, are not.
func TestRefusalsArePaced(t *testing.T) {
	s := newStore(t, compile(t, "testdata/schema.yaml"))
	api := httpapi.New(s, httpapi.Options{
		Limits: httpapi.Limits{Refusals: 0.001},
		Authenticate: func(_ context.Context, r *http.Request) (httpapi.Caller, error) {
			if r.Header.Get("Authorization") == "" {
				return nil, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "no token"}
			}
			return httpapi.Known(&dovetail.Principal{Name: "ann"}), nil
		},
	})
	answered := func(token, address string) bool {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v2", http.NoBody)
		request.RemoteAddr = address
		if token != "" {
			request.Header.Set("Authorization", token)
		}
		api.ServeHTTP(httptest.NewRecorder(), request)
		return ctx.Err() == nil
	}
	for _, step := range []struct {
		name, token, address string
		want                 bool // answered at once
	}{
		{name: "the first refusal", address: "10.0.0.1:1", want: true},
		{name: "the second one", address: "10.0.0.1:2"},
		{name: "another address", address: "10.0.0.2:1", want: true},
		{name: "a request that is served", token: "ann", address: "10.0.0.1:3", want: true},
		{name: "and once more", token: "ann", address: "10.0.0.1:4", want: true},
	} {
		if got := answered(step.token, step.address); got != step.want {
			t.Errorf("%s: answered at once: %t, want %t", step.name, got, step.want)
		}
	}
}
