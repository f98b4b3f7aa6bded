package backup

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"runtime"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// chunkSize is about how many bytes of documents are compressed together, and chunkDocuments how many documents at most.
const (
	chunkSize      = 1 << 20
	chunkDocuments = 2000
)

// Options of Write.
type Options struct {
	Now     time.Time // when the backup is begun
	Written func(documents int)
}

// Write writes a backup. It holds a few MiB of documents, or a few large ones, at a time, and encodes them in parallel. What was
// written is no backup unless the error is nil.
func Write(ctx context.Context, to io.Writer, b *store.Backup, o Options) (*Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &writer{to: to, sum: sha256.New(), summary: Summary{Kinds: map[string]int{}}, written: o.Written}
	header := Header{Format: Format, Created: o.Now.UTC(), Position: b.Position, Time: b.Time.UTC(), Schema: Schema{Hash: b.Schema}}
	for _, source := range b.Sources {
		header.Schema.Sources = append(header.Schema.Sources, Source{source.Name, string(source.Data)})
	}
	if err := w.member(compress(func(to *bytes.Buffer) error { return encode(to, firstLine{&header}) })); err != nil {
		return nil, err
	}
	var chunk []*dovetail.Document
	var size int64
	for doc, err := range b.Documents {
		if err == nil && ctx.Err() != nil {
			err = dovetail.AsError(ctx.Err())
		}
		if err != nil {
			return nil, err
		}
		w.summary.Documents++
		w.summary.Kinds[doc.Kind]++
		chunk, size = append(chunk, doc), size+store.SizeOf(doc)
		if size >= chunkSize || len(chunk) == chunkDocuments {
			if err := w.add(chunk); err != nil {
				return nil, err
			}
			chunk, size = nil, 0
		}
	}
	if err := w.add(chunk); err != nil {
		return nil, err
	}
	for len(w.pending) > 0 {
		if err := w.next(); err != nil {
			return nil, err
		}
	}
	return w.end()
}

type writer struct {
	to      io.Writer
	sum     hash.Hash
	summary Summary
	written func(int)
	pending []pending // in their order
}

// pending is a chunk that is being encoded.
type pending struct {
	documents int
	done      chan encoded
}

type encoded struct {
	text []byte
	err  error
}

// add encodes a chunk beside others.
func (w *writer) add(chunk []*dovetail.Document) error {
	if len(chunk) == 0 {
		return nil
	}
	if len(w.pending) >= runtime.GOMAXPROCS(0) {
		if err := w.next(); err != nil {
			return err
		}
	}
	p := pending{len(chunk), make(chan encoded, 1)}
	w.pending = append(w.pending, p)
	go func() {
		p.done <- compress(func(to *bytes.Buffer) error {
			for _, doc := range chunk {
				if err := encodeDocument(to, doc); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	return nil
}

// next writes the chunk that is the first one pending.
func (w *writer) next() error {
	first := w.pending[0]
	w.pending = w.pending[1:]
	if err := w.member(<-first.done); err != nil {
		return err
	}
	if w.written != nil {
		w.written(first.documents)
	}
	return nil
}

func (w *writer) member(e encoded) error {
	if e.err != nil {
		return e.err
	}
	_, _ = w.sum.Write(e.text) // never fails
	return w.write(e.text)
}

func (w *writer) write(text []byte) error {
	if _, err := w.to.Write(text); err != nil {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the backup cannot be written: " + err.Error(),
			Remedy: "name a file that can be written, on a disk with room", Err: err}
	}
	return nil
}

func (w *writer) end() (*Summary, error) {
	w.summary.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	var text bytes.Buffer
	if err := encode(&text, lastLine{&w.summary}); err != nil {
		return nil, dovetail.AsError(err)
	}
	return &w.summary, w.write(storedMember(text.Bytes()))
}

// compress makes a member of what is written.
func compress(write func(to *bytes.Buffer) error) encoded {
	var plain, packed bytes.Buffer
	if err := write(&plain); err != nil {
		return encoded{err: err}
	}
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(plain.Bytes())
	}
	if err == nil {
		err = z.Close()
	}
	return encoded{packed.Bytes(), err}
}
