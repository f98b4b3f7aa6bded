package emco

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// TestBatches checks of real databases that each batch holds together with those before: parents, references, and children that a
// lifecycle freezes with their parents.
func TestBatches(t *testing.T) {
	m := emcoModel(t)
	for _, name := range databases {
		for _, size := range []int{1, 3, 1000} {
			t.Run(fmt.Sprintf("%s in batches of %d", name, size), func(t *testing.T) {
				stored := database(t, name)
				rand.Shuffle(len(stored), func(i, j int) { stored[i], stored[j] = stored[j], stored[i] })
				migration := read(t, m, stored, Options{})
				there := make(map[dovetail.ID]int)
				batches := 0
				for batch, err := range migration.Batches(size, 1<<20) {
					if err != nil {
						t.Fatal(err)
					}
					batches++
					for _, doc := range batch {
						if there[doc.ID] != 0 {
							t.Errorf("%s is in the batches %d and %d", doc.ID, there[doc.ID], batches)
						}
						there[doc.ID] = batches
					}
					for _, doc := range batch {
						e := migration.at(doc.ID)
						if e.parent >= 0 {
							parent := migration.entries[e.parent]
							if there[parent.id] == 0 {
								t.Errorf("%s comes before its parent", doc.ID)
							}
							if l := parent.kind.Lifecycle; l != nil && len(l.FreezeChildren[doc.Kind]) > 0 && there[parent.id] != batches {
								t.Errorf("%s does not come with its parent, which may freeze it", doc.ID)
							}
						}
						for _, c := range e.kind.Extract(doc.ID, parse(t, string(doc.Data))) {
							if !slices.ContainsFunc(c.Targets, func(target dovetail.Reference) bool { return there[target.ID] != 0 }) {
								t.Errorf("%s comes before %s, to which it refers", doc.ID, c.Targets[0].ID)
							}
						}
					}
				}
				if len(there) != migration.Documents || size == 1 && batches < 10 {
					t.Errorf("%d documents of %d in %d batches", len(there), migration.Documents, batches)
				}
			})
		}
	}
}

// TestExists continues where an earlier migration was interrupted, after each batch.
func TestExists(t *testing.T) {
	m := emcoModel(t)
	stored := database(t, "vfw")
	var all [][]*dovetail.Document
	for batch, err := range read(t, m, stored, Options{}).Batches(4, 1<<20) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, batch)
	}
	for done := range len(all) + 1 {
		migration := read(t, m, stored, Options{})
		left := migration.Documents
		for _, doc := range slices.Concat(all[:done]...) {
			if known, err := migration.Exists(doc); err != nil || !known {
				t.Fatal(err)
			}
			left--
		}
		for batch, err := range migration.Batches(4, 1<<20) {
			if err != nil {
				t.Fatal(err)
			}
			left -= len(batch)
		}
		if left != 0 {
			t.Errorf("after %d batches %d documents are left out", done, left)
		}
	}
	migration := read(t, m, stored, Options{})
	other := *all[0][0]
	other.UID = "another"
	if _, err := migration.Exists(&other); err == nil || err.Code != dovetail.CodeExists {
		t.Errorf("of a document of another origin: %v", err)
	}
	changed := *all[0][0]
	changed.Data = []byte(`{"metadata":{"name":"other"}}`)
	if known, err := migration.Exists(&changed); err != nil || !known || len(migration.Findings) != 1 || migration.Findings[0].Problem != Changed {
		t.Errorf("of a document that was changed: %v, %v", err, migration.Findings)
	}
	if known, err := migration.Exists(&dovetail.Document{ID: "project/elsewhere", UID: "another"}); err != nil || known {
		t.Errorf("of a document that is none of the migration: %v", err)
	}
}

// TestComponents compares the components of random graphs with what can reach each other, and their order with the edges.
func TestComponents(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(12)
		edges := make([][]int32, n)
		reach := make([][]bool, n)
		for from := range edges {
			reach[from] = make([]bool, n)
			reach[from][from] = true
			for range r.IntN(3) {
				to := r.IntN(n)
				edges[from] = append(edges[from], int32(to))
				reach[from][to] = true
			}
		}
		for via := range n {
			for from := range n {
				for to := range n {
					reach[from][to] = reach[from][to] || reach[from][via] && reach[via][to]
				}
			}
		}
		search := &tarjan{edges: edges, index: make([]int32, n), low: make([]int32, n)}
		at, count := make([]int, n), 0
		for root := range int32(n) {
			for _, component := range search.from(root) {
				count++
				for _, node := range component {
					if at[node] != 0 {
						t.Fatalf("seed %d: %d is in two components", seed, node)
					}
					at[node] = count
				}
			}
		}
		for a := range n {
			for b := range n {
				if at[a] == 0 || (at[a] == at[b]) != (reach[a][b] && reach[b][a]) || reach[a][b] && at[b] > at[a] {
					t.Fatalf("seed %d: edges %v, components %v", seed, edges, at)
				}
			}
		}
	}
}
