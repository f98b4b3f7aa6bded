package mongo

import (
	"iter"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// maxCommand is the approximate number of document bytes that one command of a large transaction writes. Each command is encoded in
// memory, and several may be in progress.
const maxCommand = 4 << 20

// parts splits items into commands of at most most items and, unless it is a single item, maxCommand bytes.
func parts[T any](items []T, most int, size func(T) int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for begin, end := 0, 0; end < len(items); begin = end {
			for bytes := 0; end < len(items) && end-begin < most; end++ {
				if bytes += size(items[end]); bytes > maxCommand && end > begin {
					break
				}
			}
			if !yield(items[begin:end:end]) {
				return
			}
		}
	}
}

func sizeOfRecord(r *protocol.Record) int { return sizeOfDocument(r.Doc) }

// sizeOfChange returns the size of what a change writes: the document and those in its intent.
func sizeOfChange(c protocol.Change) int {
	size := sizeOfDocument(c.Doc)
	if m := c.Intent; m != nil {
		size += sizeOfDocument(m.Next)
		if m.Prev != nil {
			size += sizeOfDocument(m.Prev.Doc)
		}
	}
	return size
}

func sizeOfDocument(doc *dovetail.Document) int {
	if doc == nil {
		return 0
	}
	return int(store.SizeOf(doc))
}
