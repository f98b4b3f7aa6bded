package yaml

import (
	"fmt"
	"strings"
)

// The styles of strings.
const (
	classicPlain = iota
	classicSingle
	classicLiteral
	classicDouble
)

// classicStyle says how a string is written.
func classicStyle(text string) int {
	for _, c := range text {
		if c != '\n' && !classicPrintable(c) {
			return classicDouble
		}
	}
	switch {
	case strings.Contains(text, " \n"), strings.Contains(text, "\n ") && strings.HasSuffix(text, " "):
		return classicDouble
	case strings.Contains(text, "\n") && strings.HasSuffix(text, " "): // which a literal block would lose
		return classicSingle
	case strings.Contains(text, "\n"):
		return classicLiteral
	case classicIsPlain(text):
		return classicPlain
	}
	return classicSingle
}

// classicPrintable says whether a character stands as it is.
func classicPrintable(c rune) bool {
	return c >= 0x20 && c <= 0x7e || c == 0x85 || c >= 0xa0 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd && c != 0xfeff || c >= 0x10000 && c <= 0x10ffff
}

// classicIsPlain says whether a string of one line can stand without quotes.
func classicIsPlain(text string) bool {
	if !classicText(text) || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") || text[0] == ' ' || text[len(text)-1] == ' ' ||
		strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") {
		return false
	}
	if strings.ContainsRune("#,[]{}&*!|>'\"%@`", rune(text[0])) {
		return false
	}
	if strings.ContainsRune("-?:", rune(text[0])) && (len(text) == 1 || text[1] == ' ') {
		return false
	}
	return true
}

// classicScalar is a string on one line, as keys are written.
func classicScalar(text string) string {
	switch classicStyle(text) {
	case classicPlain:
		return text
	case classicSingle:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		b.WriteString(classicEscape(c))
	}
	b.WriteByte('"')
	return b.String()
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
