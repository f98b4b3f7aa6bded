package app

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// canaries are secrets by the way in which each of them was planted.
type canaries map[string]string

// plant makes the secret of a way.
func (c canaries) plant(way string) string {
	c[way] = "c4n4ry-" + strings.ReplaceAll(way, " ", "-") + "-t7Qz9"
	return c[way]
}

// forms are the texts by which a secret is found: plain, in hexadecimal digits, and in base64 at each of the three places in which it may begin there. The
// characters at the ends of base64 depend on what stands beside it.
func forms(secret string) []string {
	all := []string{secret, hex.EncodeToString([]byte(secret))}
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString(append(bytes.Repeat([]byte{0}, shift), secret...))
		all = append(all, text[4:len(text)-4])
	}
	return all
}

// in checks that no secret is in a text.
func (c canaries) in(t *testing.T, place string, text []byte) {
	t.Helper()
	for way, secret := range c {
		for _, form := range forms(secret) {
			if at := bytes.Index(text, []byte(form)); at >= 0 {
				t.Errorf("%s: the secret planted by %s is there: %q", place, way, text[max(0, at-120):min(len(text), at+80)])
				break
			}
		}
	}
}

// inFolder checks the files of a folder.
func (c canaries) inFolder(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		c.in(t, path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// received keeps what a server sends to others.
type received struct {
	mu   sync.Mutex
	text bytes.Buffer
	n    int
}

func (r *received) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Write(body)
	r.n++
}

func (r *received) so() (text []byte, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.text.Bytes()), r.n
}

// credentialOf has a secret in its data, and in the copy of them that kubectl apply keeps.
func credentialOf(name, secret string) string {
	bare := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"type":"usernamePassword","data":{"username":"u","password":%q}}}`, name, secret)
	text, err := json.Marshal(bare)
	if err != nil {
		panic(err) // a text can be written
	}
	return strings.Replace(bare, `"metadata":{`, `"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":`+string(text)+`,"other":"`+secret+`"},"userData1":"`+secret+`","userData2":"`+secret+`",`, 1)
}

// TestCanaries plants a secret by each way to write, and looks for it in all that leaves the server otherwise than as the document itself: the files of the
// database, backups and exports, the log, traces, webhooks, audit records, lists, searches and refusals.
func TestCanaries(t *testing.T) {
	const group, objects = "inventory.dovetail.dev/v1", "/apis/inventory.dovetail.dev/v1/credentials"
	access, tokens := accessFile(t, `roles:
- {name: blind, rules: [{kinds: [credential], verbs: [create, update]}]}
bindings:
- {role: editor, users: [root]}
- {role: viewer, users: [reader]}
- {role: blind, users: [blind]}`, "root", "reader", "blind")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	keys, policy := filepath.Join(t.TempDir(), "main.key"), filepath.Join(t.TempDir(), "audit.yaml")
	writeFile(t, keys, command(t, 0, "", "secrets", "keygen"))
	writeFile(t, policy, "rules: [{level: request}]\n")
	traces, hooks := &received{}, &received{}
	collector, receiver := httptest.NewServer(traces), httptest.NewServer(hooks)
	defer collector.Close()
	defer receiver.Close()
	if err := os.Mkdir(in("db"), 0o700); err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"store": "bolt:" + in("db/x.db"), "encryption-key-file": keys, "require-encryption": "true", "access": access, "audit": "keep", "audit-policy": policy,
		"log-level": "debug", "trace-endpoint": collector.URL, "webhooks": webhooksFile(t, receiver.URL), "webhook-hosts": "http://127.0.0.1:*"})
	t.Setenv("DOVETAIL_TOKEN", tokens["root"])
	planted := make(canaries)
	sent := 0
	send := func(who, method, path, media, body string) (int, string) {
		t.Helper()
		request := server.request(t, method, path, body)
		request.Header.Set("Authorization", "Bearer "+tokens[who])
		if sent++; method != http.MethodGet {
			request.Header.Set("Idempotency-Key", fmt.Sprint("key-", sent))
		}
		if media != "" {
			request.Header.Set("Content-Type", media)
		}
		status, _, text := roundTrip(t, request)
		return status, text
	}
	must := func(method, path, media, body string) {
		t.Helper()
		if status, text := send("root", method, path, media, body); status/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
	}
	object := func(name, way string) string {
		return `{"apiVersion":"` + group + `","kind":"Credential",` + strings.TrimPrefix(credentialOf(name, planted.plant(way)), "{")
	}
	password := func(way string) string {
		secret := planted.plant(way)
		return `{"metadata":{"annotations":{"more":"` + secret + `"}},"spec":{"data":{"password":"` + secret + `"}}}`
	}

	// Most ways to write are those of the matrix, which looks for secrets after each.
	must("PUT", "/v2/credentials/put", "", credentialOf("put", planted.plant("PUT")))

	// Change sets: merged, left open, and dropped.
	for _, set := range []string{"merged", "open"} {
		must("POST", "/api/change-sets", "", `{"name":"`+set+`"}`)
		must("PUT", "/v2/credentials/"+set+"?changeSet="+set, "", credentialOf(set, planted.plant("change set "+set)))
		must("PATCH", "/v2/credentials/"+set+"?changeSet="+set, "application/merge-patch+json", password("patch in change set "+set))
	}
	must("POST", "/api/change-sets/merged/merge", "", "")
	must("PUT", "/v2/credentials/put?changeSet=open", "", credentialOf("put", planted.plant("staged replacement")))

	// The Kubernetes API.
	must("POST", objects+"?fieldManager=kubectl-client-side-apply", "", object("k8s", "kubectl apply"))
	if _, text := send("root", "GET", objects+"/k8s", "", ""); strings.Count(text, planted["kubectl apply"]) != 5 { // which the next kubectl apply compares with
		t.Errorf("an object is read as %s", text)
	}

	// Other kinds: one that is sensitive as a whole, and layered documents.
	must("POST", "/v2/clusters", "", named("c1"))
	must("PUT", "/v2/clusters/c1/cloud-passports/p", "", `{"metadata":{"name":"p","annotations":{"a":"`+planted.plant("annotation of passport")+`"}},"spec":{"any":"`+planted.plant("passport")+`"}}`)
	must("PUT", "/api/v1.0/buckets/a/documents", "application/x-yaml", strings.ReplaceAll(layeredSecret, "swordfish", planted.plant("layered document")))

	// The command line.
	command(t, 0, `{"kind":"credential",`+strings.TrimPrefix(credentialOf("cli", planted.plant("dovetail apply")), "{"), "apply", "-f", "-", "--server", server.URL())
	command(t, 0, `{"kind":"credential","id":"credential/imported","uid":"u1","revision":1,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z","data":`+credentialOf("imported", planted.plant("dovetail import"))+"}\n", "import", "-", "--allow-incomplete", "--server", server.URL())

	// What is refused.
	refused := func(who, way, method, path, media, body string) {
		t.Helper()
		status, text := send(who, method, path, media, strings.ReplaceAll(body, "SECRET", planted.plant(way)))
		if status < 400 || status >= 500 {
			t.Errorf("%s: %d %s", way, status, text)
		}
		planted.in(t, "the refusal of "+way, []byte(text))
	}
	refused("root", "wrong type", "PUT", "/v2/credentials/bad", "", `{"spec":{"data":{"password":["SECRET"]}}}`)
	refused("root", "not an object", "PUT", "/v2/credentials/bad", "", `{"spec":{"data":"SECRET"}}`)
	refused("root", "misspelt", "PUT", "/v2/credentials/bad", "", `{"specc":{"data":{"password":"SECRET"}}}`)
	refused("root", "missing parent", "PUT", "/v2/clusters/none/cloud-passports/p", "", `{"spec":{"a":"SECRET"}}`)
	refused("root", "wrong type in a batch", "POST", "/v2/batch", "", `[{"op":"put","id":"credential/bad","data":{"spec":{"data":{"password":["SECRET"]}}}}]`)
	refused("root", "no JSON", "PUT", "/v2/credentials/bad", "", `{"spec":{"data":{"password":SECRET}}}`)
	refused("root", "wrong annotation", "POST", objects, "", `{"apiVersion":"`+group+`","kind":"Credential","metadata":{"name":"bad","annotations":["SECRET"]},"spec":{"data":["SECRET"]}}`)
	refused("root", "json patch of nothing", "PATCH", objects+"/k8s", "application/json-patch+json", `[{"op":"test","path":"/spec/data/password","value":"SECRET"}]`)
	refused("root", "immutable uid", "PUT", objects+"/k8s", "", `{"apiVersion":"`+group+`","kind":"Credential","metadata":{"name":"k8s","uid":"none","annotations":{"a":"SECRET"}}}`)
	refused("blind", "patch without the right to read", "PATCH", "/v2/credentials/put", "", `{"spec":{"data":{"password":"SECRET"}}}`)
	refused("blind", "apply without the right to read", "PATCH", objects+"/k8s?fieldManager=b", "application/apply-patch+yaml", `{"apiVersion":"`+group+`","kind":"Credential","metadata":{"name":"k8s"},"spec":{"data":{"password":"SECRET"}}}`)
	refused("reader", "write without the right", "PUT", "/v2/credentials/put", "", `{"spec":{"data":{"password":"SECRET"}}}`)
	_, text := send("blind", "PUT", "/v2/credentials/put", "", `{"spec":{"type":"x"}}`)
	planted.in(t, "the answer to who may not read", []byte(text))

	// What is found without being shown.
	for way, secret := range planted {
		for _, path := range []string{"/v2/documents?contains=", "/v2/documents?changeSet=open&contains="} {
			if status, text := send("root", "GET", path+secret, "", ""); status != http.StatusOK || strings.Contains(text, secret) {
				t.Errorf("%s finds what was planted by %s: %s", path, way, text)
			}
		}
	}
	for _, path := range []string{"/", "/readyz", "/metrics", "/v2/system", "/v2/schema", "/v2/audit?limit=1000", "/v2/transactions?limit=1000", "/v2/sessions", "/v2/webhooks", "/v2/work", "/v2/counts",
		"/v2/credentials/put?view=history", "/v2/credentials/k8s?view=referrers", "/api/change-sets", "/api/change-sets/open"} {
		status, text := send("root", "GET", path, "", "")
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, text)
		}
		planted.in(t, path, []byte(text))
	}
	request := server.request(t, "GET", objects, "")
	request.Header.Set("Authorization", "Bearer "+tokens["root"])
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	if status, _, text := roundTrip(t, request); status != 200 || !strings.Contains(text, `"kind":"Table"`) {
		t.Errorf("a table: %d %s", status, text)
	}

	// What is kept and sent elsewhere.
	planted.inFolder(t, in("db"))
	command(t, 0, "", "export", in("export.jsonl"), "--server", server.URL())
	command(t, 0, "", "backup", in("backup"), "--server", server.URL())
	command(t, 0, "", "backup", in("checkpoint.db"), "--checkpoint", "--server", server.URL())
	eventually(t, "events came", func() bool { _, n := hooks.so(); return n > 10 })
	if err := server.stop(); err != nil { // it sends the traces that are left
		t.Fatal(err)
	}
	planted.inFolder(t, dir)
	planted.in(t, "the log", []byte(server.logs.String()))
	for what, from := range map[string]*received{"traces": traces, "webhooks": hooks} {
		text, n := from.so()
		if n == 0 {
			t.Errorf("no %s were sent", what)
		}
		planted.in(t, what, text)
	}
}

// versionOf is the version of a document.
func (r *running) versionOf(t *testing.T, token, path string) string {
	t.Helper()
	status, header, text := r.as(t, token, "GET", path, "")
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	return strings.Trim(header.Get("ETag"), `"`)
}

// forms finds a secret wherever it begins in what is encoded.
func TestForms(t *testing.T) {
	planted := canaries{}
	secret := planted.plant("a test")
	for _, before := range []string{"", "x", "xy", "xyz"} {
		text := []byte(before + secret + "end")
		for name, encoded := range map[string]string{"plain": string(text), "base64": base64.StdEncoding.EncodeToString(text), "base64url": base64.RawURLEncoding.EncodeToString(text), "hex": hex.EncodeToString(text)} {
			found := false
			for _, form := range forms(secret) {
				found = found || strings.Contains(encoded, form)
			}
			if !found {
				t.Errorf("%s after %q is not found", name, before)
			}
		}
	}
}
