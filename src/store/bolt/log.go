package bolt

import (
	"encoding/binary"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
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

// logBounds is where the log begins and ends: the entries from first to last are there.
type logBounds struct {
	first, last uint64
}

var logKey = []byte("log")

func readBounds(v *kv.View) (logBounds, error) {
	value := v.Get(meta, logKey)
	switch len(value) {
	case 0:
		return logBounds{first: 1}, nil
	case 16:
		return logBounds{binary.BigEndian.Uint64(value), binary.BigEndian.Uint64(value[8:])}, nil
	}
	return logBounds{}, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the bounds of the change log are damaged",
		Remedy: "restore the store from a backup"}
}

func (l logBounds) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, l.first), l.last)
}

// logWriter appends to the log in one batch.
type logWriter struct {
	batch  *kv.Batch
	bounds logBounds
	added  int
}

func newLogWriter(batch *kv.Batch) (*logWriter, error) {
	bounds, err := readBounds(&batch.View)
	return &logWriter{batch: batch, bounds: bounds}, err
}

// add appends the entry of a transaction.
func (l *logWriter) add(entry []byte) {
	l.bounds.last++
	l.added++
	l.batch.Put(changes, sequenceKey(l.bounds.last), entry)
}

// finish forgets what is older than the newest history entries, and says whether any was added. It
// forgets as many as were added, and some more, so that a shorter history takes effect soon without
// a long pause.
func (l *logWriter) finish(history uint64) bool {
	if l.added == 0 {
		return false
	}
	for n := l.added + 64; n > 0 && l.bounds.last-l.bounds.first >= history; n-- {
		l.batch.Delete(changes, sequenceKey(l.bounds.first))
		l.bounds.first++
	}
	l.batch.Put(meta, logKey, l.bounds.encode())
	return true
}
