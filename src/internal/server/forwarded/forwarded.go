package forwarded

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Header is the header in which each proxy writes the address that it got the request from, behind those before it.
const Header = "X-Forwarded-For"

// tokenHeader is where clients of OpenStack send a token of Keystone.
const tokenHeader = "X-Auth-Token"

// Authorization returns the credentials of a request as the header Authorization has them, or the token of X-Auth-Token as a bearer token; "" if there is none. Who
// counts requests by their credentials and who checks these must read the same ones.
func Authorization(header http.Header) string {
	authorization, token := header.Get("Authorization"), header.Get(tokenHeader)
	if authorization == "" && token != "" {
		return "Bearer " + token
	}
	return authorization
}

// Proxies are the networks of trusted proxies. The zero value trusts none.
type Proxies []netip.Prefix

// Parse reads networks and addresses separated by commas: "10.0.0.0/8, 2001:db8::1".
func Parse(text string) (Proxies, error) {
	var proxies Proxies
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		network, err := netip.ParsePrefix(item)
		if err != nil {
			address, wrong := netip.ParseAddr(item)
			if wrong != nil || address.Zone() != "" {
				return nil, fmt.Errorf("%q is neither a network nor an address", item)
			}
			address = address.Unmap()
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if network.Addr().Is4In6() {
			return nil, fmt.Errorf("%q is a network of IPv4 written as IPv6", item)
		}
		proxies = append(proxies, network.Masked())
	}
	return proxies, nil
}

// Trusts reports whether the request comes from a trusted proxy itself.
func (p Proxies) Trusts(r *http.Request) bool {
	if len(p) == 0 {
		return false
	}
	peer, ok := peer(r.RemoteAddr)
	return ok && p.contain(peer)
}

func (p Proxies) contain(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// Client returns the address of the client: that of the connection, and where a trusted proxy is there, what it wrote
// into the header, and so on back to the first address that is not a trusted proxy's. What stands before that one its
// sender may have invented. ok is false for a connection without an IP address.
func (p Proxies) Client(r *http.Request) (client netip.Addr, ok bool) {
	client, ok = peer(r.RemoteAddr)
	if len(p) == 0 || !ok || !p.contain(client) {
		return client, ok
	}
	lines := r.Header[Header]
	for n := len(lines) - 1; n >= 0; n-- {
		rest := lines[n]
		for more := true; more; {
			var item string
			if cut := strings.LastIndexByte(rest, ','); cut >= 0 {
				rest, item = rest[:cut], rest[cut+1:]
			} else {
				item, more = rest, false
			}
			before, valid := hop(strings.TrimSpace(item))
			if !valid {
				return client, true // as far as can be told
			}
			if client = before; !p.contain(client) {
				return client, true
			}
		}
	}
	return client, true
}

// peer reads the address of a connection.
func peer(remote string) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(remote)
	return plain(at.Addr()), err == nil
}

// hop reads an address as proxies write it: some add the port.
func hop(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return plain(address), true
	}
	return peer(text)
}

func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }

// Source is who counts as one sender: an address of IPv4, and of IPv6 the network of 64 bits, whose addresses cost
// nothing.
func (p Proxies) Source(r *http.Request) string {
	if host, _, found := strings.Cut(r.RemoteAddr, ":"); len(p) == 0 && found && strings.IndexByte(r.RemoteAddr[len(host)+1:], ':') < 0 {
		return host // of IPv4, as it is
	}
	client, ok := p.Client(r)
	if !ok {
		return r.RemoteAddr
	}
	if client.Is6() {
		if network, err := client.Prefix(64); err == nil {
			return network.String()
		}
	}
	return client.String()
}
