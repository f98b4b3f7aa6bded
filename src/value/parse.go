package value

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const byteOrderMark = "\uFEFF"

// ParseJSON reads exactly one JSON value (RFC 8259), strictly: it refuses duplicate member names,
// invalid UTF-8, lone surrogates, a byte order mark, text after the value, and whatever is over the
// limits or over MaxNumberLength and MaxExponent. Data is not kept.
//
// The error is a *dovetail.Error of CodeInvalid or CodeTooLarge with line, column and, of a value
// inside the document, path. It is about the first thing that is wrong.
func ParseJSON(data []byte, limits Limits) (*Value, error) {
	limits = limits.WithDefaults()
	if len(data) > limits.Bytes {
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge,
			Message:  fmt.Sprintf("the JSON text has %d bytes, more than the %d that are allowed", len(data), limits.Bytes),
			Remedy:   "split the input into smaller ones",
			Position: dovetail.Position{Line: 1, Column: 1}}
	}
	p := parser{text: string(data), limits: limits, line: 1, unchecked: !utf8.Valid(data)}
	p.slabs = newSlabs(p.text)
	p.openMembers = make([]Member, 0, max(0, min(p.slabs.members.expected, 16)))
	p.openItems = make([]*Value, 0, max(0, min(p.slabs.items.expected, 32)))
	p.next = limits.Values
	if limits.Charge != nil {
		p.next = min(p.next, chargeStep)
	}
	v := p.document()
	if p.err == nil && limits.Charge != nil {
		p.charge(p.count - p.charged)
	}
	if p.err != nil {
		slices.Reverse(p.trail)
		p.err.Position.Path = Pointer(p.trail...)
		return nil, p.err
	}
	return v, nil
}

// parser reads a JSON text in one pass. Strings and numbers are parts of the one copy of the text,
// so that they cost no allocation.
type parser struct {
	text      string
	pos       int
	line      int  // the current line, from 1; outside of white space there are no line breaks
	lineStart int  // where it begins
	unchecked bool // the text is not all UTF-8, so that each string must be looked at
	limits    Limits
	depth     int
	count     int
	next      int // up to which count there is nothing to check
	charged   int
	slabs     slabs

	// Stacks of the members and items of all open maps and lists.
	openMembers []Member
	openItems   []*Value

	err   *dovetail.Error
	trail []string // the path to the error from the inside out, filled while the calls return
}

func (p *parser) document() *Value {
	if strings.HasPrefix(p.text, byteOrderMark) {
		return p.fail(0, "the text begins with a byte order mark", "save it as UTF-8 without a byte order mark")
	}
	p.space()
	if p.pos == len(p.text) {
		return p.fail(p.pos, "the input is empty", "give one JSON value")
	}
	v := p.value()
	if v == nil {
		return nil
	}
	if p.space(); p.pos < len(p.text) {
		return p.fail(p.pos, "there is more text after the JSON value, beginning with "+p.found(), "give exactly one JSON value")
	}
	return v
}

// value reads one value. Like all readers of the parser it returns nil or false after p.fail.
func (p *parser) value() *Value {
	if p.pos == len(p.text) {
		return p.fail(p.pos, "the text ends where a value must come", "complete the JSON text")
	}
	if p.count++; p.count > p.next && !p.more() {
		return nil
	}
	v := &p.slabs.values.take(1)[0]
	v.Place = At(p.line, p.pos-p.lineStart+1)
	var ok bool
	switch c := p.text[p.pos]; c {
	case '{':
		v.Kind = Map
		ok = p.nest() && p.readMap(v)
		p.depth--
	case '[':
		v.Kind = List
		ok = p.nest() && p.readList(v)
		p.depth--
	case '"':
		v.Kind = String
		v.Text, ok = p.readString()
	case 't':
		v.Kind, v.Text = Bool, "true"
		ok = p.literal("true")
	case 'f':
		v.Kind, v.Text = Bool, "false"
		ok = p.literal("false")
	case 'n':
		ok = p.literal("null")
	default:
		if c != '-' && (c < '0' || c > '9') {
			return p.unexpected("a value")
		}
		v.Kind = Number
		v.Text, ok = p.readNumber()
	}
	if !ok {
		return nil
	}
	return v
}

// more reports whether there may be more values.
func (p *parser) more() bool {
	if p.count > p.limits.Values {
		p.tooLarge(fmt.Sprintf("there are more than %d values", p.limits.Values))
		return false
	}
	p.next = min(p.limits.Values, p.count+chargeStep)
	return p.charge(p.count - p.charged)
}

// charge reports values that were made.
func (p *parser) charge(values int) bool {
	p.charged += values
	if err := p.limits.Charge(values); err != nil {
		p.err = Charged(err, dovetail.Position{Line: p.line, Column: p.pos - p.lineStart + 1})
		return false
	}
	return true
}

func (p *parser) nest() bool {
	if p.depth++; p.depth > p.limits.Depth {
		p.tooLarge(fmt.Sprintf("lists and maps are nested more than %d deep", p.limits.Depth))
		return false
	}
	return true
}

func (p *parser) readMap(v *Value) bool {
	p.pos++
	p.space()
	if p.take('}') {
		return true
	}
	first := len(p.openMembers)
	for {
		if !p.at('"') {
			p.unexpected("a member name in double quotes")
			return false
		}
		m := Member{Place: At(p.line, p.pos-p.lineStart+1)}
		var ok bool
		if m.Name, ok = p.readString(); !ok {
			return false
		}
		p.space()
		if !p.take(':') {
			p.unexpected("a colon after the member name")
			p.trail = append(p.trail, m.Name)
			return false
		}
		p.space()
		if m.Value = p.value(); m.Value == nil {
			p.trail = append(p.trail, m.Name)
			return false
		}
		p.openMembers = append(p.openMembers, m)
		p.space()
		if p.take('}') {
			break
		}
		if !p.take(',') {
			p.unexpected("a comma or the closing brace of the map")
			return false
		}
		if p.space(); p.at('}') {
			p.fail(p.pos, "there is a comma before the closing brace", "remove the comma")
			return false
		}
	}
	v.Members = p.slabs.members.save(p.openMembers[first:])
	p.openMembers = p.openMembers[:first]
	return p.unique(v.Members)
}

// unique reports the first member whose name came before.
func (p *parser) unique(members []Member) bool {
	i, j := duplicate(members)
	if i < 0 {
		return true
	}
	p.err = &dovetail.Error{Code: dovetail.CodeInvalid,
		Message:  fmt.Sprintf("duplicate member %s, first in line %d column %d", quote(members[j].Name), members[i].Line, members[i].Column),
		Remedy:   "remove one of the two",
		Position: members[j].Position()}
	p.trail = append(p.trail, members[j].Name)
	return false
}

func (p *parser) readList(v *Value) bool {
	p.pos++
	p.space()
	if p.take(']') {
		return true
	}
	first := len(p.openItems)
	for {
		item := p.value()
		if item == nil {
			p.trail = append(p.trail, fmt.Sprint(len(p.openItems)-first))
			return false
		}
		p.openItems = append(p.openItems, item)
		p.space()
		if p.take(']') {
			break
		}
		if !p.take(',') {
			p.unexpected("a comma or the closing bracket of the list")
			return false
		}
		if p.space(); p.at(']') {
			p.fail(p.pos, "there is a comma before the closing bracket", "remove the comma")
			return false
		}
	}
	v.Items = p.slabs.items.save(p.openItems[first:])
	p.openItems = p.openItems[:first]
	return true
}

func (p *parser) literal(word string) bool {
	if !strings.HasPrefix(p.text[p.pos:], word) {
		p.unexpected("a value")
		return false
	}
	p.pos += len(word)
	return true
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r':
			p.pos++
		case '\n':
			p.pos++
			p.line++
			p.lineStart = p.pos
		default:
			return
		}
	}
}

func (p *parser) at(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

func (p *parser) take(c byte) bool {
	if p.at(c) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) fail(pos int, message, remedy string) *Value {
	p.err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy,
		Position: dovetail.Position{Line: p.line, Column: pos - p.lineStart + 1}}
	return nil
}

func (p *parser) tooLarge(message string) *Value {
	p.fail(p.pos, message, "make the document simpler, or split it")
	p.err.Code = dovetail.CodeTooLarge
	return nil
}

func (p *parser) unexpected(wanted string) *Value {
	if p.pos == len(p.text) {
		return p.fail(p.pos, "the text ends where "+wanted+" must come", "complete the JSON text")
	}
	remedy := ""
	switch p.text[p.pos] {
	case '\'':
		remedy = "write strings and names in double quotes"
	case '/', '#':
		remedy = "remove the comment: JSON has none"
	}
	return p.fail(p.pos, "expected "+wanted+", found "+p.found(), remedy)
}

// found describes what is at the current place.
func (p *parser) found() string {
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("the byte 0x%02X, which is not UTF-8", p.text[p.pos])
	}
	return quote(string(r))
}
