package limit

import (
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
	for next := 4 << 10; ; next = min(2*next, chunk) {
		part := make([]byte, next)
		n, err := io.ReadFull(from, part)
		chunks = append(chunks, part[:n])
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if len(chunks) == 1 {
				return chunks[0], nil
			}
			return slices.Concat(chunks...), nil
		default:
			return nil, err
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
