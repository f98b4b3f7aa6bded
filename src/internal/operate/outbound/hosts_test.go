package outbound_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

func parse(t testing.TB, patterns ...string) outbound.Hosts {
	t.Helper()
	hosts, err := outbound.ParseHosts(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return hosts
}

func parseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, hosts, url string
		known            string // a URL whose origin is known
		credentials      bool
		refused          string // part of the message; "" if there is none
	}{
		{name: "nothing is listed", url: "https://a.example", refused: "https://a.example is not among"},
		{name: "listed", hosts: "a.example", url: "https://a.example/x", credentials: true},
		{name: "without TLS", hosts: "a.example", url: "http://a.example/x", refused: "not among"},
		{name: "without TLS as listed", hosts: "http://a.example", url: "http://a.example/x", credentials: true},
		{name: "with TLS where none is needed", hosts: "http://a.example", url: "https://a.example/x", credentials: true},
		{name: "another port", hosts: "a.example", url: "https://a.example:8443", refused: "https://a.example:8443 is not among"},
		{name: "its port", hosts: "a.example:8443", url: "https://a.example:8443"},
		{name: "not its port", hosts: "a.example:8443", url: "https://a.example", refused: "not among"},
		{name: "any port", hosts: "a.example:*", url: "https://a.example:1"},
		{name: "the port of the scheme", hosts: "https://a.example:443", url: "https://a.example"},
		{name: "case and final dot", hosts: "A.Example.", url: "https://a.EXAMPLE./"},
		{name: "below", hosts: "*.example", url: "https://a.b.example"},
		{name: "below is not it", hosts: "*.a.example", url: "https://a.example", refused: "not among"},
		{name: "only ends like it", hosts: "*.a.example", url: "https://xa.example", refused: "not among"},
		{name: "begins like it", hosts: "a.example", url: "https://a.example.evil.test", refused: "not among"},
		{name: "a user that looks like a host", hosts: "a.example", url: "https://a.example@evil.test", refused: "https://evil.test is not among"},
		{name: "any host", hosts: "*", url: "https://a.example", credentials: true},
		{name: "another scheme", hosts: "*", url: "ftp://a.example", refused: "not among"},
		{name: "a file", hosts: "http://*:*", url: "file:///etc/passwd", refused: "not among"},
		{name: "no host", hosts: "*", url: "https://:443", refused: "not among"},

		{name: "known", url: "https://a.example:8443/x", known: "https://a.example:8443", credentials: true},
		{name: "known, of another port", url: "https://a.example/x", known: "https://a.example:8443", refused: "not among"},
		{name: "known without TLS", url: "http://a.example", known: "http://a.example:80"},
		{name: "known without TLS, with credentials", url: "http://a.example", known: "http://a.example", credentials: true, refused: "would receive credentials without TLS"},
		{name: "the zero origin is not known", url: "ftp://x", known: "ftp://x", refused: "not among"},
		{name: "known and private", url: "https://10.0.0.5", known: "https://10.0.0.5"},

		{name: "metadata of a cloud, known", url: "http://169.254.169.254/latest/meta-data", known: "http://169.254.169.254", refused: "a reserved address"},
		{name: "metadata of a cloud in any host", hosts: "http://*", url: "http://169.254.169.254/", refused: "a reserved address"},
		{name: "metadata of a cloud over IPv6", hosts: "*", url: "https://[fd00:ec2::254]", refused: "a reserved address"},
		{name: "metadata outside of link-local", hosts: "*", url: "https://100.100.100.200", refused: "a reserved address"},
		{name: "loopback", hosts: "*:*", url: "https://127.0.0.1:8443", refused: "a reserved address"},
		{name: "loopback over IPv6", hosts: "*", url: "https://[::1]", refused: "a reserved address"},
		{name: "loopback as IPv6", hosts: "*", url: "https://[::ffff:127.0.0.1]", refused: "a reserved address"},
		{name: "loopback by NAT64", hosts: "*", url: "https://[64:ff9b::7f00:1]", refused: "a reserved address"},
		{name: "loopback by 6to4", hosts: "*", url: "https://[2002:7f00:1::]", refused: "a reserved address"},
		{name: "unspecified", hosts: "*", url: "https://0.0.0.0", refused: "a reserved address"},
		{name: "link-local over IPv6", hosts: "*", url: "https://[fe80::1%25eth0]", refused: "a reserved address"},
		{name: "loopback as listed", hosts: "http://127.0.0.1:8081", url: "http://127.0.0.1:8081", credentials: true},
		{name: "loopback as listed over IPv6", hosts: "[::1]:8081", url: "https://[::1]:8081", credentials: true},
		{name: "loopback of another port", hosts: "http://127.0.0.1:8081,http://*:*", url: "http://127.0.0.1:8080", refused: "a reserved address"},
		{name: "loopback beside its port", hosts: "http://127.0.0.1,http://*:*", url: "http://127.0.0.1:8080", refused: "a reserved address"},
		{name: "link-local as listed", hosts: "http://169.254.10.1", url: "http://169.254.10.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var patterns []string
			if test.hosts != "" {
				patterns = strings.Split(test.hosts, ",")
			}
			var known []outbound.Origin
			if test.known != "" {
				known = append(known, outbound.OriginOf(parseURL(t, test.known)))
			}
			err := outbound.NewPolicy(parse(t, patterns...), "--hosts").Check(parseURL(t, test.url), test.credentials, known...)
			if test.refused == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if refused := outbound.Refused(err); refused == nil || !strings.Contains(refused.Message, test.refused) || !strings.Contains(refused.Remedy, "--hosts") {
				t.Errorf("got %v, want %s", err, test.refused)
			}
		})
	}
}

func TestParseHostsRefuses(t *testing.T) {
	for _, text := range []string{"", "https://", "ftp://a", "a/b", "a:", "a:0", "a:x", "a:65536", "u@a", "*a", "a.*", "**", "*.", "a..b", "::1", "[::1", "[a]", "[127.0.0.1]", "[::1]x", "[::1]:", "a b", "a?b", "bücher.example"} {
		if hosts, err := outbound.ParseHosts([]string{"ok.example", text}); err == nil {
			t.Errorf("%q is %v", text, hosts)
		}
	}
}

func TestOriginString(t *testing.T) {
	for _, test := range []struct{ name, url, want string }{
		{name: "plain", url: "HTTPS://A.example:443/x", want: "https://a.example"},
		{name: "port", url: "http://a.example:443", want: "http://a.example:443"},
		{name: "IPv6", url: "http://[::1]/", want: "http://[::1]"},
		{name: "IPv6 with port", url: "https://[::1]:80/", want: "https://[::1]:80"},
		{name: "none", url: "mailto:x", want: "the URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := outbound.OriginOf(parseURL(t, test.url)).String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The empty list allows no URL. What a list of all hosts refuses is allowed where its origin is listed itself, so that
// there is one spelling for each.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"https://a.example", "https://[::ffff:7f00:1]:80", "http://0x7f.1", "https://127.0.0.1.", "https://[64:ff9b::169.254.169.254]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		none, every := outbound.NewPolicy(outbound.Hosts{}, "--hosts"), outbound.NewPolicy(parse(t, "http://*:*"), "--hosts")
		if none.Check(u, false) == nil {
			t.Errorf("%s is allowed by nothing", text)
		}
		o := outbound.OriginOf(u)
		if every.Check(u, true) != nil && o != (outbound.Origin{}) {
			hosts, err := outbound.ParseHosts([]string{o.String()})
			if err == nil && outbound.NewPolicy(hosts, "--hosts").Check(u, true) != nil {
				t.Errorf("%s is not allowed by %s", text, o)
			}
		}
	})
}
