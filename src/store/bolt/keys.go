package bolt

import (
	"bytes"
	"encoding/binary"
	"iter"

	"go.etcd.io/bbolt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The buckets of the file.
var (
	docsBucket      = []byte("docs")      // id -> document
	kindsBucket     = []byte("kinds")     // kind NUL id -> present
	referrersBucket = []byte("referrers") // target NUL referrer -> strongLink or weakLink
	logBucket       = []byte("log")       // sequence of the commit, 8 bytes big-endian -> its changes
	metaBucket      = []byte("meta")      // "format" and "store"
)

// Values of index entries. bbolt tells an empty value from a missing key only by a cursor, so none
// is empty.
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

func sequenceKey(sequence uint64) []byte { return binary.BigEndian.AppendUint64(nil, sequence) }

// scan yields the entries whose keys start with prefix and come after the key after, in the order of
// keys. They are valid until the transaction ends; the bucket must not be changed meanwhile.
func scan(bucket *bbolt.Bucket, prefix, after []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		from := prefix
		if bytes.Compare(after, prefix) > 0 {
			from = after
		}
		cursor := bucket.Cursor()
		key, value := cursor.Seek(from)
		if key != nil && bytes.Equal(key, after) {
			key, value = cursor.Next()
		}
		for key != nil && bytes.HasPrefix(key, prefix) && yield(key, value) {
			key, value = cursor.Next()
		}
	}
}
