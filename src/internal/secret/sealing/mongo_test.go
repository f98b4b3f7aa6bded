package sealing

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// FreshMongo returns a function that opens a new database, and the database as the driver sees it. It is dropped
// afterwards.
func FreshMongo(t *testing.T) (open func(t testing.TB) store.Backend, database *driver.Database) {
	t.Helper()
	name := strings.ToLower(rand.Text())
	client, err := driver.Connect(options.Client().ApplyURI(mongoURI(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	database = client.Database("dovetail_test_" + name)
	t.Cleanup(func() {
		_ = database.Drop(context.Background())
		_ = client.Disconnect(context.Background())
	})
	return func(t testing.TB) store.Backend { return openMongo(t, name) }, database
}

// No collection of the database holds a secret, during and after a rotation.
func TestNothingIsStoredInClearOnMongo(t *testing.T) {
	const planted = "sw0rdf1sh-in-clear"
	open, database := FreshMongo(t)
	inner := open(t)
	ctx := context.WithoutCancel(t.Context())
	t.Cleanup(func() { _ = inner.Close() })
	b := New(inner, Options{Keys: mainKey(t)})
	b.use(&policies{byKind: map[string]policy{"credential": newPolicy([]string{"/spec"}), store.IdempotencyKind: everything}})
	s := []*dovetail.Document{
		{ID: "credential/a", Kind: "credential", Data: []byte(`{"metadata":{"name":"a"},"spec":{"password":"` + planted + `"}}`), Status: []byte(`{"x":"` + planted + `"}`),
			Content: []dovetail.File{{Name: "f", Filename: planted, Data: []byte(planted)}}, UID: "u1", Revision: 1},
		{ID: store.IdempotencyKind + "/k", Kind: store.IdempotencyKind, Data: []byte(`{"data":"` + planted + `"}`), UID: "u2", Revision: 1},
	}
	grep := func() {
		t.Helper()
		collections, err := database.ListCollectionNames(ctx, bson.D{})
		if err != nil || len(collections) == 0 {
			t.Fatal(collections, err)
		}
		seen := 0
		for _, collection := range collections {
			cursor, err := database.Collection(collection).Find(ctx, bson.D{})
			if err != nil {
				t.Fatal(err)
			}
			for cursor.Next(ctx) {
				seen++
				if bytes.Contains(cursor.Current, []byte(planted)) {
					t.Errorf("%s holds the secret", collection)
				}
			}
			if err := cursor.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if seen < len(s) {
			t.Errorf("only %d records", seen)
		}
	}
	if err := b.Commit(ctx, store.Txn{Puts: s}); err != nil {
		t.Fatal(err)
	}
	grep()
	step, err := b.Rotate(ctx, "")
	for err == nil && !step.Done {
		step, err = b.Rotate(ctx, step.Key)
	}
	if err != nil || len(step.Retired) != 1 || step.Sealed != len(s) {
		t.Fatalf("%+v, %v", step, err)
	}
	grep()
	for _, want := range s {
		got, err := b.Get(ctx, want.ID)
		if err != nil || !bytes.Equal(got.Data, want.Data) || !bytes.Equal(got.Status, want.Status) || len(got.References) > 0 || got.ETag() != want.ETag() {
			t.Errorf("%v: %+v", err, got)
		}
	}
}
