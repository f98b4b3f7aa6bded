package app

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone/keystonetest"
)

// TestKeystone checks tokens with a Keystone, and gives their users what the access policy file gives their roles.
func TestKeystone(t *testing.T) {
	file, tokens := accessFile(t, "bindings: [{role: viewer, groups: ['keystone:project:Default/service:reader']}]", "root")
	tokenServer := keystonetest.New(t)
	tokenServer.Give("ann", "ann", "reader")
	tokenServer.GiveOn("bob", "bob", `"project":{"id":"p2","name":"other","domain":{"id":"default","name":"Default"}}`, "reader")
	server := start(t, map[string]string{"access": file, "keystone": tokenServer.Account(t), "log-level": "error"})
	down := keystonetest.New(t)
	lost := start(t, map[string]string{"access": file, "keystone": down.Account(t), "log-level": "error"})
	down.Close()
	for _, c := range []struct {
		name, header, token string
		server              *running
		status              int
		says                string
	}{
		{name: "a header of OpenStack", server: server, header: "X-Auth-Token", token: "ann", status: 200, says: `"principal":"keystone:Default/ann"`},
		{name: "a bearer token", server: server, header: "Authorization", token: "Bearer ann", status: 200, says: `"authenticated":"keystone"`},
		{name: "a role on another project", server: server, header: "X-Auth-Token", token: "bob", status: 200, says: `"groups":["keystone:role:reader","keystone:project:Default/other:reader"]`},
		{name: "of the access policy file", server: server, header: "X-Auth-Token", token: tokens["root"], status: 200, says: `"principal":"root"`},
		{name: "forged", server: server, header: "X-Auth-Token", token: "gAAAA", status: 401, says: "not known to Keystone"},
		{name: "no answer of Keystone", server: lost, header: "X-Auth-Token", token: "ann", status: 503, says: "cannot be checked with Keystone"},
		{name: "of the file, without Keystone", server: lost, header: "X-Auth-Token", token: tokens["root"], status: 200, says: `"principal":"root"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := c.server.request(t, "GET", "/v2/access", "")
			request.Header.Set(c.header, c.token)
			if status, _, text := roundTrip(t, request); status != c.status || !strings.Contains(text, c.says) {
				t.Errorf("got %d, want %d with %s: %s", status, c.status, c.says, text)
			}
		})
	}
}
