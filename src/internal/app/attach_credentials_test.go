package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// signingKey makes a key pair in a folder, and returns the public key.
func signingKey(t *testing.T, folder string) string {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen on this machine")
	}
	file := filepath.Join(folder, "signing")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-C", "", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return string(public)
}

// TestRepositoryOverSSH: a server follows a repository behind a real sshd, with keys that its credentials file names, and signs its commits.
func TestRepositoryOverSSH(t *testing.T) {
	t.Parallel()
	remote := gittest.New(t, map[string]string{
		"environments/c1/dev/Inventory/env_definition.yml":  "envTemplate: {name: t}\n",
		"environments/c1/dev/Inventory/parameters/own.yaml": "name: own\nparameters: {A: 1}\n",
	})
	served := remote.ServeSSH()
	folder := t.TempDir()
	public := signingKey(t, folder)
	for name, text := range map[string]string{
		"key": string(served.Key), "allowed": "ann@example.com " + public,
		"credentials.yaml": fmt.Sprintf("user: %s\nsshKey: key\npassphrase: %s\nknownHosts: known_hosts\nsigningKey: signing\nsigningPassphrase: secret\n", served.User, served.Passphrase),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(served.KnownHosts, filepath.Join(folder, "known_hosts")); err != nil {
		t.Fatal(err)
	}
	server := withGit(t, remote, map[string]string{"instance-repo": served.URL, "instance-repo-credentials": filepath.Join(folder, "credentials.yaml")})
	if status, body := server.call(t, "PUT", "/v2/clusters/c1/environments/dev/param-sets/own", `{"metadata":{"name":"own"},"spec":{"name":"own","parameters":{"A":"2"}}}`); status != 200 {
		t.Fatal(status, body)
	}
	if text, _ := remote.Show("environments/c1/dev/Inventory/parameters/own.yaml"); !strings.Contains(text, "2") {
		t.Errorf("the file is %s", text)
	}
	out, err := gittest.Git(remote.Dir, "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+filepath.Join(folder, "allowed"), "verify-commit", "main")
	if err != nil || !strings.Contains(out, `Good "git" signature`) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestRepositoryCredentialsThatAreRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a list", "[a]", "not one map"},
		{"misspelt", "user: a\npasword: b\n", "pasword is no text, or none of the credentials"},
		{"not text", "user: {a: b}\n", "user is no text"},
		{"no such key", "sshKey: none\n", "the private key of ssh cannot be read"},
		{"no such signing key", "signingKey: none\n", "the key that signs commits cannot be read"},
		{"a signing key that is none", "signingKey: credentials.yaml\n", "the key that signs commits cannot be read"},
		{"the passphrase of none", "signingPassphrase: secret\n", "no signingKey"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "credentials.yaml")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := readCredentials(file)
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}
