package bolt

import (
	"bytes"
	"encoding/binary"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// The spaces of the store.
const (
	docs      kv.Space = iota // id -> document
	kinds                     // kind NUL id -> present
	referrers                 // target NUL referrer -> strongLink or weakLink
	changes                   // sequence of the commit, 8 bytes big-endian -> its changes
	meta                      // "log" -> the bounds of changes and versions

	versions     // id NUL sequence of the commit that ended it, 8 bytes big-endian -> document
	oldKinds     // kind NUL id -> sequence: the version that it ended was the last one of that kind
	oldReferrers // target NUL referrer -> sequence: the version that it ended was the last one with that reference
	differences  // sequence of the commit that ended it, id -> difference of the version from the next one
)

var spaceNames = []string{docs: "docs", kinds: "kinds", referrers: "referrers", changes: "log", meta: "meta",
	versions: "versions", oldKinds: "old-kinds", oldReferrers: "old-referrers", differences: "differences"}

// Values of index entries.
var (
	present    = []byte{1}
	strongLink = []byte{1}
	weakLink   = []byte{0}
)

// separator parts the two halves of an index key. It sorts before all that an id or a kind can hold,
// so that entries of one first half are in the order of the second.
const separator = "\x00"

func indexKey(first, second string) []byte {
	key := make([]byte, 0, len(first)+len(separator)+len(second))
	key = append(key, first...)
	key = append(key, separator...)
	return append(key, second...)
}

func kindKey(kind string, id dovetail.ID) []byte { return indexKey(kind, string(id)) }

func referrerKey(target, referrer dovetail.ID) []byte {
	return indexKey(string(target), string(referrer))
}

// splitKey undoes indexKey.
func splitKey(key []byte) (first, second string, ok bool) {
	a, b, ok := bytes.Cut(key, []byte(separator))
	return string(a), string(b), ok
}

func linkValue(l link) []byte {
	if l.strong {
		return strongLink
	}
	return weakLink
}

// versionKey names the version of a document that the commit of a sequence ended.
func versionKey(id dovetail.ID, end uint64) []byte {
	return binary.BigEndian.AppendUint64(indexKey(string(id), ""), end)
}

// splitVersionKey undoes versionKey.
func splitVersionKey(key []byte) (id dovetail.ID, end uint64, ok bool) {
	n := len(key) - 8 - len(separator)
	if n < 0 || string(key[n:n+len(separator)]) != separator {
		return "", 0, false
	}
	return dovetail.ID(key[:n]), binary.BigEndian.Uint64(key[n+len(separator):]), true
}

// differenceKey names a version as versionKey does, where it is stored as a difference. Those of one commit lie together, and
// behind those of earlier ones: many updates write few pages.
func differenceKey(id dovetail.ID, end uint64) []byte { return append(sequenceKey(end), id...) }

// splitDifferenceKey undoes differenceKey.
func splitDifferenceKey(key []byte) (id dovetail.ID, end uint64, ok bool) {
	if len(key) < 8 {
		return "", 0, false
	}
	return dovetail.ID(key[8:]), binary.BigEndian.Uint64(key), true
}

func sequenceKey(sequence uint64) []byte { return binary.BigEndian.AppendUint64(nil, sequence) }
