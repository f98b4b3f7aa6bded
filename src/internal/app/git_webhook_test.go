package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// gitSecret and gitPayload are those of GitHub's documentation, which says what their signature is:
// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
const (
	gitSecret    = "It's a Secret to Everybody"
	gitPayload   = "Hello, World!"
	gitSignature = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
)

func secretFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// hooked sends a payload with a header as a Git host does.
func (r *running) hooked(t testing.TB, path, payload string, header ...string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL()+path, strings.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func signed(secret, payload string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return hex.EncodeToString(mac.Sum(nil))
}

// TestGitWebhookChecks lets in only who shows that it knows a secret.
func TestGitWebhookChecks(t *testing.T) {
	t.Parallel()
	const other = "another secret of Git hosts"
	access, tokens := accessFile(t, repositoryRoles, "root")
	file := secretFile(t, other+"\n\n"+gitSecret+"\n")
	server := withGit(t, gittest.New(t, map[string]string{"README.md": "r"}), map[string]string{"instance-repo-webhook-secret-file": file, "instance-repo-interval": "1h", "access": access})
	for _, tt := range []struct {
		name    string
		path    string
		payload string
		header  []string
		want    int
		says    string
	}{
		{name: "GitHub", header: []string{"X-Hub-Signature-256", "sha256=" + gitSignature}, want: 202, says: `"pull":"soon"`},
		{name: "GitHub, with the older signature", header: []string{"X-Hub-Signature-256", "sha256=" + gitSignature, "X-Hub-Signature", "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"}, want: 202},
		{name: "Gitea", header: []string{"X-Gitea-Signature", gitSignature}, want: 202},
		{name: "Forgejo", header: []string{"X-Forgejo-Signature", gitSignature}, want: 202},
		{name: "Bitbucket", header: []string{"X-Hub-Signature", "sha256=" + gitSignature}, want: 202},
		{name: "GitLab", header: []string{"X-Gitlab-Token", gitSecret}, want: 202},
		{name: "another secret of the file", header: []string{"X-Hub-Signature-256", "sha256=" + signed(other, gitPayload)}, want: 202},
		{name: "the repository by its name", path: "?repository=attached", header: []string{"X-Gitlab-Token", gitSecret}, want: 202},
		{name: "another repository", path: "?repository=atached", header: []string{"X-Gitlab-Token", gitSecret}, want: 404, says: "did you mean attached?"},
		{name: "another repository, without a secret", path: "?repository=atached", want: 401},
		{name: "an unknown parameter", path: "?repo=attached", header: []string{"X-Gitlab-Token", gitSecret}, want: 400, says: "repository"},
		{name: "no header", want: 401, says: "no signature and no token"},
		{name: "a token of the access policy", header: []string{"Authorization", "Bearer " + tokens["root"]}, want: 401},
		{name: "a part of the secret", header: []string{"X-Gitlab-Token", gitSecret[:20]}, want: 401, says: "X-Gitlab-Token is another one"},
		{name: "an empty signature", header: []string{"X-Hub-Signature-256", "sha256="}, want: 401},
		{name: "a part of the signature", header: []string{"X-Hub-Signature-256", "sha256=" + gitSignature[:32]}, want: 401},
		{name: "the older signature alone", header: []string{"X-Hub-Signature", "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"}, want: 401},
		{name: "the signature of another payload", payload: "Hello, world!", header: []string{"X-Hub-Signature-256", "sha256=" + gitSignature}, want: 401, says: "not that of the body"},
		{name: "the signature with another secret", header: []string{"X-Hub-Signature-256", "sha256=" + signed("not it, but long enough", gitPayload)}, want: 401},
		{name: "too large", payload: strings.Repeat("x", 25<<20+1), header: []string{"X-Hub-Signature-256", "sha256=" + gitSignature}, want: 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			payload := tt.payload
			if payload == "" {
				payload = gitPayload
			}
			status, text := server.hooked(t, "/git-webhook"+tt.path, payload, tt.header...)
			if status != tt.want || !strings.Contains(text, tt.says) {
				t.Errorf("%d %s, want %d %s", status, text, tt.want, tt.says)
			}
			if strings.Contains(text, gitSecret) || strings.Contains(text, file) {
				t.Errorf("it tells too much: %s", text)
			}
		})
	}
	if status, _ := server.call(t, "GET", "/git-webhook", ""); status != 405 && status != 401 {
		t.Errorf("GET is %d", status)
	}
	if err := os.WriteFile(file, []byte("the secret after a rotation"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, text := server.hooked(t, "/git-webhook", "", "X-Gitlab-Token", gitSecret); status != 401 {
		t.Errorf("the secret before is %d %s", status, text)
	}
	if status, text := server.hooked(t, "/git-webhook", "", "X-Gitlab-Token", "the secret after a rotation"); status != 202 {
		t.Errorf("the new secret is %d %s", status, text)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if status, text := server.hooked(t, "/git-webhook", "", "X-Gitlab-Token", ""); status != 503 || strings.Contains(text, file) {
		t.Errorf("without the file it is %d %s", status, text)
	}
}

// TestGitWebhookPulls: what was pushed is in the store soon after the request, long before the next poll, however many requests there are.
func TestGitWebhookPulls(t *testing.T) {
	t.Parallel()
	remote := gittest.New(t, map[string]string{"environments/parameters/a.yaml": "name: a\nparameters: {}\n"})
	server := withGit(t, remote, map[string]string{"instance-repo-webhook-secret-file": secretFile(t, gitSecret), "instance-repo-interval": "1h"})
	for _, text := range []string{"first", "second"} {
		remote.Push(text, map[string]string{"environments/parameters/a.yaml": "name: a\nparameters: {said: " + text + "}\n"})
		if got := server.must(t, 200, "GET", "/v2/param-sets/a", ""); strings.Contains(got, text) {
			t.Fatal("it was pulled unasked")
		}
		for range 20 {
			if status, answer := server.hooked(t, "/git-webhook", gitPayload, "X-Hub-Signature-256", "sha256="+gitSignature); status != 202 {
				t.Fatal(status, answer)
			}
		}
		eventually(t, "it is pulled", func() bool { return strings.Contains(server.must(t, 200, "GET", "/v2/param-sets/a", ""), text) })
	}
}

// TestGitWebhookConfiguration refuses secrets that are none, and serves nothing without one.
func TestGitWebhookConfiguration(t *testing.T) {
	t.Parallel()
	remote := gittest.New(t, map[string]string{"README.md": "r"})
	server := withGit(t, remote, nil)
	if status, _ := server.hooked(t, "/git-webhook", gitPayload, "X-Hub-Signature-256", "sha256="+gitSignature); status != 404 {
		t.Errorf("without a secret it is %d", status)
	}
	for _, tt := range []struct{ name, file, repository, says string }{
		{name: "no file", file: filepath.Join(t.TempDir(), "none"), repository: remote.Dir, says: "cannot be read"},
		{name: "an empty file", file: secretFile(t, "\n"), repository: remote.Dir, says: "is missing"},
		{name: "a short secret", file: secretFile(t, gitSecret+"\nshort\n"), repository: remote.Dir, says: "is too short"},
		{name: "no repository", file: secretFile(t, gitSecret), says: "no instance repository"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config, err := Load(map[string]string{"listen": "127.0.0.1:0", "store": "bolt:" + filepath.Join(t.TempDir(), "db"), "instance-repo": tt.repository,
				"instance-repo-webhook-secret-file": tt.file}, func(string) (string, bool) { return "", false })
			if err != nil {
				t.Fatal(err)
			}
			server, err := Start(t.Context(), config, t.Output())
			if err == nil {
				server.stop()
				t.Fatal("it starts")
			}
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), gitSecret) {
				t.Error(err)
			}
		})
	}
}
