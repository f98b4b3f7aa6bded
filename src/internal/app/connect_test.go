package app

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// A server is trusted by the certificates of its context, and by no other.
func TestConnectTrusts(t *testing.T) {
	var authorization string
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { authorization = r.Header.Get("Authorization") }))
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	tests := []struct {
		name      string
		authority []byte
		code      dovetail.Code
		says      string
	}{
		{name: "its own", authority: authority},
		{name: "those of the system", code: dovetail.CodeUnavailable, says: "certificate"},
		{name: "none", authority: []byte("no PEM"), code: dovetail.CodeInvalid, says: "cannot be read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			authorization = ""
			st, err := Connect(cli.Server{URL: server.URL, Token: "secret", Authority: test.authority})
			if err == nil {
				err = st.Ping(t.Context())
			}
			if test.says == "" {
				if err != nil || authorization != "Bearer secret" {
					t.Errorf("got %v; the server got %q", err, authorization)
				}
			} else if dovetail.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) || authorization != "" {
				t.Errorf("got %v; the server got %q", err, authorization)
			}
		})
	}
}
