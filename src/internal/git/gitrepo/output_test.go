package gitrepo_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// A list of references without an end is refused in bounded memory over ssh and from a folder, as over https, when the repository is read and when it is written.
func TestManyReferences(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	served := r.ServeSSH()
	ways := map[string]gitrepo.Options{
		"folder": {URL: r.dir}, "file": {URL: "file://" + r.dir},
		"ssh": {URL: served.URL, Credentials: gitrepo.Credentials{Key: served.Key, Passphrase: served.Passphrase, KnownHosts: served.KnownHosts, User: served.User}},
	}
	opened := make(map[string]*gitrepo.Repository)
	for name, options := range ways {
		options.Dir = t.TempDir()
		repository, err := gitrepo.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		opened[name] = repository
	}
	head, long := runGit(t, r.dir, "rev-parse", "main"), strings.Repeat("n", 200)
	var refs strings.Builder
	refs.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range 100_000 {
		fmt.Fprintf(&refs, "%s refs/tags/%06d%s\n", head, i, long)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "packed-refs"), []byte(refs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, repository := range opened {
		calls := map[string]func() error{
			"pull":   func() error { _, err := repository.Pull(t.Context()); return err },
			"change": func() error { _, err := repository.Change(t.Context(), put(map[string]string{"a": "2"})); return err },
			"open": func() error {
				options := ways[name]
				options.Dir = t.TempDir()
				_, err := gitrepo.Open(t.Context(), options)
				return err
			},
		}
		for call, do := range calls {
			t.Run(name+"/"+call, func(t *testing.T) {
				var err error
				peak := testheap.Peak(func() { err = do() })
				if e := dovetail.AsError(err); err == nil || e.Reason != gitrepo.ReasonTooLarge || !strings.Contains(e.Message, "16 MiB") {
					t.Errorf("got %v", err)
				}
				if peak > 100<<20 {
					t.Errorf("it took %d MB", peak>>20)
				}
			})
		}
	}
}

// A repository with a client that decides where connections lead is not reached past that client.
func TestNoWayPastTheClient(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	hosts := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(hosts, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	login := gitrepo.Credentials{Password: "secret", KnownHosts: hosts}
	for url, credentials := range map[string]gitrepo.Credentials{r.dir: {}, "file://" + r.dir: {}, "git://127.0.0.1:1/r.git": {}, "ssh://git@127.0.0.1:1/r.git": login, "git@127.0.0.1:r.git": login} {
		_, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: url, Dir: t.TempDir(), HTTP: &http.Client{}, Credentials: credentials})
		if err == nil || !strings.Contains(err.Error(), "by https only") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
