package bolt

import (
	"encoding/binary"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The change log has one entry for each transaction that changed something, under consecutive
// sequence numbers from 1. A stored entry is
//
//	format, time, number of changes, changes, checksum
const changesFormat = 1

// operations are the codes of store.Op in the log.
var operations = [...]store.Op{1: store.Created, 2: store.Updated, 3: store.Deleted}

func encodeChanges(now time.Time, changes []store.Change) []byte {
	b := make([]byte, 0, 32+128*len(changes))
	b = append(b, changesFormat)
	b = appendTime(b, now)
	b = binary.AppendUvarint(b, uint64(len(changes)))
	for _, c := range changes {
		for code, op := range operations {
			if op == c.Op {
				b = append(b, byte(code))
			}
		}
		b = appendText(b, string(c.ID))
		b = appendText(b, c.Kind)
		b = appendText(b, c.UID)
		b = binary.AppendUvarint(b, c.Revision)
	}
	return seal(b)
}

// decodeChanges reads the stored form; nothing in the result refers to value. ok is false when the
// value is damaged.
func decodeChanges(value []byte) (set store.ChangeSet, ok bool) {
	sealed, ok := unseal(value)
	if !ok || len(sealed) == 0 || sealed[0] != changesFormat {
		return store.ChangeSet{}, false
	}
	f := fields{rest: string(sealed[1:])}
	set.Time = f.time()
	const smallestChange = 5
	set.Changes = make([]store.Change, f.count(smallestChange))
	for i := range set.Changes {
		code := int(f.byte())
		if code == 0 || code >= len(operations) {
			f.fail()
			break
		}
		set.Changes[i] = store.Change{Op: operations[code], ID: dovetail.ID(f.text()), Kind: f.text(), UID: f.text(),
			Revision: f.number()}
	}
	return set, !f.failed && f.rest == ""
}

// record appends the changes of a transaction to the log.
func (w *writer) record(changes []store.Change) error {
	sequence, err := w.log.NextSequence()
	if err != nil {
		return err
	}
	return w.log.Put(sequenceKey(sequence), encodeChanges(w.now, changes))
}

// trim forgets what is older than the newest history entries. Each call does as much as the group
// added, and a little more, so that a shorter history takes effect soon without a long pause.
func (w *writer) trim(history uint64) error {
	if !w.changed {
		return nil
	}
	first, _ := w.log.Cursor().First()
	if first == nil {
		return nil
	}
	last := w.log.Sequence()
	oldest := binary.BigEndian.Uint64(first)
	const most = 2 * maxGroup
	for n := 0; n < most && last-oldest >= history; n++ {
		if err := w.log.Delete(sequenceKey(oldest)); err != nil {
			return err
		}
		oldest++
	}
	return nil
}
