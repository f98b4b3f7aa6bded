package rendering

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// maxIndex bounds the indexes of paths, since a list is filled up to the index that is written.
const maxIndex = 9999

// step is one part of a path: a member of a map, or an item of a list.
type step struct {
	name  string // of a member
	index int    // of an item
	item  bool
	any   bool // every member, or every item
}

// path leads to a value inside of a document's data. The root has no steps.
type path []step

// parsePath reads a JSONPath: "." and "$" are the root, ".a.b", "$.a.b" and "a.b" members, ".'a.b'" and
// "['a.b']" members whose names need quotes, ".a[0]" items, ".a.*" and ".a[*]" all members or items.
// The other result says what is wrong with the text, "" if nothing is.
func parsePath(text string) (path, string) {
	if text == "" {
		return nil, "the path is empty"
	}
	p := pathParser{rest: text}
	if rest, ok := strings.CutPrefix(text, "$"); ok {
		p.rest = rest
		if rest != "" && rest[0] != '.' && rest[0] != '[' {
			return nil, "after $ comes . or ["
		}
	}
	if p.rest == "" || p.rest == "." {
		return nil, ""
	}
	for first := true; p.rest != ""; first = false {
		if problem := p.step(first); problem != "" {
			return nil, problem
		}
	}
	return p.steps, ""
}

type pathParser struct {
	rest  string
	steps path
}

// step reads one step with the dot before it, which the first one may lack.
func (p *pathParser) step(first bool) string {
	rest, dot := strings.CutPrefix(p.rest, ".")
	switch {
	case strings.HasPrefix(rest, "."):
		return "it asks for a value at any depth (..), which is not possible here"
	case strings.HasPrefix(rest, "["):
		p.rest = rest[1:]
		return p.bracket()
	case !dot && !first:
		return fmt.Sprintf("before %s comes . or [", short(rest))
	case rest == "":
		return "it ends with a dot"
	}
	p.rest = rest
	switch rest[0] {
	case '*':
		p.rest = rest[1:]
		p.steps = append(p.steps, step{any: true})
		return ""
	case '\'', '"':
		name, problem := p.quoted()
		p.steps = append(p.steps, step{name: name})
		return problem
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	if i := strings.IndexAny(name, "'\"]*?()|&,$ \t\r\n"); i >= 0 {
		return fmt.Sprintf("%q stands in a name; put the name in single quotes", name[i])
	}
	p.rest = rest[end:]
	p.steps = append(p.steps, step{name: name})
	return ""
}

// bracket reads what follows an opening bracket, with the closing one.
func (p *pathParser) bracket() string {
	next := step{item: true}
	switch {
	case strings.HasPrefix(p.rest, "*"):
		p.rest = p.rest[1:]
		next.any = true
	case strings.HasPrefix(p.rest, "'") || strings.HasPrefix(p.rest, `"`):
		name, problem := p.quoted()
		if problem != "" {
			return problem
		}
		next = step{name: name}
	default:
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		index, err := strconv.Atoi(p.rest[:digits])
		if digits == 0 {
			return "after [ comes an index, a name in quotes, or *"
		}
		if err != nil || index > maxIndex {
			return fmt.Sprintf("the index is over %d", maxIndex)
		}
		next.index, p.rest = index, p.rest[digits:]
	}
	rest, ok := strings.CutPrefix(p.rest, "]")
	if !ok {
		return "a bracket is not closed"
	}
	p.rest = rest
	p.steps = append(p.steps, next)
	return ""
}

// quoted reads a name in quotes. A backslash takes the next character as it is.
func (p *pathParser) quoted() (string, string) {
	quote, rest := p.rest[0], p.rest[1:]
	var name strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == quote:
			p.rest = rest[i+1:]
			return name.String(), ""
		case c == '\\' && i+1 < len(rest):
			i++
			name.WriteByte(rest[i])
		default:
			name.WriteByte(c)
		}
	}
	return "", "a quote is not closed"
}

// withoutData drops a leading member written ".data" or "$.data" from the path of an action, where it means the
// data section itself.
func (p path) withoutData(text string) path {
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "$"), ".data"); ok && len(p) > 0 && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		return p[1:]
	}
	return p
}

// isAmbiguous reports whether the path may lead to more than one value.
func (p path) isAmbiguous() bool {
	for i := range p {
		if p[i].any {
			return true
		}
	}
	return false
}

// String writes the path in the form that parsePath reads.
func (p path) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.item && s.any:
			b.WriteString("[*]")
		case s.item:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.any:
			b.WriteString(".*")
		case isPlainName(s.name):
			b.WriteString("." + s.name)
		default:
			b.WriteString(".'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s.name) + "'")
		}
	}
	return b.String()
}

func isPlainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return name != ""
}

// find returns the first value that the path leads to, in the order of members and items, or nil.
func (p path) find(v *value.Value) *value.Value {
	for i, s := range p {
		switch {
		case v == nil:
			return nil
		case s.any && s.item:
			for _, item := range v.Items {
				if found := p[i+1:].find(item); found != nil {
					return found
				}
			}
			return nil
		case s.any:
			for _, m := range v.Members {
				if found := p[i+1:].find(m.Value); found != nil {
					return found
				}
			}
			return nil
		default:
			v = s.of(v)
		}
	}
	return v
}

// of returns the value that one step leads to, or nil.
func (s step) of(v *value.Value) *value.Value {
	if !s.item {
		return v.Get(s.name)
	}
	if v == nil || s.index >= len(v.Items) {
		return nil
	}
	return v.Items[s.index]
}

// short shows a text in a message.
func short(text string) string {
	const most = 60
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}
