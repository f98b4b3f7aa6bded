package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestDatabaseHasServices opens a database without a server: fsck knows the documents of services, and they follow a rename.
func TestDatabaseHasServices(t *testing.T) {
	db, err := app.OpenDatabase(t.Context(), "bolt:"+filepath.Join(t.TempDir(), "db"), "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	put := func(id dovetail.ID, spec string) {
		t.Helper()
		data, err := value.ParseJSON([]byte(`{"metadata":{"name":"`+id.Key()[len(id.Key())-1].Value+`"},"spec":`+spec+`}`), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Put(t.Context(), store.Operation{ID: id, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	problems := func(repair bool) (found string) {
		for f, err := range db.Check(t.Context(), repair) {
			if err != nil {
				t.Fatal(err)
			}
			found += f.Problem + " "
		}
		return found
	}
	put("cluster/c", `{}`)
	put("cluster/c/environment/e", `{}`)
	put("cluster/c/environment/e/environmentParamSet/p", `{"name":"p","parameters":{},"applications":[]}`)
	put("cluster/c/environment/e/paramSetAssociation/00000000-0000-4000-8000-000000000000", `{"context":"deploy","associatedObject":"cloud","order":0,"environmentParamSet":"p"}`)
	if got := problems(true); got != override.ProblemAssociation+" " || problems(false) != "" {
		t.Errorf("found %q, and after the repair %q", got, problems(false))
	}
	if _, err := db.Rename(t.Context(), "cluster/c/environment/e/environmentParamSet/p", "cluster/c/environment/e/environmentParamSet/q", store.Options{}); err != nil {
		t.Fatal(err)
	}
	doc, err := db.Get(t.Context(), "cluster/c/environment/e/environmentParamSet/q")
	if err != nil || !strings.Contains(string(doc.Data), `"spec":{"name":"q"`) {
		t.Errorf("the name in the data did not follow: %v %v", doc, err)
	}
}
