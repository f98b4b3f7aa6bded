package yaml

import "unicode/utf8"

// cursor moves through the text from node to node. It is needed because the library counts columns
// in characters, and takes some characters for line breaks that editors do not.
type cursor struct {
	data         []byte
	pos          int
	line, column int // as the library counts
	userLine     int
	lineStart    int // where the user's line begins
}

func newCursor(data []byte) cursor { return cursor{data: data, line: 1, column: 1, userLine: 1} }

// place turns a place of the library into the line and the column in bytes that users see. Places
// must come in the order of the text; for one that is passed it tells where the cursor is.
func (c *cursor) place(line, column int) (int, int) {
	for c.pos < len(c.data) && (c.line < line || c.line == line && c.column < column) {
		c.advance()
	}
	return c.userLine, c.pos - c.lineStart + 1
}

func (c *cursor) advance() {
	r, size := utf8.DecodeRune(c.data[c.pos:])
	if r == '\r' && c.pos+1 < len(c.data) && c.data[c.pos+1] == '\n' {
		size = 2
	}
	beginning := c.pos == 0
	c.pos += size
	switch r {
	case '\n', '\r':
		c.userLine++
		c.lineStart = c.pos
		c.line, c.column = c.line+1, 1
	case '\u0085', '\u2028', '\u2029':
		c.line, c.column = c.line+1, 1
	default:
		if r != '\uFEFF' || !beginning { // the library drops a byte order mark at the beginning
			c.column++
		}
	}
}
