package bolt

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// Checkpoint implements store.Backend: what is written is a file for Open. The store that opens it first gets an identity of its own;
// positions of this store up to the checkpoint remain positions of that one.
func (b *Backend) Checkpoint(ctx context.Context, begin func(store.Checkpoint) (io.Writer, error)) error {
	if ctx.Err() != nil {
		return dovetail.AsError(ctx.Err())
	}
	return b.db.Checkpoint(func(v *kv.View, size int64) (note string, to io.Writer, err error) {
		bounds, err := readBounds(v)
		if err != nil {
			return "", nil, err
		}
		c := store.Checkpoint{Position: b.cursor(bounds.last), Size: size}
		if set, kept, err := b.transaction(v, bounds.last); err != nil {
			return "", nil, err
		} else if kept {
			c.Time = set.Time
		}
		if to, err = begin(c); err != nil {
			return "", nil, err
		}
		return string(c.Position) + " " + c.Time.Format(time.RFC3339Nano), &cancelable{ctx, to}, nil
	})
}

// cancelable is a writer until the end of a context.
type cancelable struct {
	ctx context.Context
	to  io.Writer
}

// Write implements io.Writer.
func (c *cancelable) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, dovetail.AsError(c.ctx.Err())
	}
	return c.to.Write(p)
}

// VerifyCheckpoint reads what Checkpoint wrote to its end, and returns what it is of. CodeInvalid when it is cut off, was changed, or was
// opened since.
func VerifyCheckpoint(from io.Reader) (*store.Checkpoint, error) {
	counted := &counted{from: from}
	note, digest, err := kv.VerifyCheckpoint(counted)
	if err != nil {
		return nil, err
	}
	position, text, _ := strings.Cut(note, " ")
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the checkpoint is not one of a store", Err: err}
	}
	return &store.Checkpoint{Position: store.Cursor(position), Time: at, Size: counted.n, SHA256: digest}, nil
}

// counted counts what is read.
type counted struct {
	from io.Reader
	n    int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// formerSequence returns the sequence of a cursor of a store that this one is a checkpoint of. ok is false where it is none, or
// one from after the checkpoint.
func (b *Backend) formerSequence(cursor store.Cursor) (sequence uint64, ok bool) {
	identity, text, _ := strings.Cut(string(cursor), "-")
	sequence, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(sequence, 10) != text {
		return 0, false
	}
	for _, note := range b.db.Former() {
		position, _, _ := strings.Cut(note, " ")
		former, last, _ := strings.Cut(position, "-")
		if until, err := strconv.ParseUint(last, 10, 64); err == nil && former == identity && sequence <= until {
			return sequence, true
		}
	}
	return 0, false
}
