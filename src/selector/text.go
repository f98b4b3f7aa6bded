package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// maxText is how long a text may be, in bytes.
const maxText = 200

// Text selects documents in whose data a text occurs, without regard to case: in a name of a member, or in a string, number or
// boolean.
type Text struct {
	text  string // as it was written
	lower string
}

// ParseText returns the selector of a text, of at most 200 bytes. White space around it counts. The empty one matches everything. The
// error has the code CodeInvalid.
func ParseText(text string) (Text, error) {
	if err := checkUTF8(textSelector, text); err != nil {
		return Text{}, err
	}
	if len(text) > maxText {
		return Text{}, failure(textSelector, maxText, fmt.Sprintf("it is longer than %d bytes", maxText))
	}
	return Text{text: text, lower: strings.ToLower(text)}, nil
}

// Empty reports whether the selector matches everything.
func (t Text) Empty() bool { return t.text == "" }

// String is the text as it was written.
func (t Text) String() string { return t.text }

// Matches reports whether the text occurs in the data outside of what is at JSON Pointers, which is not looked at: names of members on
// the way there count.
func (t Text) Matches(data *value.Value, except []string) bool {
	if t.Empty() {
		return true
	}
	hidden := make([][]string, 0, len(except))
	for _, pointer := range except {
		if steps, ok := value.SplitPointer(pointer); ok {
			hidden = append(hidden, steps)
		}
	}
	return t.in(data, hidden)
}

// in looks at a value below which some paths are hidden.
func (t Text) in(v *value.Value, hidden [][]string) bool {
	switch {
	case v == nil || slices.ContainsFunc(hidden, func(path []string) bool { return len(path) == 0 }):
		return false
	case v.Kind == value.List:
		return slices.ContainsFunc(v.Items, func(item *value.Value) bool { return t.in(item, nil) })
	case v.Kind == value.Map:
		return slices.ContainsFunc(v.Members, func(m value.Member) bool { return t.occursIn(m.Name) || t.in(m.Value, below(hidden, m.Name)) })
	}
	return t.occursIn(v.Text)
}

func (t Text) occursIn(text string) bool {
	return strings.Contains(text, t.text) || strings.Contains(strings.ToLower(text), t.lower)
}

// below returns what is hidden below a member.
func below(hidden [][]string, name string) [][]string {
	var inner [][]string
	for _, path := range hidden {
		if path[0] == name {
			inner = append(inner, path[1:])
		}
	}
	return inner
}
