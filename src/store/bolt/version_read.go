package bolt

import (
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// Each version says since when it was there, which is when the one before it ended: so the versions of a document are read from
// the newer to the older. Whole versions are found by id and sequence, and every eighth is whole: what lies between is reached from
// the next whole one by at most seven differences.

// storedVersion returns a version that a commit ended as it is stored; nil when there is none.
func storedVersion(v *kv.View, id dovetail.ID, end uint64) []byte {
	if value := v.Get(differences, differenceKey(id, end)); value != nil {
		return value
	}
	return v.Get(versions, versionKey(id, end)) // where stores of format 3 have differences too
}

// valueAt returns the stored form of a document as of a sequence, nil when there was none; current is that of now. With an
// error it returns what is damaged.
func valueAt(v *kv.View, id dovetail.ID, current []byte, at uint64) ([]byte, error) {
	value := current
	if current != nil {
		since, ok := sinceOf(current)
		if !ok {
			return current, damagedDocument(id)
		}
		if since <= at || store.IsInternal(id) {
			return current, nil
		}
	}
	for _, stored := range v.Scan(versions, indexKey(string(id), ""), versionKey(id, at)) {
		if !isDifference(stored) {
			value = stored
			break
		}
	}
	if value == nil {
		return nil, nil
	}
	var steps [][]byte // from the newer to the older
	for last := value; ; {
		since, ok := sinceOf(last)
		if !ok {
			return last, damagedDocument(id)
		}
		if since <= at {
			break
		}
		if last = storedVersion(v, id, since); last == nil {
			return nil, nil // it did not exist yet
		}
		if !isDifference(last) { // it would have been found
			return last, damagedDocument(id)
		}
		steps = append(steps, last)
	}
	for _, step := range steps {
		older, ok := patch(value, step)
		if !ok {
			return step, damagedDocument(id)
		}
		value = older
	}
	return value, nil
}

// valueEnded returns the version that a commit ended; nil when there is none. With an error it returns what is damaged.
func valueEnded(v *kv.View, id dovetail.ID, end uint64) ([]byte, error) {
	stored := storedVersion(v, id, end)
	if !isDifference(stored) {
		return stored, nil
	}
	return valueAt(v, id, v.Get(docs, []byte(id)), end-1)
}

// earlierValues yields the earlier versions of a document, the newest first, and the sequences that ended them. Those that damage
// makes unreadable may be left out.
func earlierValues(v *kv.View, id dovetail.ID) iter.Seq2[uint64, []byte] {
	return func(yield func(end uint64, value []byte) bool) {
		var wholes []uint64
		for key, stored := range v.Scan(versions, indexKey(string(id), ""), nil) {
			if !isDifference(stored) {
				_, end, _ := splitVersionKey(key)
				wholes = append(wholes, end)
			}
		}
		value := v.Get(docs, []byte(id))
		for {
			since, known := sinceOf(value)
			if stored := storedVersion(v, id, since); known && isDifference(stored) {
				if older, ok := patch(value, stored); ok {
					if value = older; !yield(since, value) {
						return
					}
					continue
				}
			}
			for known && len(wholes) > 0 && wholes[len(wholes)-1] > since { // which were yielded
				wholes = wholes[:len(wholes)-1]
			}
			if len(wholes) == 0 {
				return
			}
			end := wholes[len(wholes)-1]
			wholes = wholes[:len(wholes)-1]
			if value = v.Get(versions, versionKey(id, end)); !yield(end, value) {
				return
			}
		}
	}
}
