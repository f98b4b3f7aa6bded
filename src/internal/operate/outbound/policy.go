package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Reason is that of the errors of this package, whose code is CodeUnprocessable.
const Reason = "OUTBOUND_HOST_REFUSED"

// maxRedirects is how many redirects one request follows.
const maxRedirects = 5

// Policy is what may be connected to. It is safe for concurrent use.
type Policy struct {
	hosts     Hosts
	setting   string
	transport *http.Transport
	proxyOf   func(*http.Request) (*url.URL, error)
	proxies   sync.Map // addresses of the proxies that the environment names
}

// NewPolicy returns the policy that allows a list of hosts. The setting is that of the list, for messages.
//
// Connections go through the proxies of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). A proxy resolves names by
// itself, so that it has to keep reserved addresses out.
func NewPolicy(hosts Hosts, setting string) *Policy {
	p := &Policy{hosts: hosts, setting: setting, proxyOf: http.ProxyFromEnvironment}
	p.transport = &http.Transport{
		Proxy: p.proxy, DialContext: p.dial, ForceAttemptHTTP2: true,
		MaxIdleConns: 20, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 1 << 20,
	}
	return p
}

// Check returns an error unless a URL may be asked for: one whose host is listed, or whose origin is among the known
// ones. Those get no credentials without TLS.
func (p *Policy) Check(u *url.URL, credentials bool, known ...Origin) error {
	o := OriginOf(u)
	switch listed := p.hosts.allows(o); {
	case listed:
	case !slices.Contains(known, o) || o == Origin{}:
		return p.refuse(o.String() + " is not among the hosts that stored definitions may lead to")
	case credentials && o.Scheme != "https":
		return p.refuse(o.String() + " would receive credentials without TLS")
	}
	if ip, err := netip.ParseAddr(o.Host); err == nil {
		return p.checkAddress(ip, o.Port)
	}
	return nil
}

func (p *Policy) checkAddress(ip netip.Addr, port string) error {
	if ip = ip.Unmap().WithZone(""); isReserved(ip) && !p.hosts.listsAddress(ip, port) {
		return p.refuse("the host is at " + ip.String() + ", a reserved address such as loopback or link-local")
	}
	return nil
}

func (p *Policy) refuse(message string) error {
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: Reason, Message: message,
		Remedy: "ask the operator of the server to list it in " + p.setting + ", or correct the URL"}
}

// Refused returns the error of this package that made a request fail, nil when another did.
func Refused(err error) *dovetail.Error {
	var e *dovetail.Error
	if errors.As(err, &e) && e.Reason == Reason {
		return e
	}
	return nil
}

// Client returns a client for URLs that Check allows with these known origins. It follows redirects to such URLs only,
// and takes no credentials along to another origin.
func (p *Policy) Client(known ...Origin) *http.Client {
	known = slices.Clone(known)
	for _, o := range known {
		if o.Scheme == "http" && o.Port == "80" { // may lead to the same host with TLS
			known = append(known, Origin{"https", o.Host, "443"})
		}
	}
	return &http.Client{Transport: &checked{p, known}, CheckRedirect: redirect}
}

// checked is a transport that checks every request, redirects too.
type checked struct {
	policy *Policy
	known  []Origin
}

// RoundTrip implements http.RoundTripper.
func (c *checked) RoundTrip(request *http.Request) (*http.Response, error) {
	credentials := request.Header.Get("Authorization") != "" || request.Header.Get("Cookie") != ""
	if err := c.policy.Check(request.URL, credentials || request.URL.User != nil, c.known...); err != nil {
		return nil, err
	}
	return c.policy.transport.RoundTrip(request)
}

// redirect bounds redirects. What identifies the client stays with the first origin, and does not come back to it.
func redirect(request *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("too many redirects")
	}
	first := OriginOf(via[0].URL)
	if OriginOf(request.URL) == first && !slices.ContainsFunc(via, func(r *http.Request) bool { return OriginOf(r.URL) != first }) {
		return nil
	}
	for _, name := range []string{"Authorization", "Cookie", "Referer"} {
		request.Header.Del(name)
	}
	request.URL.User = nil // a redirect gives no credentials either
	return nil
}

// proxy returns the proxy for a request, and remembers it.
func (p *Policy) proxy(request *http.Request) (*url.URL, error) {
	u, err := p.proxyOf(request)
	if u != nil {
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
		}
		p.proxies.Store(net.JoinHostPort(u.Hostname(), port), true)
	}
	return u, err
}

// dial connects to an address that is not reserved, or to a proxy.
func (p *Policy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if _, ok := p.proxies.Load(address); !ok {
		dialer.Control = p.control
	}
	return dialer.DialContext(ctx, network, address)
}

// control checks the address that is being connected to, which may be another each time a name is resolved.
func (p *Policy) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return p.refuse("the host is at " + address + ", which is no address")
	}
	_, port, _ := net.SplitHostPort(address)
	return p.checkAddress(to.Addr(), port)
}
