package outbound

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Origin is where a URL leads: scheme, host and port, in one spelling each.
type Origin struct{ Scheme, Host, Port string }

// OriginOf returns the origin of an http or https URL; of others the zero value, which no list allows.
func OriginOf(u *url.URL) Origin {
	o := Origin{Scheme: strings.ToLower(u.Scheme), Host: plainHost(u.Hostname()), Port: u.Port()}
	if o.Scheme != "http" && o.Scheme != "https" || o.Host == "" {
		return Origin{}
	}
	if o.Port == "" {
		o.Port = defaultPort(o.Scheme)
	}
	return o
}

// String gives the origin as a URL, without the port that its scheme implies.
func (o Origin) String() string {
	switch {
	case o == Origin{}:
		return "the URL"
	case o.Port == defaultPort(o.Scheme) && strings.Contains(o.Host, ":"):
		return o.Scheme + "://[" + o.Host + "]"
	case o.Port == defaultPort(o.Scheme):
		return o.Scheme + "://" + o.Host
	}
	return o.Scheme + "://" + net.JoinHostPort(o.Host, o.Port)
}

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// plainHost is a host in one spelling: lower case, no final dot, an IPv4 address never in the form of IPv6.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return host
}

// Hosts is an allow-list of hosts. The zero value allows none.
type Hosts struct{ patterns []pattern }

// pattern is one entry: a scheme, a host, "*" or "*.example.org" for those below it, and a port or "*".
type pattern struct{ scheme, host, port string }

// ParseHosts reads patterns of the form [SCHEME://]HOST[:PORT]. Without a scheme, or with https, only TLS is allowed;
// http allows both. Without a port it is that of the scheme; "*" is any port, and as a host any host; *.example.org
// are those below example.org.
func ParseHosts(patterns []string) (Hosts, error) {
	var hosts Hosts
	for _, text := range patterns {
		p, err := parsePattern(text)
		if err != nil {
			return Hosts{}, err
		}
		hosts.patterns = append(hosts.patterns, p)
	}
	return hosts, nil
}

func parsePattern(text string) (pattern, error) {
	fail := func() (pattern, error) {
		return pattern{}, fmt.Errorf("%q is no host such as maven.example.org, *.example.org:8443 or http://10.0.0.5:8081", text)
	}
	p := pattern{scheme: "https", host: text}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		p.scheme, p.host = strings.ToLower(scheme), rest
	}
	if p.scheme != "http" && p.scheme != "https" {
		return fail()
	}
	if host, ok := strings.CutPrefix(p.host, "["); ok { // IPv6
		host, port, closed := strings.Cut(host, "]")
		ip, err := netip.ParseAddr(host)
		if err != nil || !closed || !ip.Is6() || port != "" && port[0] != ':' || port == ":" {
			return fail()
		}
		p.host, p.port = host, strings.TrimPrefix(port, ":")
	} else if host, port, ok := strings.Cut(p.host, ":"); ok {
		if p.host, p.port = host, port; port == "" {
			return fail()
		}
	}
	if n, err := strconv.ParseUint(p.port, 10, 16); p.port != "" && p.port != "*" && (err != nil || n == 0) {
		return fail()
	}
	if p.host == "*" {
		return p, nil
	}
	name, below := strings.CutPrefix(p.host, "*.")
	if name = plainHost(name); !isHost(name) {
		return fail()
	}
	if p.host = name; below {
		p.host = "*." + name
	}
	return p, nil
}

// isHost reports whether a text can be the name or the address of a host.
func isHost(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	return !slices.ContainsFunc(strings.Split(text, "."), func(label string) bool {
		return label == "" || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
		})
	})
}

// allows reports whether the list has an origin.
func (h Hosts) allows(o Origin) bool {
	return slices.ContainsFunc(h.patterns, func(p pattern) bool { return p.allows(o) })
}

func (p pattern) allows(o Origin) bool {
	if o == (Origin{}) || p.scheme == "https" && o.Scheme != "https" {
		return false
	}
	port := p.port == "*" || p.port == o.Port || p.port == "" && o.Port == defaultPort(o.Scheme)
	below, wild := strings.CutPrefix(p.host, "*")
	return port && (p.host == o.Host || wild && strings.HasSuffix(o.Host, below))
}

// listsAddress reports whether the list has an address itself, as it must for one that is reserved: "localhost" stands
// for those of loopback, and neither another name nor a wildcard for any.
func (h Hosts) listsAddress(ip netip.Addr, port string) bool {
	return slices.ContainsFunc(h.patterns, func(p pattern) bool {
		listed := p.host == ip.String() || p.host == "localhost" && ip.IsLoopback()
		return listed && (p.port == "*" || p.port == port || p.port == "" && (port == "443" || p.scheme == "http" && port == "80"))
	})
}
