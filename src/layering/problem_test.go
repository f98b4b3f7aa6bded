package layering_test

import (
	"context"
	"iter"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/store"
)

// failing is a backend whose lists fail with a code, once it has one.
type failing struct {
	store.Backend
	code atomic.Value
}

func (f *failing) List(ctx context.Context, q store.Query) iter.Seq2[*dovetail.Document, error] {
	code, _ := f.code.Load().(dovetail.Code)
	if code == "" {
		return f.Backend.List(ctx, q)
	}
	return func(yield func(*dovetail.Document, error) bool) {
		yield(nil, dovetail.Errorf(code, "as the test wants it"))
	}
}

// Clients of the older system see the same status for an error as all others.
func TestStatusOfErrors(t *testing.T) {
	const path = "/api/v1.0/revisions"
	tests := []struct {
		name   string
		code   dovetail.Code // of what the store answers; "" for what the request itself is refused for
		method string
		header []string
		before int // requests that pass first, of a limited number
		status int
		class  string
		retry  bool
		after  string // Retry-After
	}{
		{name: "expired", code: dovetail.CodeExpired, method: "GET", status: 410, class: "HTTPGone"},
		{name: "unavailable", code: dovetail.CodeUnavailable, method: "GET", status: 503, class: "HTTPServiceUnavailable", retry: true, after: "1"},
		{name: "timeout", code: dovetail.CodeTimeout, method: "GET", status: 504, class: "HTTPGatewayTimeout", retry: true},
		{name: "corrupt", code: dovetail.CodeCorrupt, method: "GET", status: 500, class: "HTTPInternalServerError", retry: true},
		{name: "another media type", method: "PUT", header: []string{"Content-Type", "text/csv"}, status: 415, class: "HTTPUnsupportedMediaType"},
		{name: "rate limited", method: "GET", before: 2, status: 429, class: "HTTPTooManyRequests", retry: true, after: "1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			backend := &failing{Backend: apitest.OpenBolt(t)}
			var limits httpapi.Limits
			if tt.before > 0 {
				limits.PerSecond, limits.Burst = .001, tt.before
			}
			s := newStore(t, backend)
			srv := serveWith(t, s, layering.Options{Keys: newKeys(t)}, httpapi.Options{Limits: limits})
			for range tt.before {
				srv.must(200, "GET", path, "")
			}
			backend.code.Store(tt.code)
			at := path
			if tt.method == "PUT" {
				at = bucketA
			}
			a := srv.must(tt.status, tt.method, at, "", tt.header...)
			retry := a.one(t).Get("retry").Text == "true"
			if a.class() != tt.class || retry != tt.retry || a.header.Get("Retry-After") != tt.after {
				t.Errorf("class %s, retry %v, Retry-After %q: %s", a.class(), retry, a.header.Get("Retry-After"), a.text)
			}
			if code, _ := a.one(t).At("code").Str(); len(code) < 4 || code[:3] != strconv.Itoa(tt.status) {
				t.Errorf("the body says %q", code)
			}
		})
	}
}
