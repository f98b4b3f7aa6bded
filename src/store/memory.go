package store

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Memory bounds what the documents take that are read for one request. It is safe for concurrent use.
type Memory interface {
	// Hold counts so many bytes, or refuses them. A negative number is never refused: so many are no longer held.
	Hold(bytes int64) error
}

type memoryKey struct{}

// WithMemory returns a context that ends what is read in it once that takes more memory than there is.
func WithMemory(ctx context.Context, memory Memory) context.Context {
	return context.WithValue(ctx, memoryKey{}, memory)
}

// HoldMemory counts bytes of documents that are read in the context. Backends call it before, or where they cannot know
// earlier after, they take the memory for a document. The error ends the reading.
func HoldMemory(ctx context.Context, bytes int64) error {
	if memory, bounded := ctx.Value(memoryKey{}).(Memory); bounded {
		return memory.Hold(bytes)
	}
	return nil
}

// SizeOf is about how many bytes of memory a document takes.
func SizeOf(doc *dovetail.Document) int64 {
	const rest = 512 // id, kind, times, and what else every document has
	size := rest + len(doc.Data) + len(doc.Status)
	for _, f := range doc.Content {
		size += len(f.Data)
	}
	return int64(size)
}

// withoutData returns a document as what only asks for its place and its version keeps it.
func withoutData(doc *dovetail.Document) *dovetail.Document {
	bare := *doc
	bare.Data, bare.Status, bare.Content = nil, nil, nil
	return &bare
}
