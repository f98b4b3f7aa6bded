package limit_test

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// endless counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

func TestReadAll(t *testing.T) {
	l := limit.Limit{Bytes: 1 << 20, Of: "the answer", Remedy: "raise --max"}
	for _, size := range []int{0, 1, 4095, 4096, 4097, 1<<20 - 1, 1 << 20} {
		want := bytes.Repeat([]byte("x"), size)
		for name, from := range map[string]io.Reader{"whole": bytes.NewReader(want), "halves": iotest.HalfReader(bytes.NewReader(want)), "data with EOF": iotest.DataErrReader(bytes.NewReader(want))} {
			if got, err := l.ReadAll(from); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %s: %d bytes, %v", size, name, len(got), err)
			}
		}
	}
	for _, broken := range []error{io.ErrClosedPipe, io.ErrUnexpectedEOF} {
		if _, err := l.ReadAll(io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken))); err != broken {
			t.Errorf("%v, want %v", err, broken)
		}
	}
	for name, from := range map[string]io.Reader{"one more": strings.NewReader(strings.Repeat("x", 1<<20+1)), "endless": &endless{}} {
		_, err := l.ReadAll(from)
		e := dovetail.AsError(err)
		if dovetail.CodeOf(err) != dovetail.CodeTooLarge || e.Message != "the answer has more than the 1 MiB that are allowed" || e.Remedy != "raise --max" {
			t.Errorf("%s: %v", name, err)
		}
	}
	from := &endless{}
	if _, _ = l.ReadAll(from); from.read > 2<<20 {
		t.Errorf("%d bytes are read", from.read)
	}
}

func TestDecodeJSON(t *testing.T) {
	l := limit.Limit{Bytes: 20, Of: "the answer"}
	for text, want := range map[string]dovetail.Code{`{"a":1}`: "", `{"a":1}` + strings.Repeat(" ", 13): "", `{"a":1}` + strings.Repeat(" ", 14): dovetail.CodeTooLarge, `{"a":1} {`: dovetail.CodeInternal, `{"a":`: dovetail.CodeInternal} {
		var into struct{ A int }
		if err := l.DecodeJSON(strings.NewReader(text), &into); dovetail.CodeOf(err) != want || err == nil && into.A != 1 {
			t.Errorf("%s: %v, %v", text, into, err)
		}
	}
	from := &endless{}
	if err := l.DecodeJSON(from, new(any)); dovetail.CodeOf(err) != dovetail.CodeTooLarge || from.read > 1<<20 {
		t.Errorf("%v after %d bytes", err, from.read)
	}
}

func TestBudget(t *testing.T) {
	b := limit.Limit{Bytes: 10, Of: "both"}.Budget()
	first, err := io.ReadAll(b.Reader(strings.NewReader("123456")))
	if err != nil || len(first) != 6 {
		t.Fatal(err)
	}
	body := b.Body(io.NopCloser(strings.NewReader("12345")))
	if got, err := io.ReadAll(body); dovetail.CodeOf(err) != dovetail.CodeTooLarge || len(got) > 0 {
		t.Errorf("%q %v", got, err)
	}
	if _, err := body.Read(make([]byte, 1)); dovetail.CodeOf(err) != dovetail.CodeTooLarge {
		t.Errorf("reading on: %v", err)
	}
	for bytes, refused := range map[int64]bool{0: false, 10: false, 11: true, -1: true, math.MaxInt64: true} {
		if err := (limit.Limit{Bytes: 10}).Check(bytes); (err != nil) != refused {
			t.Errorf("%d: %v", bytes, err)
		}
	}
}
