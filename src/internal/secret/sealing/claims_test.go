package sealing_test

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestClaimsOfSensitiveKinds wants unique values of a sensitive kind to be enforced, and their claims to reveal nothing: two
// databases with the same value have claims of different ids, and the key that they are made with is encrypted.
func TestClaimsOfSensitiveKinds(t *testing.T) {
	const schema = "name: test\nresources:\n- name: credential\n  sensitive: [/spec/token]\n  unique: [spec.token]\n- name: plain\n  unique: [spec.token]\n"
	const token = `{"spec":{"token":"` + planted + `"}}`
	claims := func(d *database) map[string]dovetail.ID {
		ids := map[string]dovetail.ID{}
		for doc, err := range d.inner.List(t.Context(), store.Query{Kind: "_claim"}) {
			if err != nil {
				t.Fatal(err)
			}
			ids[string(doc.Data)] = doc.ID
		}
		return ids
	}
	keys := keyFile(t)
	file := filepath.Join(t.TempDir(), "a.db")
	a, b := open(t, file, keys, schema), open(t, filepath.Join(t.TempDir(), "b.db"), keys, schema)
	for _, d := range []*database{a, b} {
		put(t, d.Store, "credential/x", token)
		put(t, d.Store, "plain/x", token)
	}
	inA, inB := claims(a), claims(b)
	same := 0
	for data, id := range inA {
		if inB[data] == id {
			same++
		}
	}
	if len(inA) != 2 || len(inB) != 2 || same != 1 {
		t.Errorf("%v and %v: only the claims on what is in clear may be the same", inA, inB)
	}
	if key := a.stored(t, store.ClaimKeyKind+"/current"); !store.IsSealed(key.Data) {
		t.Errorf("the key is stored in clear: %s", key.Data)
	}
	refused := func(d *database) {
		t.Helper()
		_, err := d.Put(t.Context(), store.Operation{ID: "credential/y", Data: data(t, token)})
		if e := dovetail.AsError(err); e == nil || e.Reason != store.ReasonNotUnique {
			t.Errorf("a duplicate: %v", err)
		}
		for f, err := range d.Check(t.Context(), false) {
			t.Errorf("%+v %v", f, err)
		}
	}
	refused(a)
	if r, err := a.Rotate(t.Context(), ""); err != nil || !r.Done {
		t.Fatalf("%+v %v", r, err)
	}
	refused(a)
	a.close(t)
	refused(open(t, file, keys, schema))
}
