package yaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/value"
)

// maxSimpleKey is how long a key may be that stands on one line with its value; YAML sets 1024
// characters.
const maxSimpleKey = 1000

// inline writes a text on one line: plain where every parser reads it as a string, otherwise in quotes.
func inline(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	switch {
	case isPlain(text):
		return text
	case strings.ContainsAny(text, `"\`) && !strings.Contains(text, "'") && !strings.ContainsFunc(text, mustEscape):
		return "'" + text + "'"
	}
	return quoteDouble(text)
}

// otherNumbers is what YAML 1.1 takes for a date or a number in base 60.
var otherNumbers = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// isOther reports whether a string, plain, is something else to readers of YAML 1.1.
func isOther(text string) bool {
	switch strings.ToLower(text) {
	case "y", "yes", "n", "no", "on", "off", "=", "<<":
		return true
	}
	c := text[0]
	return (c == '+' || c == '-' || c >= '0' && c <= '9') && otherNumbers.MatchString(text)
}

func isPlain(text string) bool {
	if isWord(text) {
		return true
	}
	if text == "" || strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", text[0]) >= 0 {
		return false
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' || text[len(text)-1] == ':' {
		return false
	}
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasPrefix(text, "...") || strings.ContainsFunc(text, mustEscape) {
		return false
	}
	r := resolve(text)
	return r.kind == value.String && r.problem == "" && !isOther(text)
}

// isWord reports whether the text is certainly plain, as most are: it begins with a letter, has no character that means
// anything, and is longer than what means anything, which is "false" at most.
func isWord(text string) bool {
	if len(text) <= len("false") || !isLetter(text[0]) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// mustEscape reports whether the character can only be written in double quotes.
func mustEscape(r rune) bool {
	return r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029' || r == '\uFEFF' || reorders(r) || !allowed(r)
}

// reorders reports whether the character has the text after it shown in another order, so that it reads as what it is not.
func reorders(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// isLiteral reports whether the text is written as a literal block: it has several lines, all of them
// can be read in an editor, and none ends in or consists of white space that gets lost.
func isLiteral(text string) bool {
	if !strings.Contains(text, "\n") || strings.Trim(text, "\n") == "" || !utf8.ValidString(text) {
		return false
	}
	if strings.ContainsFunc(text, func(r rune) bool { return mustEscape(r) && r != '\n' && r != '\t' }) {
		return false
	}
	return !strings.Contains(text, " \n") && !strings.Contains(text, "\t\n") && !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\t")
}

func quoteDouble(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case mustEscape(r) && r <= 0xFF:
			fmt.Fprintf(&b, `\x%02X`, r)
		case mustEscape(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quote shows a text in a message, shortened when it is long.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return quoteDouble(text)
}
