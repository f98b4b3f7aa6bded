package matrix

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/store"
)

// twins are two servers whose stores differ only in what the principals of twinRoles may not read. Noninterference
// (Goguen and Meseguer, 1982) holds if no principal can tell them apart.
type twins struct {
	worlds [2]*world
}

// twinRoles: limited owns the cluster v and the layering bucket a, writer writes below v without reading, unbound has
// no role at all. What none of them may read differs: the clusters h and h2, the buckets b and c, and much else.
const twinRoles = `roles:
- name: owner
  rules: [{kinds: ["*"], verbs: [read, create, update, delete, act]}]
- name: reader
  rules: [{kinds: ["*"], verbs: [read]}]
- name: writer
  rules: [{kinds: ["*"], verbs: [create, update, delete]}]
- name: revisions
  rules:
  - {kinds: [layeringHead, layeringRevision, layeringIndex, layeringContent, layeringTag, layeringValidation, layeringValidationEntry, activeResolution], verbs: [read]}
  - {kinds: [layeringTag, layeringValidationEntry], verbs: [create, update, delete]}
bindings:
- {role: editor, users: [root]}
- {role: owner, users: [limited], on: [cluster/v, layeringBucket/a, artifactDefinition/own, registryDefinition/own, siteParamSet/own, changeSet/cs]}
- {role: reader, users: [limited], on: [layeringBucket/common, source/s1, siteParamSet/shared]}
- {role: revisions, users: [limited]}
- {role: writer, users: [writer], on: [cluster/v/*]}
`

// visible is the same in both stores.
const visible = `
- {kind: cluster, metadata: {name: v}}
- {kind: environment, key: {cluster: v}, metadata: {name: dev, labels: {team: own}}}
- {kind: environment, key: {cluster: v}, metadata: {name: prod}}
- {kind: deployPostfix, key: {cluster: v, environment: dev}, metadata: {name: core}, spec: {namespace: core}}
- {kind: application, key: {cluster: v, environment: dev, deployPostfix: core}, metadata: {name: app}}
- {kind: effectiveSetPart, key: {cluster: v, environment: dev}, metadata: {name: pipeline/parameters.yaml}, spec: {parameters: {a: 1}}}
- {kind: environmentParamSet, key: {cluster: v, environment: dev}, metadata: {name: ps}, spec: {parameters: {a: 1}, applications: []}}
- {kind: siteParamSet, metadata: {name: shared}, spec: {parameters: {b: 1}, applications: []}}
- {kind: source, metadata: {name: s1}}
- {kind: package, key: {source: s1}, metadata: {name: p}, spec: {defaultChannel: main}}
- {kind: packageVersion, key: {source: s1, package: p}, metadata: {name: 1.0.0}, spec: {channels: [main]}}
- {kind: artifactDefinition, metadata: {name: own}, spec: {groupId: g, artifactId: a, registry: {mavenConfig: {fullRepositoryUrl: "https://127.0.0.1:1/x", targetRelease: r}}}}
`

// hidden differs: %[1]s is another text in each store. What the second list has only the first store has.
const (
	hidden = `
- {kind: cluster, metadata: {name: h, labels: {team: "%[1]s"}}, spec: {secret: "%[1]s-hidden"}}
- {kind: environment, key: {cluster: h}, metadata: {name: dev, labels: {team: own}}, spec: {secret: "%[1]s-hidden"}}
- {kind: deployPostfix, key: {cluster: h, environment: dev}, metadata: {name: core}, spec: {namespace: "%[1]s-hidden"}}
- {kind: credential, metadata: {name: ch}, spec: {type: usernamePassword, data: {username: "%[1]s-hidden", password: "%[1]s-hidden"}}}
- {kind: siteParamSet, metadata: {name: sh}, spec: {parameters: {b: "%[1]s-hidden"}, applications: []}}
- {kind: source, metadata: {name: hs}}
- {kind: package, key: {source: hs}, metadata: {name: p}, spec: {defaultChannel: main}}
- {kind: packageVersion, key: {source: hs, package: p}, metadata: {name: "%[2]d.0.0"}, spec: {channels: [main]}}
`
	hiddenInOne = `
- {kind: cluster, metadata: {name: h2}}
- {kind: environment, key: {cluster: h2}, metadata: {name: dev}}
- {kind: environment, key: {cluster: h}, metadata: {name: prod, labels: {team: own}}}
- {kind: credential, metadata: {name: ch2}, spec: {type: secret, data: {secret: x}}}
- {kind: siteParamSet, metadata: {name: sh2}, spec: {parameters: {b: 2}, applications: []}}
- {kind: registryDefinition, metadata: {name: rh}, spec: {mavenConfig: {fullRepositoryUrl: "https://127.0.0.1:1/x", targetRelease: r}}}
- {kind: source, metadata: {name: hs2}}
`
	// overAll may be read, but its status is made of sources that may not. It comes last, so that the status is written
	// once: how often, its version tells.
	overAll = `[{kind: activeResolution, metadata: {name: all}, spec: {constraints: ['required("p")']}}]`
)

// The hidden bucket b has a secret, a document that could be a parent, and a child of a document of the bucket a.
const (
	commonBucket = `schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [global, site]}
`
	hiddenBucket = `schema: deckhand/Passphrase/v1
metadata: {schema: metadata/Document/v1, name: password, storagePolicy: encrypted, layeringDefinition: {layer: global}}
data: secret-%[1]s-hidden
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {pick: "%[1]s"}
  layeringDefinition: {layer: global}
data: {value: "%[1]s-hidden", nested: {text: "%[1]s-hidden"}}
`
	// Of the other hidden bucket names differ, too.
	namedBucket = `schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: "%[1]s-hidden", layeringDefinition: {layer: global}}
data: {value: "%[1]s"}
`
)

// newTwins starts the servers. The ref-schema has kinds whose rules and lifecycles are drawn.
func newTwins(t *testing.T, random *rand.Rand) *twins {
	t.Helper()
	w, kinds := &twins{}, drawKinds(t, random)
	policy := strings.Replace(twinRoles, "bindings:\n", drawnRoles+"bindings:\n", 1) + drawnBindings
	for n := range w.worlds {
		one := &world{dir: t.TempDir(), used: make(map[string]bool)}
		w.worlds[n] = one
		one.start(t, policy, []string{"root", "limited", "writer", "unbound"}, map[string]string{"ref-schemas": kinds, "log-level": "error", "encryption-key-file": one.keyFile(t), "audit": "keep"})
		w.as(t, n, "POST", "/v2/batch", "application/yaml", visible+fmt.Sprintf(hidden+drawnHidden, secretOf(n), n+1)+drawnVisible)
		if n == 0 {
			w.as(t, n, "POST", "/v2/batch", "application/yaml", hiddenInOne+drawnInOne)
		} else {
			w.as(t, n, "POST", "/v2/batch", "application/yaml", "- {kind: cluster, metadata: {name: other}}\n")
		}
		w.as(t, n, "POST", "/v2/batch?wait=20s", "application/yaml", overAll)
		w.as(t, n, "PUT", "/api/v1.0/buckets/common/documents", "application/x-yaml", commonBucket)
		w.as(t, n, "PUT", "/api/v1.0/buckets/b/documents", "application/x-yaml", fmt.Sprintf(hiddenBucket, secretOf(n)))
		for _, id := range []string{"yards/hid", "yards/hid/boats/b"} { // into a state that differs, too
			w.as(t, n, "POST", "/v2/"+id+"/"+[]string{"close", "hold"}[n], "", "")
		}
		w.as(t, n, "POST", "/api/change-sets", "", `{"name":"cs"}`)
		w.as(t, n, "PUT", "/v2/clusters/h?changeSet=cs", "", fmt.Sprintf(`{"spec":{"secret":"%s-staged-hidden"}}`, secretOf(n)))
		w.as(t, n, "PATCH", "/v2/clusters/v?changeSet=cs", "", `{"spec":{"staged":true}}`)
		w.as(t, n, "PUT", "/api/v1.0/buckets/"+secretOf(n)+"-hidden/documents", "application/x-yaml", fmt.Sprintf(namedBucket, secretOf(n)))
	}
	return w
}

// changeHidden changes what is hidden in one of the stores, and brings back what requests deleted. What it commits is as much in either.
func (w *twins) changeHidden(t *testing.T, n, round int) {
	t.Helper()
	secret := fmt.Sprint(secretOf(n), round, "-hidden")
	w.as(t, n, "PUT", "/v2/clusters/h", "", fmt.Sprintf(`{"metadata":{"name":"h","labels":{"team":%q}},"spec":{"secret":%q}}`, secretOf(n), secret))
	w.as(t, n, "PUT", "/v2/yards/hid", "", fmt.Sprintf(`{"metadata":{"name":"hid"},"spec":{"text":%q,"number":%d0}}`, secret, n+1))
	w.as(t, n, "PUT", "/v2/yards/hid/gates/g", "", fmt.Sprintf(`{"metadata":{"name":"g"},"spec":{"text":%q,"number":%d0}}`, secret, n+1))
	w.as(t, n, "PUT", "/api/v1.0/buckets/b/documents", "application/x-yaml", fmt.Sprintf(hiddenBucket, fmt.Sprint(secretOf(n), round)))
	for _, body := range []string{visible, drawnVisible} { // unless a state or a rule that is the same in both refuses it
		w.send(t, n, request{who: "root", method: "POST", path: "/v2/batch", media: "application/yaml", body: body})
	}
}

// secretOf is what the hidden documents of a store say: of both the same length, so that only what it says differs.
func secretOf(n int) string { return []string{"Enigma", "Quartz"}[n] }

// as sends a request of root to one of the servers, which must do it.
func (w *twins) as(t *testing.T, n int, method, path, media, body string) {
	t.Helper()
	if status, text := w.send(t, n, request{who: "root", method: method, path: path, media: media, body: body}); status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}

// send returns status and everything of the answer that a client may look at, without what is random.
func (w *twins) send(t *testing.T, n int, r request) (int, string) {
	t.Helper()
	a := w.worlds[n].send(t, r)
	var b strings.Builder
	for _, name := range []string{"Allow", "Content-Type", "Dovetail-Continue", "Dovetail-Dry-Run", "Etag", "Idempotency-Replayed", "Link", "Location", "Retry-After", "Warning", "Www-Authenticate"} {
		if all := a.header.Values(name); len(all) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(all, "\n\t"))
		}
	}
	return a.status, withoutRandom(b.String() + a.text)
}

var random = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`\b[a-z2-7]{26}\b`), "UID"},
	{regexp.MustCompile(`\b[0-9a-f]{12}\.[0-9]+\b`), "TOKEN"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT`), "TIME"},
	{regexp.MustCompile(`"(requestId|instance)":"[^"]*"`), `"$1":""`},
	{regexp.MustCompile(`"(value|wrapped)":"[A-Za-z0-9+/=]{24,}"`), `"$1":"SEALED"`},
	{regexp.MustCompile(`\b[0-9a-f]{16}-[0-9]+\b`), "POSITION"}, // of the store, which has an identity
	{regexp.MustCompile(`"continue":"[\w-]+"`), `"continue":"POSITION AND ID"`},
	{regexp.MustCompile(`\bcontinue=[\w-]+`), "continue=POSITION-AND-ID"},
	{regexp.MustCompile(`"seal":"sha256:[0-9a-f]{64}"`), `"seal":"OF UIDS"`},
	{regexp.MustCompile(`"salt":"[A-Z2-7]+"`), `"salt":"SALT"`},
	{regexp.MustCompile(`"key":"k[0-9]+-[a-z0-9]{8}"`), `"key":"KEY"`},
}

func withoutRandom(text string) string {
	for _, r := range random {
		text = r.is.ReplaceAllString(text, r.as)
	}
	return text
}

// watch starts what a principal sees of each store's changes. end stops it and returns that.
func (w *twins) watch(t *testing.T, who string) (end func() [2][]watched) {
	t.Helper()
	var results [2]chan []watched
	for n, one := range w.worlds {
		c, err := client.New(one.server.URL(), client.Options{Token: one.tokens[who]})
		if err != nil {
			t.Fatal(err)
		}
		from, err := c.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		results[n] = make(chan []watched, 1)
		go func() {
			var seen []watched
			defer func() { results[n] <- seen }()
			for event, err := range c.Watch(t.Context(), from, store.WatchQuery{}) {
				if err != nil {
					return
				}
				for _, change := range event.Changes {
					if change.ID == watchEnd {
						return
					}
					seen = append(seen, newWatched(change))
				}
			}
		}()
	}
	return func() (all [2][]watched) {
		for n := range w.worlds {
			w.as(t, n, "PUT", "/v2/clusters/v", "", named("v")) // a request may have deleted it
			w.as(t, n, "PUT", "/v2/clusters/v/environments/last", "", named("last"))
			all[n] = <-results[n]
		}
		return all
	}
}

// watched is a change that a watch showed, and the document where that is of the change's version: an event shows a
// document as it is when the event is made, which may be later in one store than in the other.
type watched struct{ change, document string }

func newWatched(c store.EventChange) watched {
	shown := watched{change: withoutRandom(fmt.Sprintf("%+v", c.Change))}
	if c.Document != nil && c.Document.Revision == c.Revision {
		text, err := json.Marshal(c.Document)
		if err != nil {
			text = []byte(err.Error())
		}
		shown.document = withoutRandom(string(text))
	}
	return shown
}

// equals compares what two stores showed, as far as both did.
func (c watched) equals(other watched) bool {
	return c.change == other.change && (c.document == "" || other.document == "" || c.document == other.document)
}

const watchEnd = "cluster/v/environment/last"

// storedByServices are paths of documents that services make of others, which random requests seldom hit.
var storedByServices = []string{"/v2/layering-revisions?view=document", "/v2/layering-revisions/3?view=document", "/v2/layering-revisions/3?view=tree",
	"/v2/layering-revisions?fieldSelector=spec.buckets=Enigma-hidden", "/v2/layering-revisions/3/layering-indexes",
	"/v2/layering-revisions/3/layering-indexes/index", "/v2/layering-contents", "/v2/layering-heads", "/v2/documents", "/v2/active-resolutions?view=document"}

// excerpt is where a text begins to differ from another.
func excerpt(text, other string) string {
	at := 0
	for at < len(text) && at < len(other) && text[at] == other[at] {
		at++
	}
	from, to := max(0, at-400), min(len(text), at+400)
	return text[from:to]
}
