package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// resolvers starts n programs on one database, with the built-in ref-schema.
func resolvers(t *testing.T, n int, location string) []*process {
	t.Helper()
	all := make([]*process, n)
	for i := range all {
		all[i] = newProcess(t, "--store", location, "--lease-time", "2s")
	}
	return all
}

// leading returns which of the processes holds the lease.
func leading(t *testing.T, location string, all []*process) int {
	t.Helper()
	backend, err := openBackend(t.Context(), location, Config{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	doc, err := backend.Get(t.Context(), "_lease/resolution")
	if err != nil {
		t.Fatal(err)
	}
	var held struct {
		Holder string `json:"holder"`
	}
	if err := json.Unmarshal(doc.Data, &held); err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		if strings.HasSuffix(held.Holder, " "+p.address) {
			return i
		}
	}
	t.Fatalf("%q leads", held.Holder)
	return 0
}

// TestResolutionReplicas runs three processes with resolutions on one database: one write answers each change,
// through any of them, and when the leader is killed, another leads.
func TestResolutionReplicas(t *testing.T) {
	rounds.Soak(t)
	location := freshMongo(t).String()
	all := resolvers(t, 3, location)
	const n = 10
	source := func(at *process, versions ...string) {
		t.Helper()
		var list []string
		for _, v := range versions {
			list = append(list, fmt.Sprintf(`{"version":%q,"channels":["main"]}`, v))
		}
		at.must(t, 200, "PUT", "/api/sources/cat", `{"packages":[{"name":"p","versions":[`+strings.Join(list, ",")+`]}]}`)
	}
	become := func(at *process, want string, revision uint64) {
		t.Helper()
		for i := range n {
			for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				_, text, err := at.call(t.Context(), "GET", fmt.Sprintf("/v2/active-resolutions/r%d?view=document", i), "")
				if err != nil {
					t.Fatal(err)
				}
				var doc struct {
					Status struct {
						Selections []string `json:"selections"`
					} `json:"status"`
					Revision uint64 `json:"revision"`
				}
				if err := json.Unmarshal([]byte(text), &doc); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				if s := doc.Status.Selections; len(s) == 1 && s[0] == want {
					if doc.Revision != revision {
						t.Errorf("r%d has revision %d, want %d: a change was answered more than once", i, doc.Revision, revision)
					}
					break
				}
				if time.Since(began) > apptest.Patience {
					t.Fatalf("r%d stays %s", i, text)
				}
			}
		}
	}
	source(all[0], "1.0.0")
	for i := range n {
		all[i%3].must(t, 201, "PUT", fmt.Sprintf("/v2/active-resolutions/r%d?wait=30s", i), `{"spec":{"sources":["cat"],"constraints":["required(\"p\")"]}}`)
	}
	become(all[1], "cat:p:1.0.0:main", 2)
	source(all[1], "1.0.0", "2.0.0")
	become(all[2], "cat:p:2.0.0:main", 3)
	first := leading(t, location, all)
	all[first].kill()
	alive := all[(first+1)%3]
	source(alive, "1.0.0", "3.0.0")
	become(alive, "cat:p:3.0.0:main", 4)
	second := leading(t, location, all)
	if second == first {
		t.Error("the one that was killed leads")
	}
	all[first].start(t)
	all[second].kill()
	source(all[first], "4.0.0")
	become(all[first], "cat:p:4.0.0:main", 5)
}
