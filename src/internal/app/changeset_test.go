package app

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// sendIn sends a request to a server, with If-Match for those that want one, and returns the body of an answer of 2xx.
func sendIn(t *testing.T, s *running, method, path, media, body string) string {
	t.Helper()
	request := s.request(t, method, path, body)
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	if strings.HasPrefix(path, "/api/ui-override") && method != http.MethodPost {
		request.Header.Set("If-Match", "*")
	}
	status, _, text := roundTrip(t, request)
	if status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// TestStagedSecretsAreEncrypted stages a credential: what it says is not in the files of the store.
func TestStagedSecretsAreEncrypted(t *testing.T) {
	folder := t.TempDir()
	keys, database := filepath.Join(folder, "main.key"), filepath.Join(folder, "dovetail.db")
	if err := os.WriteFile(keys, []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, map[string]string{"store": "bolt:" + database, "encryption-key-file": keys})
	const marker = "hunter2-in-a-change-set"
	sendIn(t, s, "POST", "/api/change-sets", "", `{"name":"one","title":"title-in-clear"}`)
	sendIn(t, s, "PUT", "/v2/credentials/c?changeSet=one", "", `{"metadata":{"name":"c"},"spec":{"type":"secret","data":{"secret":"`+marker+`"}}}`)
	if diff := sendIn(t, s, "GET", "/api/change-sets/one/diff", "", ""); !strings.Contains(diff, marker) {
		t.Fatal("the diff lacks what is staged:", diff)
	}
	sendIn(t, s, "POST", "/api/change-sets/one/merge", "", "")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	found := false
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(marker)) {
			t.Errorf("%s holds the secret", path)
		}
		found = found || bytes.Contains(text, []byte("title-in-clear"))
		return err
	})
	if err != nil || !found {
		t.Error("the title, which is not encrypted, is nowhere, so that this test sees nothing", err)
	}
}

// TestExportsWithoutKeys copies a store without a key after change sets: what they staged leaves it as the documents
// do, and secrets only on request. Where there are keys, nothing that must be encrypted leaves in plaintext.
func TestExportsWithoutKeys(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	at := "bolt:" + in("a.db")
	s := start(t, map[string]string{"store": at})
	for _, name := range []string{"merged", "open"} {
		sendIn(t, s, "POST", "/api/change-sets", "", `{"name":"`+name+`"}`)
		sendIn(t, s, "PUT", "/v2/clusters/"+name+"?changeSet="+name, "", `{"metadata":{"name":"`+name+`"}}`)
	}
	sendIn(t, s, "POST", "/api/change-sets/merged/merge", "", "")
	command(t, 0, "", "backup", in("served.backup"), "--server", s.URL())
	command(t, 0, "", "export", in("served.jsonl"), "--server", s.URL())
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	command(t, 0, "", "backup", in("a.backup"), "--store", at)
	command(t, 0, "", "export", in("a.jsonl"), "--store", at)
	for _, copied := range []struct{ verb, file string }{{"restore", "a.backup"}, {"restore", "served.backup"}, {"import", "a.jsonl"}, {"import", "served.jsonl"}} {
		to := "bolt:" + in(copied.verb+copied.file+".db")
		command(t, 0, "", copied.verb, in(copied.file), "--store", to)
		again := start(t, map[string]string{"store": to})
		if text := sendIn(t, again, "GET", "/api/change-sets/open", "", ""); !strings.Contains(text, `"id":"cluster/open"`) {
			t.Errorf("%s of %s: %s", copied.verb, copied.file, text)
		}
		sendIn(t, again, "POST", "/api/change-sets/open/merge", "", "")
		if err := again.stop(); err != nil {
			t.Fatal(err)
		}
	}

	secret := start(t, map[string]string{"store": at})
	sendIn(t, secret, "PUT", "/v2/credentials/c?changeSet=open", "", `{"metadata":{"name":"c"},"spec":{"type":"secret","data":{"secret":"hunter2"}}}`)
	if err := secret.stop(); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"backup", "export"} {
		command(t, cli.ExitRefused, "", verb, in("secret"), "--store", at)
		command(t, 0, "", verb, in("secret"), "--store", at, "--cleartext")
	}

	if err := os.WriteFile(in("main.key"), []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	command(t, 0, "{kind: credential, metadata: {name: d}, spec: {type: secret, data: {secret: hunter3}}}", "apply", "-f", "-", "--store", at, "--encryption-key-file", in("main.key"))
	command(t, cli.ExitRefused, "", "export", in("none"), "--store", at, "--under", "changeSet/merged") // some of which may not be encrypted yet
	command(t, 0, "", "export", in("sealed.jsonl"), "--store", at, "--encryption-key-file", in("main.key"))
	if text, err := os.ReadFile(in("sealed.jsonl")); err != nil || bytes.Contains(text, []byte("hunter")) || bytes.Contains(text, []byte(`"verb":"create"`)) {
		t.Errorf("%v: %s", err, text)
	}
}
