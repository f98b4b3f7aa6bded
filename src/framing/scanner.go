package framing

import (
	"bytes"
	"strconv"
)

// Fault is what is wrong with the framing of a request, as messages say it; "" for nothing.
type Fault string

// The faults that net/http accepts, or does not tell apart from what is right.
const (
	BareLF     Fault = "a line of the header ends without a carriage return"
	Folded     Fault = "a line of the header continues the one before it"
	TwoLengths Fault = "the header has both Content-Length and Transfer-Encoding, or several lengths"
	BadLength  Fault = "Content-Length is not a number"
	OldEncoded Fault = "Transfer-Encoding needs HTTP/1.1"
)

// scanner follows the requests of a connection, to look at the lines of their headers.
type scanner struct {
	state   state
	partial []byte // the line that has begun, as far as it was read: all of it, or its ends
	cut     bool   // only its ends
	left    int64  // bytes of the body

	current bool  // the request is of HTTP/1.1
	encoded bool  // it has a Transfer-Encoding
	length  int64 // its Content-Length; -1 for none
}

type state uint8

const (
	atRequest state = iota
	inHeader
	inBody
	unbound // after the header of a chunked request, which is the last one of its connection: see Guard
)

// scan looks at what was read next. It returns how much of it comes before the line that has a fault.
func (s *scanner) scan(read []byte) (good int, fault Fault) {
	for good < len(read) {
		switch s.state {
		case unbound:
			return len(read), ""
		case inBody:
			n := min(s.left, int64(len(read)-good))
			good += int(n)
			if s.left -= n; s.left == 0 {
				s.state = atRequest
			}
			continue
		case atRequest, inHeader:
		}
		end := bytes.IndexByte(read[good:], '\n')
		if end < 0 {
			s.keep(read[good:])
			return len(read), ""
		}
		line := read[good : good+end]
		if len(s.partial) > 0 {
			s.keep(line)
			line = s.partial
		}
		if fault := s.line(line); fault != "" {
			return good, fault
		}
		s.partial, s.cut = s.partial[:0], false
		good += end + 1
	}
	return good, ""
}

// The ends of a line are kept, so that many connections with long headers take little memory: the name of a header and
// its length, and the version of a request.
const (
	keptBegin = 128
	keptEnd   = 16
	keptLine  = keptBegin + keptEnd
)

// keep adds a part to the line that has begun.
func (s *scanner) keep(part []byte) {
	if len(part) > keptLine {
		s.partial, s.cut = append(s.partial, part[:keptBegin]...), true
		part = part[len(part)-keptEnd:]
	}
	s.partial = append(s.partial, part...)
	if len(s.partial) > keptLine {
		s.partial, s.cut = append(s.partial[:keptBegin], s.partial[len(s.partial)-keptEnd:]...), true
	}
}

// line looks at one line, which is without its line feed.
func (s *scanner) line(line []byte) Fault {
	long := s.cut || len(line) > keptLine
	line, whole := bytes.CutSuffix(line, []byte("\r"))
	switch {
	case !whole:
		return BareLF
	case s.state == atRequest && len(line) == 0: // some clients send one more after a body; net/http decides about it
		return ""
	case s.state == atRequest:
		s.state, s.current = inHeader, bytes.HasSuffix(line, []byte(" HTTP/1.1"))
		s.encoded, s.length = false, -1
		return ""
	case len(line) == 0:
		return s.endHeader()
	case line[0] == ' ' || line[0] == '\t':
		return Folded
	}
	name, text, _ := bytes.Cut(line, []byte(":"))
	const contentLength, transferEncoding = "Content-Length", "Transfer-Encoding"
	switch {
	case len(name) == len(transferEncoding) && bytes.EqualFold(name, []byte(transferEncoding)):
		s.encoded = true
	case len(name) == len(contentLength) && bytes.EqualFold(name, []byte(contentLength)):
		n, err := strconv.ParseUint(string(bytes.Trim(text, " \t")), 10, 63)
		switch {
		case err != nil || long:
			return BadLength
		case s.length >= 0 && s.length != int64(n):
			return TwoLengths
		}
		s.length = int64(n)
	}
	return ""
}

// endHeader decides what follows a header.
func (s *scanner) endHeader() Fault {
	switch {
	case s.encoded && s.length >= 0:
		return TwoLengths
	case s.encoded && !s.current:
		return OldEncoded
	case s.encoded:
		s.state = unbound
	case s.length > 0:
		s.state, s.left = inBody, s.length
	default:
		s.state = atRequest
	}
	return ""
}
