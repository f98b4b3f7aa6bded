package kv

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/tidwall/btree"
	"go.etcd.io/bbolt"
)

// View is what the database holds at one instant. It belongs to one goroutine, and is good until the
// function that got it returns; so are the keys and values read from it, which must not be changed.
type View struct {
	tables  []table // the newest first
	tx      *bbolt.Tx
	names   [][]byte        // of the spaces
	buckets []*bbolt.Bucket // of the spaces asked for so far
}

func newView(tx *bbolt.Tx, names [][]byte, tables ...table) View {
	return View{tables: tables, tx: tx, names: names, buckets: make([]*bbolt.Bucket, len(names))}
}

func (v *View) bucket(space Space) *bbolt.Bucket {
	if v.buckets[space] == nil {
		v.buckets[space] = v.tx.Bucket(v.names[space])
	}
	return v.buckets[space]
}

// Get returns the value of a key, nil when there is none.
func (v *View) Get(space Space, key []byte) []byte {
	if len(v.tables) > 0 {
		entry := tableKey(space, key)
		for _, t := range v.tables {
			if value, ok := t.entries.Get(entry); ok {
				return value
			}
		}
	}
	if bucket := v.bucket(space); bucket != nil {
		return bucket.Get(key)
	}
	return nil // of an earlier format, open for reading only
}

// Scan yields the entries of a space whose keys start with prefix and come after the key after, in
// the order of keys. A batch must not write to the space during the loop.
func (v *View) Scan(space Space, prefix, after []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		sources := v.sources(space, prefix, after)
		for {
			// Of the least keys that the sources are at, the newest counts.
			var least source
			for _, s := range sources {
				if key := s.key(); key != nil && (least == nil || bytes.Compare(key, least.key()) < 0) {
					least = s
				}
			}
			if least == nil {
				return
			}
			key, value := least.key(), least.value()
			for _, s := range sources {
				if bytes.Equal(s.key(), key) {
					s.next()
				}
			}
			if value != nil && !yield(key, value) {
				return
			}
		}
	}
}

// sources returns where entries may come from, the newest first, each at its first entry.
func (v *View) sources(space Space, prefix, after []byte) []source {
	from := prefix
	if bytes.Compare(after, prefix) > 0 {
		from = after
	}
	sources := make([]source, 0, len(v.tables)+1)
	for _, t := range v.tables {
		s := &tableSource{prefix: tableKey(space, prefix)}
		s.entry, s.more = t.seek(tableKey(space, from))
		s.load()
		sources = append(sources, s)
	}
	if bucket := v.bucket(space); bucket != nil {
		s := &fileSource{cursor: bucket.Cursor(), prefix: prefix}
		s.set(s.cursor.Seek(from))
		sources = append(sources, s)
	}
	for _, s := range sources {
		if len(after) > 0 && bytes.Equal(s.key(), after) {
			s.next()
		}
	}
	return slices.DeleteFunc(sources, func(s source) bool { return s.key() == nil })
}

// source is a place where entries of a scan come from, in order.
type source interface {
	key() []byte   // nil at the end
	value() []byte // nil for an entry that was deleted
	next()
}

type tableSource struct {
	entry   btree.MapIter[string, []byte]
	prefix  string // of the space too
	more    bool
	current []byte
}

func (s *tableSource) load() {
	s.current = nil
	if s.more && strings.HasPrefix(s.entry.Key(), s.prefix) {
		s.current = []byte(s.entry.Key()[1:])
	}
}

func (s *tableSource) key() []byte   { return s.current }
func (s *tableSource) value() []byte { return s.entry.Value() }

func (s *tableSource) next() {
	s.more = s.entry.Next()
	s.load()
}

type fileSource struct {
	cursor          *bbolt.Cursor
	prefix          []byte
	current, stored []byte
}

func (s *fileSource) set(key, value []byte) {
	s.current, s.stored = nil, nil
	if key != nil && bytes.HasPrefix(key, s.prefix) {
		s.current, s.stored = key, value
	}
}

func (s *fileSource) key() []byte   { return s.current }
func (s *fileSource) value() []byte { return s.stored }
func (s *fileSource) next()         { s.set(s.cursor.Next()) }
