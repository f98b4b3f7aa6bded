package matrix

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// routesPolicy has roles of every sort: ann may do a little in one place.
const routesPolicy = `roles:
- name: environment-editor
  rules:
  - {kinds: [environment, deployPostfix, application], verbs: [read, create, update, delete]}
- {name: bucket-editor, rules: [{kinds: [layeringBucket], verbs: [create, update, delete]}]}
bindings:
- {role: editor, users: [root]}
- {role: viewer, users: [reader]}
- {role: environment-editor, users: [ann], on: [cluster/x/*]}
- {role: bucket-editor, users: [ann], on: [layeringBucket/other]}
`

// A player sends the requests of routes, one after the other.
type player struct {
	*world
	described       map[string]endpoint // by "GET /path"
	id, association string
	roots           []string // the tops of all documents that the routes write
	sets            int      // how many change sets were made
	cells           int      // how many columns were tried

	sent         int // how many routes that write were tried
	foretold     answer
	former, made transaction
	audited      map[string]bool
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	w := &world{dir: t.TempDir(), used: make(map[string]bool)}
	w.start(t, routesPolicy, []string{"root", "reader", "ann", "norole"}, map[string]string{"webhooks": w.hook(t, "https://127.0.0.1:1/"), "encryption-key-file": w.keyFile(t), "audit": "keep"})
	p := &player{world: w, described: make(map[string]endpoint)}
	for _, op := range w.operations(t) {
		p.described[op.String()] = op
	}
	for _, setup := range [][2]string{{"/v2/clusters", named("m1")}, {"/v2/clusters/m1/environments", named("dev")},
		{"/v2/clusters/m1/environments/dev/effective-set-parts", `{"metadata":{"name":"pipeline/parameters.yaml"},"spec":{"parameters":{"a":1}}}`}} {
		p.must(t, "POST", setup[0], setup[1])
	}
	return p
}

func named(name string) string { return fmt.Sprintf(`{"metadata":{"name":%q}}`, name) }

// TestRoutes takes every route of the description, with every verb that it has, and every role: what is allowed is done, what is
// not is refused, and what is written keeps the promises of columns. A route that is not listed is a failure.
func TestRoutes(t *testing.T) {
	scratch := newPlayer(t)
	for _, r := range ownRoutes {
		scratch.learn(t, r, scratch.send(t, "root", r))
	}
	p := newPlayer(t)
	p.roots = scratch.allRoots(t)
	rest := maps.Clone(p.described)
	for _, r := range ownRoutes {
		if _, served := rest[r.String()]; !served && !r.again {
			t.Errorf("%s has a rule, but is not served", r)
		}
		delete(rest, r.String())
		t.Run(r.String(), func(t *testing.T) { p.play(t, r) })
	}
	documents := 0
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		verb, template := rest[name].verb, rest[name].template
		switch {
		case strings.HasPrefix(template, "/v2/watch"): // it lasts; see TestWatchIsGuarded
			continue
		case !strings.HasPrefix(template, "/v2/"):
			t.Errorf("%s has no rule", name)
			continue
		}
		documents++
		t.Run(name, func(t *testing.T) { p.document(t, verb, template) })
	}
	if documents < 100 {
		t.Errorf("only %d routes of documents", documents)
	}
	t.Logf("%d columns of %d routes that write, %d reasons for empty ones", p.cells, p.sent, len(exceptions))
}

// at is the path of the request.
func (r route) at() string { return cmp.Or(r.path, r.template) }

// send sends the request of a route.
func (p *player) send(t *testing.T, who string, r route) answer {
	t.Helper()
	sent := request{who: who, method: r.verb, media: r.media, body: r.body, header: r.header}
	sent.path = strings.NewReplacer("ID", p.id, "ASSOCIATION", p.association).Replace(r.at())
	if strings.Contains(sent.path, "POSITION") {
		sent.path = strings.ReplaceAll(sent.path, "POSITION", p.position(t, "cluster/m2"))
	}
	return p.world.send(t, sent)
}

// position is that of the oldest transaction that changed a document.
func (p *player) position(t *testing.T, id string) string {
	t.Helper()
	var page struct{ Items []transaction }
	_, text := p.as(t, "root", "GET", "/v2/transactions?id="+url.QueryEscape(id), "")
	decode(t, text, &page)
	if len(page.Items) == 0 {
		t.Fatalf("no transaction changed %s: %s", id, text)
	}
	return page.Items[len(page.Items)-1].Position
}

// play checks one of ownRoutes: principals without the right go first, so that nothing has changed when root does it.
func (p *player) play(t *testing.T, r route) {
	before := p.documents(t)
	for _, who := range []string{"", "norole", "ann", "reader"} {
		p.allowed(t, r, who, p.send(t, who, r))
	}
	if after := p.documents(t); after != before {
		t.Errorf("who may not write changed\n%s\nto\n%s", before, after)
	}
	p.bodies(t, r.verb, r.template)
	var made answer
	if r.writes() && r.answer == 0 && !r.again {
		made = p.columns(t, r)
	} else {
		made = p.send(t, "root", r)
	}
	p.allowed(t, r, "root", made)
	p.learn(t, r, made)
	if r.verb == "GET" && p.described[r.String()].takes("changeSet") && !strings.HasPrefix(r.template, "/v2/idempotency-keys/") {
		p.inChangeSet(t, r)
	}
}

// allowed checks an answer to a principal.
func (p *player) allowed(t *testing.T, r route, who string, a answer) {
	t.Helper()
	done := a.done() || a.status == r.answer
	hidden := a.status == http.StatusForbidden || a.status == http.StatusNotFound
	switch {
	case r.rule == anyone:
		if !done {
			t.Errorf("%q: %d %s", who, a.status, a.text)
		}
	case who == "":
		if a.status != http.StatusUnauthorized {
			t.Errorf("without a token: %d %s", a.status, a.text)
		}
	case r.rule == authors && (who == "ann" || who == "root"), r.rule != authors && (who == "root" || who == "reader" && r.rule != editors || r.rule == authenticated):
		if !done {
			t.Errorf("%s: %d %s", who, a.status, a.text)
		}
	case r.rule == filtered && done:
		if strings.Contains(a.text, "m1") || strings.Contains(a.text, "marker") || strings.Contains(a.text, "resolved") {
			t.Errorf("%s is shown %s", who, a.text)
		}
	case !hidden || r.rule == editors && who == "reader" && a.status != http.StatusForbidden:
		t.Errorf("%s: %d %s", who, a.status, a.text)
	}
}

// learn notes the id of what a request made.
func (p *player) learn(t *testing.T, r route, made answer) {
	t.Helper()
	var is struct{ ID string }
	switch r.String() {
	case "POST /api/paramset":
		decode(t, made.text, &is)
		p.id = is.ID
	case "POST /api/paramset/{id}/associations":
		decode(t, made.text, &is)
		p.association = is.ID
	}
}

// unread is a body that the server must not read.
type unread struct{ asked atomic.Int64 }

func (u *unread) Read([]byte) (int, error) {
	u.asked.Add(1)
	return 0, io.ErrUnexpectedEOF
}

// bodies sends a route bodies that it refuses before a byte of them is read: of a principal without rights, and one that is too long.
func (p *player) bodies(t *testing.T, verb, template string) {
	t.Helper()
	if !p.described[verb+" "+template].body {
		return
	}
	path := elementOf.ReplaceAllString(template, "1")
	if strings.HasPrefix(template, "/api/") {
		path += "?environmentId=m1/dev&kind=full"
	}
	none := "norole"
	if template == "/v2/schema/impact" {
		none = "ann" // who may read a part of the schema
	}
	for _, tt := range []struct {
		who    string
		length int64
		least  int // the status, or one above it: root is refused for other reasons, too
	}{{none, -1, http.StatusForbidden}, {"root", 1 << 40, http.StatusBadRequest}} {
		body := &unread{}
		r, err := http.NewRequestWithContext(t.Context(), verb, p.server.URL()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = tt.length
		r.Header.Set("Authorization", "Bearer "+p.tokens[tt.who])
		if verb == "DELETE" && tt.length < 0 {
			r.ContentLength = 1 // otherwise the client looks whether there is one
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Expect", "100-continue") // the body is sent once the server begins to read it
		answer, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != tt.least && (tt.who != "root" || answer.StatusCode < tt.least) || body.asked.Load() > 0 {
			t.Errorf("a body of %d bytes by %s: %d, it was read %d times", tt.length, tt.who, answer.StatusCode, body.asked.Load())
		}
	}
}

var elementOf = regexp.MustCompile(`\{[^}]*\}`)

// protect puts a protection of these ids in force, none without ids.
func (p *player) protect(t *testing.T, ids []string) {
	t.Helper()
	policy := routesPolicy
	if len(ids) > 0 {
		text, err := json.Marshal(ids)
		if err != nil {
			t.Fatal(err)
		}
		policy += "protect: [{approvals: 1, on: " + string(text) + "}]\n"
	}
	p.allow(t, policy)
}

// allRoots are the tops of all documents that were ever written.
func (p *player) allRoots(t *testing.T) []string {
	t.Helper()
	var page struct {
		Items []struct{ Changes []struct{ ID dovetail.ID } }
	}
	decode(t, p.must(t, "GET", "/v2/transactions?limit=1000", nil).text, &page)
	tops := make(map[string]bool)
	for _, transaction := range page.Items {
		for _, change := range transaction.Changes {
			if top := change.ID.Key()[0]; top.Name != "changeSet" {
				tops[string(dovetail.Key{top}.ID())] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(tops))
}
