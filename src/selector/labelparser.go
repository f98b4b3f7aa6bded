package selector

import (
	"slices"
	"strings"
)

// labelParser reads a label selector from left to right. All its readers skip the white space that
// follows.
type labelParser struct {
	text  string
	pos   int
	terms int // so far
}

func (p *labelParser) requirement() (labelRequirement, error) {
	if err := p.count(); err != nil {
		return labelRequirement{}, err
	}
	if p.take("!") {
		key := p.word()
		if key == "" {
			return labelRequirement{}, p.unexpected("the name of a label")
		}
		return labelRequirement{key: key, test: labelAbsent}, nil
	}
	r := labelRequirement{key: p.word()}
	if r.key == "" {
		return r, p.unexpected("the name of a label")
	}
	switch {
	case p.take("=="), p.take("="):
		r.test = labelEquals
	case p.take("!="):
		r.test = labelDiffers
	case p.takeWord("in"):
		r.test = labelIn
	case p.takeWord("notin"):
		r.test = labelNotIn
	case p.pos == len(p.text), p.text[p.pos] == ',':
		return r, nil
	default:
		return r, p.unexpected("one of = == != in notin")
	}
	if r.test == labelEquals || r.test == labelDiffers {
		r.values = []string{p.word()}
		return r, nil
	}
	var err error
	r.values, err = p.list()
	return r, err
}

// list reads values in parentheses.
func (p *labelParser) list() ([]string, error) {
	if !p.take("(") {
		return nil, p.unexpected("a list of values in parentheses")
	}
	if p.pos < len(p.text) && p.text[p.pos] == ')' {
		return nil, p.unexpected("a value")
	}
	var values []string
	for {
		if len(values) > 0 { // the first one counts with the requirement
			if err := p.count(); err != nil {
				return nil, err
			}
		}
		values = append(values, p.word())
		if p.take(")") {
			slices.Sort(values)
			return slices.Compact(values), nil
		}
		if !p.take(",") {
			return nil, p.unexpected("a comma or the closing parenthesis")
		}
	}
}

// count counts the term that begins here.
func (p *labelParser) count() error {
	if p.terms++; p.terms > maxTerms {
		return tooMany(labelSelector, p.pos)
	}
	return nil
}

func (p *labelParser) skip() {
	for p.pos < len(p.text) && strings.IndexByte(space, p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *labelParser) take(symbol string) bool {
	if !strings.HasPrefix(p.text[p.pos:], symbol) {
		return false
	}
	p.pos += len(symbol)
	p.skip()
	return true
}

// word reads up to the next symbol or white space; it may be empty.
func (p *labelParser) word() string {
	rest := p.text[p.pos:]
	if end := strings.IndexAny(rest, space+",()=!<>"); end >= 0 {
		rest = rest[:end]
	}
	p.pos += len(rest)
	p.skip()
	return rest
}

func (p *labelParser) takeWord(word string) bool {
	start := p.pos
	if p.word() == word {
		return true
	}
	p.pos = start
	return false
}

func (p *labelParser) unexpected(wanted string) error {
	return unexpected(labelSelector, p.text, p.pos, wanted)
}
