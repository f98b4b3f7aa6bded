package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
)

// source reads a file, and knows the digest of what was read. It reads no further than it is asked to, so that members end
// where they do.
type source struct {
	from   io.Reader
	buf    []byte
	r, w   int // what is not read yet
	summed int // up to where sum has the buffer
	sum    hash.Hash
	offset int64 // of buf[0] in the file
	err    error
}

func newSource(from io.Reader) *source {
	return &source{from: from, buf: make([]byte, 1<<18), sum: sha256.New()}
}

// fill reads more if all was read.
func (s *source) fill() error {
	if s.r < s.w {
		return nil
	}
	s.add()
	for s.err == nil {
		s.offset += int64(s.w)
		s.r, s.summed = 0, 0
		s.w, s.err = s.from.Read(s.buf)
		if s.w > 0 {
			return nil
		}
	}
	return s.err
}

// add brings the digest up to what was read.
func (s *source) add() {
	_, _ = s.sum.Write(s.buf[s.summed:s.r]) // never fails
	s.summed = s.r
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	n := copy(p, s.buf[s.r:s.w])
	s.r += n
	return n, nil
}

// ReadByte lets decompression stop at the end of a member.
func (s *source) ReadByte() (byte, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	s.r++
	return s.buf[s.r-1], nil
}

// read is how many bytes were read.
func (s *source) read() int64 { return s.offset + int64(s.r) }

// digest is that of all that was read.
func (s *source) digest() hash.Hash {
	s.add()
	state, err := s.sum.(encoding.BinaryMarshaler).MarshalBinary()
	next := sha256.New()
	if err == nil {
		err = next.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	}
	if err != nil {
		panic(err) // the standard library's state is its own
	}
	return next
}

// head reads how every member begins, and returns io.EOF where the file ends instead. gzip reads it again from what is returned.
func (s *source) head() (io.Reader, error) {
	var head [10]byte
	n, err := io.ReadFull(s, head[:])
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil:
		return nil, err
	case !bytes.Equal(head[:], gzipHead):
		return nil, fmt.Errorf("no part of a backup begins so")
	}
	return &joined{head[:], s}, nil
}

// joined reads bytes, and then the source.
type joined struct {
	first []byte
	rest  *source
}

func (j *joined) Read(p []byte) (int, error) {
	if len(j.first) > 0 {
		n := copy(p, j.first)
		j.first = j.first[n:]
		return n, nil
	}
	return j.rest.Read(p)
}

func (j *joined) ReadByte() (byte, error) {
	if len(j.first) > 0 {
		b := j.first[0]
		j.first = j.first[1:]
		return b, nil
	}
	return j.rest.ReadByte()
}
