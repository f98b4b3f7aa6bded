package cli_test

import (
	"context"
	"iter"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/store"
)

// kept is a Store that outlives the commands of a script, each of which closes it.
type kept struct{ cli.Store }

func (kept) Close() error { return nil }

// schemas is the directory of the ref-schema that tests use. They change the working directory.
var schemas = func() string {
	dir, err := filepath.Abs("testdata/schema")
	if err != nil {
		panic(err)
	}
	return dir
}()

// openStore returns a new store, itself or through a server in front of it.
func openStore(t *testing.T, overHTTP bool) cli.Store {
	t.Helper()
	return openStoreOf(t, overHTTP, schemas)
}

// openStoreOf is openStore with the ref-schema of another directory.
func openStoreOf(t *testing.T, overHTTP bool, schemas string) cli.Store {
	t.Helper()
	db, err := app.OpenDatabase(t.Context(), "bolt:"+memdir.New(t)+"/test.db", schemas, store.Config{Clock: clock(), NewUID: counter()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if !overHTTP {
		return kept{app.Offline(db)}
	}
	api := httpapi.New(db.Store, httpapi.Options{})
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	t.Cleanup(api.Close)
	c, err := app.Connect(cli.Server{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return kept{c}
}

// signalling closes a channel when a watch has listed what there is, and begins to wait for changes.
type signalling struct {
	cli.Store
	begun chan struct{}
}

func (s *signalling) Watch(ctx context.Context, after store.Cursor, q store.WatchQuery) iter.Seq2[store.Event, error] {
	close(s.begun)
	return s.Store.Watch(ctx, after, q)
}
