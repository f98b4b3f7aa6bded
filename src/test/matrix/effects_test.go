package matrix

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/store"
)

// A deed is a change that was brought about.
type deed struct {
	way  way
	s    scene
	c    change
	said answer
}

// An effect is a promise about every change that is made.
type effect struct {
	promise string
	verbs   []verb   // default all
	needs   facility // of the way
	written bool     // of an update, it is about the members that are written
	holds   func(t *testing.T, w *world, d deed)
}

// canary begins every secret.
const canary = "c4n4ry-"

// secret is what the things of a cell keep to themselves.
func (s scene) secret() string { return fmt.Sprintf(canary+"%d-t7Qz9", s.n) }

// all are members of a thing that are subject to as many rules as can be.
func (s scene) all() members {
	return members{"secret": s.secret(), "colour": fmt.Sprint("colour-", s.n), "device": s.device().name, "serial": serial(s)["serial"], "fixed": "f", "speed": 1, "low": 1, "high": 2}
}

// effects are all of them, looked at one after the other after a change. The last one writes another document.
var effects = []effect{
	{promise: "stored", holds: func(t *testing.T, w *world, d deed) {
		text := w.state(t, d.c.id)
		switch {
		case d.c.verb == remove:
			if text != "" {
				t.Errorf("what is deleted is there: %s", text)
			}
		case text == "":
			t.Error("it is not there")
		case d.c.verb == create, d.c.verb == update && d.way.can&writesAll != 0:
			for name, value := range d.c.spec {
				if want := fmt.Sprintf("%q:%q", name, value); name != "secret" && d.c.spec[name] == fmt.Sprint(value) && !strings.Contains(text, want) {
					t.Errorf("%s is not in %s", want, text)
				}
			}
		}
	}},
	{promise: "history", holds: func(t *testing.T, w *world, d deed) {
		made := w.latest(t, d.c.id)
		if made.Principal != d.c.who {
			t.Errorf("the last transaction was made by %q", made.Principal)
		}
		if d.way.can&explains != 0 && made.Message != d.c.message {
			t.Errorf("its message is %q", made.Message)
		}
	}},
	{promise: "audit", holds: func(t *testing.T, w *world, d deed) {
		var page struct{ Items []store.AuditRecord }
		under := d.c.id.String()
		a := w.must(t, "GET", "/v2/audit?order=desc&limit=100&under="+url.QueryEscape(under), nil)
		if err := json.Unmarshal([]byte(a.text), &page); err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Items {
			for _, entry := range record.Operations {
				if string(entry.ID) == under && record.Principal == d.c.who && record.Refused == "" && !record.DryRun && entry.Effect != "" {
					return
				}
			}
		}
		t.Errorf("no record says that it was done: %s", a.text)
	}},
	{promise: "repetition", needs: repeats, holds: func(t *testing.T, w *world, d deed) {
		before := w.latest(t, d.c.id)
		// The same request again.
		if again := d.said.again(t, w); !again.done() || again.text != d.said.text {
			t.Errorf("the first answer is %d %s, the second %d %s", d.said.status, d.said.text, again.status, again.text)
		}
		if after := w.latest(t, d.c.id); after.Position != before.Position {
			t.Errorf("it was done again, at %s after %s", after.Position, before.Position)
		}
	}},
	{promise: "found", verbs: []verb{create, update, remove}, holds: func(t *testing.T, w *world, d deed) {
		if others := w.must(t, "GET", d.c.id.collection()+"?labelSelector="+url.QueryEscape("of!="+d.c.id.name), nil); strings.Contains(others.text, `"name":"`+d.c.id.name+`"`) {
			t.Errorf("a selector of other documents finds it: %s", others.text)
		}
		for _, selector := range []string{"labelSelector=" + url.QueryEscape("of="+d.c.id.name), "fieldSelector=" + url.QueryEscape("spec.colour="+fmt.Sprint(d.s.all()["colour"]))} {
			if d.way.can&writesAll == 0 && d.c.verb == update && selector[0] == 'f' {
				continue // it has another colour
			}
			a := w.must(t, "GET", d.c.id.collection()+"?"+selector, nil)
			if found := strings.Contains(a.text, `"name":"`+d.c.id.name+`"`); found != (d.c.verb != remove) {
				t.Errorf("%s finds it: %v", selector, found)
			}
		}
	}},
	{promise: "references", verbs: []verb{create, update, remove}, written: true, holds: func(t *testing.T, w *world, d deed) {
		target := w.send(t, request{who: "root", method: "DELETE", path: d.s.device().path() + "?dryRun=true"})
		if held := target.status == http.StatusConflict; held == (d.c.verb == remove) {
			t.Errorf("the deletion of the target: %d %s", target.status, target.text)
		}
	}},
	{promise: "defaults", verbs: []verb{create, update}, written: true, holds: func(t *testing.T, w *world, d deed) {
		if text := w.state(t, d.c.id); !strings.Contains(text, `"size":"small"`) {
			t.Errorf("a default is missing: %s", text)
		}
	}},
	{promise: "claims", verbs: []verb{create, update, remove}, written: true, holds: func(t *testing.T, w *world, d deed) {
		other := w.send(t, request{who: "root", method: "PUT", path: d.s.other().path(), body: d.s.other().data(serial(d.s))})
		if held := other.status == http.StatusConflict; held == (d.c.verb == remove) {
			t.Errorf("another document that claims the same value: %d %s", other.status, other.text)
		}
	}},
}

// again sends the request that was answered again.
func (a answer) again(t *testing.T, w *world) answer {
	t.Helper()
	return w.send(t, a.to)
}

// latest is the last transaction that changed a document.
func (w *world) latest(t *testing.T, id document) (latest struct {
	Position, Principal, Message string
}) {
	t.Helper()
	var page struct{ Items []json.RawMessage }
	a := w.must(t, "GET", "/v2/transactions?limit=1&id="+url.QueryEscape(id.String()), nil)
	if err := json.Unmarshal([]byte(a.text), &page); err != nil || len(page.Items) == 0 {
		t.Fatalf("the transactions of %s are %s: %v", id, a.text, err)
	}
	if err := json.Unmarshal(page.Items[0], &latest); err != nil {
		t.Fatal(err)
	}
	return latest
}
