package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// keyOf has ssh-keygen make a key, and returns it with its public key.
func keyOf(t *testing.T, options ...string) (key []byte, public string) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen on this machine")
	}
	file := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", append([]string{"-q", "-C", "", "-f", file}, options...)...).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return key, string(text)
}

// TestSignature: Git itself finds that commits are signed, and a commit that is made twice is the same.
func TestSignature(t *testing.T) {
	tests := []struct {
		name, passphrase string
		options          []string
	}{
		{name: "ed25519", options: []string{"-t", "ed25519", "-N", ""}},
		{name: "ed25519 with a passphrase", passphrase: "a passphrase", options: []string{"-t", "ed25519", "-N", "a passphrase"}},
		{name: "a passphrase that is not needed", passphrase: "a passphrase", options: []string{"-t", "ed25519", "-N", ""}},
		{name: "rsa", options: []string{"-t", "rsa", "-b", "2048", "-N", ""}},
		{name: "rsa in an older format", options: []string{"-t", "rsa", "-b", "2048", "-m", "PEM", "-N", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			key, public := keyOf(t, tt.options...)
			signer, err := gitrepo.NewSigner(key, tt.passphrase)
			if err != nil {
				t.Fatal(err)
			}
			r := newRemote(t, map[string]string{"a": "1"})
			opts := options(r.dir, t.TempDir())
			opts.Signer = signer
			repository, err := gitrepo.Open(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			commit, err := repository.Change(t.Context(), put(map[string]string{"a": "2"}))
			if err != nil {
				t.Fatal(err)
			}
			allowed := filepath.Join(t.TempDir(), "allowed")
			for _, by := range []struct {
				public string
				good   bool
			}{{public, true}, {func() string { _, other := keyOf(t, "-t", "ed25519", "-N", ""); return other }(), false}} {
				if err := os.WriteFile(allowed, []byte("dovetail@example.com "+by.public), 0o600); err != nil {
					t.Fatal(err)
				}
				out, err := gittest.Git(r.dir, "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", "-v", commit)
				if (err == nil) != by.good || by.good && !strings.Contains(out, `Good "git" signature for dovetail@example.com`) {
					t.Errorf("%v: %s", err, out)
				}
			}
			at := time.Unix(1_800_000_000, 0)
			first, err := repository.Make(t.Context(), put(map[string]string{"a": "3"}), at)
			if err != nil {
				t.Fatal(err)
			}
			second, err := repository.Make(t.Context(), put(map[string]string{"a": "3"}), at)
			if err != nil || first.Hash != second.Hash {
				t.Errorf("%s, then %s: %v", first.Hash, second.Hash, err)
			}
			r.Fsck(opts.Dir)
		})
	}
}

func TestSignersThatAreRefused(t *testing.T) {
	encrypted, _ := keyOf(t, "-t", "ed25519", "-N", "a passphrase")
	ecdsa, public := keyOf(t, "-t", "ecdsa", "-N", "")
	tests := []struct {
		name, passphrase string
		key              []byte
		want             string
	}{
		{name: "no passphrase", key: encrypted, want: "cannot be read"},
		{name: "wrong passphrase", key: encrypted, passphrase: "another", want: "cannot be read"},
		{name: "ecdsa", key: ecdsa, want: "ecdsa-sha2-nistp256"},
		{name: "public key", key: []byte(public), want: "cannot be read"},
		{name: "OpenPGP", key: []byte("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n-----END PGP PRIVATE KEY BLOCK-----\n"), want: "OpenPGP"},
		{name: "nothing", want: "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gitrepo.NewSigner(tt.key, tt.passphrase)
			wantCode(t, err, dovetail.CodeInvalid)
			if !strings.Contains(err.Error(), tt.want) {
				t.Error(err)
			}
		})
	}
}
