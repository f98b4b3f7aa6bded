package kv

import (
	"encoding/binary"
	"iter"

	"github.com/tidwall/btree"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Space is one of the ordered sets of keys that a database has, by its index in Options.Spaces.
type Space uint8

// table holds the newest writes in memory: by space and key the value, nil for a deleted one.
// Copying it is cheap; a copy does not change with the original.
type table struct {
	entries *btree.Map[string, []byte]
	size    int // bytes of keys and values written, those overwritten too
}

// degree makes nodes of at most 31 entries: what a batch changes is copied by nodes.
const degree = 16

func newTable() table { return table{entries: btree.NewMap[string, []byte](degree)} }

func (t table) copy() table { return table{t.entries.Copy(), t.size} }

func (t table) empty() bool { return t.entries.Len() == 0 }

func tableKey(space Space, key []byte) string {
	b := make([]byte, 0, 64)
	return string(append(append(b, byte(space)), key...))
}

// set keeps the value, which must not change. A value that is not nil is kept as one, however short.
func (t *table) set(space Space, key, value []byte) {
	t.entries.Set(tableKey(space, key), value)
	t.size += len(key) + len(value)
}

// Writes are encoded, in the log, as the space with the highest bit set for a deletion, and the key and
// the value, each preceded by its length.
const deletion = 1 << 7

func appendWrite(b []byte, space Space, key, value []byte) []byte {
	op := byte(space)
	if value == nil {
		op |= deletion
	}
	b = append(b, op)
	b = appendPart(b, key)
	if value != nil {
		b = appendPart(b, value)
	}
	return b
}

func appendPart(b, part []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// replay does the writes of a record; it keeps the payload.
func (t *table) replay(payload []byte) error {
	for len(payload) > 0 {
		op := payload[0]
		key, rest, ok := cutPart(payload[1:])
		value := []byte(nil)
		if ok && op&deletion == 0 {
			value, rest, ok = cutPart(rest)
		}
		if !ok {
			return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "a record of the log is damaged"}
		}
		t.set(Space(op&^deletion), key, value)
		payload = rest
	}
	return nil
}

func cutPart(b []byte) (part, rest []byte, ok bool) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, false
	}
	return b[n : n+int(size)], b[n+int(size):], true
}

// all yields the entries in order, from the first that is not before from.
func (t table) all(from string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for entry, ok := t.seek(from); ok && yield(entry.Key(), entry.Value()); ok = entry.Next() {
			continue
		}
	}
}

func (t table) seek(from string) (btree.MapIter[string, []byte], bool) {
	entry := t.entries.Iter()
	ok := entry.Seek(from)
	return entry, ok
}
