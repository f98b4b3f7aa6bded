package dovetail

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxValueLength is the longest value of a key element, in bytes.
const MaxValueLength = 256

// Element is one name=value pair of a key. The name comes from the ref-schema, the value from the user.
type Element struct {
	Name  string
	Value string
}

// Key identifies one document: its elements from the root of the hierarchy to the document itself,
// such as project=p1, compositeApp=CA, compositeAppVersion=v3, app=nginx.
type Key []Element

// ID is the canonical path of a key, alternating names and path-escaped values:
// "project/p1/compositeApp/CA/compositeAppVersion/v3/app/nginx". The ids of all descendants start
// with ID + "/".
type ID string

// ID returns the canonical id of the key.
func (k Key) ID() ID {
	var b strings.Builder
	for i, e := range k {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(e.Name)
		b.WriteByte('/')
		b.WriteString(url.PathEscape(e.Value))
	}
	return ID(b.String())
}

// KeyID returns the sorted element names, each followed by a comma, in braces:
// "{app,compositeApp,compositeAppVersion,project,}". It identifies the kind of a document.
func (k Key) KeyID() string { return KeyIDOf(k.Names()) }

// KeyIDOf is KeyID for element names in any order.
func KeyIDOf(names []string) string {
	sorted := append(make([]string, 0, len(names)+1), names...)
	slices.Sort(sorted)
	return "{" + strings.Join(append(sorted, "}"), ",")
}

// Names returns the element names, root first.
func (k Key) Names() []string {
	names := make([]string, len(k))
	for i, e := range k {
		names[i] = e.Name
	}
	return names
}

// Value returns the value of the named element, and whether the key has it.
func (k Key) Value(name string) (string, bool) {
	for _, e := range k {
		if e.Name == name {
			return e.Value, true
		}
	}
	return "", false
}

// MarshalJSON writes the key as an object with its elements, root first.
func (k Key) MarshalJSON() ([]byte, error) { return k.AppendJSON(nil), nil }

// Child returns the id of the element name=value below this id; below the empty id it is a root.
func (id ID) Child(name, value string) ID {
	own := name + "/" + url.PathEscape(value)
	if id == "" {
		return ID(own)
	}
	return id + "/" + ID(own)
}

// Prefix is what the ids of all descendants start with, and no other id; of the empty id it is
// empty, since every document descends from the root.
func (id ID) Prefix() string {
	if id == "" {
		return ""
	}
	return string(id) + "/"
}

// IsDescendantOf reports whether the id lies below ancestor, at any depth.
func (id ID) IsDescendantOf(ancestor ID) bool {
	return id != ancestor && strings.HasPrefix(string(id), ancestor.Prefix())
}

// Key returns the elements of the id. Use it on ids from Key.ID or ParseID; of an id that is not
// canonical it returns the elements that it could parse.
func (id ID) Key() Key {
	key, _ := splitID(string(id))
	return key
}

// ParseID parses an id and checks that it is canonical: complete pairs, valid values, and the
// escaping of Key.ID. The error has the code CodeInvalid.
func ParseID(text string) (ID, error) {
	invalid := func(why string) (ID, error) {
		return "", &Error{Code: CodeInvalid, Message: "invalid id " + quote(text) + ": " + why,
			Remedy: "write the key from the root on, as name/value pairs: project/p1/app/nginx"}
	}
	key, ok := splitID(text)
	if !ok {
		return invalid("it must be name/value pairs joined by slashes")
	}
	for _, e := range key {
		if !IsElementName(e.Name) {
			return invalid("the element name " + quote(e.Name) + " is not valid")
		}
		if why := CheckValue(e.Value); why != "" {
			return invalid("the value of " + e.Name + " " + why)
		}
	}
	if canonical := key.ID(); string(canonical) != text {
		return invalid("its canonical spelling is " + string(canonical))
	}
	return ID(text), nil
}

func splitID(text string) (Key, bool) {
	if text == "" {
		return nil, false
	}
	key := make(Key, 0, (strings.Count(text, "/")+1)/2)
	for more := true; more; {
		var name, value string
		name, text, more = strings.Cut(text, "/")
		if !more {
			return key, false
		}
		value, text, more = strings.Cut(text, "/")
		value, err := url.PathUnescape(value)
		if err != nil {
			return key, false
		}
		key = append(key, Element{Name: name, Value: value})
	}
	return key, true
}

// IsElementName reports whether the text can name a key element: letters, digits, '-' and '_',
// beginning and ending with a letter or a digit.
func IsElementName(text string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		c := text[i]
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		edge := i == 0 || i == len(text)-1
		if !alphanumeric && (edge || c != '-' && c != '_') {
			return false
		}
	}
	return true
}

// CheckValue says what is wrong with the value of a key element, as the predicate of a sentence about the
// element ("is empty"); it returns "" for a valid value. Any text of 1 to
// MaxValueLength bytes of UTF-8 without control characters is valid, except "." and "..", which URLs
// cannot contain.
func CheckValue(value string) string {
	switch {
	case value == "":
		return "is empty"
	case len(value) > MaxValueLength:
		return "is longer than 256 bytes"
	case value == "." || value == "..":
		return "is " + quote(value) + ", which a URL cannot carry"
	case !utf8.ValidString(value):
		return "is not valid UTF-8"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "has control characters"
	}
	return ""
}

// CheckNewValue is CheckValue for the key of a new document: in addition it refuses values that are easily confused with others,
// such as those with invisible characters. Stored documents with such values can still be read and deleted.
func CheckNewValue(value string) string {
	if why := CheckValue(value); why != "" || isASCIIName(value) {
		return why
	}
	switch {
	case strings.TrimSpace(value) != value:
		return "begins or ends with a space"
	case strings.Trim(value, "*") == "":
		return "is " + quote(value) + ", which means all of them elsewhere"
	case strings.ContainsFunc(value, isInvisible):
		return "has characters that cannot be seen, or that change the direction of text"
	case !norm.NFC.IsNormalString(value):
		return "is not in the Unicode normalization form C: another spelling looks the same"
	}
	return ""
}

// isASCIIName says of the usual values that there is nothing to look for.
func isASCIIName(value string) bool {
	for i := range len(value) {
		if c := value[i]; c <= ' ' || c >= 0x7f || c == '*' {
			return false
		}
	}
	return true
}

// isInvisible reports whether a character has no width of its own: those of the category Cf, as marks of direction and
// joiners, the separators of lines, and the fillers that fonts leave blank.
func isInvisible(c rune) bool {
	switch c {
	case '\u2028', '\u2029', '\u034f', '\u115f', '\u1160', '\u3164', '\uffa0':
		return true
	}
	return unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Variation_Selector, c)
}

func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return string(quoted)
}
