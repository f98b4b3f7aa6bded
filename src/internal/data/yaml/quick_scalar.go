package yaml

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// key reads a key with its colon.
func (q *quick) key() (string, bool) {
	start := q.at
	switch c := q.text[start]; {
	case c == '\'' || c == '"':
		name, ok := q.quoted()
		if !ok || !q.colonAt(q.at) {
			return "", false
		}
		q.at++
		return name, true
	case !startsPlain(c) || q.isItem():
		return "", false
	}
	colon := q.colon(start)
	if colon < 0 {
		return "", false
	}
	name := q.text[start:colon]
	q.at = colon + 1
	switch name {
	case "<<", "~", "null", "Null", "NULL":
		return "", false
	}
	return name, len(name) <= maxSimpleKey && name[len(name)-1] != ' '
}

// startsBlock reports whether a list or a map begins at the content.
func (q *quick) startsBlock() bool {
	switch c := q.text[q.at]; {
	case q.isItem():
		return true
	case c == '\'' || c == '"':
		before := q.at
		_, ok := q.quoted()
		is := ok && q.colonAt(q.at)
		q.at = before
		return is
	case !startsPlain(c):
		return false
	}
	return q.colon(q.at) >= 0
}

// colon finds the colon that makes a plain text a key, or returns -1.
func (q *quick) colon(from int) int {
	for at := from; at < q.end; at++ {
		switch q.text[at] {
		case ':':
			if q.colonAt(at) {
				return at
			}
		case '#':
			if q.text[at-1] == ' ' {
				return -1
			}
		}
	}
	return -1
}

func (q *quick) colonAt(at int) bool {
	return at < q.end && q.text[at] == ':' && (at+1 == q.end || q.text[at+1] == ' ')
}

// startsPlain reports whether a plain text may begin with the character; some that may are left to the
// library.
func startsPlain(c byte) bool {
	switch c {
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return true
}

// scalar reads a value that begins on the line of its key or dash, and goes on to the line after it.
// Outer is the column of the key or dash.
func (q *quick) scalar(outer int) (*value.Value, bool) {
	var v *value.Value
	switch c := q.text[q.at]; {
	case c == '|':
		return q.literal(outer)
	case c == '{' || c == '[':
		if q.at+1 == q.end || q.text[q.at+1] != c+2 { // in ASCII, the closing one
			return nil, false
		}
		kind := value.Map
		if c == '[' {
			kind = value.List
		}
		v = q.value(kind, "")
		q.at += 2
	case c == '\'' || c == '"':
		v = q.value(value.String, "")
		var ok bool
		if v.Text, ok = q.quoted(); !ok {
			return nil, false
		}
	case !startsPlain(c) || q.isItem():
		return nil, false
	default:
		if v = q.plain(); v == nil {
			return nil, false
		}
	}
	if !q.isRestEmpty() {
		return nil, false
	}
	q.advance()
	// What stands deeper on the next line would belong to this one.
	return v, q.done || q.column() <= outer
}

// isRestEmpty reports whether nothing but a comment is left on the line.
func (q *quick) isRestEmpty() bool {
	rest := strings.TrimLeft(q.text[q.at:q.end], " ")
	return rest == "" || rest[0] == '#' && q.text[q.end-len(rest)-1] == ' '
}

// plain reads a plain scalar up to the end of the line, or a comment. It returns nil when it gives up.
func (q *quick) plain() *value.Value {
	stop := q.end
	for at := q.at; at < q.end; at++ {
		switch q.text[at] {
		case ':':
			if q.colonAt(at) {
				return nil
			}
		case '#':
			if q.text[at-1] == ' ' {
				stop = at
			}
		}
		if stop < q.end {
			break
		}
	}
	text := strings.TrimRight(q.text[q.at:stop], " ")
	v := q.value(value.String, text)
	q.at = stop
	if isInteger(text) {
		v.Kind = value.Number
		return v
	}
	r := q.resolve(text)
	if r.problem != "" {
		return nil
	}
	v.Kind, v.Text = r.kind, r.text
	return v
}

func (q *quick) resolve(text string) resolved {
	if q.classic {
		return resolveClassic(text)
	}
	return resolve(text)
}

// isInteger reports whether the text is a decimal integer as JSON writes it.
func isInteger(text string) bool {
	if text[0] == '0' && len(text) > 1 || len(text) > 18 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// quoted reads a text in quotes that ends on its line, without escapes but that of the single quote.
func (q *quick) quoted() (string, bool) {
	quote := q.text[q.at]
	rest := q.text[q.at+1 : q.end]
	if quote == '"' {
		n := strings.IndexAny(rest, `"\`)
		if n < 0 || rest[n] == '\\' {
			return "", false
		}
		q.at += n + 2
		return rest[:n], true
	}
	escaped := false
	for n := 0; n < len(rest); n++ {
		if rest[n] != '\'' {
			continue
		}
		if n+1 < len(rest) && rest[n+1] == '\'' {
			escaped = true
			n++
			continue
		}
		q.at += n + 2
		text := rest[:n]
		if escaped {
			text = strings.ReplaceAll(text, "''", "'")
		}
		return text, true
	}
	return "", false
}

// literal reads a literal block, and goes on to the line after it.
func (q *quick) literal(outer int) (*value.Value, bool) {
	v := q.value(value.String, "")
	chomp := strings.TrimRight(q.text[q.at+1:q.end], " ")
	if chomp != "" && chomp != "-" && chomp != "+" {
		return nil, false
	}
	var b strings.Builder
	indent, blank := 0, 0 // blank counts the empty lines at the end
	for q.next < len(q.text) {
		eol := strings.IndexByte(q.text[q.next:], '\n')
		if eol < 0 {
			return nil, false // without a line break at its end it means something else
		}
		line := q.text[q.next : q.next+eol]
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case spaces == len(line):
			if indent == 0 || spaces > indent {
				return nil, false
			}
			blank++
		case indent == 0 && spaces <= outer:
			return nil, false
		case indent > 0 && spaces < indent:
			return q.endLiteral(v, &b, chomp, blank, outer)
		default:
			if indent == 0 {
				indent = spaces
			}
			for ; blank > 0; blank-- {
				b.WriteByte('\n')
			}
			b.WriteString(line[indent:])
			b.WriteByte('\n')
		}
		q.next += eol + 1
		q.line++
	}
	return q.endLiteral(v, &b, chomp, blank, outer)
}

func (q *quick) endLiteral(v *value.Value, b *strings.Builder, chomp string, blank, outer int) (*value.Value, bool) {
	v.Text = b.String()
	switch chomp {
	case "-":
		v.Text = strings.TrimSuffix(v.Text, "\n")
	case "+":
		v.Text += strings.Repeat("\n", blank)
	}
	q.advance()
	return v, v.Text != "" && (q.done || q.column() <= outer)
}
