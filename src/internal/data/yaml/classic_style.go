package yaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The styles of strings.
const (
	classicPlain = iota
	classicSingle
	classicLiteral
	classicDouble
)

// classicShape is what decides on the style of a string.
type classicShape struct {
	special    bool // characters that only double quotes have
	lines      bool // line breaks
	spaceBreak bool // a blank before one
	indicators bool // what would be read as syntax
}

func shapeOf(text string) classicShape {
	s := classicShape{indicators: strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...")}
	before, space := true, false // a blank or break before, and whether it is a blank
	for i, c := range text {
		switch {
		case i == 0 && strings.ContainsRune("#,[]{}&*!|>'\"%@`", c), c == '#' && before:
			s.indicators = true
		case c == ':' || i == 0 && (c == '-' || c == '?'):
			s.indicators = s.indicators || blankAt(text, i+1, i > 0)
		}
		isBreak := isClassicBreak(c)
		s.lines = s.lines || isBreak
		s.special = s.special || c != '\n' && !classicPrintable(c)
		s.spaceBreak = s.spaceBreak || isBreak && space
		space = c == ' '
		before = isBreak || c == ' ' || c == '\t' || c == 0
	}
	return s
}

// blankAt reports whether a text has a blank at a place. Its end is one; a line break is one only after the first character, as for SnakeYAML.
func blankAt(text string, i int, inside bool) bool {
	if i == len(text) {
		return true
	}
	c, _ := utf8.DecodeRuneInString(text[i:])
	return c == ' ' || c == '\t' || c == 0 || !inside && isClassicBreak(c)
}

// isClassicBreak reports whether a character ends a line in YAML 1.1.
func isClassicBreak(c rune) bool { return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029 }

// classicStyle says how a string is written.
func classicStyle(text string) int {
	if text == "" {
		return classicSingle
	}
	s := shapeOf(text)
	last := text[len(text)-1]
	switch {
	case s.special || s.spaceBreak || s.lines && last == ' ': // which a literal block would lose
		return classicDouble
	case s.lines:
		return classicLiteral
	case s.indicators || text[0] == ' ' || last == ' ' || !classicText(text) || zeroFirst.MatchString(text):
		return classicSingle
	}
	return classicPlain
}

// zeroFirst are digits that begin with a zero, which other readers take for a number.
var zeroFirst = regexp.MustCompile(`^0[0-9_]+$`)

// classicKeyLength is from how many characters on a key has a line of its own, after "? ".
const classicKeyLength = 123

// isSimpleKey reports whether a key stands before its value in one line.
func isSimpleKey(name string) bool {
	return name != "" && (len(name) < classicKeyLength || units(name) < classicKeyLength) && !strings.ContainsFunc(name, isClassicBreak)
}

// units is the length of a text in Java: characters beyond U+FFFF count twice.
func units(text string) int {
	n := 0
	for _, c := range text {
		n++
		if c >= 0x10000 {
			n++
		}
	}
	return n
}

// classicPrintable reports whether a character may stand as it is.
func classicPrintable(c rune) bool {
	return c >= 0x20 && c <= 0x7e || c == 0x85 || c >= 0xa0 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 && c <= 0x10ffff
}

var classicEscapes = map[rune]string{0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, 0x1b: `\e`, '"': `\"`, '\\': `\\`,
	0x85: `\N`, 0xa0: `\_`, 0x2028: `\L`, 0x2029: `\P`}

// classicEscape is a character in double quotes.
func classicEscape(c rune) string {
	if text, known := classicEscapes[c]; known {
		return text
	}
	switch {
	case classicPrintable(c):
		return string(c)
	case c <= 0xff:
		return fmt.Sprintf(`\x%02x`, c)
	case c <= 0xffff:
		return fmt.Sprintf(`\u%04x`, c)
	}
	return fmt.Sprintf(`\U%08x`, c)
}
