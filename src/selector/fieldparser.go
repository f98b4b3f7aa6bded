package selector

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// fieldParser reads a field selector from left to right.
type fieldParser struct {
	text string
	pos  int
}

// requirement reads up to the next comma or the end.
func (p *fieldParser) requirement() (fieldRequirement, error) {
	var r fieldRequirement
	for p.pos < len(p.text) && strings.IndexByte(space, p.text[p.pos]) >= 0 {
		p.pos++
	}
	start := p.pos
	path, err := p.operand(",=!<>")
	switch {
	case err != nil:
		return r, err
	case path == "":
		p.pos = start
		return r, unexpected(fieldSelector, p.text, p.pos, "a path")
	}
	rest := p.text[p.pos:]
	r.operator = equals
	switch {
	case strings.HasPrefix(rest, "=="):
		p.pos += 2
	case strings.HasPrefix(rest, "!="):
		p.pos += 2
		r.operator = differs
	case strings.HasPrefix(rest, "="):
		p.pos++
	case strings.HasPrefix(rest, "<"), strings.HasPrefix(rest, ">"):
		p.pos++
		r.operator = operator(rest[:1])
	default:
		return r, unexpected(fieldSelector, p.text, p.pos, "=, !=, < or >")
	}
	if r.value, err = p.operand(",="); err != nil {
		return r, err
	}
	if p.pos < len(p.text) && p.text[p.pos] == '=' {
		e := failure(fieldSelector, p.pos, "there is a second = in one part")
		e.Remedy = `join parts by commas, and write a = of a value as \=`
		return r, e
	}
	if r.items = path[0] != '/' && strings.HasSuffix(path, eachItem); r.items {
		path = strings.TrimSuffix(path, eachItem)
	}
	r.path, err = p.path(path, start)
	r.pointer = value.Pointer(r.path...)
	return r, err
}

// operand reads up to one of the stops, without escapes and the white space around it.
func (p *fieldParser) operand(stops string) (string, error) {
	var b strings.Builder
	end := 0 // without the white space that came last
	for ; p.pos < len(p.text) && strings.IndexByte(stops, p.text[p.pos]) < 0; p.pos++ {
		c := p.text[p.pos]
		isSpace := strings.IndexByte(space, c) >= 0
		if c == '\\' {
			if p.pos+1 == len(p.text) || strings.IndexByte(escaped, p.text[p.pos+1]) < 0 {
				e := failure(fieldSelector, p.pos, "a backslash must come before one of , = ! < > \\ or white space")
				e.Remedy = `write a backslash as \\`
				return "", e
			}
			p.pos++
			c, isSpace = p.text[p.pos], false
		}
		if isSpace && b.Len() == 0 {
			continue
		}
		b.WriteByte(c)
		if !isSpace {
			end = b.Len()
		}
	}
	return b.String()[:end], nil
}

// path splits a path that began at start into names.
func (p *fieldParser) path(path string, start int) ([]string, error) {
	if strings.HasPrefix(path, "/") {
		parts, ok := value.SplitPointer(path)
		if !ok {
			e := failure(fieldSelector, start, "the path is not a JSON Pointer")
			e.Remedy = "write ~ as ~0, and a / inside of a name as ~1"
			return nil, e
		}
		return parts, nil
	}
	parts := strings.Split(path, ".")
	for _, part := range parts {
		if part == "" {
			e := failure(fieldSelector, start, "a name in the path is empty")
			e.Remedy = "write names with one dot between them; for names with dots write /spec/a.b"
			return nil, e
		}
	}
	return parts, nil
}
