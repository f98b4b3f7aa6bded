package soak_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestResolutionReplicas runs three processes with resolutions on one database: one write answers each change,
// through any of them, and when the leader is killed, another leads.
func TestResolutionReplicas(t *testing.T) {
	rounds.Soak(t)
	location := mongotest.Location(t).String()
	all := make([]*apptest.Process, 3)
	for i := range all {
		all[i] = apptest.StartProcess(t, "--store", location, "--lease-time", "2s")
	}
	const n = 10
	source := func(at *apptest.Process, versions ...string) {
		t.Helper()
		var list []string
		for _, v := range versions {
			list = append(list, fmt.Sprintf(`{"version":%q,"channels":["main"]}`, v))
		}
		at.Must(t, 200, "PUT", "/api/sources/cat", `{"packages":[{"name":"p","versions":[`+strings.Join(list, ",")+`]}]}`)
	}
	become := func(at *apptest.Process, want string, revision uint64) {
		t.Helper()
		for i := range n {
			var text string
			apptest.Eventually(t, fmt.Sprintf("r%d selects %s", i, want), func() bool {
				text = at.Must(t, 200, "GET", fmt.Sprintf("/v2/active-resolutions/r%d?view=document", i), "")
				return strings.Contains(text, `"selections":["`+want+`"]`)
			})
			var doc struct{ Revision uint64 }
			if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Revision != revision {
				t.Errorf("r%d has revision %d, want %d: a change was answered more than once; %v", i, doc.Revision, revision, err)
			}
		}
	}
	source(all[0], "1.0.0")
	for i := range n {
		all[i%3].Must(t, 201, "PUT", fmt.Sprintf("/v2/active-resolutions/r%d?wait=30s", i), `{"spec":{"sources":["cat"],"constraints":["required(\"p\")"]}}`)
	}
	become(all[1], "cat:p:1.0.0:main", 2)
	source(all[1], "1.0.0", "2.0.0")
	become(all[2], "cat:p:2.0.0:main", 3)
	first := leads(t, all, "resolution")
	all[first].Kill()
	alive := all[(first+1)%3]
	source(alive, "1.0.0", "3.0.0")
	become(alive, "cat:p:3.0.0:main", 4)
	second := leads(t, all, "resolution")
	all[first].Start(t)
	all[second].Kill()
	source(all[first], "4.0.0")
	become(all[first], "cat:p:4.0.0:main", 5)
}
