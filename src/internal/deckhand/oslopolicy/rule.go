package oslopolicy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

func always(*Policy, Subject) bool { return true }
func never(*Policy, Subject) bool  { return false }

func all(checks []check) check {
	return func(p *Policy, who Subject) bool {
		return !slices.ContainsFunc(checks, func(c check) bool { return !c(p, who) })
	}
}

func anyOf(checks []check) check {
	return func(p *Policy, who Subject) bool {
		return slices.ContainsFunc(checks, func(c check) bool { return c(p, who) })
	}
}

// rule reads a rule: a text, or, as in old files, a list of which one item must hold, each a check or a list of checks that must all hold.
func (r *reader) rule(name string, f decode.Field) check {
	switch f.Kind() {
	case value.String:
		return r.expression(name, f, f.Value.Text)
	case value.List:
		if len(f.Value.Items) == 0 {
			return always
		}
		var one []check
		for _, item := range f.Items("a check") {
			if item.Kind() == value.List {
				var every []check
				for _, part := range item.Items("a check") {
					every = append(every, r.single(name, part))
				}
				one = append(one, all(every))
				continue
			}
			one = append(one, r.single(name, item))
		}
		return anyOf(one)
	}
	f.WrongType("a rule", `write a text such as "role:admin"; "" allows every user, and "!" no user`)
	return never
}

func (r *reader) single(name string, f decode.Field) check {
	if f.Kind() != value.String {
		f.WrongType("a check", `write a text such as "role:admin"`)
		return never
	}
	return r.check(name, f, f.Value.Text)
}

// expression reads a text: checks with not, and, or and parentheses, of which not binds the most and or the least.
func (r *reader) expression(name string, f decode.Field, text string) check {
	if strings.TrimSpace(text) == "" {
		return always
	}
	p := &parser{reader: r, name: name, at: f, tokens: split(text)}
	c := p.or()
	if !p.failed && len(p.tokens) > 0 {
		p.fail("write and or or before it", "the rule %s goes on with %s", name, decode.Quote(p.tokens[0]))
	}
	if p.failed {
		return never
	}
	return c
}

// split returns the words of a rule; parentheses are words of their own at the beginning and the end of others.
func split(text string) (tokens []string) {
	for _, word := range strings.Fields(text) {
		rest := strings.TrimLeft(word, "(")
		for range len(word) - len(rest) {
			tokens = append(tokens, "(")
		}
		bare := strings.TrimRight(rest, ")")
		if bare != "" {
			tokens = append(tokens, bare)
		}
		for range len(rest) - len(bare) {
			tokens = append(tokens, ")")
		}
	}
	return tokens
}

// parser reads the words of one rule.
type parser struct {
	*reader
	name   string
	at     decode.Field
	tokens []string
	failed bool
}

func (p *parser) fail(remedy, format string, args ...any) {
	if !p.failed {
		p.at.Fail(remedy, format, args...)
	}
	p.failed = true
}

// takes takes the next word if it is a certain one, whatever its case.
func (p *parser) takes(word string) bool {
	if len(p.tokens) == 0 || !strings.EqualFold(p.tokens[0], word) {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *parser) or() check {
	checks := []check{p.and()}
	for p.takes("or") {
		checks = append(checks, p.and())
	}
	return anyOf(checks)
}

func (p *parser) and() check {
	checks := []check{p.not()}
	for p.takes("and") {
		checks = append(checks, p.not())
	}
	return all(checks)
}

func (p *parser) not() check {
	negated := false
	for p.takes("not") {
		negated = !negated
	}
	c := p.operand()
	if !negated {
		return c
	}
	return func(policy *Policy, who Subject) bool { return !c(policy, who) }
}

func (p *parser) operand() check {
	if p.takes("(") {
		c := p.or()
		if !p.takes(")") {
			p.fail("close it", "the rule %s has a parenthesis that is not closed", p.name)
		}
		return c
	}
	if len(p.tokens) == 0 {
		p.fail("write a check such as role:admin", "the rule %s ends where a check is due", p.name)
		return never
	}
	word := p.tokens[0]
	if p.tokens = p.tokens[1:]; word == ")" || slices.ContainsFunc([]string{"and", "or"}, func(other string) bool { return strings.EqualFold(word, other) }) {
		p.fail("write a check such as role:admin before it", "the rule %s has %s where a check is due", p.name, decode.Quote(word))
		return never
	}
	return p.check(p.name, p.at, word)
}

// check reads a check of a rule.
func (r *reader) check(name string, f decode.Field, word string) check {
	switch word {
	case "@":
		return always
	case "!":
		return never
	}
	kind, match, is := strings.Cut(word, ":")
	switch {
	case !is || kind == "" || match == "":
		f.Fail(`write a check such as role:admin or rule:admin_api; "@" allows every user, and "!" no user`, "the rule %s has %s, which is no check", name, decode.Quote(word))
	case kind == "http" || kind == "https":
		f.Fail("name roles and attributes of whoever asks", "the rule %s asks the server %s, which is not supported", name, decode.Quote(word))
	case kind == "rule":
		r.refers[name] = append(r.refers[name], reference{match, f})
		return func(p *Policy, who Subject) bool {
			rule := p.rules[match]
			return rule != nil && rule(p, who)
		}
	case kind == "role" && strings.Contains(match, "%("):
		f.Fail("name the role", "the rule %s has a role by an attribute, %s", name, decode.Quote(word))
	case kind == "role":
		return func(_ *Policy, who Subject) bool {
			return slices.ContainsFunc(who.Roles, func(role string) bool { return strings.EqualFold(role, match) })
		}
	default:
		return r.comparison(name, f, kind, match)
	}
	return never
}

// comparison reads a check that compares an attribute, or a literal, with another one.
func (r *reader) comparison(name string, f decode.Field, kind, match string) check {
	left, right := constant(kind), constant(match)
	if left == nil {
		if !slices.Contains(attributes, kind) {
			f.Fail(meant(suggest.Nearest(kind, append([]string{"role", "rule"}, attributes...)), "use role, rule or one of "+strings.Join(attributes, ", ")),
				"the rule %s asks for %s, which no token has", name, decode.Quote(kind))
			return never
		}
		left = attribute(kind)
	}
	if of, is := strings.CutPrefix(match, "%("); is {
		target, is := strings.CutSuffix(of, ")s")
		if !is || !slices.Contains(targets, target) {
			f.Fail(meant(suggest.Nearest(target, targets), "use %(project_id)s or %(user_id)s"), "the rule %s compares with %s, which is not known of what is acted on", name, decode.Quote(match))
			return never
		}
		right = attribute(target)
	}
	if right == nil {
		right = func(Subject) string { return match }
	}
	return func(_ *Policy, who Subject) bool {
		is, wanted := left(who), right(who)
		return is != "" && is == wanted
	}
}

func attribute(name string) func(Subject) string {
	return func(who Subject) string { return who.Attributes[name] }
}

// constant is what a literal says: a text in quotes, a number or a boolean; nil for what is none.
func constant(text string) func(Subject) string {
	if n := len(text); n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		text = text[1 : n-1]
	} else if _, err := strconv.ParseFloat(text, 64); err != nil && text != "True" && text != "False" {
		return nil
	}
	return func(Subject) string { return text }
}
