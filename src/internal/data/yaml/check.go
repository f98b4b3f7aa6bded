package yaml

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	// harmless is up to which size an input is not worth a guess at its number of values.
	harmless = 256 << 10
	// maxDirectives is how many %TAG directives there may be. Nothing uses them, and each takes
	// the library longer than the one before.
	maxDirectives = 100
)

// check refuses, before the library sees it, what it would report without a place, or what would
// take it too much time or memory.
func check(data []byte, limits value.Limits) *dovetail.Error {
	if len(data) > limits.Bytes {
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Position: placeOf(data, 0),
			Message: fmt.Sprintf("the YAML text has %d bytes, more than the %d that are allowed", len(data), limits.Bytes),
			Remedy:  "split the input into smaller ones"}
	}
	if err := checkCharacters(data); err != nil {
		return err
	}
	if bytes.Count(data, []byte("\n%TAG")) > maxDirectives {
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Position: placeOf(data, 0),
			Message: fmt.Sprintf("there are more than %d %%TAG directives", maxDirectives), Remedy: "remove them"}
	}
	if len(data) > harmless && guessValues(data) > limits.Values {
		return tooMany(limits, placeOf(data, 0))
	}
	return nil
}

func tooMany(limits value.Limits, at dovetail.Position) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Position: at,
		Message: fmt.Sprintf("there are more than %d values", limits.Values),
		Remedy:  "split the input, or use fewer aliases"}
}

func checkCharacters(data []byte) *dovetail.Error {
	for i := 0; i < len(data); {
		if c := data[i]; c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		var message, remedy string
		switch {
		case r == utf8.RuneError && size == 1:
			message, remedy = fmt.Sprintf("the byte 0x%02X is not UTF-8", data[i]), "save the text as UTF-8"
		case !allowed(r):
			message, remedy = fmt.Sprintf("there is a control character (U+%04X)", r), "remove it, or write it as an escape in double quotes"
		default:
			i += size
			continue
		}
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy, Position: placeOf(data, i)}
	}
	return nil
}

// placeOf is the line and column of an offset.
func placeOf(data []byte, offset int) dovetail.Position {
	return dovetail.Position{
		Line:   bytes.Count(data[:offset], []byte{'\n'}) + 1,
		Column: offset - bytes.LastIndexByte(data[:offset], '\n'),
	}
}

// allowed reports whether YAML text may hold the character as it is.
func allowed(r rune) bool {
	switch r {
	case '\t', '\n', '\r', '\u0085':
		return true
	}
	return r >= 0x20 && r <= 0x7E || r >= 0xA0 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000
}

// guessValues estimates the number of values from the punctuation, without reading the text. The
// library makes a node of about 200 bytes for each, and two bytes of text are enough for one. It
// takes punctuation inside of texts for structure, hence only large inputs are judged by it.
func guessValues(data []byte) int {
	var colons, commas, dashes int
	flow := false
	for i, c := range data {
		switch c {
		case ':':
			if endsToken(data, i+1) || i > 0 && (data[i-1] == '"' || data[i-1] == '\'') {
				colons++
			}
		case ',':
			if flow {
				commas++
			}
		case '[', '{':
			flow = true
		case '-', '?':
			if endsToken(data, i+1) {
				dashes++
			}
		}
	}
	return dashes + max(colons, commas)
}

func endsToken(data []byte, i int) bool {
	return i == len(data) || bytes.IndexByte([]byte(" \t\r\n,[]{}"), data[i]) >= 0
}
