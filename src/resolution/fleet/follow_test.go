package fleet_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestFollow renames sets and clusters: the ActiveResolutions that sets keep follow, with their status, and those that no set has made stay.
func TestFollow(t *testing.T) {
	kept := func(set, cluster string) string {
		return `{"metadata":{"name":"` + set + "-" + cluster + `","labels":{"resolution.dovetail.dev/set":"` + set + `","resolution.dovetail.dev/cluster":"` + cluster + `"}},"spec":{"set":"` + set + `"}}`
	}
	tests := []struct{ name, from, to, want, data string }{
		{"a set", "activeResolutionSet/s", "activeResolutionSet/z", "activeResolution/other activeResolution/z-a activeResolution/z-b", kept("z", "a")},
		{"a cluster that sets name", "cluster/a", "cluster/z", "activeResolution/other activeResolution/s-b activeResolution/s-z", kept("s", "z")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{Follow: []store.Follow{fleet.Follow}}, own, inventory)
			create := func(id, data string) {
				t.Helper()
				op := store.NewOperation(store.Create, dovetail.ID(id), json.RawMessage(data))
				if strings.HasPrefix(id, state.Kind+"/") {
					op.Status = (&world{t: t}).parse(`{"activation":{"of":"` + id + `"}}`)
				}
				if _, err := s.Create(t.Context(), op); err != nil {
					t.Fatal(err)
				}
			}
			create("cluster/a", `{}`)
			create("cluster/b", `{}`)
			create("activeResolutionSet/s", `{"spec":{"clusters":[{"name":"a"},{"name":"b"}],"template":{"spec":{}}}}`)
			create("activeResolution/s-a", kept("s", "a"))
			create("activeResolution/s-b", kept("s", "b"))
			create("activeResolution/other", `{"spec":{"set":"s"}}`)
			if _, err := s.Rename(t.Context(), dovetail.ID(tt.from), dovetail.ID(tt.to), store.Options{}); err != nil {
				t.Fatal(err)
			}
			stored := make(map[string]string)
			for doc, err := range s.Documents(t.Context(), store.ListQuery{Kind: state.Kind}) {
				if err != nil {
					t.Fatal(err)
				}
				if len(doc.Status) == 0 {
					t.Errorf("%s has lost its status", doc.ID)
				}
				stored[string(doc.ID)] = string(doc.Data)
			}
			ids := slices.Sorted(maps.Keys(stored))
			if got := strings.Join(ids, " "); got != tt.want {
				t.Fatalf("the resolutions are %s, want %s", got, tt.want)
			}
			if !slices.Contains(slices.Collect(maps.Values(stored)), tt.data) {
				t.Errorf("they are %v", stored)
			}
			sets, err := s.List(t.Context(), store.ListQuery{Kind: fleet.Kind})
			if err != nil {
				t.Fatal(err)
			}
			names := strings.Contains(string(sets.Documents[0].Data), `"name":"z"`)
			if tt.from == "cluster/a" && !names {
				t.Errorf("the set is %s", sets.Documents[0].Data)
			}
		})
	}
}
