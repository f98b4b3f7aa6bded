package mongo

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// serverVariable names the server to test on, as a connection string. Tests that need one are skipped
// without it.
const serverVariable = "DOVETAIL_TEST_MONGO_URI"

// freshURI returns the connection string of a database that is not there, and is dropped afterwards.
func freshURI(t testing.TB) string {
	t.Helper()
	given := os.Getenv(serverVariable)
	if given == "" {
		t.Skip(serverVariable + " names no MongoDB server to test on")
	}
	uri, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/dovetail_test_" + strings.ToLower(rand.Text())
	uri.RawQuery = patient(uri.Query()).Encode()
	t.Cleanup(func() {
		clientOptions, database, err := ClientOptions(uri.String())
		if err != nil {
			t.Fatal(err)
		}
		client, err := driver.Connect(clientOptions)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		if err := client.Database(database).Drop(ctx); err != nil {
			t.Errorf("dropping %s: %v", database, err)
		}
		_ = client.Disconnect(ctx)
	})
	return uri.String()
}

// patient gives operations as long as only a defect needs, however slow the machine is.
func patient(query url.Values) url.Values {
	for _, limit := range []string{"timeoutMS", "serverSelectionTimeoutMS"} {
		query.Set(limit, fmt.Sprint(patience.Milliseconds()))
	}
	return query
}

// patience is how long a test waits for what must happen.
const patience = 5 * time.Minute

// elapse waits for the clock of the server, which no test can move: two commits must have different times.
func elapse(d time.Duration) { time.Sleep(d) }

// maxInstant is the longest wait that fakeClock ends immediately: longer than pauses between attempts, shorter than the
// interval of polls.
const maxInstant = 200 * time.Millisecond

func fakeClock() *clocktest.Fake { return clocktest.NewFake(maxInstant) }

func mustOpen(t testing.TB, uri string) *Backend {
	t.Helper()
	b, err := Open(t.Context(), uri, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestConformancePages lists as on a server that sorts what it finds, by all the ways to read a page there.
func TestConformancePages(t *testing.T) {
	for _, effort := range []effort{{few: 3, next: 5, bytes: 8 << 20}, {few: 1, next: 1000}, {few: 1000, next: 1000, bytes: 500}} {
		t.Run(fmt.Sprint(effort), func(t *testing.T) {
			storetest.Run(t, storetest.Config{Subjects: []string{"list", "terms"}, Open: func(t *testing.T) store.Backend {
				b := mustOpen(t, freshURI(t))
				b.server.sorts, b.server.effort = true, effort
				return b
			}})
		})
	}
}

// openAgain opens the database of a backend once more.
func openAgain(t *testing.T, b store.Backend) store.Backend {
	uri, err := url.Parse(os.Getenv(serverVariable))
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/" + b.(*Backend).database.Name()
	uri.RawQuery = patient(uri.Query()).Encode()
	return mustOpen(t, uri.String())
}

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Config{
		Open: func(t *testing.T) store.Backend { return mustOpen(t, freshURI(t)) },
		Reopen: func(t *testing.T, b store.Backend) store.Backend {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			return openAgain(t, b)
		},
		Join: openAgain,
		Expire: func(t *testing.T, b store.Backend) {
			if err := b.(*Backend).Purge(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		},
		Advance: func(_ *testing.T, _ store.Backend, by time.Duration) { elapse(by) },
		Corrupt: func(t *testing.T, b store.Backend) {
			records := b.(*Backend).server.records.alone
			if _, err := records.UpdateMany(t.Context(), bson.D{{Key: fieldKind, Value: "app"}},
				bson.D{{Key: "$unset", Value: bson.D{{Key: fieldRefs, Value: 1}}}}); err != nil {
				t.Fatal(err)
			}
			if err := records.Indexes().DropOne(t.Context(), index{keys: byWeak}.name()); err != nil {
				t.Fatal(err)
			}
		},
	})
}
