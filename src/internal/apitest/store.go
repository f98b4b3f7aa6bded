package apitest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/internal/memdir"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// MongoVariable names the MongoDB server to test on, as a connection string.
const MongoVariable = "DOVETAIL_TEST_MONGO_URI"

// Each runs a test on the embedded store, and on MongoDB where there is a server. open opens a new database.
func Each(t *testing.T, run func(t *testing.T, open func(testing.TB) store.Backend)) {
	t.Run("bolt", func(t *testing.T) { run(t, OpenBolt) })
	t.Run("mongo", func(t *testing.T) {
		SkipWithoutMongo(t)
		run(t, OpenMongo)
	})
}

// SkipWithoutMongo skips a test where there is no MongoDB server.
func SkipWithoutMongo(t testing.TB) {
	t.Helper()
	if os.Getenv(MongoVariable) == "" {
		t.Skip(MongoVariable + " names no MongoDB server to test on")
	}
}

// OpenBolt opens an embedded database. Who opens it closes it.
func OpenBolt(t testing.TB) store.Backend {
	t.Helper()
	backend, err := bolt.Open(filepath.Join(memdir.New(t), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// OpenMongo opens a database of MongoDB, which is dropped afterwards. Who opens it closes it.
func OpenMongo(t testing.TB) store.Backend {
	t.Helper()
	SkipWithoutMongo(t)
	uri, err := url.Parse(os.Getenv(MongoVariable))
	if err != nil {
		t.Fatal(err)
	}
	name := "dovetail_test_" + strings.ToLower(rand.Text())
	client, err := driver.Connect(options.Client().ApplyURI(uri.String()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Database(name).Drop(context.Background())
		_ = client.Disconnect(context.Background())
	})
	uri.Path = "/" + name
	query := uri.Query()
	for _, limit := range []string{"timeoutMS", "serverSelectionTimeoutMS"} {
		query.Set(limit, fmt.Sprint(Patience.Milliseconds()))
	}
	uri.RawQuery = query.Encode()
	backend, err := mongo.Open(t.Context(), uri.String(), mongo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// Closing closes a backend when the test ends.
func Closing(t testing.TB, backend store.Backend) store.Backend {
	t.Helper()
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	return backend
}

// Compile compiles the ref-schemas of the files.
func Compile(t testing.TB, files ...string) *schema.Model {
	t.Helper()
	var sources []schema.Source
	for _, file := range files {
		source, err := schema.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// NewStore opens a store on a backend with the ref-schemas of the files.
func NewStore(t testing.TB, backend store.Backend, config store.Config, files ...string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), backend, Compile(t, files...), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
