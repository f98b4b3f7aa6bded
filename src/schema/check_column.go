package schema

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxColumns is how many columns a kind may have.
const maxColumns = 16

// columns checks what a resource says of the columns of its lists.
func (c *checker) columns(r *resource) {
	name := r.name.value
	if len(r.columns) > 0 && r.abstract {
		c.warn(FaultNoEffect, r.columns[0].at, "remove it", "%s: columns has no effect on an abstract kind, which has no documents", name)
	}
	if len(r.columns) > maxColumns {
		c.add(FaultTooLarge, r.columns[maxColumns].at, "leave some out", "%s: more than %d columns", name, maxColumns)
		r.columns = r.columns[:maxColumns]
	}
	for i, one := range r.columns {
		refuse := func(at dovetail.Position, remedy, format string, args ...any) {
			c.add(FaultBadValue, at, remedy, name+": "+format, args...)
			one.wrong = true
		}
		title := one.name.value
		switch {
		case one.name.bad:
			one.wrong = true
		case title == "":
			refuse(one.at, `add "name: ..."`, "a column has no name")
		case len(title) > maxNameLength || strings.TrimSpace(title) != title || strings.ContainsFunc(title, func(r rune) bool { return !unicode.IsPrint(r) }):
			refuse(one.name.at, "write up to 64 bytes of printable text, without spaces around it", "%s cannot name a column", short(title))
		case slices.ContainsFunc(r.columns[:i], func(other *column) bool { return strings.EqualFold(other.name.value, title) }):
			refuse(one.name.at, "give it another name, or remove one of the two", "two columns are called %s", short(title))
		}
		switch kind := one.typ.value; {
		case one.typ.bad:
			one.wrong = true
		case kind != "" && !slices.Contains(columnTypes, kind):
			refuse(one.typ.at, didYouMean(kind, columnTypes, "use one of "+enumerate(columnTypes)), "a column cannot have the type %s", short(kind))
		}
		switch {
		case one.path.bad:
			one.wrong = true
		case one.path.path.IsZero():
			refuse(one.at, "write path: spec.serial", "the column %s has no path", short(title))
		case r.sensitive.meaning().hides(one.path.path):
			refuse(one.path.at, "leave it out of the columns", "the column %s would show %s, which is sensitive", short(title), one.path.path)
		}
	}
}
