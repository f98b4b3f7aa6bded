package store_test

import (
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
	doc, err := s.Get(t.Context(), "project/p")
	if err != nil {
		t.Fatal(err)
	}
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
