package sealing_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestOverlay: a view has documents of sensitive kinds in plaintext, stored and staged ones, and leaves what is stored sealed.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	d := open(t, filepath.Join(dir, "x.db"), keyFile(t), kinds)
	put(t, d.Store, "credential/a", secretData)
	changed := strings.ReplaceAll(secretData, planted, planted+"-staged")
	var staged []store.Staged
	view, err := d.Overlay(t.Context(), "", nil, func(_ context.Context, changes []store.Staged) error {
		staged = append(staged, changes...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, view, "credential/a", changed)
	put(t, view, "credential/b", strings.Replace(secretData, `"name":"a"`, `"name":"b"`, 1))
	if len(staged) != 2 || !strings.Contains(string(staged[0].Base.Data), planted) || staged[1].Base != nil {
		t.Fatalf("staged is %+v", staged)
	}
	if doc, err := view.Get(t.Context(), "credential/a"); err != nil || !strings.Contains(string(doc.Data), planted+"-staged") {
		t.Errorf("the view has %+v, %v", doc, err)
	}
	if _, err := view.List(t.Context(), store.ListQuery{Sealed: true}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a sealed list: %v", err)
	}
	if !view.Encryption().Sealed {
		t.Error("the view of an encrypted store says that it is none")
	}
	operations, conflicts, err := d.MergeOperations(t.Context(), staged, nil)
	if err != nil || len(conflicts) > 0 {
		t.Fatal(conflicts, err)
	}
	if _, err := d.Apply(t.Context(), operations, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if doc, err := d.Get(t.Context(), "credential/a"); err != nil || !strings.Contains(string(doc.Data), planted+"-staged") {
		t.Errorf("after the merge there is %+v, %v", doc, err)
	}
	d.close(t)
	if found := grep(t, dir, planted); len(found) > 0 {
		t.Errorf("%v have the secret in clear", found)
	}
}
