package kubeapi

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The values of a key become one namespace, and one name, joined by colons. Clients refuse names that are no segments of a path, so that
// what stands for something there is written as ~ and two hexadecimal digits.
const escaped = "~:/%?#\\ "

func joinSegment(values []string) string {
	if !slices.ContainsFunc(values, isEscaped) { // of most
		return strings.Join(values, ":")
	}
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(':')
		}
		for j := range len(v) {
			if c := v[j]; strings.IndexByte(escaped, c) >= 0 || c < ' ' || c == 0x7f || len(values) == 1 && j == 0 && (v == "." || v == "..") {
				b.WriteString("~" + hex.EncodeToString([]byte{c}))
				continue
			}
			b.WriteByte(v[j])
		}
	}
	return b.String()
}

// isEscaped reports whether a text is written otherwise, or may be.
func isEscaped(text string) bool {
	if strings.HasPrefix(text, ".") {
		return true
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == 0x7f || strings.IndexByte(escaped, c) >= 0 {
			return true
		}
	}
	return false
}

// splitSegment reads what joinSegment wrote. Each text has one spelling.
func splitSegment(segment string) ([]string, error) {
	var values []string
	for _, part := range strings.Split(segment, ":") {
		var b strings.Builder
		for rest := part; rest != ""; {
			plain, after, found := strings.Cut(rest, "~")
			if b.WriteString(plain); !found {
				break
			}
			if len(after) < 2 {
				return nil, badSegment(segment)
			}
			c, err := hex.DecodeString(after[:2])
			if err != nil {
				return nil, badSegment(segment)
			}
			b.Write(c)
			rest = after[2:]
		}
		values = append(values, b.String())
	}
	if joinSegment(values) != segment {
		return nil, badSegment(segment)
	}
	return values, nil
}

func badSegment(segment string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "\"" + segment + "\" is not written as names are",
		Remedy: "write the characters " + strings.TrimSpace(escaped) + " and the space as ~ and two hexadecimal digits in lower case, and no others"}
}
