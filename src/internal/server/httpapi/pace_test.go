package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// Answers to requests that are refused again and again are delayed, until their sender goes away; those of others, and
// requests that are served, are not.
func TestRefusalsArePaced(t *testing.T) { synctest.Test(t, testRefusalsArePaced) }

func testRefusalsArePaced(t *testing.T) {
	s := newStore(t, apitest.Compile(t, "testdata/schema.yaml"))
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

// rightsOf is a store whose principal has rights, or none.
type rightsOf struct {
	httpapi.Store
	principal string
}

func (s rightsOf) HasRights(ctx context.Context) bool {
	return dovetail.PrincipalOf(ctx).Name == s.principal
}

// All requests of principals without any rights are delayed together, except those that need no authentication;
// those of a principal with rights are not.
func TestUnprivilegedArePaced(t *testing.T) { synctest.Test(t, testUnprivilegedArePaced) }

func testUnprivilegedArePaced(t *testing.T) {
	api := httpapi.New(rightsOf{newStore(t, apitest.Compile(t, "testdata/schema.yaml")), "ann"}, httpapi.Options{
		Limits: httpapi.Limits{Refusals: 0.001},
		Authenticate: func(_ context.Context, r *http.Request) (httpapi.Caller, error) {
			return httpapi.Known(&dovetail.Principal{Name: r.Header.Get("Authorization")}), nil
		},
	})
	for _, step := range []struct {
		name, principal, path string
		want                  bool // answered at once
	}{
		{name: "the first request", principal: "bob", path: "/v2", want: true},
		{name: "one of another", principal: "eve", path: "/v2"},
		{name: "a request that is invalid", principal: "bob", path: "/v2/projects?labelSelector=)"},
		{name: "a watch", principal: "bob", path: "/v2/watch?after=1"},
		{name: "what does not exist", principal: "bob", path: "/v3"},
		{name: "a public path", principal: "bob", path: "/livez", want: true},
		{name: "a principal with rights", principal: "ann", path: "/v2", want: true},
		{name: "a principal with rights once more", principal: "ann", path: "/v2/projects?labelSelector=)", want: true},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, step.path, http.NoBody)
		request.Header.Set("Authorization", step.principal)
		api.ServeHTTP(httptest.NewRecorder(), request)
		if got := ctx.Err() == nil; got != step.want {
			t.Errorf("%s: answered at once: %t, want %t", step.name, got, step.want)
		}
		cancel()
	}
}
