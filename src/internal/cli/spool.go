package cli

import (
	"bufio"
	"encoding/binary"
	"os"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// spool keeps texts in a temporary file, which has no name any more, so that it is gone with the process, however that ends.
// Errors: CodeUnavailable, where the folder for temporary files has no space.
type spool struct {
	file *os.File
	to   *bufio.Writer
	size int64
	read bool // nothing is in the buffer
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "dovetail-*") // which only its owner can read
	if err != nil {
		return nil, spoolError(err)
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close()
		return nil, spoolError(err)
	}
	return &spool{file: file, to: bufio.NewWriterSize(file, 1<<18)}, nil
}

func spoolError(err error) error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "what was read cannot be kept in a temporary file", Err: err,
		Remedy: "set TMPDIR to a folder with enough space"}
}

// Write keeps a text, with its length before it.
func (s *spool) Write(text []byte) (at int64, err error) {
	at, s.read = s.size, false
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], uint64(len(text)))
	if _, err = s.to.Write(length[:n]); err == nil {
		_, err = s.to.Write(text)
	}
	if err != nil {
		return 0, spoolError(err)
	}
	s.size += int64(n + len(text))
	return at, nil
}

// Read returns the text that is at a place.
func (s *spool) Read(at int64) ([]byte, error) {
	if !s.read {
		if err := s.to.Flush(); err != nil {
			return nil, spoolError(err)
		}
		s.read = true
	}
	var length [binary.MaxVarintLen64]byte
	n, err := s.file.ReadAt(length[:min(int64(len(length)), s.size-at)], at)
	if err != nil {
		return nil, spoolError(err)
	}
	size, prefix := binary.Uvarint(length[:n])
	text := make([]byte, size)
	if _, err := s.file.ReadAt(text, at+int64(prefix)); err != nil {
		return nil, spoolError(err)
	}
	return text, nil
}

func (s *spool) close() { _ = s.file.Close() } // it is gone
