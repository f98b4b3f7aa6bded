package solver

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// call is the string form of a constraint: word(arguments). An argument is a text or a call.
type call struct {
	word string // empty for a text
	text string
	args []*call
}

// callParser reads the string form.
type callParser struct {
	rest  string
	depth int
}

// parseCall reads "word(...)"; what it returns besides a call is what is wrong.
func parseCall(text string) (*call, string) {
	p := &callParser{rest: text}
	p.space()
	c, wrong := p.call()
	if wrong == "" && p.space() != "" {
		return nil, "there is something after the end: " + decode.Quote(p.rest)
	}
	return c, wrong
}

func (p *callParser) space() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	return p.rest
}

// take takes the next character if it is c.
func (p *callParser) take(c string) bool {
	rest, ok := strings.CutPrefix(p.space(), c)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *callParser) call() (*call, string) {
	if p.depth++; p.depth > maxDepth {
		return nil, "it nests too deep"
	}
	defer func() { p.depth-- }()
	n := 0
	for n < len(p.rest) && isLetter(p.rest[n]) {
		n++
	}
	if n == 0 {
		return nil, "a word like required is missing at " + decode.Quote(p.rest)
	}
	c := &call{word: p.rest[:n]}
	p.rest = p.rest[n:]
	switch {
	case p.take("("):
	case p.depth > 1:
		return nil, c.word + " is neither in quotes nor followed by ("
	default:
		return nil, decode.Quote(c.word) + " is not followed by ("
	}
	if p.take(")") {
		return c, ""
	}
	for {
		arg, wrong := p.argument()
		if wrong != "" {
			return nil, wrong
		}
		c.args = append(c.args, arg)
		switch {
		case p.take(","):
		case p.take(")"):
			return c, ""
		default:
			return nil, "a comma or a closing ) is missing " + where(p.rest)
		}
	}
}

// where says how far the text was read.
func where(rest string) string {
	if rest == "" {
		return "at the end"
	}
	return "before " + decode.Quote(rest)
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func (p *callParser) argument() (*call, string) {
	if !strings.HasPrefix(p.space(), `"`) {
		return p.call()
	}
	end := 1
	for end < len(p.rest) && p.rest[end] != '"' {
		if p.rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.rest) {
		return nil, "a quotation mark is not closed"
	}
	v, err := value.ParseJSON([]byte(p.rest[:end+1]), value.Limits{})
	if err != nil {
		return nil, decode.Quote(p.rest[:end+1]) + " is not a JSON string"
	}
	p.rest = p.rest[end+1:]
	return &call{text: v.Text}, ""
}

// texts returns the arguments if they are texts and as many as wanted.
func (c *call) texts(least, most int) ([]string, bool) {
	if len(c.args) < least || len(c.args) > most {
		return nil, false
	}
	out := make([]string, most)
	for i, arg := range c.args {
		if arg.word != "" {
			return nil, false
		}
		out[i] = arg.text
	}
	return out, true
}

// callConstraint reads a constraint in string form, nil if that fails.
func (r *reader) callConstraint(f decode.Field, text string) *Constraint {
	c, wrong := parseCall(text)
	if wrong != "" {
		f.Fail(`write required("name", ">=1.0.0"), for example`, "%s", wrong)
		return nil
	}
	before := r.Errors.Total()
	var made *Constraint
	switch c.word {
	case "pinned", "upgradeFrom":
		made = r.callSubject(f, c)
	case "conflict", "atMostOne":
		made = &Constraint{kind: isAtMostOne, selectors: r.callSelectors(f, c)}
		if c.word == "conflict" {
			made.kind = isConflict
			if len(c.args) != 2 {
				f.Fail("write two", "conflict takes two selectors, not %d", len(c.args))
			}
		}
	default:
		made = &Constraint{kind: isExpression, expression: r.fromCall(f, c)}
	}
	if r.Errors.Total() > before {
		return nil
	}
	return made
}

func (r *reader) callSubject(f decode.Field, c *call) *Constraint {
	made := &Constraint{kind: isPinned, subject: subject{policy: catalogProvided}}
	if c.word == "upgradeFrom" {
		made.kind = isUpgrade
	}
	args, ok := c.texts(2, 2)
	if !ok || args[0] == "" {
		f.Fail(`write it as `+c.word+`("name", "1.0.0")`, "%s takes a name and a version", c.word)
		return nil
	}
	made.subject.name = args[0]
	made.subject.version = r.parseVersion(f, args[1])
	return made
}

// callExpression reads an expression in string form, nil if that fails.
func (r *reader) callExpression(f decode.Field, text string) *expression {
	c, wrong := parseCall(text)
	if wrong != "" {
		f.Fail(`write required("name", ">=1.0.0"), for example`, "%s", wrong)
		return nil
	}
	return r.fromCall(f, c)
}

func (r *reader) fromCall(f decode.Field, c *call) *expression {
	switch c.word {
	case "required", "prohibited":
		o := noneOf
		if c.word == "required" {
			o = required
		}
		return asExpression(o, r.callSelector(f, c))
	case "not":
		for _, arg := range c.args {
			if arg.word == "" {
				f.Fail(`write not(required("name"))`, "not takes required(...)")
				return nil
			}
		}
		return &expression{operator: noneOf, selectors: r.callSelectors(f, c)}
	case "any", "all":
		e := &expression{operator: anyOf}
		if c.word == "all" {
			e.operator = allOf
		}
		if len(c.args) == 0 {
			f.Fail(`write `+c.word+`(required("a"), required("b"))`, "%s() is empty", c.word)
		}
		for _, arg := range c.args {
			if arg.word == "" {
				f.Fail(`write required("name")`, "%s takes required(...), any(...), all(...) or not(...), not a text", c.word)
				return nil
			}
			if part := r.fromCall(f, arg); part != nil {
				e.parts = append(e.parts, part)
			}
		}
		return e
	}
	f.Fail("use one of "+strings.Join(constraintKinds, ", "), "%s is not known here", decode.Quote(c.word))
	return nil
}

// callSelector reads required(name[, range[, channel]]), or prohibited(...).
func (r *reader) callSelector(f decode.Field, c *call) *selector {
	args, ok := c.texts(1, 3)
	if !ok || args[0] == "" {
		f.Fail(`write `+c.word+`("name", ">=1.0.0", "stable"), the last two if needed`, "%s takes a name, a range and a channel", c.word)
		return nil
	}
	before := r.Errors.Total()
	s := &selector{name: args[0], versions: r.parseRange(f, args[1]), channel: args[2]}
	if r.Errors.Total() > before {
		return nil
	}
	s.finish()
	return s
}

// callSelectors reads arguments that are names or required(...).
func (r *reader) callSelectors(f decode.Field, c *call) []*selector {
	if len(c.args) == 0 {
		f.Fail(`write names or required(...)`, "%s() is empty", c.word)
	}
	var list []*selector
	for _, arg := range c.args {
		switch {
		case arg.word == "required":
		case arg.word == "":
			arg = &call{word: c.word, args: []*call{arg}}
		default:
			f.Fail(`write names or required(...)`, "%s does not take %s(...)", c.word, arg.word)
			continue
		}
		if s := r.callSelector(f, arg); s != nil {
			list = append(list, s)
		}
	}
	return list
}
