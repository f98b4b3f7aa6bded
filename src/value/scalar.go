package value

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain marks the bytes that stand for themselves inside a JSON string; bytes of multi-byte
// characters are among them.
var plain = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return table
}()

// readString reads a string from its opening to its closing quotation mark.
func (p *parser) readString() (string, bool) {
	start := p.pos + 1
	end := start
	for end < len(p.text) && plain[p.text[end]] {
		end++
	}
	if p.unchecked && !p.checkUTF8(start, end) {
		return "", false
	}
	if end < len(p.text) && p.text[end] == '"' {
		p.pos = end + 1
		return p.text[start:end], true
	}
	return p.readEscaped(start, end)
}

// readEscaped reads on at end, where the first run of plain bytes stopped.
func (p *parser) readEscaped(start, end int) (string, bool) {
	var b strings.Builder
	for {
		b.WriteString(p.text[start:end])
		if end == len(p.text) {
			p.fail(p.pos, "the string has no end", "close it with a quotation mark")
			return "", false
		}
		switch c := p.text[end]; c {
		case '"':
			p.pos = end + 1
			return b.String(), true
		case '\\':
			r, size := p.escape(end)
			if size == 0 {
				return "", false
			}
			b.WriteRune(r)
			start = end + size
		default:
			escaped := strings.Trim(quote(string(rune(c))), `"`)
			p.fail(end, fmt.Sprintf("there is a control character (0x%02X) in the string", c), "write it as an escape: "+escaped)
			return "", false
		}
		for end = start; end < len(p.text) && plain[p.text[end]]; {
			end++
		}
		if p.unchecked && !p.checkUTF8(start, end) {
			return "", false
		}
	}
}

// escape reads the escape sequence at pos: its character and its length in the text, 0 after fail.
func (p *parser) escape(pos int) (rune, int) {
	if pos+1 < len(p.text) {
		switch c := p.text[pos+1]; c {
		case '"', '\\', '/':
			return rune(c), 2
		case 'b':
			return '\b', 2
		case 'f':
			return '\f', 2
		case 'n':
			return '\n', 2
		case 'r':
			return '\r', 2
		case 't':
			return '\t', 2
		case 'u':
			return p.escapeU(pos)
		}
	}
	p.fail(pos, "there is an unknown escape in the string", `write a backslash as \\`)
	return 0, 0
}

func (p *parser) escapeU(pos int) (rune, int) {
	r, ok := p.hex(pos)
	if !ok {
		p.fail(pos, `\u must be followed by four hexadecimal digits`, `write a backslash as \\`)
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := p.hex(pos + 6); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	p.fail(pos, "the escape "+p.text[pos:pos+6]+" is half of a surrogate pair", "write both halves, or the character itself")
	return 0, 0
}

// hex reads \uXXXX at pos.
func (p *parser) hex(pos int) (rune, bool) {
	if pos+6 > len(p.text) || p.text[pos] != '\\' || p.text[pos+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.text[pos+2 : pos+6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func (p *parser) checkUTF8(start, end int) bool {
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(p.text[i:end])
		if r == utf8.RuneError && size == 1 {
			p.fail(i, fmt.Sprintf("the byte 0x%02X is not UTF-8", p.text[i]), "save the text as UTF-8")
			return false
		}
		i += size
	}
	return true
}

// readNumber reads a number and returns its literal.
func (p *parser) readNumber() (string, bool) {
	start := p.pos
	p.take('-')
	if p.at('0') {
		p.pos++
		if p.digit() {
			p.fail(start, "the number begins with a zero", "remove the leading zeros, or write it as a string")
			return "", false
		}
	} else if p.digits() == 0 {
		p.unexpected("a digit")
		return "", false
	}
	if p.take('.') && p.digits() == 0 {
		p.unexpected("a digit after the decimal point")
		return "", false
	}
	exponent := p.pos
	if p.take('e') || p.take('E') {
		if !p.take('-') {
			p.take('+')
		}
		if p.digits() == 0 {
			p.unexpected("a digit in the exponent")
			return "", false
		}
	}
	literal := p.text[start:p.pos]
	if why := checkNumberSize(literal, p.text[exponent:p.pos]); why != "" {
		p.pos = start
		p.tooLarge(why)
		p.err.Remedy = "write it as a string"
		return "", false
	}
	return literal, true
}

func (p *parser) digit() bool { return p.pos < len(p.text) && p.text[p.pos]-'0' <= 9 }

func (p *parser) digits() int {
	start := p.pos
	for p.digit() {
		p.pos++
	}
	return p.pos - start
}

// CheckNumber says why a valid JSON number is too large to be accepted, or "" when it is not.
func CheckNumber(literal string) string {
	exponent := strings.IndexAny(literal, "eE")
	if exponent < 0 {
		exponent = len(literal)
	}
	return checkNumberSize(literal, literal[exponent:])
}

// checkNumberSize is CheckNumber with the exponent, as "e-5" or "", already found.
func checkNumberSize(literal, exponent string) string {
	if len(literal) > MaxNumberLength {
		return fmt.Sprintf("the number has more than %d bytes", MaxNumberLength)
	}
	if exponent == "" {
		return ""
	}
	if n, err := strconv.Atoi(exponent[1:]); err != nil || n > MaxExponent || n < -MaxExponent {
		return fmt.Sprintf("the number's exponent is beyond %d", MaxExponent)
	}
	return ""
}
