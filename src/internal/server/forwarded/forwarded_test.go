package forwarded

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClient(t *testing.T) {
	tests := []struct {
		name, trusted, remote string
		header                []string
		want                  string
	}{
		{name: "no proxy is trusted", remote: "192.0.2.1:1", header: []string{"203.0.113.9"}, want: "192.0.2.1"},
		{name: "not from a proxy", trusted: "10.0.0.0/8", remote: "192.0.2.1:1", header: []string{"203.0.113.9"}, want: "192.0.2.1"},
		{name: "from a proxy", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"192.0.2.1"}, want: "192.0.2.1"},
		{name: "from one proxy by another", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"192.0.2.1, 10.9.9.9"}, want: "192.0.2.1"},
		{name: "invented by the client", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"203.0.113.9, 192.0.2.1"}, want: "192.0.2.1"},
		{name: "invented in a line of its own", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"203.0.113.9", "192.0.2.1"}, want: "192.0.2.1"},
		{name: "invented proxy", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"203.0.113.9, 10.0.0.1, 192.0.2.1"}, want: "192.0.2.1"},
		{name: "only proxies", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"10.0.0.7, 10.0.0.8"}, want: "10.0.0.7"},
		{name: "a proxy without the header", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", want: "10.1.2.3"},
		{name: "no address", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"192.0.2.1, unknown"}, want: "10.1.2.3"},
		{name: "no address further back", trusted: "10.0.0.0/8", remote: "10.1.2.3:1", header: []string{"unknown, 192.0.2.1"}, want: "192.0.2.1"},
		{name: "with a port", trusted: "10.0.0.1", remote: "10.0.0.1:1", header: []string{"192.0.2.1:4711"}, want: "192.0.2.1"},
		{name: "IPv6 with a port", trusted: "2001:db8::1", remote: "[2001:db8::1]:1", header: []string{"[2001:db8:1::5]:4711"}, want: "2001:db8:1::/64"},
		{name: "IPv6", trusted: "2001:db8::/48", remote: "[2001:db8::7]:1", header: []string{"2001:db8:1::5"}, want: "2001:db8:1::/64"},
		{name: "IPv4 written as IPv6", trusted: "10.0.0.0/8", remote: "[::ffff:10.0.0.1]:1", header: []string{"::ffff:192.0.2.1"}, want: "192.0.2.1"},
		{name: "no port of the connection", trusted: "10.0.0.0/8", remote: "pipe", header: []string{"192.0.2.1"}, want: "pipe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			proxies, err := Parse(tt.trusted)
			if err != nil {
				t.Fatal(err)
			}
			r := &http.Request{RemoteAddr: tt.remote, Header: http.Header{Header: tt.header}}
			if got := proxies.Source(r); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"10.0.0.0/33", "gateway", "10.0.0.1,x", "fe80::1%eth0", "::ffff:10.0.0.0/104"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
}

// Whatever a client writes into the header, it cannot choose the address that a trusted proxy saw it at.
func TestClientCannotChoose(t *testing.T) {
	proxies, err := Parse("10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	seenAt := netip.MustParseAddr("192.0.2.1")
	rapid.Check(t, func(t *rapid.T) {
		invented := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[0-9a-f.:, \[\]/%]{0,40}`), rapid.Just("10.0.0.9"), rapid.Just("203.0.113.1")), 0, 5).Draw(t, "invented")
		seen := seenAt.String()
		if rapid.Bool().Draw(t, "same line") && len(invented) > 0 {
			seen = strings.Join(invented, ",") + ", " + seen
			invented = nil
		}
		r := &http.Request{RemoteAddr: "10.1.2.3:1", Header: http.Header{Header: append(invented, seen)}}
		if got, ok := proxies.Client(r); !ok || got != seenAt {
			t.Fatalf("%q makes it %s", r.Header[Header], got)
		}
	})
}
