package finder

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tier says how well a term fits a name; less is better.
type tier int

const (
	whole       tier = iota // the name
	prefix                  // the beginning of the name
	word                    // the beginning of a word of the name
	inside                  // a part of the name
	above                   // the beginning of the name of a document above it
	insidePath              // a part of the path
	letters                 // letters of the name, in their order
	pathLetters             // letters of the path, in their order
	none
)

// text is what a document is found by, in lower case: the values of its key joined with slashes, of which the last is its name.
type text struct {
	path string
	name int // where the name begins
}

// match returns the sum of the tiers of the terms; none if a term does not fit.
func (t text) match(terms []string) (sum tier, fits bool) {
	for _, term := range terms {
		one := t.tier(term)
		if one == none {
			return none, false
		}
		sum += one
	}
	return sum, true
}

func (t text) tier(term string) tier {
	name := t.path[t.name:]
	if at := strings.Index(name, term); at >= 0 {
		switch {
		case len(name) == len(term):
			return whole
		case at == 0:
			return prefix
		case beginsWord(name, term, at):
			return word
		}
		return inside
	}
	if at := strings.Index(t.path, term); at >= 0 {
		if len(t.path) == len(term) {
			return whole
		}
		if at == 0 || t.path[at-1] == '/' {
			return above
		}
		return insidePath
	}
	switch {
	case hasLetters(name, term):
		return letters
	case hasLetters(t.path, term):
		return pathLetters
	}
	return none
}

// beginsWord reports whether the term, which is in the name at a position, also begins a word of it.
func beginsWord(name, term string, at int) bool {
	for {
		if before, _ := utf8.DecodeLastRuneInString(name[:at]); at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		next := strings.Index(name[at+1:], term)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
}

// hasLetters reports whether a text has all letters of a term in their order.
func hasLetters(text, term string) bool {
	for _, letter := range term {
		at := strings.IndexRune(text, letter)
		if at < 0 {
			return false
		}
		text = text[at+utf8.RuneLen(letter):]
	}
	return true
}
