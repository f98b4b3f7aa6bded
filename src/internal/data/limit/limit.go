package limit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Limit is the maximum size of something that is read from outside.
type Limit struct {
	Bytes  int64
	Of     string // subject of messages, such as "the list of references"
	Remedy string // names the flag that raises the limit, if there is one
}

// Error returns the error of what exceeds the limit. Its code is CodeTooLarge.
func (l Limit) Error() error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: l.Of + " has more than the " + size(l.Bytes) + " that are allowed", Remedy: l.Remedy}
}

// Check returns the error of the limit if so many bytes exceed it.
func (l Limit) Check(bytes int64) error {
	if bytes > l.Bytes || bytes < 0 {
		return l.Error()
	}
	return nil
}

// Reader returns a reader of at most the limit. Instead of further bytes it returns the error of the limit.
func (l Limit) Reader(from io.Reader) io.Reader { return l.Budget().Reader(from) }

// ReadAll reads everything, or returns the error of the limit.
func (l Limit) ReadAll(from io.Reader) ([]byte, error) { return l.Budget().ReadAll(from) }

// DecodeJSON decodes a JSON text, of which it reads everything, or returns the error of the limit. No text may follow.
func (l Limit) DecodeJSON(from io.Reader, into any) error {
	text, err := l.ReadAll(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Budget returns a limit that several readers share.
func (l Limit) Budget() *Budget {
	b := &Budget{limit: l}
	b.left.Store(l.Bytes)
	return b
}

// Budget is what remains of a limit. It is safe for concurrent use.
type Budget struct {
	limit Limit
	left  atomic.Int64
}

// Take takes bytes from the budget, or returns the error of its limit.
func (b *Budget) Take(bytes int64) error {
	if bytes < 0 || b.left.Add(-bytes) < 0 {
		return b.limit.Error()
	}
	return nil
}

// Reader returns a reader that takes what it reads from the budget.
func (b *Budget) Reader(from io.Reader) io.Reader { return &reader{b, from, nil} }

// Body is Reader for the body of an answer.
func (b *Budget) Body(from io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{b.Reader(from), from}
}

// ReadAll reads everything, or returns the error of the limit. It takes memory as bytes arrive, and at most twice as much
// as there are.
func (b *Budget) ReadAll(from io.Reader) ([]byte, error) {
	const chunk = 512 << 10
	from = b.Reader(from)
	var chunks [][]byte
	part := make([]byte, 0, 4<<10)
	for {
		n, err := from.Read(part[len(part):cap(part)])
		part = part[:len(part)+n]
		switch {
		case errors.Is(err, io.EOF) && len(chunks) == 0:
			return part, nil
		case errors.Is(err, io.EOF):
			return slices.Concat(append(chunks, part)...), nil
		case err != nil:
			return nil, err
		case len(part) == cap(part):
			chunks = append(chunks, part)
			part = make([]byte, 0, min(2*cap(part), chunk))
		}
	}
}

type reader struct {
	budget *Budget
	from   io.Reader
	err    error
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	if over := r.budget.Take(int64(n)); over != nil {
		n, err = 0, over
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// size writes a number of bytes as flags do.
func size(bytes int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.bytes && bytes%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
