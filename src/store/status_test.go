package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestStatus(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 678999, time.FixedZone("x", 3600))
	s := openWith(t, testSchema, store.Config{Clock: func() time.Time { return now }})
	created := apply(t, s, `create project/p {"a":1}`).Outcomes[0].Document
	if want := now.UTC().Truncate(time.Millisecond); created.Created != want || created.Updated != want {
		t.Errorf("created at %v, updated at %v, want %v", created.Created, created.Updated, want)
	}
	now = now.Add(time.Hour)
	apply(t, s, `status project/p {"ready":true}`)
	apply(t, s, `put project/p {"a":2}`)
	doc := get(t, s, "project/p")
	if string(doc.Data) != `{"a":2}` || string(doc.Status) != `{"ready":true}` || doc.Revision != 3 || doc.Updated == doc.Created {
		t.Errorf("stored is %s, status %s, revision %d", doc.Data, doc.Status, doc.Revision)
	}
}

// A status may bring the files that services make with it.
func TestStatusWithContent(t *testing.T) {
	s := open(t, testSchema)
	apply(t, s, `create project/p {"a":1}`)
	put := func(content []dovetail.File) (*dovetail.Document, error) {
		result, err := s.Apply(t.Context(), []store.Operation{{Verb: store.PutStatus, ID: "project/p", Data: parse(t, `{"ready":true}`), Content: content}}, store.Options{})
		if err != nil {
			return nil, err
		}
		return result.Outcomes[0].Document, nil
	}
	for _, step := range []struct {
		content  []dovetail.File
		files    int
		revision uint64
	}{
		{[]dovetail.File{{Name: "file", Data: []byte("x")}}, 1, 2},
		{[]dovetail.File{{Name: "file", Data: []byte("x")}}, 1, 2},
		{nil, 1, 2},
		{[]dovetail.File{{Name: "file", Data: []byte("y")}}, 1, 3},
		{[]dovetail.File{}, 0, 4},
	} {
		doc, err := put(step.content)
		if err != nil || len(doc.Content) != step.files || doc.Revision != step.revision || string(doc.Data) != `{"a":1}` {
			t.Errorf("%v: %+v, %v", step.content, doc, err)
		}
	}
	if _, err := put([]dovetail.File{{Name: "none"}}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a part that the kind does not have: %v", err)
	}
}

// TestPutWithStatus writes data and status at once, for which both rights are needed.
func TestPutWithStatus(t *testing.T) {
	s := openWith(t, testSchema, store.Config{Guard: guard{"root": {"read", "create", "update", "act"}, "ann": {"read", "update"}, "bob": {"read", "act"}}})
	applyAs(as(t, "root"), t, s, "create project/p", "create project/q")
	for _, tt := range []struct {
		name, as, data, status string // "" if there is no status
		inputs                 []dovetail.ID
		code                   dovetail.Code
		effect                 store.Effect
		want                   string
	}{
		{name: "without the right to act", as: "ann", data: `{"a":1}`, status: `{"b":1}`, code: dovetail.CodeForbidden},
		{name: "without the right to update", as: "bob", data: `{"a":1}`, status: `{"b":1}`, code: dovetail.CodeForbidden},
		{name: "both", as: "root", data: `{"a":1}`, status: `{"b":1}`, inputs: []dovetail.ID{"project/q"}, effect: store.WasUpdated, want: `{"a":1} {"b":1} [project/q]`},
		{name: "the same again", as: "root", data: `{"a":1}`, status: `{"b":1}`, inputs: []dovetail.ID{"project/q"}, effect: store.WasUnchanged, want: `{"a":1} {"b":1} [project/q]`},
		{name: "another status", as: "root", data: `{"a":1}`, status: `{"b":2}`, effect: store.WasUpdated, want: `{"a":1} {"b":2} []`},
		{name: "data alone", as: "ann", data: `{"a":2}`, effect: store.WasUpdated, want: `{"a":2} {"b":2} []`},
		{name: "no status any more", as: "root", data: `{"a":2}`, status: `null`, effect: store.WasUpdated, want: `{"a":2}  []`},
	} {
		op := store.Operation{Verb: store.Put, ID: "project/p", Data: parse(t, tt.data), Inputs: tt.inputs}
		if tt.status != "" {
			op.Status = parse(t, tt.status)
		}
		result, err := s.Apply(as(t, tt.as), []store.Operation{op}, store.Options{})
		if dovetail.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		if err != nil {
			continue
		}
		doc, err := s.Get(as(t, "root"), "project/p")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %s %v", doc.Data, doc.Status, doc.Inputs); got != tt.want || result.Outcomes[0].Effect != tt.effect {
			t.Errorf("%s: %s it to %s, want %s to %s", tt.name, result.Outcomes[0].Effect, got, tt.effect, tt.want)
		}
	}
}
