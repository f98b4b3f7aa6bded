package app

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// awaitReady waits until the gateway sends requests on.
func (f *front) awaitReady(t *testing.T, client *http.Client) {
	t.Helper()
	eventually(t, "the gateway is ready", func() bool {
		response, err := client.Get(f.url() + "/readyz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// trusting is a client that trusts a certificate only.
func trusting(cert *x509.Certificate) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true, ForceAttemptHTTP2: true}}
}

// A precondition cannot be lost on the way: behind a gateway the request is refused, and a server minds it itself.
func TestConnectionDropsNoPrecondition(t *testing.T) {
	server := start(t, nil)
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	f := startFront(t, nil, server.URL())
	f.awaitReady(t, http.DefaultClient)
	put := func(at, connection string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, at+"/v2/clusters/c1", strings.NewReader(named("c1")))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("If-Match", `"never"`)
		if connection != "" {
			request.Header.Set("Connection", connection)
		}
		status, _, _ := roundTrip(t, request)
		return status
	}
	for _, tt := range []struct {
		name, at, connection string
		want                 int
	}{
		{"server", server.URL(), "", 412},
		{"server, told to drop it", server.URL(), "If-Match", 412},
		{"gateway", f.url(), "", 412},
		{"gateway, told to drop it", f.url(), "If-Match", 400},
		{"gateway, told to drop it, with others", f.url(), "keep-alive, if-match", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := put(tt.at, tt.connection); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
	}
}

// TLS to the gateway, and from the gateway to a server that requires its certificate; all certificates change meanwhile.
func TestGatewayTLS(t *testing.T) {
	t.Parallel()
	in, out, own := t.TempDir(), t.TempDir(), t.TempDir()
	certIn, certOut, certOwn := certify(t, in, "gateway"), certify(t, out, "server"), certify(t, own, "client of servers")
	behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprint(w, `{"endpoints":["/api/who"]}`)
			return
		}
		fmt.Fprintf(w, `{"client":%q,"scheme":%q}`, r.TLS.PeerCertificates[0].Subject.CommonName, r.Header.Get("X-Forwarded-Proto"))
	}))
	clients := x509.NewCertPool()
	clients.AddCert(certOwn)
	server, err := newCertificate(filepath.Join(out, "cert.pem"), filepath.Join(out, "key.pem"), newLog(Config{}, &apptest.Logs{}))
	if err != nil {
		t.Fatal(err)
	}
	config := server.config()
	config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, clients
	behind.Listener = tls.NewListener(behind.Listener, config)
	behind.Start()
	t.Cleanup(behind.Close)
	url := "https://" + behind.Listener.Addr().String()
	settings := map[string]string{
		"tls-cert": filepath.Join(in, "cert.pem"), "tls-key": filepath.Join(in, "key.pem"),
		"upstream-ca": filepath.Join(out, "cert.pem"), "upstream-cert": filepath.Join(own, "cert.pem"), "upstream-key": filepath.Join(own, "key.pem"),
	}
	f := startFront(t, settings, url)
	f.awaitReady(t, trusting(certIn))
	who := func(trusted *x509.Certificate) string {
		response, err := trusting(trusted).Get(f.url() + "/api/who")
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		text := make([]byte, 100)
		n, _ := response.Body.Read(text)
		return string(text[:n])
	}
	if got, want := who(certIn), `{"client":"client of servers","scheme":"https"}`; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if got := who(certOut); !strings.Contains(got, "certificate") {
		t.Errorf("whose certificate the client does not trust: %s", got)
	}
	t.Run("a new certificate of the gateway", func(t *testing.T) {
		next := certify(t, in, "gateway")
		eventually(t, "it is served", func() bool { return strings.HasPrefix(who(next), `{"client"`) })
		certIn = next
	})
	t.Run("a new certificate of the server", func(t *testing.T) {
		certify(t, out, "server")
		if _, err := server.read(); err != nil {
			t.Fatal(err)
		}
		behind.CloseClientConnections()
		eventually(t, "it is accepted", func() bool { return strings.HasPrefix(who(certIn), `{"client"`) })
	})
	t.Run("a broken CA file changes nothing", func(t *testing.T) {
		writeFile(t, filepath.Join(out, "cert.pem"), "none")
		eventually(t, "it is refused", func() bool { return strings.Contains(f.logs.String(), "changed CA certificates are refused") })
		behind.CloseClientConnections()
		eventually(t, "servers are reached", func() bool { return strings.HasPrefix(who(certIn), `{"client"`) })
	})
	t.Run("a server of another CA gets nothing", func(t *testing.T) {
		settings["upstream-ca"] = filepath.Join(in, "cert.pem")
		other := startFront(t, settings, url)
		eventually(t, "it was asked", func() bool { return strings.Contains(other.logs.String(), "does not answer") })
		response, err := trusting(certIn).Get(other.url() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("status %d", response.StatusCode)
		}
	})
}

func TestGatewaySettingsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir, "x")
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeFile(t, filepath.Join(dir, "text"), "no certificate")
	tests := []struct {
		name   string
		given  map[string]string
		server string
		want   string
	}{
		{"certificate without a key", map[string]string{"tls-cert": cert}, "https://a", "--tls-key"},
		{"key without a certificate", map[string]string{"tls-key": key}, "https://a", "--tls-cert"},
		{"certificate for servers without a key", map[string]string{"upstream-cert": cert}, "https://a", "--upstream-key"},
		{"no CA", map[string]string{"upstream-ca": filepath.Join(dir, "text")}, "https://a", "--upstream-ca"},
		{"no file", map[string]string{"upstream-ca": filepath.Join(dir, "none")}, "https://a", "--upstream-ca"},
		{"servers without TLS", map[string]string{"upstream-ca": cert}, "http://a", "https://"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.given["listen"] = "127.0.0.1:0"
			config, err := Load(tt.given, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = startGateway(t.Context(), config, []string{tt.server}, &apptest.Logs{})
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(dovetail.AsError(err).Remedy, tt.want) {
				t.Errorf("got %v, remedy %q", err, dovetail.AsError(err).Remedy)
			}
		})
	}
}

// A server behind a gateway that it trusts counts by the client's address, and no client can give itself another.
func TestRateBehindGateway(t *testing.T) {
	server := start(t, map[string]string{"rate": "1", "rate-burst": "3", "trusted-proxies": "127.0.0.1"})
	f := startFront(t, map[string]string{"trusted-proxies": "127.0.0.2"}, server.URL())
	f.awaitReady(t, http.DefaultClient)
	refused := make(chan string, 100)
	eventually(t, "an invented address gets no rate of its own", func() bool { // many at the same time, for machines where each takes a second
		var all sync.WaitGroup
		for n := range cap(refused) - len(refused) {
			all.Go(func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url()+"/v2/clusters", http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", n))
				if status, _, text := roundTrip(t, request); status == http.StatusTooManyRequests {
					refused <- text
				}
			})
		}
		all.Wait()
		return len(refused) > 0
	})
	if text := <-refused; !strings.Contains(text, "127.0.0.1 sends requests too often") {
		t.Error(text)
	}
}

// The metrics of a gateway have an address of their own, and are nowhere else.
func TestGatewayMetrics(t *testing.T) {
	server := start(t, nil)
	f := startFront(t, map[string]string{"metrics-listen": "127.0.0.1:0"}, server.URL())
	f.awaitReady(t, http.DefaultClient)
	get := func(url string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		status, _, text := roundTrip(t, request)
		return status, text
	}
	if status, text := get(f.url() + "/v2/clusters"); status != http.StatusOK {
		t.Fatal(status, text)
	}
	status, text := get("http://" + f.metricsAt.String() + "/metrics")
	for _, want := range []string{`dovetail_gateway_requests_total{code="200",method="GET"}`, `dovetail_gateway_server_ready{server="` + server.URL() + `"} 1`, "dovetail_http_connections", "dovetail_build_info"} {
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d, and %s is not in\n%s", status, want, text)
		}
	}
	if status, text := get(f.url() + "/metrics"); status != http.StatusNotFound || !strings.Contains(text, "--metrics-listen") {
		t.Errorf("%d %s", status, text)
	}
}

// The client certificate of a gateway does not authenticate the requests of the gateway's clients.
func TestCertificateOfGatewayIsNobodys(t *testing.T) {
	dir, own := t.TempDir(), t.TempDir()
	certify(t, dir, "server")
	certify(t, own, "gateway")
	file, tokens := accessFile(t, accessRoles+"\n- {role: viewer, users: ['*']}", "root")
	server := start(t, map[string]string{"access": file, "tls-cert": filepath.Join(dir, "cert.pem"), "tls-key": filepath.Join(dir, "key.pem"),
		"client-ca": filepath.Join(own, "cert.pem"), "client-auth": "require", "trusted-proxies": "127.0.0.1"})
	f := startFront(t, map[string]string{"upstream-ca": filepath.Join(dir, "cert.pem"), "upstream-cert": filepath.Join(own, "cert.pem"), "upstream-key": filepath.Join(own, "key.pem")}, server.URL())
	f.awaitReady(t, http.DefaultClient)
	for _, tt := range []struct {
		name, token string
		want        int
	}{{"without a token", "", 401}, {"with one", tokens["root"], 200}} {
		t.Run(tt.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url()+"/v2/clusters", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if tt.token != "" {
				request.Header.Set("Authorization", "Bearer "+tt.token)
			}
			if status, _, text := roundTrip(t, request); status != tt.want {
				t.Errorf("status %d, want %d: %s", status, tt.want, text)
			}
		})
	}
}
