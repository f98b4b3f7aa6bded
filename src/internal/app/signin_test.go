package app

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// TestSignInOfWebUI shows what the index says of where people sign in.
func TestSignInOfWebUI(t *testing.T) {
	file, _ := accessFile(t, accessRoles, "root")
	settings := map[string]string{"access": file, "oidc-issuer": "https://id.example.com"}
	for _, tt := range []struct {
		name          string
		client, scope string
		audience      string
		want          *httpapi.Login
	}{
		{name: "no client"},
		{name: "a client of its own audience", client: "ui", audience: "ui", want: &httpapi.Login{Issuer: "https://id.example.com", ClientID: "ui", Scopes: "openid profile email", Token: "id_token"}},
		{name: "an API with another audience", client: "ui", scope: "openid dovetail", audience: "api", want: &httpapi.Login{Issuer: "https://id.example.com", ClientID: "ui", Scopes: "openid dovetail", Token: "access_token"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given := map[string]string{"oidc-client-id": tt.client}
			for name, value := range settings {
				given[name] = value
			}
			if tt.audience != "" {
				given["oidc-audience"] = tt.audience
			}
			if tt.scope != "" {
				given["oidc-scopes"] = tt.scope
			}
			server := start(t, given)
			var index struct{ Login *httpapi.Login }
			_, _, text := server.as(t, "", "GET", "/", "")
			decode(t, text, &index)
			if (index.Login == nil) != (tt.want == nil) || tt.want != nil && *index.Login != *tt.want {
				t.Errorf("got %+v, want %+v", index.Login, tt.want)
			}
		})
	}
}
