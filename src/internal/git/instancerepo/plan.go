package instancerepo

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// Batch is what is to be stored in one transaction.
type Batch struct {
	Puts    []Document
	Deletes []dovetail.ID
}

// Plan divides the documents of a repository into transactions, in the order in which they can be done:
// first all that is of no environment, then each environment whole, at last deletions beside. stored are
// the documents that there are. Of these, associations of environments that are among the documents are
// deleted when they are not themselves, since the lists of an inventory are all that is associated; with
// prune, everything that an instance repository keeps and this one does not have.
func Plan(documents []Document, stored []dovetail.ID, prune bool) []Batch {
	var shared, last Batch
	var order []inventory.Environment
	wanted := make(map[dovetail.ID]bool, len(documents))
	environments := make(map[inventory.Environment]*Batch)
	for _, d := range documents {
		wanted[d.ID] = true
		env, ok := d.Environment()
		if !ok {
			shared.Puts = append(shared.Puts, d)
			continue
		}
		if environments[env] == nil {
			environments[env] = new(Batch)
			order = append(order, env)
		}
		b := environments[env]
		b.Puts = append(b.Puts, d)
	}
	for _, id := range stored {
		key := id.Key()
		if len(key) == 0 || wanted[id] {
			continue
		}
		kind := key[len(key)-1].Name
		d := Document{ID: id}
		env, _ := d.Environment()
		b, known := environments[env]
		switch {
		case known && (prune && isKept(kind) || kind == AssociationKind):
			b.Deletes = append(b.Deletes, id)
		case prune && isKept(kind):
			last.Deletes = append(last.Deletes, id)
		}
	}
	slices.SortFunc(order, func(a, b inventory.Environment) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Name, b.Name))
	})
	batches := []Batch{shared}
	for _, env := range order {
		batches = append(batches, *environments[env])
	}
	batches = append(batches, last)
	return slices.DeleteFunc(batches, func(b Batch) bool { return len(b.Puts) == 0 && len(b.Deletes) == 0 })
}

func isKept(kind string) bool { return slices.Contains(Kinds(), kind) }
