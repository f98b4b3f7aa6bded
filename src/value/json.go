package value

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// JSON returns the compact JSON text of the value: members in order, numbers as they were given,
// only those characters escaped that must be. A nil value is null.
func (v *Value) JSON() []byte {
	draft := drafts.Get().(*[]byte)
	*draft = v.AppendJSON((*draft)[:0])
	text := bytes.Clone(*draft)
	if cap(*draft) <= maxDraft {
		drafts.Put(draft)
	}
	return text
}

// drafts are where texts are written whose length is not known before, so that what is kept has no spare room.
var drafts = sync.Pool{New: func() any { return new([]byte) }}

// maxDraft is up to what size drafts are kept.
const maxDraft = 64 << 10

// MarshalJSON lets encoding/json write values. It never fails.
func (v *Value) MarshalJSON() ([]byte, error) { return v.JSON(), nil }

// AppendJSON appends what JSON returns to dst.
func (v *Value) AppendJSON(dst []byte) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	switch v.Kind {
	case Bool, Number:
		return append(dst, v.Text...)
	case String:
		return appendString(dst, v.Text)
	case List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		return append(dst, ']')
	case Map:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, m.Name)
			dst = append(dst, ':')
			dst = m.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// appendString writes a JSON string. Parsers let no invalid UTF-8 in; of a value made by a program
// it is written as U+FFFD, so that the text is always valid.
func appendString(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	dst = append(dst, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if plain[c] {
			continue
		}
		dst = append(dst, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			const digits = "0123456789abcdef"
			dst = append(dst, `\u00`...)
			dst = append(dst, digits[c>>4], digits[c&15])
		}
	}
	return append(append(dst, text[start:]...), '"')
}

// quote shows a text in a message, shortened when it is long.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return string(appendString(nil, text))
}

// FromAny makes a value of what encoding/json can write: maps, slices, structs, json.Number and so
// on. It has no positions. The error has the code CodeInvalid.
func FromAny(from any) (*Value, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(from); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this cannot be written as JSON", Err: err}
	}
	v, err := ParseJSON(text.Bytes(), Limits{Bytes: text.Len(), Depth: text.Len(), Values: text.Len()})
	if err != nil { // for instance a number that is too large; the user has no text that the position refers to
		e := dovetail.AsError(err)
		e.Position.Line, e.Position.Column = 0, 0
		return nil, e
	}
	return v.clone(false), nil
}

// ToAny gives the value as encoding/json would read it: nil, bool, json.Number, string, []any and
// map[string]any.
func ToAny(v *Value) any {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case List:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = ToAny(item)
		}
		return items
	case Map:
		members := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			members[m.Name] = ToAny(m.Value)
		}
		return members
	}
	return nil
}
