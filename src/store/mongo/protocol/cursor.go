package protocol

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// position is a position in the feed. Everything with a timestamp before low has been yielded or superseded; of everything later,
// seen has what was yielded.
type position struct {
	low  Stamp
	high Stamp // the latest timestamp seen
	seen []uint64
	// entry, if not zero, identifies the transaction with which a tail returned the position. Only that tail knows what its readers
	// had received by then.
	entry uint32
}

// exact reports whether seen contains everything that the reader has received since low.
func (p position) exact() bool { return len(p.seen) > 0 || !p.low.Before(p.high) }

// entryWord is the prefix of the word of a cursor that identifies an entry. Earlier versions take it for a commit that does not
// exist.
const entryWord = math.MaxUint32 << 32

// cursorVersion is the prefix of every cursor, by which a later version of Dovetail can recognize the format.
const cursorVersion = "m1."

const cursorHead = 8 + 2*8 // the store, low, high

func (e *Engine) cursor(p position) store.Cursor {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, cursorHead+8*len(p.seen)), hash(e.name, ""))
	for _, s := range []Stamp{p.low, p.high} {
		b = binary.BigEndian.AppendUint32(b, s.Seconds)
		b = binary.BigEndian.AppendUint32(b, s.Count)
	}
	slices.Sort(p.seen)
	for _, h := range p.seen {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	if p.entry != 0 {
		b = binary.BigEndian.AppendUint64(b, entryWord|uint64(p.entry))
	}
	return store.Cursor(cursorVersion + base64.RawURLEncoding.EncodeToString(b))
}

// Compare compares two positions as cmp.Compare does; see store.Historian.
func (e *Engine) Compare(a, b store.Cursor) (int, error) {
	one, err := e.parseCursor(a)
	if err != nil {
		return 0, err
	}
	other, err := e.parseCursor(b)
	return one.high.Compare(other.high), err
}

func (e *Engine) parseCursor(c store.Cursor) (position, error) {
	text, ok := strings.CutPrefix(string(c), cursorVersion)
	b, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(b) < cursorHead || len(b)%8 != 0 || binary.BigEndian.Uint64(b) != hash(e.name, "") {
		return position{}, invalidCursor()
	}
	at := func(i int) Stamp { return Stamp{binary.BigEndian.Uint32(b[i:]), binary.BigEndian.Uint32(b[i+4:])} }
	p := position{low: at(8), high: at(16)}
	for i := cursorHead; i < len(b); i += 8 {
		p.seen = append(p.seen, binary.BigEndian.Uint64(b[i:]))
	}
	if n := len(p.seen); n > 0 && p.seen[n-1] > entryWord {
		p.seen, p.entry = p.seen[:n-1], uint32(p.seen[n-1])
	}
	if e.cursor(p) != c {
		return position{}, invalidCursor()
	}
	return p, nil
}

// hash identifies a commit in a cursor: by its transaction and its document, since documents that were created in one group may
// have the same transaction.
func hash(txn string, id dovetail.ID) uint64 {
	h := fnv.New64a()
	h.Write([]byte(txn))
	h.Write([]byte{0})
	h.Write([]byte(id))
	return h.Sum64()
}
