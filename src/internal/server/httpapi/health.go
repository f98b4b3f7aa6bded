package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/store"
)

// Check is one check of /readyz. Its detail is for operators: the normal state, or a defect that does
// not keep requests from being served. An error makes the service unready, except one that
// Degraded made: then it stays ready, with the status degraded. /readyz needs no authentication, so the detail must name neither
// documents nor files. Errors are logged and not shown.
type Check struct {
	Name string
	Run  func(ctx context.Context) (detail string, err error)
}

type checkResult struct {
	Name   string `json:"name"`
	Status string `json:"status"` // "ok", "degraded" or "failed"
	Detail string `json:"detail,omitempty"`
}

// degraded is the error of a check of what should be looked at, but does not keep requests from being served.
type degraded struct{ error }

// Degraded marks the error of a Check: the service stays ready.
func Degraded(err error) error { return degraded{err} }

func (d degraded) Unwrap() error { return d.error }

// livez says that the process serves requests at all.
func livez(x *requestContext) error {
	return x.answer(http.StatusOK, []byte(`{"status":"ok"}`))
}

// readyTimeout bounds all checks together: probes have short timeouts.
const readyTimeout = 5 * time.Second

// readyz reports whether the store can be read and written, with all other checks: 200 or 503. A disk that is full or read-only leaves it 200,
// with the status "degraded": taking the process out of service would end the reads, and the deletions, that still work.
func readyz(x *requestContext) error {
	ctx, cancel := context.WithTimeout(x.ctx, readyTimeout)
	defer cancel()
	checks := append([]Check{{Name: "store", Run: func(ctx context.Context) (string, error) { return "", x.api.store.Ping(ctx) }}}, x.api.options.Checks...)
	answer := struct {
		Status string        `json:"status"`
		Checks []checkResult `json:"checks"`
	}{Status: "ok"}
	code := http.StatusOK
	for _, check := range checks {
		result := checkResult{Name: check.Name, Status: "ok"}
		detail, err := check.Run(ctx)
		result.Detail = detail
		onlyReads := dovetail.IsOnlyRead(err)
		if err != nil {
			x.api.log.Warn("a check of /readyz fails", "check", check.Name, "error", err)
		}
		switch {
		case onlyReads:
			refused := dovetail.AsError(err)
			result.Detail = "writes are refused: " + refused.Message + "; " + refused.Remedy
		case err != nil && detail == "":
			result.Detail = "see the log"
		}
		switch {
		case err == nil:
		case onlyReads, errors.As(err, new(degraded)):
			result.Status = "degraded"
			if answer.Status == "ok" {
				answer.Status = "degraded"
			}
		default:
			result.Status = "failed"
			answer.Status, code = "failed", http.StatusServiceUnavailable
		}
		answer.Checks = append(answer.Checks, result)
	}
	if code != http.StatusOK {
		x.w.Header().Set("Retry-After", problem.RetryAfter)
	}
	return x.answer(code, encodeJSON(answer))
}

// index answers / with what is served.
func index(x *requestContext) error {
	var answer struct {
		Name        string         `json:"name"`
		Version     string         `json:"version,omitempty"`
		Services    []indexService `json:"services"`
		Collections []string       `json:"collections"`
		Endpoints   []string       `json:"endpoints"`
		// Login is where people sign in; nil where the server has no provider for that.
		Login *Login `json:"login,omitempty"`
		// CommitURL is where commits of the attached repository are shown, with {commit} for the hash; "" where that is not known, and for
		// clients that may not read which repository it is.
		CommitURL string `json:"commitURL,omitempty"`
		// Encryption reports whether sensitive kinds are encrypted where they are stored; nil if there are none.
		Encryption *store.Encryption `json:"encryption,omitempty"`
	}
	answer.Login = x.api.options.Login
	answer.Name, answer.Version = "dovetail", x.api.options.Version
	answer.Services = x.services()
	for _, r := range x.routing.routes {
		if r.what == collectionRoute && r.isTop() {
			answer.Collections = append(answer.Collections, r.template)
		}
	}
	answer.Endpoints = x.api.endpointTemplates()
	if commits := x.api.options.Commits; commits != nil {
		if allowed, err := x.api.store.Allowed(x.ctx, dovetail.RightRead, commits.Record); err == nil && allowed {
			answer.CommitURL = commits.URL
		}
	}
	if x.api.options.Encryption != nil {
		if state := x.api.options.Encryption(); len(state.Sensitive) > 0 {
			answer.Encryption = &state
		}
	}
	return x.answer(http.StatusOK, encodeJSON(answer))
}

// Commits says where the commits of the attached repository are shown.
type Commits struct {
	Record dovetail.ID // who may read this document may know it
	URL    string      // with {commit} for the hash, and without credentials
}

// Login says how a page signs people in: with the authorization code flow of OpenID Connect and PKCE.
type Login struct {
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"` // of the page, a public client
	Scopes   string `json:"scopes"`
	Token    string `json:"token"` // which of the provider's tokens the page sends: "id_token" or "access_token"
}

// indexService is a service with the kinds of documents that it keeps.
type indexService struct {
	Name  string   `json:"name"`
	Kinds []string `json:"kinds"`
	// Off says why the service is off; "" while it is on.
	Off string `json:"off,omitempty"`
}

// ServiceResources is the name of the service of documents.
const ServiceResources = "resources"

// services are those that this process runs. The resources have all kinds of the ref-schema.
func (x *requestContext) services() []indexService {
	all := []indexService{}
	if !x.api.options.OnlyServices {
		resources := indexService{Name: ServiceResources, Kinds: []string{}}
		for _, kind := range x.routing.model.Kinds() {
			if !kind.Abstract {
				resources.Kinds = append(resources.Kinds, kind.Name)
			}
		}
		all = append(all, resources)
	}
	for _, service := range x.api.options.Services {
		if service.Name == ServiceResources { // other ways to the documents
			continue
		}
		one := indexService{Name: service.Name, Kinds: append([]string{}, service.Kinds...)}
		if why := x.routing.off[service.Name]; why != nil {
			one.Off = why.Message
		}
		all = append(all, one)
	}
	return all
}

func (x *requestContext) serviceNames() []string {
	var names []string
	if !x.api.options.OnlyServices {
		names = append(names, ServiceResources)
	}
	for _, service := range x.api.options.Services {
		if service.Name != ServiceResources {
			names = append(names, service.Name)
		}
	}
	return names
}
