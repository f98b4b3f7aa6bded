package app

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// kubernetes is an API server of a cluster, as far as Dovetail asks one.
type kubernetes struct {
	*httptest.Server
	mu         sync.Mutex
	proxies    map[string]string                            // the data of extension-apiserver-authentication; nil if there is none
	allows     func(user string, about map[string]any) bool // a SubjectAccessReview
	groups     []string                                     // that it knows
	broken     bool                                         // it answers nothing but 500
	asked      int                                          // how many SubjectAccessReviews came
	lastReview map[string]any                               // the spec of the last one
}

func newKubernetes(t *testing.T) *kubernetes {
	t.Helper()
	k := &kubernetes{}
	k.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		switch {
		case k.broken:
			http.Error(w, "out of order", http.StatusInternalServerError)
		case r.Header.Get("Authorization") != "Bearer own":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case r.Method == http.MethodGet && r.URL.Path == "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication" && k.proxies != nil:
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "ConfigMap", "data": k.proxies})
		case r.Method == http.MethodGet && r.URL.Path == "/apis":
			list := []map[string]string{}
			for _, name := range k.groups {
				list = append(list, map[string]string{"name": name})
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "APIGroupList", "groups": list})
		case r.Method == http.MethodPost && r.URL.Path == "/apis/authorization.k8s.io/v1/subjectaccessreviews":
			var review struct{ Spec map[string]any }
			if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			k.asked++
			k.lastReview = review.Spec
			user, _ := review.Spec["user"].(string)
			about, _ := review.Spec["resourceAttributes"].(map[string]any)
			w.WriteHeader(http.StatusCreated)
			_ = json.NewEncoder(w).Encode(map[string]any{"status": map[string]any{"allowed": k.allows != nil && k.allows(user, about)}})
		default:
			http.Error(w, "forbidden", http.StatusForbidden)
		}
	}))
	t.Cleanup(k.Close)
	return k
}

// set changes what it answers.
func (k *kubernetes) set(change func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change()
}

// flags are the settings of a server that asks it.
func (k *kubernetes) flags(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "ca.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.Certificate().Raw})))
	writeFile(t, filepath.Join(dir, "token"), "own\n")
	return map[string]string{"kubernetes-server": k.URL, "kubernetes-ca": filepath.Join(dir, "ca.crt"), "kubernetes-token-file": filepath.Join(dir, "token")}
}

// asProxies is the ConfigMap of a cluster whose API server has certificates of a CA.
func asProxies(ca *testCA, names string) map[string]string {
	return map[string]string{"client-ca-file": "", "requestheader-client-ca-file": ca.pem(), "requestheader-allowed-names": names,
		"requestheader-username-headers": `["X-Remote-User"]`, "requestheader-group-headers": `["X-Remote-Group"]`, "requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`}
}

// startProxied is a server with TLS and an access policy that lets the group team of a cluster read.
func startProxied(t *testing.T, more map[string]string) *secured {
	t.Helper()
	dir := t.TempDir()
	s := &secured{trusted: x509.NewCertPool()}
	s.trusted.AddCert(certify(t, dir, "server"))
	var file string
	file, s.tokens = accessFile(t, accessRoles+"\n- {role: viewer, groups: ['k8s:team', 'cert:robots']}", "root")
	flags := map[string]string{"access": file, "tls-cert": filepath.Join(dir, "cert.pem"), "tls-key": filepath.Join(dir, "key.pem"), "front-proxy": "on", "log-level": "error"}
	for name, text := range more {
		flags[name] = text
	}
	s.running = start(t, flags)
	return s
}

// askWith sends a GET with headers; the status is 0 where the connection is refused.
func (s *secured) askWith(t *testing.T, c *http.Client, path string, header http.Header) (int, string) {
	t.Helper()
	request := s.request(t, "GET", path, "")
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := c.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// The headers of a front proxy count with its certificate, and never otherwise.
func TestFrontProxy(t *testing.T) {
	front, clients, stranger := newTestCA(t, "front"), newTestCA(t, "clients"), newTestCA(t, "front")
	issue := func(ca *testCA, name string, until time.Duration) *tls.Certificate {
		certificate := ca.issue(t, pkix.Name{CommonName: name, Organization: []string{"robots"}}, time.Now().Add(until))
		return &certificate
	}
	file := func(ca *testCA) string {
		path := filepath.Join(t.TempDir(), "ca.pem")
		writeFile(t, path, ca.pem())
		return path
	}
	cluster := newKubernetes(t)
	cluster.set(func() { cluster.proxies = asProxies(front, `["aggregator"]`) })
	told := startProxied(t, cluster.flags(t))
	filed := startProxied(t, map[string]string{"front-proxy-ca": file(front), "front-proxy-names": "other, aggregator"})
	both := startProxied(t, map[string]string{"front-proxy-ca": file(front), "front-proxy-names": "aggregator", "client-ca": file(clients)})
	open := newKubernetes(t)
	open.set(func() { open.proxies = asProxies(clients, `[]`) })
	shared := cluster.flags(t)
	for name, text := range open.flags(t) {
		shared[name] = text
	}
	shared["client-ca"] = file(clients)
	sharing := startProxied(t, shared)
	ann := http.Header{"X-Remote-User": {"ann"}, "X-Remote-Group": {"team", "system:authenticated"}, "X-Remote-Extra-Scopes": {"all"}}
	with := func(name string, values ...string) http.Header {
		header := ann.Clone()
		header[name] = values
		return header
	}
	tests := []struct {
		name        string
		server      *secured
		certificate *tls.Certificate
		header      http.Header
		path        string
		status      int
		says        string
	}{
		{name: "a user", server: told, certificate: issue(front, "aggregator", time.Hour), header: ann, status: 200, says: `"principal":"k8s:ann","groups":["k8s:team","k8s:system:authenticated"],"authenticated":"front-proxy"`},
		{name: "the groups have roles", server: told, certificate: issue(front, "aggregator", time.Hour), header: ann, path: "/v2/access?right=read&id=cluster/c1", status: 200, says: `"allowed":true`},
		{name: "a service account", server: told, certificate: issue(front, "aggregator", time.Hour), header: http.Header{"X-Remote-User": {"system:serviceaccount:shop:app"}}, status: 200, says: `"principal":"serviceaccount:shop:app"`},
		{name: "CAs of a file", server: filed, certificate: issue(front, "aggregator", time.Hour), header: ann, status: 200, says: `"principal":"k8s:ann"`},
		{name: "beside client certificates", server: both, certificate: issue(front, "aggregator", time.Hour), header: ann, status: 200, says: `"principal":"k8s:ann"`},
		{name: "a client of its own right says nothing of others", server: both, certificate: issue(clients, "ci", time.Hour), header: ann, status: 200, says: `"principal":"cert:ci"`},
		{name: "a client called as the proxy", server: both, certificate: issue(clients, "aggregator", time.Hour), header: ann, status: 200, says: `"principal":"cert:aggregator"`},
		{name: "a token of the proxy itself", server: told, certificate: issue(front, "aggregator", time.Hour), header: http.Header{"Authorization": {"Bearer " + told.tokens["root"]}}, status: 200, says: `"principal":"root"`},
		{name: "a token that a user sends along", server: told, certificate: issue(front, "aggregator", time.Hour), header: with("Authorization", "Bearer "+told.tokens["root"]), status: 200, says: `"principal":"k8s:ann"`},

		{name: "no certificate", server: told, header: ann, status: 401},
		{name: "no certificate, with a token", server: told, header: with("Authorization", "Bearer "+told.tokens["root"]), status: 200, says: `"principal":"root"`},
		{name: "another name", server: told, certificate: issue(front, "kubelet", time.Hour), header: ann, status: 401},
		{name: "another name, in the file", server: filed, certificate: issue(front, "kubelet", time.Hour), header: ann, status: 401},
		{name: "another name, beside client certificates", server: both, certificate: issue(front, "kubelet", time.Hour), header: ann, status: 401},
		{name: "another CA of the same name", server: told, certificate: issue(stranger, "aggregator", time.Hour), header: ann, status: 0},
		{name: "expired", server: told, certificate: issue(front, "aggregator", -time.Minute), header: ann, status: 0},
		{name: "no user", server: told, certificate: issue(front, "aggregator", time.Hour), header: http.Header{"X-Remote-Group": {"team"}}, status: 401, says: "says nothing of whose the request is"},
		{name: "an empty user", server: told, certificate: issue(front, "aggregator", time.Hour), header: with("X-Remote-User", ""), status: 401, says: "says nothing of whose the request is"},
		{name: "two users", server: told, certificate: issue(front, "aggregator", time.Hour), header: with("X-Remote-User", "ann", "root"), status: 401, says: "names several users"},
		{name: "a name that looks like another", server: told, certificate: issue(front, "aggregator", time.Hour), header: with("X-Remote-User", "a\u0430"), status: 401},
		{name: "a name of Dovetail itself", server: told, certificate: issue(front, "aggregator", time.Hour), header: with("X-Remote-User", "system:sync"), status: 200, says: `"principal":"k8s:system:sync"`},
		{name: "the name of a token", server: told, certificate: issue(front, "aggregator", time.Hour), header: http.Header{"X-Remote-User": {"root"}}, path: "/v2/access?right=read&id=cluster/c1", status: 200, says: `"allowed":false`},
		{name: "any client of a CA that is shared", server: sharing, certificate: issue(clients, "ci", time.Hour), header: ann, status: 401, says: "any of its certificates would be"},
		{name: "and the client itself", server: sharing, certificate: issue(clients, "ci", time.Hour), status: 200, says: `"principal":"cert:ci"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.path
			if path == "" {
				path = "/v2/access"
			}
			status, text := tt.server.askWith(t, tt.server.client(t, tt.certificate), path, tt.header)
			if status != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("got %d %s, want %d with %s", status, text, tt.status, tt.says)
			}
		})
	}
}

// Headers through a port without TLS, and through a gateway that shows a certificate which would do, authenticate no user.
func TestFrontProxyNeedsItsOwnConnection(t *testing.T) {
	access, _ := accessFile(t, accessRoles, "root")
	plain := start(t, map[string]string{"access": access})
	request := plain.request(t, "GET", "/v2/access", "")
	request.Header.Set("X-Remote-User", "ann")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("headers through the plain port: %d", response.StatusCode)
	}

	front := newTestCA(t, "front")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "front.pem"), front.pem())
	server := startProxied(t, map[string]string{"front-proxy-ca": filepath.Join(dir, "front.pem"), "front-proxy-names": "gateway"})
	own := front.issue(t, pkix.Name{CommonName: "gateway"}, time.Now().Add(time.Hour))
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "own.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})))
	writeFile(t, filepath.Join(dir, "own.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	config, err := Load(map[string]string{"listen": "127.0.0.1:0", "upstream-ca": filepath.Join(filepath.Dir(server.config.TLSCert), "cert.pem"),
		"upstream-cert": filepath.Join(dir, "own.pem"), "upstream-key": filepath.Join(dir, "own.key")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := startGateway(t.Context(), config, []string{server.URL()}, &apptest.Logs{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.stop()
		_ = g.http.Close()
		g.background.Wait()
	})
	eventually(t, "the gateway passes requests on", func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+g.listener.Addr().String()+"/v2/access", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"X-Remote-User": {"ann"}, "X-Remote-Group": {"team"}}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode == http.StatusOK {
			t.Fatal("a gateway passes the name of a user on")
		}
		text, err := io.ReadAll(response.Body)
		return err == nil && response.StatusCode == http.StatusUnauthorized && strings.Contains(string(text), "says nothing of whose")
	})
}

// A proxy that is no longer trusted ends what it began; what cannot be read changes nothing.
func TestFrontProxyRotation(t *testing.T) {
	t.Parallel()
	before, after := newTestCA(t, "front"), newTestCA(t, "front")
	path := filepath.Join(t.TempDir(), "front.pem")
	writeFile(t, path, before.pem())
	server := startProxied(t, map[string]string{"front-proxy-ca": path, "front-proxy-names": "aggregator"})
	own := before.issue(t, pkix.Name{CommonName: "aggregator"}, time.Now().Add(time.Hour))
	client := server.client(t, &own)
	client.Transport = asFront{client.Transport}
	watch, err := server.tryWatch(t, client, "")
	if err != nil {
		t.Fatal(err)
	}
	replaceFile(t, path, "no certificate")
	eventually(t, "the broken file is refused", func() bool { return strings.Contains(server.logs.String(), "front proxies are not known") })
	if status, text := server.ask(t, client, "/v2/access", ""); status != 200 {
		t.Errorf("the last good CA certificates are not in force: %d %s", status, text)
	}
	replaceFile(t, path, after.pem())
	endsUnauthenticated(t, watch, "the front proxy aggregator is no longer trusted")
	if status, text := server.ask(t, client, "/v2/access", ""); status != http.StatusUnauthorized && status != 0 {
		t.Errorf("a certificate of the CA before: %d %s", status, text)
	}
}

// asFront sends requests as a front proxy does.
type asFront struct{ http.RoundTripper }

func (n asFront) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Remote-User", "ann")
	return n.RoundTripper.RoundTrip(r)
}

// A cluster may not answer when the server starts, and may rotate its CA.
func TestFrontProxiesOfCluster(t *testing.T) {
	cluster := newKubernetes(t)
	cluster.set(func() { cluster.broken = true })
	flags := cluster.flags(t)
	asked, err := access.NewCluster(access.ClusterOptions{Server: cluster.URL, CAFile: flags["kubernetes-ca"], TokenFile: flags["kubernetes-token-file"]})
	if err != nil {
		t.Fatal(err)
	}
	logs := &apptest.Logs{}
	f, err := newFrontProxies(t.Context(), FrontProxy{Enabled: true}, asked, newLog(Config{}, logs))
	if err != nil {
		t.Fatal(err)
	}
	if detail, _ := f.check(t.Context()); f.trusted.Load() != nil || !strings.Contains(detail, "not known") || !strings.Contains(logs.String(), "extension-apiserver-authentication-reader in kube-system") {
		t.Errorf("while the cluster is out of order: %s\n%s", detail, logs.String())
	}
	steps := []struct {
		name    string
		proxies map[string]string
		changed bool
		code    dovetail.Code
	}{
		{name: "the first", proxies: asProxies(newTestCA(t, "a"), `["x"]`), changed: true},
		{name: "no aggregation layer", proxies: map[string]string{"client-ca-file": "x"}, code: dovetail.CodeInvalid},
		{name: "no certificates", proxies: map[string]string{"requestheader-client-ca-file": "x"}, code: dovetail.CodeInvalid},
		{name: "no list", proxies: asProxies(newTestCA(t, "a"), `x`), code: dovetail.CodeInvalid},
		{name: "no ConfigMap", code: dovetail.CodeUnavailable},
		{name: "another CA", proxies: asProxies(newTestCA(t, "a"), `["x"]`), changed: true},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			cluster.set(func() { cluster.broken, cluster.proxies = false, step.proxies })
			for _, want := range []bool{step.changed, false} {
				if changed, err := f.read(t.Context()); changed != want || dovetail.CodeOf(err) != step.code || f.trusted.Load() == nil {
					t.Errorf("changed %t, %v, want %t and %q", changed, err, want, step.code)
				}
			}
		})
	}
}
