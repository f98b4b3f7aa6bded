package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
)

// principals are all that send requests. Each of the others than root lacks one right on things, or on devices.
var principals = []string{"root", "approver", "no-create", "no-update", "no-delete", "no-act", "no-use"}

// A world is a server with documents of all cells.
type world struct {
	server            *app.Server
	stop              func() error
	dir               string
	store             string    // where its documents are
	sources           []members // its ref-schema
	tokens            map[string]string
	entries           string // the tokens in the access policy
	logs              *apptest.Logs
	watched, webhooks *seen

	used  map[string]bool // the requests that were sent: "PUT /v2/sites/a"
	cells int             // how many places were given to cells
	sets  int             // how many change sets were made
}

// A backend returns where the documents of a new world are; nil for the embedded store.
type backend func(t testing.TB) string

// newWorld starts a server whose access policy has protections, or none.
func (on backend) newWorld(t *testing.T, protections string, used map[string]bool) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), used: used}
	policy, err := os.ReadFile("testdata/access.yaml")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"ref-schemas": w.schemas(t), "audit": "keep", "encryption-key-file": w.keyFile(t)}
	if on != nil {
		given["store"] = on(t)
	}
	maps.Copy(given, w.follow(t))
	w.start(t, string(policy)+protections, principals, given)
	w.watch(t)
	return w
}

// rootPolicy lets root do everything.
const rootPolicy = "bindings: [{role: editor, users: [root]}]\n"

// newServer starts a server with the built-in ref-schema, whose access policy has a token for each name.
func newServer(t *testing.T, policy string, names []string, given map[string]string) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), used: make(map[string]bool)}
	w.start(t, policy, names, given)
	return w
}

// start runs the server of a world.
func (w *world) start(t *testing.T, policy string, names []string, given map[string]string) {
	t.Helper()
	w.tokens, w.logs = make(map[string]string), &apptest.Logs{}
	var entries strings.Builder
	entries.WriteString("\ntokens:\n")
	for i, name := range names {
		token, digest, err := access.NewToken(strings.NewReader(strings.Repeat(string(rune('a'+i)), 32)))
		if err != nil {
			t.Fatal(err)
		}
		w.tokens[name] = token
		fmt.Fprintf(&entries, "- {name: %s, sha256: %x}\n", name, digest)
	}
	w.entries = entries.String()
	flags := map[string]string{"access": w.file(t, "access.yaml", policy+w.entries), "log-level": "info", "refusal-rate": "0"}
	maps.Copy(flags, given)
	flags = apptest.ServerFlags(t, flags)
	w.store = flags["store"]
	config, err := app.Load(flags, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.server, err = app.Start(t.Context(), config, w.logs); err != nil {
		t.Fatal(err)
	}
	w.stop = apptest.Run(t, w.server.Run)
}

// allow puts another access policy in force.
func (w *world) allow(t *testing.T, policy string) {
	t.Helper()
	changed := w.logs.Next("a changed access policy file is in force")
	if err := os.Rename(w.file(t, "changed.yaml", policy+w.entries), filepath.Join(w.dir, "access.yaml")); err != nil {
		t.Fatal(err)
	}
	<-changed
}

// keyFile returns the path of a new file with encryption keys.
func (w *world) keyFile(t *testing.T) (path string) {
	t.Helper()
	key, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	return w.file(t, "main.key", key)
}

// schemas returns a folder with the ref-schema of the matrix and those of the services.
func (w *world) schemas(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(w.dir, "schemas")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"matrix.yaml": "testdata/schema.yaml", "changeset.yaml": "../../changeset/ref-schemas/v1.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w.file(t, filepath.Join("schemas", name), string(text))
		w.sources = append(w.sources, members{"name": name, "text": string(text)})
	}
	return dir
}

func (w *world) file(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An answer is what a server says to a request.
type answer struct {
	status int
	header http.Header
	text   string
	to     request
}

// done reports whether the request was carried out.
func (a answer) done() bool { return a.status/100 == 2 }

// A request is one to a server; who sends it is a principal.
type request struct {
	who, method, path string // who is "" for a request without a token
	media             string // of the body; default JSON
	body              any    // a text as it is, "" if there is no body; anything else as JSON
	header            map[string]string
}

func (r request) String() string {
	return fmt.Sprintf("%s: %s %s %v %s\n%s", r.who, r.method, r.path, r.header, r.media, r.body)
}

func (w *world) send(t *testing.T, r request) answer {
	t.Helper()
	var body io.Reader
	switch b := r.body.(type) {
	case nil:
	case string:
		if b != "" {
			body = strings.NewReader(b)
		}
	default:
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		body = strings.NewReader(string(text))
	}
	sent, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), r.method, w.server.URL()+r.path, body)
	if err != nil {
		t.Fatal(err)
	}
	w.used[r.method+" "+sent.URL.Path] = true
	if r.who != "" {
		sent.Header.Set("Authorization", "Bearer "+w.tokens[r.who])
	}
	if body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	if r.media != "" {
		sent.Header.Set("Content-Type", r.media)
	}
	for name, value := range r.header {
		if value != "" {
			sent.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(sent)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text), r}
}

// as sends a request with a body of JSON.
func (w *world) as(t *testing.T, who, method, path, body string) (status int, text string) {
	t.Helper()
	a := w.send(t, request{who: who, method: method, path: path, body: body})
	return a.status, a.text
}

// must sends a request of root, and fails the test if it is refused.
func (w *world) must(t *testing.T, method, path string, body any) answer {
	t.Helper()
	a := w.send(t, request{who: "root", method: method, path: path, body: body})
	if !a.done() {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.text)
	}
	return a
}

// put writes a document as root.
func (w *world) put(t *testing.T, id document, spec members) {
	t.Helper()
	w.write(t, id, "PUT", members{"op": "put", "id": id.String(), "data": id.data(spec)}, id.data(spec))
}

// remove deletes a document as root.
func (w *world) remove(t *testing.T, id document) {
	t.Helper()
	w.write(t, id, "DELETE", members{"op": "delete", "id": id.String()}, nil)
}

// write writes a document as root in the way that is left for it: managed ones are repaired, and protected ones are written by an
// approved change set.
func (w *world) write(t *testing.T, id document, method string, operation members, body any) {
	t.Helper()
	switch {
	case id.kind == "machine":
		w.must(t, "POST", "/v2/batch?managed=true", []members{operation})
	case id.site == guarded:
		w.sets++
		set := "/api/change-sets/approved-" + number(w.sets)
		w.must(t, "POST", "/api/change-sets", members{"name": "approved-" + number(w.sets)})
		w.must(t, "POST", "/v2/batch?changeSet=approved-"+number(w.sets), []members{operation})
		if a := w.send(t, request{who: "approver", method: "POST", path: set + "/reviews", body: members{"decision": "approve"}}); !a.done() {
			t.Fatalf("the approval of %s: %d %s", id, a.status, a.text)
		}
		w.must(t, "POST", set+"/merge", nil)
	default:
		w.must(t, method, id.path(), body)
	}
}

// guarded is the site with protected documents.
const guarded = "guarded"

// state is a document with its status, or "" if there is none.
func (w *world) state(t *testing.T, id document) string {
	t.Helper()
	switch a := w.send(t, request{who: "root", method: "GET", path: id.path() + "?view=document"}); a.status {
	case http.StatusOK:
		return a.text
	case http.StatusNotFound:
		return ""
	default:
		t.Fatalf("%s is read as %d %s", id, a.status, a.text)
		return ""
	}
}

// version is the entity tag of a document.
func (w *world) version(t *testing.T, id document) string {
	t.Helper()
	return w.must(t, "GET", id.path(), nil).header.Get("ETag")
}

// members are those of an object.
type members map[string]any

// with returns the members, some of them others.
func (m members) with(more members) members {
	all := members{}
	for _, some := range []members{m, more} {
		for name, value := range some {
			all[name] = value
		}
	}
	return all
}

// A document is named by its kind and its name, and those of its parent.
type document struct{ kind, site, name string }

func (d document) String() string {
	if d.site == "" {
		return d.kind + "/" + d.name
	}
	return "site/" + d.site + "/" + d.kind + "/" + d.name
}

// collection is the path of the documents of the same kind and parent.
func (d document) collection() string {
	if d.site == "" {
		return "/v2/" + d.kind + "s"
	}
	return "/v2/sites/" + d.site + "/" + d.kind + "s"
}

func (d document) path() string { return d.collection() + "/" + d.name }

// objects is the path of its collection in the Kubernetes API.
func (d document) objects() string {
	const group = "/apis/matrix.dovetail.dev/v1/"
	if d.site == "" {
		return group + d.kind + "s"
	}
	return group + "namespaces/" + d.site + "/" + d.kind + "s"
}

// data is all of a document.
func (d document) data(spec members) members {
	if spec == nil {
		spec = members{}
	}
	metadata := members{"name": d.name, "labels": members{"of": d.name}}
	if secret, ok := spec["secret"]; ok { // kubectl keeps a copy of what was applied
		metadata["annotations"] = members{"kubectl.kubernetes.io/last-applied-configuration": fmt.Sprintf(`{"spec":{"secret":%q}}`, secret)}
	}
	return members{"metadata": metadata, "spec": spec}
}

// object is the document in the Kubernetes API.
func (d document) object(spec members) members {
	object := d.data(spec).with(members{"apiVersion": "matrix.dovetail.dev/v1", "kind": strings.ToUpper(d.kind[:1]) + d.kind[1:]})
	if metadata := object["metadata"].(members); d.site != "" { //nolint:forcetypeassert // data makes it
		metadata["namespace"] = d.site
	}
	return object
}

func number(n int) string { return strconv.Itoa(n) }

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
