package sealing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// An export holds no secret in plaintext; another database takes it if it has the main key, and says which one it lacks.
func TestExport(t *testing.T) {
	keys := keyFile(t)
	d := open(t, filepath.Join(memdir.New(t), "x.db"), keys, kinds)
	write(t, d)
	put(t, d.Store, "open/o", `{"spec":{"credential":"a","x":"<&>"}}`)
	var exported []*dovetail.Document
	for doc, err := range d.Documents(t.Context(), store.ListQuery{Sealed: true}) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := doc.MarshalJSON()
		if err != nil || bytes.Contains(line, []byte(planted)) {
			t.Fatalf("%v: %s", err, line)
		}
		read := new(dovetail.Document)
		if err := json.Unmarshal(line, read); err != nil {
			t.Fatal(err)
		}
		exported = append(exported, read)
	}
	copied := func() (all []*dovetail.Document) {
		for _, doc := range exported {
			one := *doc
			all = append(all, &one)
		}
		return all
	}
	to := open(t, filepath.Join(memdir.New(t), "to.db"), keys, kinds)
	put(t, to.Store, "secret/mine", `{}`) // it has a data key of its own
	if _, err := to.Import(t.Context(), copied(), store.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []dovetail.ID{"credential/a", "credential/b", "secret/s", "open/o"} {
		want, err := d.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := to.Get(t.Context(), id)
		if err != nil || !bytes.Equal(got.Data, want.Data) || !bytes.Equal(got.Status, want.Status) || got.ETag() != want.ETag() || len(got.Content) != len(want.Content) {
			t.Errorf("%s: %v, %+v, want %+v", id, err, got, want)
		}
	}
	recipient, err := keys.Recipient()
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]sealing.MainKeys{"another key": keyFile(t), "no key": nil} {
		_, err := open(t, filepath.Join(memdir.New(t), "other.db"), other, kinds).Import(t.Context(), copied(), store.Options{})
		if err == nil || !strings.Contains(fmt.Sprint(err, dovetail.AsError(err).Errors), recipient) {
			t.Errorf("%s: %v", name, err)
		}
	}
	moved := copied()
	moved[0].ID = "credential/elsewhere"
	if _, err := open(t, filepath.Join(memdir.New(t), "moved.db"), keys, kinds).Import(t.Context(), moved, store.Options{}); err == nil {
		t.Error("a document of an export is imported under another id")
	}
}

// Data of users that begin as sealed ones do are kept as they are.
func TestDataThatLookSealed(t *testing.T) {
	for name, keys := range map[string]sealing.MainKeys{"with a key": keyFile(t), "without": nil} {
		t.Run(name, func(t *testing.T) {
			d := open(t, filepath.Join(memdir.New(t), "x.db"), keys, kinds)
			for id, text := range map[dovetail.ID]string{
				"project/p":    `{"_sealed":{"format":1,"key":"k1-aaaaaaaa","values":[{"at":"","value":"AAAA"}]}}`,
				"credential/c": `{"_sealed":{"format":1},"data":{},"spec":{"data":1}}`} {
				put(t, d.Store, id, text)
				if doc, err := d.Get(t.Context(), id); err != nil || string(doc.Data) != text {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
}

// The store's own records, which hold documents, do not leave the database, and keep nothing from being exported.
func TestExportBesideInternalDocuments(t *testing.T) {
	d := open(t, filepath.Join(memdir.New(t), "a.db"), nil, kinds)
	data := value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString("p")})})
	if _, err := d.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: "project/p", Data: data}}, store.Options{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	exported := 0
	for doc, err := range d.Documents(t.Context(), store.ListQuery{Sealed: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if exported++; doc.ID != "project/p" {
			t.Errorf("%s is exported", doc.ID)
		}
	}
	if exported != 1 {
		t.Errorf("%d documents are exported", exported)
	}
}
