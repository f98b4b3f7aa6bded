package yaml

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// parseQuickly reads what the library reads, about ten times faster, as long as it is written plainly:
// block maps and lists, scalars on one line, literal blocks. Of a stream, documents that are not go
// through the library one by one. It gives up, so that the library reads everything, when a document
// is wrong in any way: then the library says how.
func parseQuickly(classic bool, data []byte, limits value.Limits, meter *meter) ([]*value.Value, bool) {
	text := string(data)
	q := quick{classic: classic, limits: limits, meter: meter}
	values := []*value.Value{}
	for start, line := 0, 1; start < len(text); {
		end, next, lines, ok := document(text, start)
		if !ok {
			return nil, false
		}
		v, ok := q.document(text[start:end], line)
		if !ok && meter.err == nil {
			v, ok = q.library(data[start:end], line)
		}
		if !ok || q.values > limits.Values || !q.charge() {
			return nil, false
		}
		if v != nil {
			values = append(values, v)
		}
		start, line = next, line+lines
	}
	return values, true
}

// document finds where the document that begins at start ends, where the next one begins, and how
// many lines are between the two beginnings. It gives up on what else can stand between documents.
func document(text string, start int) (end, next, lines int, ok bool) {
	for at := start; at < len(text); {
		rest := text[at:]
		eol := strings.IndexByte(rest, '\n') + 1
		if eol == 0 {
			eol = len(rest)
		}
		lines++
		switch rest[0] {
		case '%':
			return 0, 0, 0, false
		case '.':
			if strings.HasPrefix(rest, "...") {
				return 0, 0, 0, false
			}
		case '-':
			if after, is := strings.CutPrefix(rest[:eol], "---"); is {
				if strings.Trim(after, " \n") != "" {
					return 0, 0, 0, false
				}
				return at, at + eol, lines, true
			}
		}
		at += eol
	}
	return len(text), len(text), lines, true
}

// quick reads plainly written documents. Its methods return false when they give up.
type quick struct {
	classic bool // plain scalars are read by YAML 1.1
	limits  value.Limits
	values  int // of all documents so far
	paid    int // how many of them were charged
	meter   *meter
	slab    []value.Value

	text string // of the document
	next int    // where the line after the current one begins
	line int    // the current one, from 1 in the whole stream
	from int    // where the current line begins
	at   int    // where its content begins
	end  int    // where its content ends, trailing spaces and comments included
	done bool   // there is no current line

	members []value.Member // of all open maps
	items   []*value.Value // of all open lists
}

// document reads one document; nil when it is empty.
func (q *quick) document(text string, line int) (*value.Value, bool) {
	if !isPlainText(text) {
		return nil, false
	}
	before := q.values
	q.text, q.next, q.line, q.done = text, 0, line-1, false
	q.members, q.items = q.members[:0], q.items[:0]
	if q.advance(); q.done {
		return nil, true
	}
	v, ok := q.block(1)
	if !ok || !q.done || q.meter.err != nil {
		q.values = before
		q.giveUp()
		return nil, false
	}
	return v, true
}

// charge reports the values that were made since it was last called.
func (q *quick) charge() bool {
	made := q.values - q.paid
	q.paid = q.values
	return q.meter.charge(made, dovetail.Position{Line: q.line, Column: 1})
}

// giveUp takes back what was charged for values that were given up.
func (q *quick) giveUp() {
	if q.paid > q.values {
		q.meter.giveUp(q.meter.charged - (q.paid - q.values))
		q.paid = q.values
	}
}

// isPlainText reports whether lines end only where they seem to, and indentation is spaces.
func isPlainText(text string) bool {
	if strings.IndexByte(text, '\t') >= 0 || strings.IndexByte(text, '\r') >= 0 {
		return false
	}
	for i := range len(text) {
		if text[i] >= 0x80 {
			return !strings.ContainsAny(text[i:], "\u0085\u2028\u2029\uFEFF")
		}
	}
	return true
}

// library reads one document with the library. Line is the one that the document begins in.
func (q *quick) library(data []byte, line int) (*value.Value, bool) {
	nodes := 0
	if q.meter.limits != nil {
		nodes = nodeCost * guessValues(data)
	}
	if !q.meter.charge(nodes, dovetail.Position{Line: line, Column: 1}) {
		return nil, false
	}
	defer q.meter.charge(-nodes, dovetail.Position{})
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	document, err := decode(decoder)
	if err != nil {
		return nil, false
	}
	if _, err := decode(decoder); !errors.Is(err, io.EOF) {
		return nil, false // more documents, or what is none
	}
	if isEmpty(document) {
		return nil, true
	}
	root := document.Content[0]
	limits := q.limits
	if limits.Values -= q.values; limits.Values <= 0 {
		return nil, false
	}
	m := newMeasurer(data, limits)
	if m.measure(root) != nil {
		return nil, false
	}
	q.values += m.values
	if !q.charge() {
		return nil, false
	}
	c := converter{classic: q.classic}
	v := c.value(root)
	if c.errs.Total() > 0 {
		return nil, false
	}
	move(v, int32(line-1))
	return v, true
}

// move moves a value, which is a tree, down by lines.
func move(v *value.Value, lines int32) {
	v.Line += lines
	for _, item := range v.Items {
		move(item, lines)
	}
	for i := range v.Members {
		v.Members[i].Line += lines
		move(v.Members[i].Value, lines)
	}
}

// advance goes on to the next line that has content. What may not be read is as if it were not there.
func (q *quick) advance() {
	if q.values-q.paid >= chargeStep && !q.charge() {
		q.done = true
		return
	}
	for q.next < len(q.text) {
		q.from = q.next
		q.line++
		q.end = len(q.text)
		if eol := strings.IndexByte(q.text[q.from:], '\n'); eol >= 0 {
			q.end = q.from + eol
		}
		q.next = q.end + 1
		for q.at = q.from; q.at < q.end && q.text[q.at] == ' '; {
			q.at++
		}
		if q.at < q.end && q.text[q.at] != '#' {
			return
		}
	}
	q.done = true
}

// column is the place of the content in its line, from 0.
func (q *quick) column() int { return q.at - q.from }

// value makes a value that stands where the content is.
func (q *quick) value(kind value.Kind, text string) *value.Value {
	if len(q.slab) == 0 {
		q.slab = make([]value.Value, 256)
	}
	v := &q.slab[0]
	q.slab = q.slab[1:]
	*v = value.Value{Kind: kind, Text: text, Place: value.At(q.line, q.column()+1)}
	q.values++
	return v
}

// block reads the map or list that begins at the content, and goes on to the line after it.
func (q *quick) block(depth int) (*value.Value, bool) {
	if depth > q.limits.Depth {
		return nil, false
	}
	if q.isItem() {
		return q.list(depth)
	}
	return q.mapping(depth)
}

func (q *quick) isItem() bool {
	return q.text[q.at] == '-' && (q.at+1 == q.end || q.text[q.at+1] == ' ')
}

func (q *quick) list(depth int) (*value.Value, bool) {
	list := q.value(value.List, "")
	column, open := q.column(), len(q.items)
	for !q.done && q.column() == column && q.isItem() {
		q.at++
		item, ok := q.content(column, column+1, depth)
		if !ok {
			return nil, false
		}
		q.items = append(q.items, item)
	}
	if !q.done && q.column() > column {
		return nil, false
	}
	list.Items = append([]*value.Value(nil), q.items[open:]...)
	q.items = q.items[:open]
	return list, true
}

func (q *quick) mapping(depth int) (*value.Value, bool) {
	v := q.value(value.Map, "")
	column, open := q.column(), len(q.members)
	for !q.done && q.column() == column {
		m := value.Member{Place: value.At(q.line, column+1)}
		var ok bool
		if m.Name, ok = q.key(); !ok || q.isOpen(m.Name, open) {
			return nil, false
		}
		if m.Value, ok = q.content(column, column, depth); !ok {
			return nil, false
		}
		q.members = append(q.members, m)
	}
	if !q.done && q.column() > column {
		return nil, false
	}
	v.Members = append([]value.Member(nil), q.members[open:]...)
	q.members = q.members[:open]
	return v, true
}

// manyMembers is up to how many members a map is read quickly: names are compared one by one.
const manyMembers = 64

// isOpen reports whether the map whose members begin at open has the name already, or too many.
func (q *quick) isOpen(name string, open int) bool {
	members := q.members[open:]
	for i := range members {
		if members[i].Name == name {
			return true
		}
	}
	return len(members) >= manyMembers
}

// content reads what follows a key or a dash: on the same line, or as a block on those below, which
// begins at least at the column. Outer is the column of the key or dash.
func (q *quick) content(outer, least, depth int) (*value.Value, bool) {
	for q.at < q.end && q.text[q.at] == ' ' {
		q.at++
	}
	if q.at < q.end && !(q.text[q.at] == '#' && q.text[q.at-1] == ' ') {
		if outer < least && q.startsBlock() { // after a dash
			return q.block(depth + 1)
		}
		return q.scalar(outer)
	}
	q.advance()
	if q.done || q.column() < least || q.column() == outer && !q.isItem() {
		return nil, false // it is null; where, the library knows
	}
	return q.block(depth + 1)
}
