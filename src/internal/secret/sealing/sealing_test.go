package sealing_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/internal/secret/sealing"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	planted = "sw0rdf1sh-in-clear"
	kinds   = `
name: test
resources:
  - name: project
  - name: credential
    sensitive: [/spec/data, /spec/more/0]
    content: [{name: file}]
  - name: secret
    sensitive: true
  - name: open
    references: [{name: credential}]
`
)

func model(t testing.TB, text string) *schema.Model {
	t.Helper()
	m, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func keyFile(t testing.TB) *envelope.KeyFile {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	return parseKeys(t, text)
}

func parseKeys(t testing.TB, text string) *envelope.KeyFile {
	t.Helper()
	keys, err := envelope.ParseKeyFile("main.key", text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// database is a sealing store on a file.
type database struct {
	*store.Store
	backend *sealing.Backend
	inner   store.Backend
}

func open(t testing.TB, file string, keys sealing.MainKeys, text string) *database {
	t.Helper()
	inner, err := bolt.Open(file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, inner, keys, text)
}

// openOn opens a sealing store on a backend.
func openOn(t testing.TB, inner store.Backend, keys sealing.MainKeys, text string) *database {
	t.Helper()
	b := sealing.New(inner, sealing.Options{Keys: keys})
	s, err := store.Open(t.Context(), b, model(t, text), store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d := &database{s, b, inner}
	t.Cleanup(func() { d.close(t) })
	return d
}

func (d *database) close(t testing.TB) {
	t.Helper()
	if d.inner == nil {
		return
	}
	if err := d.inner.Close(); err != nil {
		t.Fatal(err)
	}
	d.inner = nil
}

func data(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func put(t testing.TB, s *store.Store, id dovetail.ID, text string) *dovetail.Document {
	t.Helper()
	doc, err := s.Put(t.Context(), store.Operation{ID: id, Data: data(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// grep returns the files below a directory that hold a text.
func grep(t *testing.T, dir, text string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const secretData = `{"metadata":{"name":"a","labels":{"team":"x"},"annotations":{"copy":"{\"password\":\"` + planted + `\"}"},"userData1":"` + planted + `","managedFields":[{"fieldsV1":{"v:\"` + planted + `\"":{}}}]},"spec":{"type":"usernamePassword","data":{"password":"` + planted + `"},"more":["` + planted + `",1e5]}}`

// write writes what is secret in every way: data, status, files, under an idempotency key, unchanged, deleted.
func write(t *testing.T, d *database) {
	t.Helper()
	ctx := t.Context()
	put(t, d.Store, "credential/a", secretData)
	put(t, d.Store, "secret/s", `{"metadata":{"name":"s"},"anything":"`+planted+`"}`)
	apply := func(key string, ops ...store.Operation) {
		t.Helper()
		if _, err := d.Apply(ctx, ops, store.Options{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	apply("one", store.Operation{Verb: store.Put, ID: "credential/b", Data: data(t, secretData)})
	apply("unchanged", store.Operation{Verb: store.Put, ID: "credential/b", Data: data(t, secretData)})
	apply("status", store.Operation{Verb: store.PutStatus, ID: "credential/a", Data: data(t, `{"seen":"`+planted+`"}`),
		Content: []dovetail.File{{Name: "file", Filename: planted + ".txt", Data: []byte("x" + planted)}}})
	apply("", store.Operation{Verb: store.Put, ID: "credential/gone", Data: data(t, secretData)})
	apply("gone", store.Operation{Verb: store.Delete, ID: "credential/gone"})
}

func TestNothingIsStoredInClear(t *testing.T) {
	for _, test := range []struct {
		name string
		keys sealing.MainKeys
		want bool // the secret is in the files
	}{{"with a key", keyFile(t), false}, {"without a key, so that the test can fail", nil, true}} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			d := open(t, filepath.Join(dir, "x.db"), test.keys, kinds)
			write(t, d)
			if found := grep(t, dir, planted); len(found) > 0 != test.want {
				t.Errorf("the secret is in %v while the database is open", found)
			}
			d.close(t)
			if found := grep(t, dir, planted); len(found) > 0 != test.want {
				t.Errorf("the secret is in %v", found)
			}
			again := open(t, filepath.Join(dir, "x.db"), test.keys, kinds)
			doc, err := again.Get(t.Context(), "credential/a")
			if err != nil {
				t.Fatal(err)
			}
			if string(doc.Data) != secretData || string(doc.Status) != `{"seen":"`+planted+`"}` || len(doc.Content) != 1 ||
				string(doc.Content[0].Data) != "x"+planted || doc.Content[0].Filename != planted+".txt" || doc.Revision != 2 {
				t.Errorf("it is read as %s %s %v", doc.Data, doc.Status, doc.Content)
			}
		})
	}
}

// Equal data make no new revision, although they would be sealed otherwise; and a record is replayed.
func TestUnchanged(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "x.db"), keyFile(t), kinds)
	first := put(t, d.Store, "credential/a", secretData)
	if again := put(t, d.Store, "credential/a", secretData); again.ETag() != first.ETag() {
		t.Errorf("%v became %v", first.ETag(), again.ETag())
	}
	op := []store.Operation{{Verb: store.Put, ID: "credential/b", Data: data(t, secretData)}}
	for _, repeated := range []bool{false, true} {
		r, err := d.Apply(t.Context(), op, store.Options{Key: "k"})
		if err != nil || r.Repeated != repeated || string(r.Outcomes[0].Document.Data) != secretData {
			t.Fatalf("%v %+v", err, r)
		}
	}
}

// stored returns the stored form of a document.
func (d *database) stored(t *testing.T, id dovetail.ID) *dovetail.Document {
	t.Helper()
	doc, err := d.inner.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// An attacker who writes the database can neither move sealed data nor change them unseen.
func TestTampering(t *testing.T) {
	flip := func(doc *dovetail.Document) {
		at := bytes.Index(doc.Data, []byte(`"value":"`)) + len(`"value":"`) + 10
		letter := byte('A')
		if doc.Data[at] == letter {
			letter = 'B'
		}
		doc.Data[at] = letter
	}
	for _, test := range []struct {
		name string
		id   dovetail.ID
		do   func(t *testing.T, d *database, doc *dovetail.Document)
	}{
		{"flipped bit", "credential/a", func(_ *testing.T, _ *database, doc *dovetail.Document) { flip(doc) }},
		{"flipped bit of a whole kind", "secret/s", func(_ *testing.T, _ *database, doc *dovetail.Document) { flip(doc) }},
		{"flipped bit of a file", "credential/a", func(_ *testing.T, _ *database, doc *dovetail.Document) { doc.Content[0].Data[20] ^= 1 }},
		{"moved from another document", "credential/a", func(t *testing.T, d *database, doc *dovetail.Document) {
			doc.Data = d.stored(t, "credential/b").Data
		}},
		{"older revision", "credential/a", func(t *testing.T, d *database, doc *dovetail.Document) {
			older := d.stored(t, "credential/a").Data
			put(t, d.Store, "credential/a", `{"spec":{"data":{"password":"new"}}}`)
			*doc = *d.stored(t, "credential/a")
			doc.Data = older
		}},
		{"value left out", "credential/a", func(t *testing.T, _ *database, doc *dovetail.Document) {
			v := data(t, string(doc.Data))
			values := v.At("_sealed", "values")
			values.Items = values.Items[1:]
			doc.Data = v.JSON()
		}},
		{"status left out", "credential/a", func(t *testing.T, _ *database, doc *dovetail.Document) {
			v := data(t, string(doc.Data))
			v.Get("_sealed").Delete("status")
			doc.Data = v.JSON()
		}},
		{"file left out", "credential/a", func(_ *testing.T, _ *database, doc *dovetail.Document) { doc.Content = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := open(t, filepath.Join(t.TempDir(), "x.db"), keyFile(t), kinds)
			write(t, d)
			doc := d.stored(t, test.id)
			test.do(t, d, doc)
			if err := d.inner.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc}}); err != nil {
				t.Fatal(err)
			}
			if doc, err := d.Get(t.Context(), test.id); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
				t.Errorf("it is read: %+v, %v", doc, err)
			}
			if findings := check(t, d); len(findings) != 1 || findings[0].ID != test.id || findings[0].Problem != store.ProblemSealed {
				t.Errorf("fsck finds %v", findings)
			}
		})
	}
}

func check(t *testing.T, d *database) (findings []store.Finding) {
	t.Helper()
	for f, err := range d.Check(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		findings = append(findings, f)
	}
	return findings
}

// Without the key that is needed the rest of the store works, and nothing is written in plaintext beside what is sealed.
func TestMissingKey(t *testing.T) {
	for _, test := range []struct {
		name string
		keys sealing.MainKeys
	}{{"no key file", nil}, {"another main key", keyFile(t)}} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.db")
			keys := keyFile(t)
			d := open(t, file, keys, kinds)
			write(t, d)
			put(t, d.Store, "project/p", `{}`)
			d.close(t)
			d = open(t, file, test.keys, kinds)
			recipient, err := keys.Recipient()
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.Get(t.Context(), "credential/a")
			if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeUnavailable || e.Key != "credential/a" || !strings.Contains(e.Message, "the data key k1-") || !strings.Contains(e.Remedy, recipient) {
				t.Errorf("reading: %v", err)
			}
			if _, err := d.Put(t.Context(), store.Operation{ID: "credential/new", Data: data(t, secretData)}); err == nil {
				t.Error("a credential is stored in clear in a database that is encrypted")
			}
			put(t, d.Store, "project/p", `{"spec":{}}`)
			if page, err := d.List(t.Context(), store.ListQuery{Kind: "project"}); err != nil || len(page.Documents) != 1 {
				t.Errorf("other kinds: %v", err)
			}
			if findings := check(t, d); len(findings) != 3 || findings[0].Problem != store.ProblemSealed || !strings.Contains(findings[0].Message, "k1-") {
				t.Errorf("fsck finds %v", findings)
			}
		})
	}
}

// What was stored in plaintext before there was a key, or before its kind was sensitive, is sealed later.
func TestSealAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	d := open(t, file, nil, kinds)
	write(t, d)
	before, err := d.Get(t.Context(), "credential/a")
	if err != nil {
		t.Fatal(err)
	}
	d.close(t)
	keys := keyFile(t)
	d = open(t, file, keys, kinds)
	if n, err := d.backend.SealAll(t.Context(), nil); err != nil || n != 9 { // 3 documents, 4 records, 2 earlier versions
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := d.backend.SealAll(t.Context(), nil); err != nil || n != 0 {
		t.Errorf("sealed again: %d, %v", n, err)
	}
	for doc, err := range d.inner.List(t.Context(), store.Query{}) {
		if err != nil || strings.Contains(string(doc.Data)+string(doc.Status), planted) || len(doc.Content) > 0 && bytes.Contains(doc.Content[0].Data, []byte(planted)) {
			t.Errorf("%s is in clear: %v", doc.ID, err)
		}
	}
	after, err := d.Get(t.Context(), "credential/a")
	if err != nil || after.ETag() != before.ETag() || !bytes.Equal(after.Data, before.Data) {
		t.Errorf("%v: it was %s and is %s", err, before.Data, after.Data)
	}
	put(t, d.Store, "project/p", `{"spec":"`+planted+`"}`)
	put(t, d.Store, "project/p", `{"spec":"x`+planted+`"}`)
	put(t, d.Store, "project/gone", `{"spec":"`+planted+`"}`)
	if _, err := d.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: "project/gone"}}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := d.SetModel(t.Context(), model(t, strings.Replace(kinds, "name: project", "name: project\n    sensitive: true", 1))); err != nil {
		t.Fatal(err)
	}
	if n, err := d.backend.SealAll(t.Context(), nil); err != nil || n != 3 { // a document and two earlier versions
		t.Errorf("%d, %v", n, err)
	}
	if found := grep(t, filepath.Dir(file), planted); len(found) > 0 {
		t.Errorf("what a kind that became sensitive held stays in clear in %v", found)
	}
	for id, want := range map[dovetail.ID][]string{"project/p": {`"x` + planted + `"`, `"` + planted + `"`}, "project/gone": {"", `"` + planted + `"`}} {
		wantVersions(t, d, id, want)
	}
	if findings := check(t, d); len(findings) > 0 {
		t.Errorf("fsck finds %v", findings)
	}
}

// A rotation continues while others read and write, may be broken off after any step, and leaves nothing that needs the
// old main key.
func TestRotationUnderLoad(t *testing.T) {
	for _, test := range []struct {
		name  string
		fresh func(t *testing.T) func(t testing.TB) store.Backend // makes what opens the same database again and again
	}{
		{"bolt", func(t *testing.T) func(t testing.TB) store.Backend {
			file := filepath.Join(t.TempDir(), "x.db")
			return func(t testing.TB) store.Backend {
				b, err := bolt.Open(file, bolt.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
		}},
		{"mongo", func(t *testing.T) func(t testing.TB) store.Backend {
			open, _ := sealing.FreshMongo(t)
			return open
		}},
	} {
		t.Run(test.name, func(t *testing.T) { rotateUnderLoad(t, test.fresh(t)) })
	}
}

func rotateUnderLoad(t *testing.T, database func(t testing.TB) store.Backend) {
	t.Helper()
	old, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	d := openOn(t, database(t), parseKeys(t, old), kinds)
	const documents = 300
	id := func(i int) dovetail.ID { return dovetail.ID(fmt.Sprintf("credential/c%d", i)) }
	for i := range documents {
		put(t, d.Store, id(i), secretData)
	}
	d.close(t)
	young, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	d = openOn(t, database(t), parseKeys(t, young+old), kinds)
	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for w := range 2 {
		load.Go(func() {
			for i := w; ctx.Err() == nil; i += 2 {
				at := id(i % documents)
				if doc, err := d.Get(t.Context(), at); err != nil || !bytes.Contains(doc.Data, []byte(planted)) {
					t.Errorf("%s is not read: %v", at, err)
					return
				}
				text := strings.Replace(secretData, `"type"`, fmt.Sprintf(`"n":%d,"type"`, i), 1)
				if _, err := d.Put(t.Context(), store.Operation{ID: at, Data: data(t, text)}); err != nil {
					t.Errorf("%s is not written: %v", at, err)
					return
				}
			}
		})
	}
	step, err := d.Rotate(t.Context(), "")
	if err != nil || step.Key == "" {
		t.Fatalf("%+v, %v", step, err)
	}
	if !step.Done { // broken off, and begun again, as when its process died
		if step, err = d.Rotate(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(10 * time.Minute); !step.Done && time.Now().Before(deadline); {
		if step, err = d.Rotate(t.Context(), step.Key); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	load.Wait()
	if !step.Done {
		t.Fatalf("the rotation does not end: %+v", step)
	}
	d.close(t)
	d = openOn(t, database(t), parseKeys(t, young), kinds)
	for i := range documents {
		if doc, err := d.Get(t.Context(), id(i)); err != nil || !bytes.Contains(doc.Data, []byte(planted)) {
			t.Fatalf("%s: %v", id(i), err)
		}
	}
	if findings := check(t, d); len(findings) > 0 {
		t.Errorf("fsck finds %v", findings)
	}
}
