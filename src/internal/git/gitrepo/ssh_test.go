package gitrepo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
)

// TestSSH reads and writes over ssh, with the key that the server lets in, and only with it.
func TestSSH(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	served := r.ServeSSH()
	good := gitrepo.Credentials{Key: served.Key, Passphrase: served.Passphrase, KnownHosts: served.KnownHosts, User: served.User}
	dir := t.TempDir()
	repository, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: served.URL, Dir: dir, Credentials: good})
	if err != nil {
		t.Fatal(err)
	}
	commit, err := repository.Change(t.Context(), put(map[string]string{"a": "2", "b/c": "new"}))
	if err != nil || r.show("a") != "2" || r.show("b/c") != "new" {
		t.Fatal(err)
	}
	foreign := r.Push("foreign", map[string]string{"a": "3"})
	if pulled, err := repository.Pull(t.Context()); err != nil || pulled.From != commit || pulled.To != foreign {
		t.Errorf("%+v %v", pulled, err)
	}
	made, err := repository.Make(t.Context(), put(map[string]string{"a": "4"}), time.Unix(1_800_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := repository.SetBranch(t.Context(), "proposal", "", made); err != nil {
		t.Error(err)
	}
	if head, err := repository.BranchHead(t.Context(), "proposal"); err != nil || head != made.Hash {
		t.Errorf("the branch is at %s: %v", head, err)
	}
	r.Fsck(dir)

	other := newRemote(t, map[string]string{"a": "1"}).ServeSSH()
	empty := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(other.KnownHosts)
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(served.URL, "ssh://"+served.User+"@"), "/")
	_, key, _ := strings.Cut(string(text), " ")
	wrong := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(wrong, []byte("["+strings.Replace(address, ":", "]:", 1)+" "+key), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*gitrepo.Credentials)
		want   dovetail.Code
	}{
		{name: "key of another server", want: dovetail.CodeUnauthenticated, change: func(c *gitrepo.Credentials) { c.Key, c.Passphrase = other.Key, other.Passphrase }},
		{name: "wrong passphrase", want: dovetail.CodeInvalid, change: func(c *gitrepo.Credentials) { c.Passphrase = "another" }},
		{name: "no passphrase", want: dovetail.CodeInvalid, change: func(c *gitrepo.Credentials) { c.Passphrase = "" }},
		{name: "unknown server", want: dovetail.CodeInvalid, change: func(c *gitrepo.Credentials) { c.KnownHosts = empty }},
		{name: "server with another key", want: dovetail.CodeInvalid, change: func(c *gitrepo.Credentials) { c.KnownHosts = wrong }},
		{name: "password", want: dovetail.CodeUnauthenticated, change: func(c *gitrepo.Credentials) { c.Key, c.Password = nil, "secret" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			credentials := good
			tt.change(&credentials)
			_, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: served.URL, Dir: t.TempDir(), Credentials: credentials})
			wantCode(t, err, tt.want)
			t.Log(err)
		})
	}
}
