package simulation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// having returns a revision of a document with a unique value.
func having(id dovetail.ID, uid string, revision uint64, value string) *dovetail.Document {
	d := document(id, uid, revision)
	d.Data = []byte(value)
	return d
}

// claimOn is the claim that a document holds on its value.
func claimOn(d *dovetail.Document) *dovetail.Document {
	c := document(dovetail.ID(claimPrefix+valueOf(d)), fmt.Sprintf("%s@%d", d.UID, d.Revision), 1)
	c.Kind, c.Data = "_claim", []byte(d.ID)
	return c
}

func absent(id dovetail.ID) store.Condition { return store.Condition{Test: store.Absent, ID: id} }

// claiming is the transaction of the store that writes documents with unique values, and deletes others: what is claimed must
// be absent unless the transaction gives it up itself. Of what is given up the versions of the documents tell.
func claiming(given []*dovetail.Document, txn Action, puts ...*dovetail.Document) Action {
	released := make(map[dovetail.ID]bool)
	for _, d := range given {
		released[claimOn(d).ID] = true
	}
	all := combined(txn)
	for _, d := range puts {
		claim := claimOn(d)
		if !released[claim.ID] {
			all.Commit.Require = append(all.Commit.Require, absent(claim.ID))
		}
		all.Commit.Puts = append(all.Commit.Puts, claim)
		delete(released, claim.ID)
	}
	for _, d := range given {
		if id := claimOn(d).ID; released[id] {
			all.Commit.Deletes = append(all.Commit.Deletes, id)
		}
	}
	return all
}

func createHaving(d *dovetail.Document) Action { return claiming(nil, create(d), d) }

func updateHaving(was, next *dovetail.Document) Action {
	return claiming(documents(was), update(next), next)
}

func removeHaving(d *dovetail.Document) Action { return claiming(documents(d), remove(d)) }

// What the scenarios of claims begin with: u/1 has x, u/2 has y.
var (
	hasX, hasY = having("u/1", "x", 1, "x"), having("u/2", "y", 1, "y")
	movedToZ   = having("u/1", "x", 2, "z")
)

const (
	twoClaimants     = "two creators of documents with one value"
	moverAndClaimant = "a value that moves, and a claimant"
	moverAndDeleter  = "a mover of a value, and a deleter of its document who then claims the value"
	exchangedDeleted = "two values exchanged, and a deleter of one document who then claims its value"
)

// claims are scenarios of writers that compete for unique values.
func claims() []Scenario {
	one := documents(hasX, claimOn(hasX))
	claimant := func(uid string) Action { return createHaving(having("u/3", uid, 1, "x")) }
	exchanged := documents(having("u/1", "x", 2, "y"), having("u/2", "y", 2, "x"))
	return []Scenario{
		{Name: twoClaimants, Documents: documents(),
			Processes: []Process{does("A", createHaving(hasX)), does("B", createHaving(having("u/2", "b", 1, "x")))}},
		{Name: moverAndClaimant, Documents: one,
			Processes: []Process{does("A", updateHaving(hasX, movedToZ)), does("B", claimant("b"))}},
		{Name: "a value that is given up, and a claimant", Documents: one,
			Processes: []Process{does("A", removeHaving(hasX)), does("B", claimant("b"), read("u/3"))}},
		{Name: moverAndDeleter, Documents: one,
			Processes: []Process{does("A", updateHaving(hasX, movedToZ)), does("B", removeHaving(hasX), claimant("b"))}},
		{Name: exchangedDeleted, Documents: documents(hasX, claimOn(hasX), hasY, claimOn(hasY)),
			Processes: []Process{does("A", claiming(documents(hasX, hasY), update(exchanged...), exchanged...)), does("B", removeHaving(hasX), claimant("b"))}},
	}
}

// TestMutantsOfClaims leaves out conditions of transactions that claim values: a value is then had twice, or a claim says what is
// not so.
func TestMutantsOfClaims(t *testing.T) {
	without := func(a Action, test store.Test, id dovetail.ID) Action {
		txn := *a.Commit
		n := len(txn.Require)
		txn.Require = slices.DeleteFunc(slices.Clone(txn.Require), func(c store.Condition) bool { return c.Test == test && c.ID == id })
		if len(txn.Require) == n {
			t.Fatalf("there is no such condition on %s", id)
		}
		return Action{Commit: &txn}
	}
	byName := make(map[string]Scenario)
	for _, s := range claims() {
		byName[s.Name] = s
	}
	for _, c := range []struct {
		name, scenario string
		process        int
		test           store.Test
		id             dovetail.ID
	}{
		{"a claim need not be absent", twoClaimants, 1, store.Absent, "_claim/x"},
		{"a claim that is taken over need not be absent", moverAndClaimant, 1, store.Absent, "_claim/x"},
		{"a claim is moved whoever holds it", moverAndDeleter, 0, store.AtVersion, "u/1"},
		{"a claim is given up whoever holds it", moverAndDeleter, 1, store.AtVersion, "u/1"},
		{"a claim is passed on whoever holds it", exchangedDeleted, 0, store.AtVersion, "u/1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := byName[c.scenario]
			s.Attempts = 1
			s.Processes = slices.Clone(s.Processes)
			p := &s.Processes[c.process]
			p.Actions = []Action{without(p.Actions[0], c.test, c.id)}
			result := s.Explore(100_000)
			if result.Violation == nil {
				t.Fatalf("nothing was noticed in %d states", result.States)
			}
			t.Logf("noticed after %d states: %v", result.States, result.Violation)
		})
	}
}

// claim makes an action on a document with a unique value.
func (w *writer) claim(id dovetail.ID) Action {
	value, uid := pick(w.random, "x", "z"), w.uid()
	switch w.random.IntN(3) {
	case 0:
		return createHaving(having(id, uid, 1, value))
	case 1:
		return Action{Change: &Reaction{id, func(doc *dovetail.Document) *store.Txn {
			if doc == nil {
				return nil
			}
			return updateHaving(doc, having(id, doc.UID, doc.Revision+1, value)).Commit
		}}}
	}
	return Action{Change: &Reaction{id, func(doc *dovetail.Document) *store.Txn {
		if doc == nil {
			return nil
		}
		return removeHaving(doc).Commit
	}}}
}
