package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dovetail-store/dovetail/src/value"
)

// Column is one column of the lists of a kind's documents.
type Column struct {
	Name string     `json:"name"`
	Path Path       `json:"path"` // into the data, or below "status" into the status
	Type ColumnType `json:"type"`
	Wide bool       `json:"wide,omitempty"` // shown only where there is room
}

// ColumnType says how the values of a column are read. Where there are several they are joined by commas.
type ColumnType string

// The types of columns.
const (
	ColumnString  ColumnType = "string" // any value
	ColumnInteger ColumnType = "integer"
	ColumnNumber  ColumnType = "number"
	ColumnBoolean ColumnType = "boolean"
	ColumnDate    ColumnType = "date" // shown as the time since: "5d"
)

var columnTypes = []string{string(ColumnString), string(ColumnInteger), string(ColumnNumber), string(ColumnBoolean), string(ColumnDate)}

// What a column shows instead of a value.
const (
	ColumnNone    = "<none>"    // there is none
	ColumnInvalid = "<invalid>" // it is not of the column's type
)

// maxCell is the number of characters that a column shows of a value.
const maxCell = 100

// Text is what the column shows of a document: its data, with the status as the member "status".
func (c *Column) Text(data *value.Value, now time.Time) string {
	var texts []string
	add := func(v *value.Value) { texts = append(texts, c.text(v, now)) }
	for _, v := range c.Path.Values(data) {
		if v.Kind != value.List {
			add(v)
			continue
		}
		for _, item := range v.Items {
			add(item)
		}
	}
	if len(texts) == 0 {
		return ColumnNone
	}
	return cell(strings.Join(texts, ","))
}

func (c *Column) text(v *value.Value, now time.Time) string {
	switch {
	case v.Kind == value.Null:
		return ColumnNone
	case c.Type == ColumnString && v.Kind != value.Map && v.Kind != value.List:
		return v.Text
	case c.Type == ColumnString:
		return string(v.JSON())
	case c.Type == ColumnBoolean && v.Kind == value.Bool, c.Type == ColumnNumber && v.Kind == value.Number:
		return v.Text
	case c.Type == ColumnInteger && v.Kind == value.Number && !strings.ContainsAny(v.Text, ".eE"):
		return v.Text
	case c.Type == ColumnDate && v.Kind == value.String:
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if at, err := time.Parse(layout, v.Text); err == nil {
				return Age(now.Sub(at))
			}
		}
	}
	return ColumnInvalid
}

// cell makes a text fit into one line of a table: without control characters, which terminals obey, and not too long.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return text
}

// Age writes a time as kubectl does: in two units at most, and only one where the second says little. That of a date to come
// begins with "in".
func Age(d time.Duration) string {
	if d < 0 {
		return "in " + Age(-d)
	}
	s, m, h := int(d.Seconds()), int(d.Minutes()), int(d.Hours())
	const day, year = 24, 24 * 365
	switch {
	case s < 2*60:
		return units(s, "s", 0, "")
	case m < 10:
		return units(m, "m", s%60, "s")
	case m < 3*60:
		return units(m, "m", 0, "")
	case h < 8:
		return units(h, "h", m%60, "m")
	case h < 2*day:
		return units(h, "h", 0, "")
	case h < 8*day:
		return units(h/day, "d", h%day, "h")
	case h < 2*year:
		return units(h/day, "d", 0, "")
	case h < 8*year:
		return units(h/year, "y", h%year/day, "d")
	}
	return units(h/year, "y", 0, "")
}

func units(n int, unit string, more int, second string) string {
	text := strconv.Itoa(n) + unit
	if more > 0 {
		text += strconv.Itoa(more) + second
	}
	return text
}

// String says in words what the column shows: `Serial: spec.serial, a string`.
func (c *Column) String() string {
	text := fmt.Sprintf("%s: %s, %s", c.Name, c.Path, c.Type)
	if c.Wide {
		text += ", wide"
	}
	return text
}

// listColumns names columns in a sentence.
func listColumns(all []Column) string {
	if len(all) == 0 {
		return "the usual ones"
	}
	var texts []string
	for i := range all {
		texts = append(texts, all[i].String())
	}
	return strings.Join(texts, "; ")
}

// touches reports whether the path leads to the place of a JSON Pointer, into it, or to something that holds it.
func (p Path) touches(pointer []string) bool {
	for i, s := range p.steps() {
		if i == len(pointer) {
			break
		}
		if !s.any && s.name != pointer[i] {
			return false
		}
	}
	return true
}

// hides reports whether something that the path leads to is sensitive.
func (s Sensitive) hides(path Path) bool {
	return s.Whole || slices.ContainsFunc(s.Places(), func(pointer string) bool {
		parts, _ := value.SplitPointer(pointer)
		return path.touches(parts)
	})
}
