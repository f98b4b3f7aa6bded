package outbound_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

// host is a server that notes the credentials that it gets.
type host struct {
	*httptest.Server
	mu       sync.Mutex
	received []string
	to       string // where it redirects; "" for nowhere
}

func newHost(t *testing.T, start func(http.Handler) *httptest.Server) *host {
	t.Helper()
	h := &host{}
	h.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.received = append(h.received, r.Header.Get("Authorization")+r.Header.Get("Referer"))
		if h.to != "" && r.URL.Path != "/end" {
			http.Redirect(w, r, h.to, http.StatusFound)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// get sends a request with credentials, and returns the error and what each host received.
func get(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("reader", "sesame")
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	return err
}

func (h *host) asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.received
}

// pattern lists a host, of loopback, in the form that allows no TLS.
func (h *host) pattern() string { return "http://" + h.Listener.Addr().String() }

func TestRedirects(t *testing.T) {
	for _, test := range []struct {
		name    string
		listed  bool   // the other host
		to      string // where the first one leads; "other" is the other host
		refused bool
		first   int // requests to the first host that carry credentials
		other   int // requests to the other, which never do
	}{
		{name: "to the same host", listed: true, to: "/end", first: 2},
		{name: "to another host", to: "other", refused: true, first: 1},
		{name: "to another host that is listed", listed: true, to: "other", first: 1, other: 1},
		{name: "to a metadata service", listed: true, to: "http://169.254.169.254/latest/meta-data/", refused: true, first: 1},
		{name: "to a file", listed: true, to: "file:///etc/passwd", refused: true, first: 1},
		{name: "without end", listed: true, to: "/", refused: true, first: 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, other := newHost(t, httptest.NewServer), newHost(t, httptest.NewServer)
			patterns := []string{first.pattern()}
			if test.listed {
				patterns = append(patterns, other.pattern())
			}
			if first.to = test.to; test.to == "other" {
				first.to = other.URL
			}
			err := get(t, outbound.NewPolicy(parse(t, patterns...), "--hosts").Client(), first.URL+"/begin")
			if (err != nil) != test.refused || err != nil && strings.Contains(err.Error(), "sesame") {
				t.Error(err)
			}
			if got := first.asked(); len(got) != test.first || strings.Count(strings.Join(got, " "), "Basic") != test.first {
				t.Errorf("the first host received %q", got)
			}
			if got := other.asked(); len(got) != test.other || strings.Join(got, "") != "" {
				t.Errorf("the other host received %q", got)
			}
		})
	}
}

// A host that leads back to the first one does not make the client send credentials again: what comes back may be
// another path than the one that they were meant for.
func TestRedirectsBack(t *testing.T) {
	first, other := newHost(t, httptest.NewServer), newHost(t, httptest.NewServer)
	first.to, other.to = other.URL, first.URL+"/end"
	if err := get(t, outbound.NewPolicy(parse(t, first.pattern(), other.pattern()), "--hosts").Client(), first.URL); err != nil {
		t.Fatal(err)
	}
	if got := first.asked(); len(got) != 2 || !strings.Contains(got[0], "Basic") || got[1] != "" {
		t.Errorf("the first host received %q", got)
	}
}

// A redirect from TLS to none is followed only where that is listed, and without credentials.
func TestDowngrade(t *testing.T) {
	plain, secure := newHost(t, httptest.NewServer), newHost(t, httptest.NewTLSServer)
	secure.to = plain.URL
	for _, test := range []struct {
		name, plain string
		asked       int
	}{
		{name: "not listed", plain: "https://" + plain.Listener.Addr().String()},
		{name: "listed", plain: plain.pattern(), asked: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			policy := outbound.NewPolicy(parse(t, secure.Listener.Addr().String(), test.plain), "--hosts")
			outbound.Trust(policy, secure.Certificate())
			err := get(t, policy.Client(), secure.URL)
			if (outbound.Refused(err) != nil) != (test.asked == 0) {
				t.Error(err)
			}
			if got := plain.asked(); len(got) != test.asked || strings.Join(got, "") != "" {
				t.Errorf("received %q", got)
			}
		})
	}
}

// A connection to a name that resolves to a reserved address is refused, even if the name resolved to another before.
func TestNamesOfReservedAddresses(t *testing.T) {
	h := newHost(t, httptest.NewServer)
	_, port, err := net.SplitHostPort(h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	url := "http://localhost:" + port
	known := outbound.OriginOf(parseURL(t, url))
	client := outbound.NewPolicy(parse(t, "http://*:*"), "--hosts").Client(known)
	if err := get(t, client, url); outbound.Refused(err) == nil || len(h.asked()) > 0 {
		t.Errorf("any host: %v, %q", err, h.asked())
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := outbound.NewPolicy(outbound.Hosts{}, "--hosts").Client(known).Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	if outbound.Refused(err) == nil || len(h.asked()) > 0 {
		t.Errorf("known: %v, %q", err, h.asked())
	}
	if err := get(t, outbound.NewPolicy(parse(t, "http://localhost:"+port), "--hosts").Client(), url); err != nil || len(h.asked()) != 1 {
		t.Errorf("listed: %v, %q", err, h.asked())
	}
}

// A proxy of the environment is the operator's choice at any address; requests through it still follow the list.
func TestProxy(t *testing.T) {
	proxy := newHost(t, httptest.NewServer)
	policy := outbound.NewPolicy(parse(t, "http://a.example"), "--hosts")
	outbound.UseProxy(policy, parseURL(t, proxy.URL))
	if err := get(t, policy.Client(), "http://a.example/x"); err != nil || len(proxy.asked()) != 1 {
		t.Errorf("%v, %q", err, proxy.asked())
	}
	if err := get(t, policy.Client(), "http://b.example/x"); outbound.Refused(err) == nil || len(proxy.asked()) != 1 {
		t.Errorf("%v, %q", err, proxy.asked())
	}
}
