package rendering

import (
	"regexp"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
)

// pattern is a regular expression in the syntax of RE2, which takes linear time.
type pattern struct {
	text    string
	literal bool // it matches just its own text
	regexp  *regexp.Regexp
}

// pattern reads a member with a regular expression; nil when there is none.
func (r *reader) pattern(of decode.Field) *pattern {
	f := of.Get("pattern")
	if f.IsMissing() {
		return nil
	}
	text := f.Text()
	if text == "" {
		return nil
	}
	if known := r.patterns[text]; known != nil {
		return known
	}
	p, err := newPattern(text)
	if err != nil {
		f.Fail("write it in the syntax of RE2, without look-around and back-references",
			"%s is not a regular expression", short(text))
	}
	r.patterns[text] = p
	return p
}

func newPattern(text string) (*pattern, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{text: text, literal: regexp.QuoteMeta(text) == text, regexp: compiled}, nil
}

// groups is how many groups the pattern has, the whole match not counted.
func (p *pattern) groups() int { return p.regexp.NumSubexp() }

// part returns a group of the first match, and whether there is a match.
func (p *pattern) part(text string, group int) (string, bool) {
	match := p.regexp.FindStringSubmatch(text)
	if match == nil {
		return "", false
	}
	return match[group], true
}

// replace replaces every match with a text. The text is taken as it is. It returns false when
// the result would have more than most bytes.
func (p *pattern) replace(text, by string, most int) (string, bool) {
	if len(text)+(len(text)+1)*len(by) > most { // only then it is worth counting
		if matches := len(p.regexp.FindAllStringIndex(text, -1)); len(text)+matches*len(by) > most {
			return text, false
		}
	}
	if p.literal {
		return strings.ReplaceAll(text, p.text, by), true
	}
	return p.regexp.ReplaceAllLiteralString(text, by), true
}
