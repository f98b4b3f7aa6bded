package effectiveset

import (
	"math"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// decimal is a number as Java prints it.
func decimal(number string) string {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(f, 0) {
		return number
	}
	if abs := math.Abs(f); f != 0 && (abs < 1e-3 || abs >= 1e7) {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, 64), "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		n, _ := strconv.Atoi(exponent)
		return mantissa + "E" + strconv.Itoa(n)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// javaText is a value as Java prints it in a longer text.
func javaText(v *value.Value) string {
	switch v.Kind {
	case value.Null:
		return "null"
	case value.List:
		var texts []string
		for _, item := range v.Items {
			texts = append(texts, javaText(item))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case value.Map:
		var texts []string
		for _, m := range v.Members {
			texts = append(texts, m.Name+"="+javaText(m.Value))
		}
		return "{" + strings.Join(texts, ", ") + "}"
	case value.Bool, value.Number, value.String:
	}
	return v.Text
}

// compareUTF16 orders texts as Java does, by UTF-16 code units.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0) { // surrogates come before U+E000 to U+FFFF, which characters beyond these do not
			return int(y) - int(x)
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

// unit is the first code unit of a character.
func unit(r rune) rune {
	if r >= 0x10000 {
		return 0xd800 + (r-0x10000)>>10
	}
	return r
}

// hashCode is the hash of a text in Java.
func hashCode(s string) uint32 {
	var h uint32
	for _, r := range s {
		if r >= 0x10000 {
			h = 31*h + uint32(unit(r))
			r = 0xdc00 + (r-0x10000)&0x3ff
		}
		h = 31*h + uint32(r)
	}
	return h
}
