package decode

import (
	"errors"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// Correction is the cause of an error that can be corrected in one way only: a scalar, a name or a value, takes the place of another one.
type Correction struct {
	At  value.Place
	Old string       // the text of the scalar that stands there
	New *value.Value // a string or a boolean

	cause error
}

func (c *Correction) Error() string { return "write " + c.New.Text + " for " + c.Old }

// Unwrap returns what the error is otherwise.
func (c *Correction) Unwrap() error { return c.cause }

// CorrectionOf is the correction of an error, nil if it has none.
func CorrectionOf(err *dovetail.Error) *Correction {
	var c *Correction
	if err == nil || err.Err == nil || !errors.As(err.Err, &c) || c.At.Line == 0 {
		return nil
	}
	return c
}

// Corrected is a text that was meant to be one of the choices, "" unless it is a slip of the fingers for exactly one of them.
func Corrected(text string, choices []string) string {
	meant := ""
	for _, choice := range choices {
		switch {
		case !suggest.Misspells(text, choice):
		case meant != "":
			return ""
		default:
			meant = choice
		}
	}
	return meant
}

// correctMember is the correction of the name of a member that is not known: none where the map has the right one, too, or another
// that looks like it.
func correctMember(of *value.Value, m value.Member, known []string) error {
	meant := Corrected(m.Name, known)
	if meant == "" || of.Get(meant) != nil || slices.ContainsFunc(of.Members, func(other value.Member) bool {
		return other.Name != m.Name && Corrected(other.Name, known) == meant
	}) {
		return ErrUnknownMember
	}
	return &Correction{At: m.Place, Old: m.Name, New: value.NewString(meant), cause: ErrUnknownMember}
}

// FailChoice is Fail of a text that should be one of the choices.
func (f Field) FailChoice(choices []string, remedy, format string, args ...any) {
	var cause error
	if text, ok := f.Value.Str(); ok {
		if meant := Corrected(text, choices); meant != "" {
			cause = &Correction{At: f.Value.Place, Old: text, New: value.NewString(meant)}
		}
	}
	f.fail(cause, remedy, format, args...)
}

// inQuotes is the correction of a number or boolean that should be a text.
func (f Field) inQuotes() error {
	return &Correction{At: f.Value.Place, Old: f.Value.Text, New: value.NewString(f.Value.Text)}
}

// asBool is the correction of a text that should be a boolean, nil if it is no word for one.
func (f Field) asBool() error {
	text, ok := f.Value.Str()
	if !ok {
		return nil
	}
	switch strings.ToLower(text) {
	case "true", "yes", "on":
		return &Correction{At: f.Value.Place, Old: text, New: value.NewBool(true)}
	case "false", "no", "off":
		return &Correction{At: f.Value.Place, Old: text, New: value.NewBool(false)}
	}
	return nil
}
