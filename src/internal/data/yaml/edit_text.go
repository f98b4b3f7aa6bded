package yaml

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// offset turns a place into an offset, -1 where the text has no such place.
func (e *editor) offset(of value.Place) int {
	line, column := int(of.Line), int(of.Column)
	if line < 1 || line > len(e.lines) || column < 1 {
		return -1
	}
	at := e.lines[line-1] + column - 1
	if at >= len(e.text) {
		return -1
	}
	return at
}

func (e *editor) lineStart(at int) int { return strings.LastIndexByte(e.text[:at], '\n') + 1 }

// nextLine is where the line after that of an offset begins, or the end of the text.
func (e *editor) nextLine(at int) int {
	if n := strings.IndexByte(e.text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(e.text)
}

// line is the line that begins at an offset, without indentation and white space at its end.
func (e *editor) line(start int) string { return strings.TrimSpace(e.text[start:e.nextLine(start)]) }

func (e *editor) isBlank(start int) bool { return e.line(start) == "" }

// beginsLine reports whether there is nothing before an offset in its line.
func (e *editor) beginsLine(at int) bool {
	return strings.Trim(e.text[e.lineStart(at):at], " ") == ""
}

// contentEnd is the end of what begins at start and is over before limit: of its last line that is
// neither blank, nor a comment, nor the end of the document.
func (e *editor) contentEnd(start, limit int) int {
	end := limit
	for end > start {
		from := max(e.lineStart(end-1), start)
		line := strings.TrimSpace(e.text[from:end])
		if line != "" && !strings.HasPrefix(line, "#") && line != "..." && line != "---" {
			return from + len(strings.TrimRight(e.text[from:end], " \t\r\n"))
		}
		end = from
	}
	return start
}

// commentsAbove is where the comments right above a line begin, those in the given column.
func (e *editor) commentsAbove(start, column int) int {
	for start > 0 {
		above := e.lineStart(start - 1)
		if text := e.text[above:start]; !strings.HasPrefix(text, strings.Repeat(" ", column)+"#") {
			break
		}
		start = above
	}
	return start
}

// dash is where the dash of an item is, if it is in the line in which the item begins.
func (e *editor) dash(item *value.Value) (int, bool) {
	at := e.offset(item.Place)
	if at < 0 {
		return 0, false
	}
	before := strings.TrimRight(e.text[e.lineStart(at):at], " ")
	if !strings.HasSuffix(before, "-") {
		return 0, false
	}
	return e.lineStart(at) + len(before) - 1, true
}

func (e *editor) isFlow(at int) bool { return at >= 0 && (e.text[at] == '[' || e.text[at] == '{') }

// scalar replaces a scalar by another one and keeps its quotes.
func (e *editor) scalar(from, to *value.Value, at int, flow bool) bool {
	if from.Kind == to.Kind && from.Text == to.Text {
		return true
	}
	end, quotation := e.scalarEnd(at, flow)
	if end < 0 {
		return false
	}
	if quotation == 0 {
		if r := e.by.resolve(e.text[at:end]); r.kind != from.Kind || r.text != from.Text { // it goes on in the next line
			return false
		}
	}
	e.replace(at, end, scalarText(to, quotation, flow))
	return true
}

// scalarEnd returns where a scalar ends, and its quotation mark or 0. Of other forms the end is -1.
func (e *editor) scalarEnd(at int, flow bool) (end int, quotation byte) {
	switch c := e.text[at]; c {
	case '"', '\'':
		return e.quotedEnd(at), c
	case '|', '>', '&', '*', '!', '?', '%', '@', '`', '#', ',', ']', '}', '\r', '\n':
		return -1, 0
	}
	end = at
	for end < len(e.text) {
		rest := e.text[end:]
		if rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, " #") || strings.HasPrefix(rest, "\t#") ||
			flow && strings.IndexByte(",[]{}", rest[0]) >= 0 {
			break
		}
		end++
	}
	return at + len(strings.TrimRight(e.text[at:end], " \t")), 0
}

// quotedEnd is where a text in quotes ends, or -1.
func (e *editor) quotedEnd(at int) int {
	quotation := e.text[at]
	for i := at + 1; i < len(e.text); i++ {
		switch {
		case e.text[i] == '\\' && quotation == '"':
			i++
		case e.text[i] != quotation:
		case quotation == '\'' && strings.HasPrefix(e.text[i:], "''"):
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// scalarText writes a scalar in one line, in the quotes that its predecessor had.
func scalarText(v *value.Value, quotation byte, flow bool) string {
	switch {
	case v.Kind == value.Null:
		return "null"
	case v.Kind != value.String:
		return v.Text
	case quotation == '\'' && !strings.ContainsFunc(v.Text, mustEscape):
		return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
	case quotation != 0 || flow && strings.ContainsAny(v.Text, ",[]{}"):
		return quoteDouble(v.Text)
	}
	return inline(v.Text)
}
