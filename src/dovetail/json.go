package dovetail

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// The JSON of documents, keys and references is appended without reflection, byte for byte as encoding/json writes it: exports
// are made of it. What is unusual is left to that package.

// AppendJSON appends the result of MarshalJSON to dst.
func (k Key) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, e := range k {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, e.Name), ':')
		dst = appendString(dst, e.Value)
	}
	return append(dst, '}')
}

// appendKeyID appends the KeyID of the key.
func (k Key) appendKeyID(dst []byte) []byte {
	var few [8]string
	names := few[:0]
	for _, e := range k {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	from := len(dst) + 1
	dst = append(dst, `"{`...)
	plain := true
	for _, name := range names {
		plain = plain && isPlain(name)
		dst = append(append(dst, name...), ',')
	}
	if plain {
		return append(dst, `}"`...)
	}
	return appendString(dst[:from-1], string(append(dst, '}')[from:]))
}

// AppendJSON appends the result of MarshalJSON to dst.
func (r Reference) AppendJSON(dst []byte) []byte {
	key := r.ID.Key()
	dst = key.AppendJSON(append(dst, `{"key":`...))
	dst = key.appendKeyID(append(dst, `,"keyId":`...))
	dst = appendString(append(dst, `,"id":`...), string(r.ID))
	dst = appendString(append(dst, `,"kind":`...), r.Kind)
	if r.Weak {
		dst = append(dst, `,"weak":true`...)
	}
	if r.Cascade {
		dst = append(dst, `,"cascade":true`...)
	}
	return append(dst, '}')
}

// AppendJSON appends the result of MarshalJSON to dst.
func (d *Document) AppendJSON(dst []byte) ([]byte, error) {
	key := d.ID.Key()
	dst = appendString(append(dst, `{"id":`...), string(d.ID))
	dst = appendString(append(dst, `,"kind":`...), d.Kind)
	dst = key.AppendJSON(append(dst, `,"key":`...))
	dst = key.appendKeyID(append(dst, `,"keyId":`...))
	dst, err := appendRaw(append(dst, `,"data":`...), d.Data)
	if err == nil && len(d.Content) > 0 {
		var content []byte
		content, err = json.Marshal(d.Content)
		dst = append(append(dst, `,"content":`...), content...)
	}
	if err == nil && len(d.Status) > 0 {
		dst, err = appendRaw(append(dst, `,"status":`...), d.Status)
	}
	for i, id := range d.Inputs {
		before := `,`
		if i == 0 {
			before = `,"inputs":[`
		}
		dst = appendString(append(dst, before...), string(id))
		if i == len(d.Inputs)-1 {
			dst = append(dst, ']')
		}
	}
	for i, r := range d.References {
		before := `,`
		if i == 0 {
			before = `,"references":[`
		}
		dst = r.AppendJSON(append(dst, before...))
		if i == len(d.References)-1 {
			dst = append(dst, ']')
		}
	}
	dst = appendString(append(dst, `,"uid":`...), d.UID)
	dst = strconv.AppendUint(append(dst, `,"revision":`...), d.Revision, 10)
	for _, member := range [...]struct {
		name string
		time time.Time
	}{{`,"created":"`, d.Created}, {`,"updated":"`, d.Updated}} {
		if err == nil {
			dst, err = member.time.AppendText(append(dst, member.name...))
			dst = append(dst, '"')
		}
	}
	if d.Schema != "" {
		dst = appendString(append(dst, `,"schema":`...), d.Schema)
	}
	return append(dst, '}'), err
}

// appendString appends a text as encoding/json writes it.
func appendString(dst []byte, text string) []byte {
	if isPlain(text) {
		return append(append(append(dst, '"'), text...), '"')
	}
	quoted, _ := json.Marshal(text) // a text can always be written
	return append(dst, quoted...)
}

// isPlain reports whether nothing in a text is escaped.
func isPlain(text string) bool {
	for i := range len(text) {
		if plain[text[i]]&inText == 0 {
			return false
		}
	}
	return true
}

// appendRaw appends JSON as encoding/json writes a json.RawMessage: compact, with HTML escaped.
func appendRaw(dst []byte, text json.RawMessage) ([]byte, error) {
	if end, html := skipValue(text, 0, 0); end == len(text) && !html {
		return append(dst, text...), nil
	}
	written, err := json.Marshal(text)
	return append(dst, written...), err
}

const (
	inText   = 1 << iota // of ASCII, and stands for itself in a text
	inNumber             // begins or continues a number
)

var plain = func() (class [256]byte) {
	for c := byte(' '); c < 0x7f; c++ {
		if c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
			class[c] = inText
		}
	}
	for _, c := range []byte("0123456789") {
		class[c] |= inNumber
	}
	return class
}()

// mostNested is how deep skipValue goes.
const mostNested = 1000

// skipValue returns the end of the JSON value that begins at a position, -1 unless it is one without spaces, nested less than
// mostNested deep: others are for encoding/json to judge. html says that it has what encoding/json may escape.
func skipValue(b []byte, at, depth int) (end int, html bool) {
	if at >= len(b) || depth > mostNested {
		return -1, false
	}
	switch c := b[at]; {
	case c == '"':
		return skipString(b, at)
	case c == '{' || c == '[':
		return skipMembers(b, at+1, depth+1, c == '{')
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(b, at), false
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if len(b)-at >= len(word) && string(b[at:at+len(word)]) == word {
			return at + len(word), false
		}
	}
	return -1, false
}

// skipMembers is skipValue of what follows the opening bracket of an object or a list.
func skipMembers(b []byte, at, depth int, object bool) (end int, html bool) {
	closing := byte(']')
	if object {
		closing = '}'
	}
	if at < len(b) && b[at] == closing {
		return at + 1, false
	}
	for {
		var escaped bool
		if object {
			if at >= len(b) || b[at] != '"' {
				return -1, false
			}
			at, escaped = skipString(b, at)
			if html = html || escaped; at < 0 || at >= len(b) || b[at] != ':' {
				return -1, false
			}
			at++
		}
		at, escaped = skipValue(b, at, depth)
		if html = html || escaped; at < 0 || at >= len(b) {
			return -1, false
		}
		switch b[at] {
		case closing:
			return at + 1, html
		case ',':
			at++
		default:
			return -1, false
		}
	}
}

// skipString is skipValue of a text. What is not ASCII counts as what may be escaped only where it can be U+2028 or U+2029.
func skipString(b []byte, at int) (end int, html bool) {
	for at++; at < len(b); at++ {
		c := b[at]
		if plain[c]&inText != 0 {
			continue
		}
		switch {
		case c == '"':
			return at + 1, html
		case c == '<', c == '>', c == '&', c == 0xe2:
			html = true
		case c == '\\':
			if at++; at >= len(b) {
				return -1, false
			}
			switch b[at] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if at++; at >= len(b) || !isHex(b[at]) {
						return -1, false
					}
				}
			default:
				return -1, false
			}
		case c < ' ':
			return -1, false
		}
	}
	return -1, false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// skipNumber is skipValue of a number.
func skipNumber(b []byte, at int) int {
	digits := func() bool {
		from := at
		for at < len(b) && plain[b[at]]&inNumber != 0 {
			at++
		}
		return at > from
	}
	if b[at] == '-' {
		at++
	}
	if at < len(b) && b[at] == '0' {
		at++
	} else if !digits() {
		return -1
	}
	if at < len(b) && b[at] == '.' {
		if at++; !digits() {
			return -1
		}
	}
	if at < len(b) && (b[at] == 'e' || b[at] == 'E') {
		if at++; at < len(b) && (b[at] == '+' || b[at] == '-') {
			at++
		}
		if !digits() {
			return -1
		}
	}
	return at
}
