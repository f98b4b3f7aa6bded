package emcostore_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/bson"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/emcostore"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// Key and Store are those of EMCO's package db.
type Key interface{}

type Store interface {
	HealthCheck(ctx context.Context) error
	Unmarshal(inp []byte, out interface{}) error
	Insert(ctx context.Context, coll string, key Key, query interface{}, tag string, data interface{}) error
	Find(ctx context.Context, coll string, key Key, tag string) ([][]byte, error)
	Remove(ctx context.Context, coll string, key Key) error
	RemoveAll(ctx context.Context, coll string, key Key) error
	RemoveTag(ctx context.Context, coll string, key Key, tag string) error
}

var _ Store = (*emcostore.Store[Key])(nil)

const resources = "resources"

// databases are those that EMCO wrote; see the README there.
var databases = []string{"vfw", "test-gac"}

// opened is a store for a test, and the engine below it.
type opened struct {
	Store
	engine *store.Store
}

// each runs a test on a store in this process, on one that a client reaches at a server, and on MongoDB where there is a server.
func each(t *testing.T, config store.Config, run func(t *testing.T, s opened)) {
	t.Run("embedded", func(t *testing.T) { run(t, open(t, apitest.OpenBolt(t), config)) })
	t.Run("server", func(t *testing.T) {
		engine := open(t, apitest.OpenBolt(t), config).engine
		server := apitest.Serve(t, engine, httpapi.Options{})
		c, err := client.New(server.URL, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		model, err := c.Model(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		run(t, opened{newStore(t, c, model), engine})
	})
	t.Run("MongoDB", func(t *testing.T) {
		mongotest.Skip(t)
		run(t, open(t, mongotest.Open(t), config))
	})
}

// open opens a store with EMCO's ref-schema.
func open(t testing.TB, backend store.Backend, config store.Config) opened {
	t.Helper()
	sources, err := schema.ReadFS(emcostore.Schema(os.DirFS("../../ref-schemas/examples/emco")))
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	var now atomic.Int64
	config.Clock = func() time.Time { return time.UnixMilli(1795306582000 + now.Add(1)) } // so that the order of creation is known
	engine, err := store.Open(t.Context(), apitest.Closing(t, backend), model, config)
	if err != nil {
		t.Fatal(err)
	}
	return opened{newStore(t, engine, model), engine}
}

func newStore(t testing.TB, documents emcostore.Documents, model *schema.Model) Store {
	t.Helper()
	return newStoreWith(t, documents, model, emcostore.Options{})
}

func newStoreWith(t testing.TB, documents emcostore.Documents, model *schema.Model, options emcostore.Options) Store {
	t.Helper()
	s, err := emcostore.New[Key](documents, model, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stored is a document as EMCO stored it.
type stored struct {
	members map[string]bson.RawValue
	keyID   string
	key     map[string]string // of its keyId
	tops    map[string]string // all texts that it can be selected by
}

// tags are the names of what is stored under the key.
func (s stored) tags() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.members)), func(name string) bool {
		_, selects := s.tops[name]
		return selects || slices.Contains([]string{"_id", "keyId", "references"}, name)
	})
}

// read returns the documents of a database in order of creation, without the segments of EMCO's ref-schema, which are not written through the interface.
func read(t testing.TB, database string) (all []stored) {
	t.Helper()
	for _, line := range lines(t, filepath.Join("testdata", database, "documents.jsonl")) {
		var document bson.Raw
		if err := bson.UnmarshalExtJSON(line, true, &document); err != nil {
			t.Fatal(err)
		}
		s := stored{members: make(map[string]bson.RawValue), key: make(map[string]string), tops: make(map[string]string)}
		elements, err := document.Elements()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range elements {
			s.members[e.Key()] = e.Value()
			if text, is := e.Value().StringValueOK(); is && e.Key() != "keyId" && e.Key() != "SegmentId" {
				s.tops[e.Key()] = text
			}
		}
		if s.members["segment"].Value != nil {
			continue
		}
		s.keyID = s.members["keyId"].StringValue()
		for name := range strings.SplitSeq(strings.Trim(s.keyID, "{}"), ",") {
			s.key[name] = s.tops[name]
		}
		all = append(all, s)
	}
	return all
}

func lines(t testing.TB, file string) (all [][]byte) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		all = append(all, bytes.Clone(scanner.Bytes()))
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// replay inserts the documents of a database as EMCO's services did: resources first, and their states when all are there. It returns the errors by _id.
func replay(t testing.TB, s Store, all []stored) map[string]error {
	t.Helper()
	types := structs(t)
	errs := make(map[string]error)
	for _, states := range []bool{false, true} {
		for _, doc := range all {
			var query map[string]string
			for name, text := range doc.tops {
				if _, ofKey := doc.key[name]; !ofKey {
					query = map[string]string{name: text}
				}
			}
			tags := doc.tags()
			slices.SortFunc(tags, func(a, b string) int { return bool2int(b == "data") - bool2int(a == "data") })
			for _, tag := range tags {
				if (tag == "stateInfo") != states {
					continue
				}
				var q any
				if tag == "data" && query != nil {
					q = query
				}
				if err := s.Insert(t.Context(), resources, doc.key, q, tag, types.value(t, doc, tag)); err != nil {
					errs[doc.members["_id"].String()] = err
					break
				}
			}
		}
	}
	return errs
}

func bool2int(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compare compares a tag of a document with what Find gives back for its key.
func compare(t *testing.T, s Store, doc stored, tag string) {
	t.Helper()
	found, err := s.Find(t.Context(), resources, doc.key, tag)
	if err != nil || len(found) == 0 {
		t.Errorf("Find %v %s: %d documents, %v", doc.key, tag, len(found), err)
		return
	}
	if got, want := form(t, found[0]), form(t, doc.members[tag].Value); got != want {
		t.Errorf("Find %v %s:\ngot  %s\nwant %s", doc.key, tag, got, want)
	}
}

// form is a BSON document as text, with its types; the order of members, which of a map of Go is random, does not count.
func form(t *testing.T, document bson.Raw) string {
	t.Helper()
	text, err := bson.MarshalExtJSON(document, true, false)
	if err != nil {
		t.Fatal(err)
	}
	var sorted any
	if err := json.Unmarshal(text, &sorted); err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(sorted)
	return string(text)
}

// TestReplay writes the databases through the interface, reads all back, and compares the references that the store found with those that EMCO did.
func TestReplay(t *testing.T) {
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			each(t, store.Config{WeakReferences: true}, func(t *testing.T, s opened) {
				all := read(t, database)
				for id, err := range replay(t, s, all) {
					t.Errorf("%s: %v", id, err)
				}
				for _, doc := range all {
					for _, tag := range doc.tags() {
						compare(t, s, doc, tag)
					}
					compareReferences(t, s.engine, doc)
				}
			})
		})
	}
}

func compareReferences(t *testing.T, engine *store.Store, doc stored) {
	t.Helper()
	kinds := make(map[string]*schema.Kind)
	for _, kind := range engine.Model().Kinds() {
		kinds[kind.KeyID] = kind
	}
	idOf := func(key map[string]string) dovetail.ID {
		var id dovetail.ID
		for _, name := range kinds[dovetail.KeyIDOf(slices.Collect(maps.Keys(key)))].Elements {
			id = id.Child(name, key[name])
		}
		return id
	}
	if doc.members["references"].Value == nil {
		return
	}
	var references []struct{ Key map[string]string }
	if err := doc.members["references"].Unmarshal(&references); err != nil {
		t.Fatal(err)
	}
	var want, got []dovetail.ID
	for _, r := range references {
		want = append(want, idOf(r.Key))
	}
	is, err := engine.Get(t.Context(), idOf(doc.key))
	if err != nil {
		t.Error(err)
		return
	}
	for _, r := range is.References {
		got = append(got, r.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("references of %s: got %v, want %v", is.ID, got, want)
	}
}

// TestFindSelects compares, for every key of the databases and every way to leave values out, what Find selects with what EMCO's filter does.
func TestFindSelects(t *testing.T) {
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			s := open(t, apitest.OpenBolt(t), store.Config{WeakReferences: true})
			all := read(t, database)
			replay(t, s, all)
			asked := make(map[string]bool)
			for _, doc := range all {
				for _, key := range partial(doc.key) {
					name, _ := json.Marshal(key)
					if asked[string(name)] {
						continue
					}
					asked[string(name)] = true
					selectsAsEMCO(t, s, all, key)
				}
			}
		})
	}
}

// partial are keys with one element less, with one value less, without all values, and the key itself.
func partial(key map[string]string) []map[string]string {
	keys := []map[string]string{key}
	empty := make(map[string]string)
	for name := range key {
		less, wild := maps.Clone(key), maps.Clone(key)
		delete(less, name)
		wild[name], empty[name] = "", ""
		keys = append(keys, wild)
		if len(less) > 0 {
			keys = append(keys, less)
		}
	}
	return append(keys, empty)
}

func selectsAsEMCO(t *testing.T, s Store, all []stored, key map[string]string) {
	t.Helper()
	wild := slices.Contains(slices.Collect(maps.Values(key)), "")
	keyID := "{" + strings.Join(slices.Sorted(maps.Keys(key)), ",") + "}"
	var want []string
	for _, doc := range all {
		selected := !wild || doc.keyID == keyID
		for name, text := range key {
			selected = selected && (text == "" || doc.tops[name] == text)
		}
		if selected {
			want = append(want, formOf(t, doc.members["data"].Value))
		}
	}
	found, err := s.Find(t.Context(), resources, key, "data")
	if err != nil {
		t.Errorf("Find %v: %v", key, err)
		return
	}
	var got []string
	for _, raw := range found {
		got = append(got, formOf(t, raw))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("Find %v: got %d documents, want %d:\ngot  %s\nwant %s", key, len(got), len(want), got, want)
	}
}

// formOf is the form of what may be missing.
func formOf(t *testing.T, document []byte) string {
	if document == nil {
		return ""
	}
	return form(t, document)
}

// TestReplayStrict shows what a store that enforces references refuses of the databases: just what refers to what is not there.
func TestReplayStrict(t *testing.T) {
	for _, test := range []struct {
		database string
		refused  int
	}{{"vfw", 0}, {"test-gac", 4}} {
		t.Run(test.database, func(t *testing.T) {
			s := open(t, apitest.OpenBolt(t), store.Config{})
			errs := replay(t, s, read(t, test.database))
			for id, err := range errs {
				if !strings.HasPrefix(err.Error(), emcostore.ErrMissing) || !strings.Contains(err.Error(), "dummy") {
					t.Errorf("%s: %v", id, err)
				}
			}
			if len(errs) != test.refused {
				t.Errorf("%d documents refused, want %d", len(errs), test.refused)
			}
		})
	}
}

// TestDeletes removes what EMCO was asked to delete, and compares what comes of it.
func TestDeletes(t *testing.T) {
	begins := map[string]string{"has-children": emcostore.ErrChildren, "is-referenced": emcostore.ErrReferenced, "not-found": emcostore.ErrNotFound}
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			s := open(t, apitest.OpenBolt(t), store.Config{})
			dummy := map[string]string{"clusterProvider": "provider1", "cluster": "dummy"} // what test-gac refers to
			all := read(t, database)
			replay(t, s, all[:slices.IndexFunc(all, func(doc stored) bool { return doc.keyID == "{cluster,clusterProvider}" })])
			if err := s.Insert(t.Context(), resources, dummy, nil, "data", map[string]any{"metadata": map[string]any{"name": "dummy"}}); err != nil {
				t.Fatal(err)
			}
			for id, err := range replay(t, s, all) {
				t.Errorf("%s: %v", id, err)
			}
			for _, line := range lines(t, filepath.Join("testdata", database, "deletes.jsonl")) {
				var asked struct{ Phase, Kind, Path, Class string }
				if err := json.Unmarshal(line, &asked); err != nil {
					t.Fatal(err)
				}
				if asked.Class == "lifecycle" || asked.Phase == "alone" && asked.Class == "done" {
					continue // the services refuse that themselves; nothing is put back
				}
				if asked.Kind == "clusterProvider" && asked.Phase == "sequence" {
					if err := s.Remove(t.Context(), resources, dummy); err != nil {
						t.Error(err)
					}
				}
				err := s.Remove(t.Context(), resources, keyOf(t, all, asked.Kind, asked.Path))
				if begin := begins[asked.Class]; (err != nil) != (begin != "") || err != nil && !strings.HasPrefix(err.Error(), begin) {
					t.Errorf("%s %s: %v, want %q", asked.Phase, asked.Path, err, begin)
				}
			}
		})
	}
}

// keyOf returns the key of the document of a kind whose values are all in a path, of which the last is the end.
func keyOf(t *testing.T, all []stored, kind, path string) map[string]string {
	t.Helper()
	types := structs(t)
	segments := strings.Split(path, "/")
	for _, doc := range all {
		fits := types.kinds[dovetail.KeyIDOf(slices.Collect(maps.Keys(doc.key)))] == kind
		ends := false
		for name, text := range doc.key {
			fits = fits && (name == "controllerGroup" || slices.Contains(segments, text))
			ends = ends || text == segments[len(segments)-1]
		}
		if group, controller := doc.key["controllerGroup"]; controller {
			prefix := map[string]string{"orchestrator": "controllers", "cluster": "clm-controllers", "dtc": "dtc-controllers"}[group]
			fits = fits && slices.Contains(segments, prefix)
		}
		if fits && ends {
			return doc.key
		}
	}
	t.Fatalf("no document for %s %s", kind, path)
	return nil
}
