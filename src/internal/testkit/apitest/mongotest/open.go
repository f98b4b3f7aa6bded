// Package mongotest opens stores on MongoDB for tests. It is apart from apitest so that only the tests that run on MongoDB link
// its driver.
package mongotest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo"
)

// Variable names the environment variable with the connection string of the MongoDB server to test on.
const Variable = "DOVETAIL_TEST_MONGO_URI"

// Each runs a test on the embedded store, and on MongoDB if there is a server. open opens a new database.
func Each(t *testing.T, run func(t *testing.T, open func(testing.TB) store.Backend)) {
	t.Run("bolt", func(t *testing.T) { run(t, apitest.OpenBolt) })
	t.Run("mongo", func(t *testing.T) {
		Skip(t)
		run(t, Open)
	})
}

// Skip skips a test if there is no MongoDB server.
func Skip(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip(Variable + " names no MongoDB server to test on")
	}
}

// Location returns the location of a new database of MongoDB, which is dropped after the test. It has limits that only a defect reaches.
func Location(t testing.TB) *url.URL {
	t.Helper()
	Skip(t)
	uri, err := url.Parse(os.Getenv(Variable))
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
		query.Set(limit, fmt.Sprint(apitest.Patience.Milliseconds()))
	}
	uri.RawQuery = query.Encode()
	return uri
}

// Open opens a database of MongoDB, which is dropped after the test. The caller closes it.
func Open(t testing.TB) store.Backend {
	t.Helper()
	backend, err := mongo.Open(t.Context(), Location(t).String(), mongo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// Database returns the database at a location as the driver sees it.
func Database(t testing.TB, location *url.URL) *driver.Database {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(os.Getenv(Variable)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client.Database(location.Path[1:])
}
