package store

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// claimsAfter are the claims of the documents after a migration. Those that are stored already are kept as digests only.
type claimsAfter struct {
	number    int                       // of the document that is examined, in the order of ids, from 1
	holders   map[idDigest]int          // by claim the number of the document that has it
	added     map[dovetail.ID]heldClaim // what may not be stored yet
	bytes     int64                     // about what that takes
	known     map[string]bool           // constraints of the ref-schema in force
	conflicts []claimConflict           // at most maxConflicts
	others    int                       // conflicts that were not kept
}

type heldClaim struct {
	constraint string
	holder     dovetail.ID
}

// claimConflict is a claim that two documents would have.
type claimConflict struct {
	claim  claim
	holder dovetail.ID
	other  int
}

func newClaimsAfter(m *Migration) claimsAfter {
	return claimsAfter{holders: make(map[idDigest]int), added: make(map[dovetail.ID]heldClaim), known: constraintSet(m.from)}
}

// take notes the claims of a document, which changes or not.
func (c *claimsAfter) take(holder dovetail.ID, claims []claim, changes bool) {
	const maxConflicts = 100
	for i := range claims {
		key := digestID(claims[i].id)
		other, taken := c.holders[key]
		switch {
		case taken && len(c.conflicts) == maxConflicts:
			c.others++
		case taken:
			c.conflicts = append(c.conflicts, claimConflict{claims[i], holder, other})
		default:
			c.holders[key] = c.number
			if c.added != nil && (changes || !c.known[claims[i].constraint]) {
				c.added[claims[i].id] = heldClaim{claims[i].constraint, holder}
				c.bytes += int64(len(claims[i].id) + len(claims[i].constraint) + len(holder))
			}
		}
	}
}

// refuseDuplicates adds an error for each claim that two documents would have.
func (r *migrating) refuseDuplicates(ctx context.Context) error {
	c := &r.claims
	if len(c.conflicts) == 0 {
		return nil
	}
	ids := make(map[int]dovetail.ID)
	for _, conflict := range c.conflicts {
		ids[conflict.other] = ""
	}
	number := 0
	for doc, err := range r.documents(ctx) {
		if err != nil {
			return err
		}
		number++
		if _, named := ids[number]; named {
			ids[number] = r.change.Of(doc.ID)
		}
	}
	for i := range c.conflicts {
		r.errs.Add(notUniqueError(&c.conflicts[i].claim, c.conflicts[i].holder, ids[c.conflicts[i].other]))
	}
	r.errs.Count(c.others)
	return nil
}

func notUniqueError(c *claim, id, other dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNotUnique, Key: id, Position: dovetail.Position{Path: c.path},
		Message: string(id) + " and " + string(other) + " would have the same value of " + c.constraint, Remedy: "change one of them first"}
}

// writeClaims adds to the transaction what makes the claims those of the documents afterwards.
func (r *migrating) writeClaims(ctx context.Context, txn *Txn) error {
	for doc, err := range r.store.backend.List(ctx, Query{Kind: claimKind}) {
		if err != nil {
			return err
		}
		held, ok := claimOf(doc)
		if _, wanted := r.claims.holders[digestID(doc.ID)]; !wanted {
			txn.Deletes = append(txn.Deletes, doc.ID)
		} else if ok && r.claims.added[doc.ID] == (heldClaim{held.Constraint, held.Holder}) {
			delete(r.claims.added, doc.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.claims.added)) {
		added := r.claims.added[id]
		txn.Puts = append(txn.Puts, r.store.claimDocument(&claim{id: id, constraint: added.constraint}, added.holder, r.change.Next, r.store.now()))
	}
	return nil
}
