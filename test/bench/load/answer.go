package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// readAnswer reads one answer up to its end and returns its status. It knows the two ways in which a server
// delimits a body on a connection that stays open: a length, and chunks.
func readAnswer(r *bufio.Reader) (int, error) {
	line, err := readLine(r)
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, fmt.Errorf("not an HTTP/1.1 answer: %q", line)
	}
	status, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, err
	}
	length, chunked := 0, false
	for {
		line, err := readLine(r)
		if err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		name, text, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(bytes.TrimSpace(text), []byte("chunked"))
		}
	}
	if chunked {
		return status, skipChunks(r)
	}
	_, err = r.Discard(length)
	return status, err
}

// skipChunks reads a body in chunks, to the empty line after the last one. Trailers are not expected.
func skipChunks(r *bufio.Reader) error {
	for {
		line, err := readLine(r)
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(string(line), 16, 31)
		if err != nil {
			return err
		}
		if _, err := r.Discard(int(size)); err != nil {
			return err
		}
		if line, err = readLine(r); err != nil {
			return err
		}
		if len(line) != 0 {
			return errors.New("a chunk does not end where it says")
		}
		if size == 0 {
			return nil
		}
	}
}

// readLine reads a line without its end. The bytes are valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}
