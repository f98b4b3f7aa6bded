package inventory_test

import (
	"encoding/json"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestVerify has documents with names that a rename which did not know of them left behind. Repair gives them their own.
func TestVerify(t *testing.T) {
	const environment = "cluster/c/environment/e"
	s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(inventory.Rules()), "ref-schemas/v1.yaml")
	for _, d := range []struct{ id, data string }{
		{"cluster/c", `{}`}, {environment, `{"spec":{"name":"another"}}`}, {environment + "/deployPostfix/n", `{"spec":{"namespace":"cluster-n"}}`},
		{environment + "/deployPostfix/n/application/web", `{"spec":{"name":"shop"}}`}, {environment + "/deployPostfix/n/application/same", `{"spec":{"name":"same"}}`},
		{environment + "/bgDomain/d", `{"spec":{"name":"former"}}`},
	} {
		if _, err := s.Create(t.Context(), store.NewOperation(store.Create, dovetail.ID(d.id), json.RawMessage(d.data))); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{2, 0} {
		found := 0
		for f, err := range s.Check(t.Context(), true) {
			if err != nil {
				t.Fatal(err)
			}
			if found++; f.Problem != inventory.ProblemName || !f.Repaired {
				t.Errorf("fsck finds %+v", f)
			}
		}
		if found != want {
			t.Errorf("fsck finds %d documents, want %d", found, want)
		}
	}
	doc, err := s.Get(t.Context(), environment+"/deployPostfix/n/application/web")
	if err != nil || string(doc.Data) != `{"spec":{"name":"web"}}` {
		t.Errorf("it is %s (%v)", doc.Data, err)
	}
}
