package matrix

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// document checks a route of documents, on one that may not exist, as the verbs before it left it: a principal with the
// right gets the error of the request, one without it gets only the refusal.
func (p *player) document(t *testing.T, verb, template string) {
	p.bodies(t, verb, template)
	r := route{verb: verb, template: template, path: elementOf.ReplaceAllString(template, "x"), body: `{"metadata":{"name":"x"},"spec":{}}`}
	if verb == "GET" || verb == "DELETE" {
		r.body = ""
	}
	top := verb == "GET" && strings.Count(template, "/") == 2 // a collection: empty for a principal that may read nothing
	for _, who := range []string{"", "norole", "ann", "reader", "root"} {
		a := p.send(t, who, r)
		refused := a.status == http.StatusForbidden
		var want bool // to be refused
		switch who {
		case "":
			if a.status != http.StatusUnauthorized {
				t.Errorf("without a token: %d %s", a.status, a.text)
			}
			continue
		case "root":
			want = false
		case "reader":
			want = verb != "GET"
		case "ann":
			want = !top && !annMay(verb, template)
		default:
			want = !top
		}
		if refused != want || a.status == http.StatusUnauthorized || a.status/100 == 5 {
			t.Errorf("%s: %d %s", who, a.status, a.text)
		}
	}
}

// annMay says what ann may: everything with environments of the cluster x, their namespaces and applications, but
// to write their status.
func annMay(verb, template string) bool {
	const environments = "/v2/clusters/{cluster}/environments"
	item, status := strings.CutSuffix(template, "/status")
	switch item {
	case environments:
		return verb == "POST"
	case environments + "/{environment}", environments + "/{environment}/namespaces/{deployPostfix}", environments + "/{environment}/namespaces/{deployPostfix}/applications/{application}":
		return !status || verb == "GET"
	case environments + "/{environment}/namespaces", environments + "/{environment}/namespaces/{deployPostfix}/applications":
		return true
	}
	// The collections of other kinds below them are lists of what she may not see.
	return verb == "GET" && !strings.HasSuffix(item, "}") && !status && strings.HasPrefix(item, environments+"/{environment}/")
}

// TestProtectionOfDocuments takes every route that writes a document, of every kind.
func TestProtectionOfDocuments(t *testing.T) {
	p := newPlayer(t)
	own := make(map[string]bool)
	for _, r := range ownRoutes {
		own[r.template] = true
	}
	var routes, documents []route
	tops := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(p.described)) { // parents before children
		verb, template := p.described[name].verb, p.described[name].template
		if own[template] || !strings.HasPrefix(template, "/v2/") || verb == "GET" {
			continue
		}
		called, spec := "p", `{}`
		for element, special := range specialDocuments {
			if strings.Contains(template, element) {
				called, spec = special[0], special[1]
			}
		}
		last := strings.LastIndex(template, "{")
		path := elementOf.ReplaceAllString(template, "p")
		if strings.HasSuffix(template, "}") || strings.HasSuffix(template, "/status") {
			path = elementOf.ReplaceAllString(template[:last], "p") + elementOf.ReplaceAllString(template[last:], called)
		}
		r := route{verb: verb, template: template, path: path, body: `{"metadata":{"name":"` + called + `"},"spec":` + spec + `}`}
		if verb == "PUT" && strings.HasSuffix(template, "}") {
			documents = append(documents, r)
		}
		switch {
		case verb == "DELETE":
			r.path, r.body = r.path+"?cascade=true", ""
		case strings.HasSuffix(template, "/status"):
			r.body = `{"x":1}`
		case verb != "POST":
			r.body = `{"metadata":{"name":"` + called + `","description":"changed"},"spec":` + spec + `}`
		default:
			r.body = strings.Replace(r.body, `"name":"p"`, `"name":"q"`, 1)
		}
		routes = append(routes, r)
	}
	for range 2 { // so that what is referenced is there
		for _, r := range documents {
			p.put(t, r)
		}
	}
	for _, r := range documents {
		if status, text := p.as(t, "root", "GET", r.path, ""); status != 200 {
			t.Errorf("no document at %s: %d %s", r.path, status, text)
		}
	}
	var made struct{ Items []struct{ ID dovetail.ID } }
	decode(t, p.documents(t), &made)
	for _, doc := range made.Items {
		top := doc.ID.Key()[0]
		tops[string(dovetail.Key{top}.ID())] = true
		top.Value = "q"
		tops[string(dovetail.Key{top}.ID())] = true
	}
	p.protect(t, slices.Sorted(maps.Keys(tops)))
	stored := p.documents(t)
	for _, r := range routes {
		t.Run(r.String(), func(t *testing.T) {
			if a := p.send(t, "root", r); a.status != http.StatusForbidden || !protectedText.MatchString(a.text) {
				t.Errorf("%d %s", a.status, a.text)
			}
		})
	}
	if after := p.documents(t); after != stored {
		t.Errorf("they changed\n%s\nto\n%s", stored, after)
	}
	if len(routes) < 100 {
		t.Errorf("only %d routes of documents", len(routes))
	}
}

// put writes a document, that of a service as who repairs one.
func (p *player) put(t *testing.T, r route) {
	t.Helper()
	status, text := p.as(t, "root", "PUT", r.path, r.body)
	if status != 409 || !strings.Contains(text, "its service") {
		return
	}
	var refusal struct{ ID dovetail.ID }
	decode(t, text, &refusal)
	var manifest map[string]any
	decode(t, r.body, &manifest)
	elements := refusal.ID.Key()
	key := make(map[string]string)
	for _, e := range elements[:len(elements)-1] {
		key[e.Name] = e.Value
	}
	manifest["kind"], manifest["key"] = elements[len(elements)-1].Name, key
	batch, err := json.Marshal([]any{manifest})
	if err != nil {
		t.Fatal(err)
	}
	p.as(t, "root", "POST", "/v2/batch?managed=true", string(batch))
}

// specialDocuments are the names and specs of documents whose schemas ask for more, by parts of their paths.
var specialDocuments = map[string][2]string{
	"active-resolution-sets": {"p", `{"clusters":[],"template":{"spec":{}}}`},
	"effective-set-parts":    {"p", `{"parameters":{}}`},
	"param-set-associations": {"5d7b2f6e-1e0b-5c07-9a52-0f2b3d7c9a10", `{"context":"deploy","associatedObject":"cloud","order":0,"siteParamSet":"p"}`},
	"solution-descriptors":   {"full", `{"applications":[]}`},
	"versions":               {"1.0.0", `{"channels":["main"]}`},
}

// TestWatchIsGuarded watches as a reader of everything, and as one who may read one environment: a watch needs a token, and shows no
// document that its principal may not read.
func TestWatchIsGuarded(t *testing.T) {
	w := newServer(t, routesPolicy, []string{"root", "reader", "ann"}, nil)
	for _, path := range []string{"/v2/watch", "/v2/clusters?watch=true"} {
		if status, text := w.as(t, "", "GET", path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s", path, status, text)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	watch := func(who string) <-chan store.Event {
		c, err := client.New(w.server.URL(), client.Options{Token: w.tokens[who]})
		if err != nil {
			t.Fatal(err)
		}
		from, err := c.Head(ctx)
		if err != nil {
			t.Fatal(err)
		}
		events := make(chan store.Event, 10)
		go func() {
			defer close(events)
			for event, err := range c.Watch(ctx, from, store.WatchQuery{}) {
				if err != nil {
					return
				}
				if len(event.Changes) > 0 {
					events <- event
				}
			}
		}()
		return events
	}
	reader, ann := watch("reader"), watch("ann")
	const environment = "cluster/x/environment/dev"
	for _, made := range []struct{ collection, name, id string }{{"/v2/clusters", "c1", "cluster/c1"}, {"/v2/clusters", "x", "cluster/x"}, {"/v2/clusters/x/environments", "dev", environment}} {
		w.must(t, "POST", made.collection, named(made.name))
		if event := <-reader; len(event.Changes) != 1 || string(event.Changes[0].ID) != made.id {
			t.Errorf("a reader is shown %+v", event)
		}
	}
	if event := <-ann; len(event.Changes) != 1 || string(event.Changes[0].ID) != environment {
		t.Errorf("who may read %s only is shown %+v", environment, event)
	}
}
