package follow_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
)

// advertisement is what a repository of one commit answers first.
var advertisement = "001e# service=git-upload-pack\n0000" + packet(strings.Repeat("a", 40)+" refs/heads/main\x00side-band-64k ofs-delta\n") + "0000"

// TestGitHosts leads clones to hosts that are not listed: they get no request, and none gets credentials of another.
func TestGitHosts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		hosts    string // HOME and OTHER are the two servers
		url      string
		redirect string // of the list of references; "" if there is none
		pack     string // redirect of the request for the objects; "" if there is none
		says     string
		other    int32 // requests that the other server gets
	}{
		{name: "a redirect to another host", hosts: "HOME", url: "HOME/r.git", redirect: "OTHER/r.git/info/refs?service=git-upload-pack", says: "--source-hosts"},
		{name: "a redirect to the metadata of a cloud", hosts: "HOME,http://*:*", url: "HOME/r.git", redirect: "http://169.254.169.254/r.git/info/refs", says: "reserved address"},
		{name: "a redirect to a name of loopback", hosts: "HOME,http://*:*", url: "HOME/r.git", redirect: "http://localhost:PORT/r.git/info/refs", says: "reserved address"},
		{name: "a redirect of the request for objects", hosts: "HOME", url: "HOME/r.git", pack: "OTHER/r.git/git-upload-pack", says: "cannot be reached"},
		{name: "a redirect to a file", hosts: "HOME", url: "HOME/r.git", redirect: "file:///etc/passwd", says: "cannot be reached"},
		{name: "a name of loopback", hosts: "http://*:*", url: "http://localhost:PORT/r.git", says: "reserved address"},
		{name: "a redirect to a host that is listed", hosts: "HOME,OTHER", url: "HOME/r.git", redirect: "OTHER/r.git/info/refs?service=git-upload-pack", says: "cannot be reached", other: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked, leaked atomic.Int32
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
					leaked.Add(1)
				}
				if strings.HasSuffix(r.URL.Path, "/info/refs") {
					_, _ = io.WriteString(w, advertisement)
					return
				}
				w.WriteHeader(http.StatusInternalServerError)
			}))
			defer other.Close()
			var resolve func(string) string
			home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				first := strings.HasSuffix(r.URL.Path, "/info/refs")
				switch {
				case first && tt.redirect != "":
					http.Redirect(w, r, resolve(tt.redirect), http.StatusFound)
				case first:
					_, _ = io.WriteString(w, advertisement)
				case tt.pack != "":
					http.Redirect(w, r, resolve(tt.pack), http.StatusTemporaryRedirect)
				default:
					w.WriteHeader(http.StatusInternalServerError)
				}
			}))
			defer home.Close()
			at, err := url.Parse(other.URL)
			if err != nil {
				t.Fatal(err)
			}
			resolve = strings.NewReplacer("HOME", home.URL, "OTHER", other.URL, "PORT", at.Port()).Replace
			hosts, err := outbound.ParseHosts(strings.Split(resolve(tt.hosts), ","))
			if err != nil {
				t.Fatal(err)
			}
			f := fetcher(t, follow.Options{Policy: outbound.NewPolicy(hosts, "--source-hosts"), Credentials: func() (follow.Credentials, error) {
				return follow.Credentials{strings.TrimPrefix(home.URL, "http://"): {User: "ann", Password: "secret"}}, nil
			}})
			_, err = fetch(t, f, fmt.Sprintf("{type: git, url: '%s'}", resolve(tt.url)), "")
			if e := dovetail.AsError(err); err == nil || !strings.Contains(e.Message+" "+e.Remedy, tt.says) {
				t.Errorf("%v, want %s", err, tt.says)
			}
			if asked.Load() != tt.other || leaked.Load() > 0 {
				t.Errorf("the other server got %d requests, %d with credentials", asked.Load(), leaked.Load())
			}
		})
	}
}
