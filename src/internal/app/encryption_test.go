package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// plantedCredential has its secret in the data, and in the copy of them that kubectl apply keeps.
const plantedCredential = `{"metadata":{"name":"db","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":{\"data\":{\"password\":\"sw0rdf1sh-planted\"}}}"}},"spec":{"type":"usernamePassword","data":{"username":"u","password":"sw0rdf1sh-planted"}}}`

const plantedSecret = "sw0rdf1sh-planted"

// sensitiveKinds are those of the ref-schemas that are built in.
const sensitiveKinds = "changeSetOperation, cloudPassport, clusterConfigurationFile, clusterCredentialSet, configurationFile, credential, credentialSet, effectiveSetPart, environmentCloudPassport, environmentCredential, environmentCredentialSet"

// inFiles reports whether a text is in any file of a folder.
func inFiles(t *testing.T, dir, text string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || bytes.Contains(content, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A server with a key file stores no credential in plaintext, exports none, and rotates keys while it runs.
func TestCredentialsAreEncrypted(t *testing.T) {
	t.Parallel() // an import tries again for some seconds
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := command(t, 0, "", "secrets", "keygen"), command(t, 0, "", "secrets", "keygen")
	write("main.key", first)
	if err := os.Mkdir(in("db"), 0o700); err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"store": "bolt:" + in("db/x.db"), "encryption-key-file": in("main.key"), "require-encryption": "true"})
	server.must(t, 201, "PUT", "/v2/credentials/db", plantedCredential)
	if text := server.must(t, 200, "GET", "/v2/credentials/db", ""); !strings.Contains(text, plantedSecret) {
		t.Errorf("it is read as %s", text)
	}
	if text := server.must(t, 200, "GET", "/v2/credentials?fieldSelector=spec.data.username=u", ""); !strings.Contains(text, `"db"`) {
		t.Errorf("a selector does not see what is encrypted: %s", text)
	}
	if text := server.must(t, 200, "GET", "/readyz", ""); !strings.Contains(text, sensitiveKinds+" are encrypted") {
		t.Errorf("/readyz says %s", text)
	}
	if text := server.must(t, 200, "GET", "/", ""); !strings.Contains(text, `"encryption":{"sensitive":["`+strings.ReplaceAll(sensitiveKinds, ", ", `","`)+`"],"encrypted":true}`) {
		t.Errorf("/ says %s", text)
	}
	if inFiles(t, in("db"), plantedSecret) {
		t.Error("the secret is in the files of a running server")
	}
	command(t, 0, "", "export", in("backup.jsonl"), "--server", server.URL())
	command(t, 0, "", "backup", in("copy.db"), "--checkpoint", "--server", server.URL())
	if inFiles(t, dir, plantedSecret) {
		t.Error("the secret is in a backup")
	}
	if text := command(t, 0, "", "export", "--cleartext", "--server", server.URL()); !strings.Contains(text, plantedSecret) {
		t.Errorf("--cleartext writes %s", text)
	}
	write("main.key", second+first)
	if said := command(t, 0, "", "secrets", "rotate", "--key-file", in("main.key"), "--server", server.URL()); !strings.Contains(said, "encrypted again with the data key k2-") {
		t.Errorf("rotated: %s", said)
	}
	write("main.key", second)
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	if inFiles(t, in("db"), plantedSecret) {
		t.Error("the secret is in the files of a server that ended")
	}
	again := start(t, map[string]string{"store": "bolt:" + in("db/x.db"), "encryption-key-file": in("main.key")})
	if text := again.must(t, 200, "GET", "/v2/credentials/db", ""); !strings.Contains(text, plantedSecret) {
		t.Errorf("after the rotation it is read as %s", text)
	}
	command(t, 5, "", "import", in("backup.jsonl"), "--server", again.URL()) // its main key is gone
	write("main.key", second+first)
	command(t, 0, "", "import", in("backup.jsonl"), "--store", "bolt:"+in("restored.db"), "--encryption-key-file", in("main.key"))
	if text := command(t, 0, "", "get", "credential", "db", "-o", "json", "--store", "bolt:"+in("restored.db"), "--encryption-key-file", in("main.key")); !strings.Contains(text, plantedSecret) {
		t.Errorf("restored: %s", text)
	}
	if text := command(t, 0, "", "get", "credential", "db", "-o", "json", "--store", "bolt:"+in("copy.db"), "--encryption-key-file", in("main.key")); !strings.Contains(text, plantedSecret) {
		t.Errorf("in the checkpoint: %s", text)
	}
	if inFiles(t, dir, plantedSecret) {
		t.Error("the secret is in the restored database")
	}
}

// A server without the key of an encrypted store does not say that the store is in plaintext: it serves the rest, degraded.
func TestEncryptedWithoutKey(t *testing.T) {
	folder := t.TempDir()
	key, at := filepath.Join(folder, "main.key"), "bolt:"+filepath.Join(folder, "x.db")
	if out := command(t, 0, "", "secrets", "keygen", key); out != "" {
		t.Errorf("the key is shown, too: %s", out)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: the key file has the mode %v", err, info.Mode())
	}
	command(t, cli.ExitRefused, "", "secrets", "keygen", key) // rather than lose the key
	command(t, 0, "{kind: credential, metadata: {name: d}, spec: {type: secret, data: {secret: hunter3}}}", "apply", "-f", "-", "--store", at, "--encryption-key-file", key)
	server := start(t, map[string]string{"store": at})
	text := server.must(t, 200, "GET", "/readyz", "")
	if strings.Contains(text, "in clear") || !strings.Contains(text, "cannot be encrypted or read") || !strings.Contains(text, `"degraded"`) {
		t.Errorf("/readyz says %s", text)
	}
	if logs := server.logs.String(); strings.Contains(logs, "in clear") || !strings.Contains(logs, "cannot be encrypted or read") {
		t.Errorf("the log says %s", logs)
	}
}

// Without a key file the server says so, and does not start where encryption is required.
func TestCredentialsInClear(t *testing.T) {
	server := start(t, nil)
	if text := server.must(t, 200, "GET", "/readyz", ""); !strings.Contains(text, sensitiveKinds+" are stored in clear") {
		t.Errorf("/readyz says %s", text)
	}
	if text := server.must(t, 200, "GET", "/", ""); !strings.Contains(text, `"encrypted":false`) {
		t.Errorf("/ says %s", text)
	}
	var log apptest.Logs
	config, err := Load(map[string]string{"store": "bolt:" + filepath.Join(t.TempDir(), "x.db"), "listen": "127.0.0.1:0", "require-encryption": "true"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), config, &log); dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), "--encryption-key-file") {
		t.Errorf("it starts: %v", err)
	}
	config.Encrypted = false
	unencrypted, err := Start(t.Context(), config, &log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "documents of sensitive kinds are stored in clear") {
		t.Errorf("the log says %s", log.String())
	}
	unencrypted.stop()
	unencrypted.background.Wait()
	if err := unencrypted.backend.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRotationKeepsWhatIsNeeded rotates keys with a secret staged in a change set, and earlier versions of a credential: the key of the
// one stays until it is merged, and the others stay readable.
func TestRotationKeepsWhatIsNeeded(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "main.key")
	if err := os.WriteFile(keys, []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, map[string]string{"store": "bolt:" + filepath.Join(t.TempDir(), "dovetail.db"), "encryption-key-file": keys})
	rotate := func() string {
		t.Helper()
		return command(t, 0, "", "secrets", "rotate", "--key-file", keys, "--server", s.URL())
	}
	const version = `{"metadata":{"name":"c"},"spec":{"type":"secret","data":{"secret":"%d"}}}`
	for n := range 2 {
		sendIn(t, s, "PUT", "/v2/credentials/c", "", fmt.Sprintf(version, n))
	}
	sendIn(t, s, "POST", "/api/change-sets", "", `{"name":"one"}`)
	sendIn(t, s, "PUT", "/api/v1.0/buckets/a/documents?changeSet=one", "application/x-yaml", layeredSecret)
	said := rotate()
	if history := sendIn(t, s, "GET", "/v2/credentials/c?view=history", "", ""); strings.Contains(history, `"erased":true`) {
		t.Error("a rotation erased something:", history)
	}
	if !strings.Contains(said, "the data key k1 stays") || !strings.Contains(said, "staged in one:") {
		t.Error("the rotation does not say which key stays:", said)
	}
	sendIn(t, s, "POST", "/api/change-sets/one/rebase", "", "{}")
	sendIn(t, s, "POST", "/api/change-sets/one/merge", "", "")
	if said = rotate(); !strings.Contains(said, "deleted: k1, k2") {
		t.Error("the key is not gone once it is not needed:", said)
	}
	if text := sendIn(t, s, "GET", "/api/v1.0/revisions/1/documents?cleartext-secrets=true", "", ""); !strings.Contains(text, "data:") || strings.Contains(text, "REDACTED") {
		t.Error("the secret cannot be read:", text)
	}
}
