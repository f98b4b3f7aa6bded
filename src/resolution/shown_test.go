package resolution_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestStatusInChangeSet reads ActiveResolutions of which no controller has made a status: in a change set they have one.
func TestStatusInChangeSet(t *testing.T) {
	s := openStore(t, openBackend(t))
	service := resolution.New(s, resolution.Options{}).Service()
	service.At = func(then *store.Store) httpapi.Service { return resolution.New(then, resolution.Options{}).Service() }
	server := apitest.Serve(t, s, httpapi.Options{Services: []httpapi.Service{service}, ChangeSet: func(ctx context.Context, _ string, _ bool) (*httpapi.View, error) {
		now, err := s.At(ctx, "")
		return &httpapi.View{Store: now, Version: "v"}, err
	}})
	server.Must(200, "PUT", "/api/sources/s", `{"packages":[{"name":"p","defaultChannel":"main","versions":[{"version":"1.0.0","channels":["main"],"image":"i"}]}]}`)
	server.Must(201, "PUT", "/v2/active-resolutions/good", `{"metadata":{"name":"good","annotations":{"deppy.io/activator-class":"ResolveSet"}},"spec":{"constraints":["required(\"p\")"]}}`)
	plain := server.Must(201, "PUT", "/v2/active-resolutions/bad", `{"metadata":{"name":"bad"},"spec":{"constraints":["required(\"none\")"]}}`)
	server.Must(201, "PUT", "/v2/active-resolution-sets/fleet", `{"spec":{"clusters":[{"name":"c"}],"template":{"spec":{"constraints":["required(\"p\")"]}}}}`)
	tests := []struct{ name, path, want string }{
		{"set", "/v2/active-resolution-sets/fleet", `"versions":[{"package":"p","version":"1.0.0","clusters":1}]`},
		{"resolved", "/v2/active-resolutions/good", `"selections":["s:p:1.0.0:main"]`},
		{"unsatisfiable", "/v2/active-resolutions/bad", `"reason":"Unsatisfiable"`},
		{"status", "/v2/active-resolutions/good/status", `"selections":["s:p:1.0.0:main"]`},
		{"files", "/v2/active-resolutions/good/content", `"filename":"good.tar"`},
		{"file", "/v2/active-resolutions/good/content/wrapper", `kind: BundleDeployment`},
		{"envelope", "/v2/active-resolutions/good?view=document&content=true", `"filename":"good.tar"`},
		{"page", "/v2/active-resolutions?limit=1", `"reason":"Unsatisfiable"`},
		{"list", "/v2/active-resolutions", `"selections":["s:p:1.0.0:main"]`},
		{"all documents", "/v2/documents", `"selections":["s:p:1.0.0:main"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			join := "?"
			if strings.Contains(tt.path, "?") {
				join = "&"
			}
			if now := server.Send("GET", tt.path, ""); strings.Contains(now.Text, tt.want) {
				t.Fatalf("there is a controller: %s", now.Text)
			}
			got := server.Must(200, "GET", tt.path+join+"changeSet=c", "", "If-None-Match", plain.Header.Get("ETag"))
			if !strings.Contains(got.Text, tt.want) || got.Header.Get("Dovetail-Change-Set") != "c" || got.Header.Get("Dovetail-Position") == "" {
				t.Errorf("%v %s", got.Header, got.Text)
			}
		})
	}
}
