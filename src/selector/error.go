package selector

import (
	"fmt"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxTerms is how many terms a selector may have: each requirement is one, and so is each value of a list in
// parentheses. A list checks them on every document.
const maxTerms = 100

// space separates what it stands between, and does not count otherwise.
const space = " \t\r\n"

// The kinds of selectors, as messages name them.
const (
	labelSelector = "label selector"
	fieldSelector = "field selector"
	textSelector  = "text"
)

var remedies = map[string]string{
	labelSelector: "write it as in tier=front,!old,zone in (a,b)",
	fieldSelector: "write it as in metadata.name=nginx,spec.app!=web",
	textSelector:  "search for a part of it",
}

// failure makes the error about the place pos of a selector.
func failure(kind string, pos int, message string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeInvalid,
		Message:  "invalid " + kind + ": " + message,
		Remedy:   remedies[kind],
		Position: dovetail.Position{Line: 1, Column: pos + 1}}
}

func unexpected(kind, text string, pos int, wanted string) *dovetail.Error {
	found := "the end"
	if pos < len(text) {
		r, _ := utf8.DecodeRuneInString(text[pos:])
		found = fmt.Sprintf("%q", string(r))
	}
	return failure(kind, pos, fmt.Sprintf("expected %s, found %s", wanted, found))
}

// tooMany makes the error about the term at pos, which is the first one over the limit.
func tooMany(kind string, pos int) *dovetail.Error {
	e := failure(kind, pos, fmt.Sprintf("it has more than %d terms", maxTerms))
	e.Remedy = "select with fewer terms, each value in parentheses is one, or send several requests"
	return e
}

func checkUTF8(kind, text string) error {
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return failure(kind, i, fmt.Sprintf("the byte 0x%02X is not UTF-8", text[i]))
		}
	}
	return nil
}
