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
//	format, time, number of changes, changes, principal, message, origin, checksum
//
// Entries of the first format lack what follows the changes.
const (
	firstChangesFormat = 1
	changesFormat      = 2
)

// operations are the codes of store.Op in the log.
var operations = [...]store.Op{1: store.Created, 2: store.Updated, 3: store.Deleted}

func encodeChanges(now time.Time, changes []store.Change, from store.Provenance) []byte {
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
	for _, text := range []string{from.Principal, from.Message, from.Origin} {
		b = appendText(b, text)
	}
	return seal(b)
}

// decodeChanges reads the stored form; nothing in the result refers to value. ok is false when the
// value is damaged.
func decodeChanges(value []byte) (set store.Transaction, ok bool) {
	sealed, ok := unseal(value)
	if !ok || len(sealed) == 0 || sealed[0] < firstChangesFormat || sealed[0] > changesFormat {
		return store.Transaction{}, false
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
	if sealed[0] != firstChangesFormat {
		set.Provenance = store.Provenance{Principal: f.text(), Message: f.text(), Origin: f.text()}
	}
	return set, !f.failed && f.rest == ""
}

// bounds is what is kept: the entries of the log from first to last, and the versions that the commits from versions on
// ended. So positions from versions-1 on can be read.
type bounds struct {
	first, last uint64
	versions    uint64
	bytes       uint64 // of the versions
}

// oldest is the oldest position that can be read.
func (b bounds) oldest() uint64 { return b.versions - 1 }

var logKey = []byte("log")

func readBounds(v *kv.View) (bounds, error) {
	value := v.Get(meta, logKey)
	number := func(i int) uint64 { return binary.BigEndian.Uint64(value[8*i:]) }
	switch len(value) {
	case 0:
		return bounds{first: 1, versions: 1}, nil
	case 16: // from before versions were kept
		return bounds{first: number(0), last: number(1), versions: number(1) + 1}, nil
	case 32:
		return bounds{first: number(0), last: number(1), versions: number(2), bytes: number(3)}, nil
	}
	return bounds{}, &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the bounds of the change log are damaged",
		Remedy: "restore the store from a backup"}
}

func (b bounds) encode() []byte {
	var value []byte
	for _, n := range []uint64{b.first, b.last, b.versions, b.bytes} {
		value = binary.BigEndian.AppendUint64(value, n)
	}
	return value
}

// logWriter appends to the log in one batch.
type logWriter struct {
	batch  *kv.Batch
	stored bounds
	bounds bounds
	added  int
}

func newLogWriter(batch *kv.Batch) (*logWriter, error) {
	bounds, err := readBounds(&batch.View)
	return &logWriter{batch: batch, stored: bounds, bounds: bounds}, err
}

// next is the sequence of the entry that is added next.
func (l *logWriter) next() uint64 { return l.bounds.last + 1 }

// add appends the entry of a transaction.
func (l *logWriter) add(entry []byte) {
	l.bounds.last++
	l.added++
	l.batch.Put(changes, sequenceKey(l.bounds.last), entry)
}

// finish forgets what is older than the newest history entries, and the oldest versions as long as all take more than
// so many bytes. It reports whether any entry was added. It forgets as many as were added, and some more, so that a shorter
// history takes effect soon without a long pause.
func (l *logWriter) finish(history, bytes uint64) bool {
	b := &l.bounds
	for n := l.added + 64; n > 0 && l.added > 0; n-- {
		old := b.last-b.first >= history
		if b.versions <= b.last && (old && b.versions == b.first || b.bytes > bytes) {
			l.forgetVersions()
		}
		if old {
			l.forgetEntry()
		}
	}
	if *b != l.stored {
		l.batch.Put(meta, logKey, b.encode())
	}
	return l.added > 0
}

// forgetEntry drops the oldest entry.
func (l *logWriter) forgetEntry() {
	l.batch.Delete(changes, sequenceKey(l.bounds.first))
	l.bounds.first++
}
