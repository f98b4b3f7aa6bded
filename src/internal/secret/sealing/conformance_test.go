package sealing

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// mainKey returns a main key.
func mainKey(t testing.TB) *envelope.KeyFile {
	t.Helper()
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := envelope.ParseKeyFile("main.key", text)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// sealAll has every kind sealed as a whole.
func sealAll(b *Backend) *Backend {
	b.use(&policies{others: &everything})
	return b
}

// conform runs the suite of backends on a sealing one; open opens the database of a name, a new name for each subtest.
func conform(t *testing.T, open func(t *testing.T, name string) store.Backend, expire func(t *testing.T, b store.Backend), exclude map[string]string) {
	keys := mainKey(t)
	names := make(map[store.Backend]string)
	storetest.Run(t, storetest.Config{
		Open: func(t *testing.T) store.Backend {
			name := strings.ToLower(rand.Text())
			b := sealAll(New(open(t, name), Options{Keys: keys}))
			if err := b.Verify(t.Context()); err != nil { // makes the first key, as a server does at its start
				t.Fatal(err)
			}
			names[b] = name
			return b
		},
		Reopen: func(t *testing.T, b store.Backend) store.Backend {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			again := sealAll(New(open(t, names[b]), Options{Keys: keys}))
			names[again] = names[b]
			return again
		},
		Expire:  expire,
		Exclude: exclude,
	})
}

func TestConformanceOnBolt(t *testing.T) {
	const history = 1000
	dir := t.TempDir()
	conform(t, func(t *testing.T, name string) store.Backend {
		b, err := bolt.Open(filepath.Join(dir, name+".db"), bolt.Options{History: history})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}, func(t *testing.T, b store.Backend) {
		doc := &dovetail.Document{ID: "filler/f", Kind: "filler", Data: []byte(`{}`), UID: "u", Revision: 1}
		for range history {
			if err := b.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{doc}}); err != nil {
				t.Fatal(err)
			}
		}
	}, map[string]string{"remove/alone": noRemover, "remove/changes": noRemover, "remove/races": noRemover})
}

const noRemover = "the embedded store removes documents by Commit only"

func TestConformanceOnMongo(t *testing.T) {
	conform(t, func(t *testing.T, name string) store.Backend { return openMongo(t, name) }, func(t *testing.T, b store.Backend) {
		if err := b.(*Backend).Backend.(*mongo.Backend).Purge(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}, nil)
}

// openMongo opens a database of MongoDB of a name, if there is a server to test on.
func openMongo(t testing.TB, name string) store.Backend {
	t.Helper()
	b, err := mongo.Open(context.WithoutCancel(t.Context()), mongoURI(t, name), mongo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mongoURI is the connection string of a database.
func mongoURI(t testing.TB, name string) string {
	t.Helper()
	const variable = "DOVETAIL_TEST_MONGO_URI"
	given := os.Getenv(variable)
	if given == "" {
		t.Skip(variable + " names no MongoDB server to test on")
	}
	uri, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/dovetail_test_" + name
	return uri.String()
}
