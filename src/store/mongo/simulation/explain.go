package simulation

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// A history is right when some order of its operations, each at a moment between its first step and
// its last, explains every answer and what is stored in the end. An operation without an answer may
// come at any moment after its first step, or not at all. What a refusal of a transaction of several documents says of their versions, what
// it does not say included, must have been so at one moment; everything else that a refusal says at a moment of its own.

// event is an operation, or a claim of one, in the search for an order.
type event struct {
	begin, end int
	optional   bool
	// happen returns the state after the event, or false if the event is not possible in the state.
	happen func(state) (state, bool)
}

// state is what is stored, by id. It is not changed, but copied.
type state map[dovetail.ID]*dovetail.Document

func (s state) sum() uint64 {
	var all uint64
	for _, doc := range s {
		all += sumDocument(doc)
	}
	return all
}

// String lists the versions.
func (s state) String() string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(s)) {
		all = append(all, string(id)+"@"+s[id].ETag().Version())
	}
	return strings.Join(all, " ")
}

func versionOf(doc *dovetail.Document) version {
	if doc == nil {
		return version{}
	}
	return version(doc.ETag())
}

// events parts the operations into what must be put in order.
func events(operations []*operation) []event {
	var all []event
	for _, op := range operations {
		e := event{begin: op.begin, end: op.end}
		switch op.outcome {
		case applied, maybe:
			if op.txn == nil {
				continue
			}
			e.optional = op.outcome == maybe
			e.happen = func(s state) (state, bool) { return s.after(op.txn) }
			all = append(all, e)
		case reads:
			e.happen = func(s state) (state, bool) { return s, versionOf(s[op.read]) == op.seen }
			all = append(all, e)
		case never:
			if op.txn == nil { // a read that failed says nothing
				continue
			}
			joint := len(op.txn.Puts)+len(op.txn.Deletes) > 1 && slices.ContainsFunc(op.claims, claim.ofVersion)
			if joint {
				e.happen = func(s state) (state, bool) { return s, s.satisfiesVersions(op) }
				all = append(all, e)
			}
			for _, c := range op.claims {
				if joint && c.ofVersion() {
					continue
				}
				e.happen = func(s state) (state, bool) { return s, s.satisfies(op.txn, c) }
				all = append(all, e)
			}
		}
	}
	return all
}

// timeOver stands in a state for the time that is over.
var timeOver = &dovetail.Document{ID: "time/over", Kind: "time", UID: "t", Revision: 1}

// after does the transaction, if all of its conditions hold, and its time is not over.
func (s state) after(txn *store.Txn) (state, bool) {
	if txn.Before != nil && s[timeOver.ID] != nil {
		return s, false
	}
	next := maps.Clone(s)
	for _, doc := range txn.Puts {
		next[doc.ID] = doc
	}
	for _, id := range txn.Deletes {
		delete(next, id)
	}
	for _, c := range txn.Require {
		if !holds(c, s, next) {
			return s, false
		}
	}
	return next, true
}

func holds(c store.Condition, before, after state) bool {
	switch c.Test {
	case store.Absent:
		return before[c.ID] == nil
	case store.AtVersion:
		return before[c.ID] != nil && before[c.ID].ETag() == c.Version
	case store.Exists:
		return after[c.ID] != nil
	case store.Childless, store.Unreferenced:
		for id := range after {
			if after.blocks(id, c) {
				return false
			}
		}
	}
	return true
}

// blocks reports whether the document breaks a condition Childless or Unreferenced.
func (s state) blocks(id dovetail.ID, c store.Condition) bool {
	doc := s[id]
	switch {
	case doc == nil || id == c.ID:
		return false
	case c.Test == store.Childless:
		return id.IsDescendantOf(c.ID)
	}
	return slices.ContainsFunc(doc.References, func(r dovetail.Reference) bool { return r.ID == c.ID && !r.Weak })
}

// satisfies reports whether the claim is true in the state.
func (s state) satisfies(txn *store.Txn, c claim) bool {
	switch {
	case c.code == dovetail.CodeExists || c.code == dovetail.CodeStale:
		return s[c.condition.ID] != nil && versionOf(s[c.condition.ID]) == c.current &&
			version(c.condition.Version) != c.current
	case c.code == dovetail.CodeNotFound:
		return s[c.condition.ID] == nil
	case c.code == dovetail.CodeConflict:
		return s[timeOver.ID] != nil
	case c.code == dovetail.CodeMissing:
		return s[c.condition.ID] == nil || slices.Contains(txn.Deletes, c.condition.ID)
	}
	return s.blocks(c.blocker, c.condition) || slices.ContainsFunc(txn.Puts, func(doc *dovetail.Document) bool { return doc.ID == c.blocker })
}

// ofVersion reports whether the claim is about the version of a document that is written.
func (c claim) ofVersion() bool {
	return c.code == dovetail.CodeExists || c.code == dovetail.CodeStale || c.code == dovetail.CodeNotFound
}

// satisfiesVersions reports whether of the conditions on versions those fail in the state that the refusal names, as it says, and no others.
func (s state) satisfiesVersions(op *operation) bool {
	for _, condition := range op.txn.Require {
		if condition.Test != store.Absent && condition.Test != store.AtVersion {
			continue
		}
		at := slices.IndexFunc(op.claims, func(c claim) bool {
			return c.ofVersion() && c.condition.Test == condition.Test && c.condition.ID == condition.ID
		})
		if at < 0 && !holds(condition, s, s) || at >= 0 && !s.satisfies(op.txn, op.claims[at]) {
			return false
		}
	}
	return true
}

// explains reports whether some order explains the events and ends in the final state.
func explains(first, final state, all []event) bool {
	want := final.sum()
	tried := make(map[uint64]bool)
	var search func(s state, left uint64) bool
	search = func(s state, left uint64) bool {
		key := mix(s.sum(), left)
		if tried[key] {
			return false
		}
		tried[key] = true
		soonest, only := 1<<62, true
		for i, e := range all {
			if left&(1<<i) != 0 && !e.optional {
				soonest, only = min(soonest, e.end), false
			}
		}
		if only && s.sum() == want {
			return true
		}
		for i, e := range all {
			if left&(1<<i) == 0 || e.begin > soonest {
				continue
			}
			if next, ok := e.happen(s); ok && search(next, left&^(1<<i)) {
				return true
			}
		}
		return false
	}
	return search(first, 1<<len(all)-1)
}
