package httpapi

import (
	"context"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Authenticate says whose a request is. Errors have CodeUnauthenticated, or CodeUnavailable when it cannot
// be said now.
type Authenticate func(ctx context.Context, header http.Header) (*dovetail.Principal, error)

// public are the paths that answer everybody: they tell nothing of what is stored.
var public = map[string]bool{"/": true, "/livez": true, "/readyz": true, "/v2/health": true}

// authenticate puts the principal of the request into its context. Everything but public needs one, also
// what does not exist; what it may do then is the store's to say.
func (x *exchange) authenticate() error {
	if x.api.options.Authenticate == nil || x.route != nil && public[x.route.template] {
		return nil
	}
	who, err := x.api.options.Authenticate(x.ctx, x.r.Header)
	if err != nil {
		if dovetail.CodeOf(err) == dovetail.CodeUnauthenticated {
			x.w.Header().Set("WWW-Authenticate", `Bearer realm="dovetail"`)
		}
		return err
	}
	x.principal = who
	x.ctx = dovetail.WithPrincipal(x.ctx, who)
	return nil
}
