package deckhand

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/value"
)

// parseLiteral reads a Python literal of texts, numbers, booleans, None, lists, tuples and maps, as repr writes them.
func parseLiteral(text string) (*value.Value, error) {
	p := &literal{text: text}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.at < len(p.text) {
		return nil, p.fail("something follows the value")
	}
	return v, nil
}

// maxLiteralDepth bounds how deep lists and maps may be nested.
const maxLiteralDepth = 100

type literal struct {
	text string
	at   int
}

func (p *literal) fail(why string) error { return fmt.Errorf("%s at byte %d", why, p.at+1) }

func (p *literal) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// takes reads a token if it comes next.
func (p *literal) takes(token string) bool {
	if p.blanks(); !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *literal) value(depth int) (*value.Value, error) {
	if depth > maxLiteralDepth {
		return nil, p.fail("it is nested too deep")
	}
	switch {
	case p.takes("None"):
		return value.NullValue(), nil
	case p.takes("True"):
		return value.NewBool(true), nil
	case p.takes("False"):
		return value.NewBool(false), nil
	case p.takes("["):
		return p.list("]", depth)
	case p.takes("("):
		return p.list(")", depth)
	case p.takes("{"):
		return p.dict(depth)
	case p.takes("'"):
		return p.str('\'')
	case p.takes(`"`):
		return p.str('"')
	}
	return p.number()
}

func (p *literal) list(end string, depth int) (*value.Value, error) {
	list := value.NewList()
	for !p.takes(end) {
		if len(list.Items) > 0 && !p.takes(",") {
			return nil, p.fail("there is no comma")
		}
		if p.takes(end) {
			break
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func (p *literal) dict(depth int) (*value.Value, error) {
	m := value.NewMap()
	for !p.takes("}") {
		if len(m.Members) > 0 && !p.takes(",") {
			return nil, p.fail("there is no comma")
		}
		if p.takes("}") {
			break
		}
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if key.Kind != value.String && key.Kind != value.Number {
			return nil, p.fail("a key is no text")
		}
		if !p.takes(":") {
			return nil, p.fail("there is no colon")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m.Set(key.Text, v)
	}
	return m, nil
}

// escapes are those of one letter.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", '\n': ""}

// str reads a text after its opening quote.
func (p *literal) str(quote byte) (*value.Value, error) {
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == quote:
			return value.NewString(b.String()), nil
		case c != '\\':
			b.WriteByte(c)
			continue
		case p.at == len(p.text):
			return nil, p.fail("the text ends in an escape")
		}
		c = p.text[p.at]
		p.at++
		if plain, is := escapes[c]; is {
			b.WriteString(plain)
			continue
		}
		digits, is := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if !is || p.at+digits > len(p.text) {
			return nil, p.fail("the escape is unknown")
		}
		n, err := strconv.ParseUint(p.text[p.at:p.at+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return nil, p.fail("the escape is no character")
		}
		p.at += digits
		b.WriteRune(rune(n))
	}
	return nil, p.fail("the text has no end")
}

func (p *literal) number() (*value.Value, error) {
	p.blanks()
	end := p.at
	for end < len(p.text) && strings.IndexByte("+-.eE0123456789", p.text[end]) >= 0 {
		end++
	}
	text := p.text[p.at:end]
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil || v.Kind != value.Number {
		if f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven); err == nil { // as 1. and .5
			v, err = value.ParseJSON([]byte(f.Text('g', -1)), value.Limits{})
			p.at = end
			return v, err
		}
		return nil, p.fail("there is no value")
	}
	p.at = end
	return v, nil
}
