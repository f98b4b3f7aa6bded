package bolt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A spill file is not memory, but the system keeps it there while it can, in the account of the container, and it takes
// disk: one part of this many counts as memory of the request, up to a bound, so that a list of any length can be read.
const (
	spillMemoryShare = 8
	maxSpillHeld     = 16 << 20
)

// spillThreshold is how much a spill file holds in memory before it takes a file.
const spillThreshold = 1 << 20

// spillFile keeps pairs of keys and values in the order in which they are added, however many there are.
type spillFile struct {
	folder string // for the file
	memory []byte // what is not in the file yet
	file   *os.File
	hold   func(bytes int64) error // counts memory; nil for not at all
	held   int64
	err    error // of reading, after all has ended
}

// spillBuffers are memories of spill files that were closed, each of at most maxSpillBuffer bytes: most lists are short, and larger ones would stay for nothing.
var spillBuffers sync.Pool

const maxSpillBuffer = 64 << 10

// takeSpillBuffer returns memory to begin with.
func takeSpillBuffer() []byte {
	if buffer, ok := spillBuffers.Get().(*[]byte); ok {
		return (*buffer)[:0]
	}
	return make([]byte, 0, 4<<10)
}

// add copies a pair.
func (s *spillFile) add(key, value []byte) error {
	if s.memory == nil {
		s.memory = takeSpillBuffer()
	}
	for _, part := range [][]byte{key, value} {
		s.memory = binary.AppendUvarint(s.memory, uint64(len(part)))
		s.memory = append(s.memory, part...)
	}
	if len(s.memory) < spillThreshold {
		return nil
	}
	return s.flush()
}

func (s *spillFile) flush() error {
	if s.file == nil {
		file, err := os.CreateTemp(s.folder, ".dovetail-list-*")
		if err != nil {
			return spillError(err)
		}
		s.file = file
		os.Remove(file.Name()) // where the system allows it, the file goes with the process
	}
	if own := int64(len(s.memory)) / spillMemoryShare; s.hold != nil && s.held+own <= maxSpillHeld {
		if err := s.hold(own); err != nil {
			return err
		}
		s.held += own
	}
	if _, err := s.file.Write(s.memory); err != nil {
		return spillError(err)
	}
	s.memory = s.memory[:0]
	return nil
}

// all yields what was added. Each pair is valid until the next.
func (s *spillFile) all() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := s.memory
		if s.file != nil {
			if _, s.err = s.file.Seek(0, io.SeekStart); s.err != nil {
				s.err = spillError(s.err)
				return
			}
			if !s.allOfFile(yield) {
				return
			}
		}
		for len(rest) > 0 {
			var key, value []byte
			key, rest = cutPart(rest)
			value, rest = cutPart(rest)
			if !yield(key, value) {
				return
			}
		}
	}
}

func cutPart(b []byte) (part, rest []byte) {
	size, n := binary.Uvarint(b)
	return b[n : n+int(size)], b[n+int(size):]
}

func (s *spillFile) allOfFile(yield func(key, value []byte) bool) (more bool) {
	r := bufio.NewReaderSize(s.file, 64<<10)
	for {
		key, err := readPart(r)
		if errors.Is(err, io.EOF) {
			return true
		}
		var value []byte
		if err == nil {
			value, err = readPart(r)
		}
		if err != nil {
			s.err = spillError(err)
			return false
		}
		if !yield(key, value) {
			return false
		}
	}
}

// readPart returns io.EOF only at the end of all parts.
func readPart(r *bufio.Reader) ([]byte, error) {
	size, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	part := make([]byte, size)
	if _, err := io.ReadFull(r, part); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return part, nil
}

// close frees what the spill file holds: nothing that was yielded may be used any longer.
func (s *spillFile) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	if buffer := s.memory; cap(buffer) > 0 && cap(buffer) <= maxSpillBuffer {
		spillBuffers.Put(&buffer)
	}
	s.memory = nil
	if s.held > 0 {
		_ = s.hold(-s.held) // never refused
	}
}

func spillError(err error) error {
	e := &dovetail.Error{Code: dovetail.CodeUnavailable, Err: err, Message: "a long list cannot be kept in a temporary file",
		Remedy: "list page by page, with a limit"}
	if known := dovetail.Outside(err); known != nil { // not the reason: the store itself may be able to write
		e.Message += ": " + known.Message
		e.Remedy = known.Remedy + ", or list page by page, with a limit"
	}
	return e
}
