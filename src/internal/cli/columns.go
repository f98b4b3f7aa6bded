package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// listing is how documents of a selection are shown in lines: by the columns of their kind, if it has any.
type listing struct {
	sel          *selection
	narrow, wide []schema.Column
	now          time.Time
	ages         bool // for who looks at it now: how long ago documents were written, not when
}

func newListing(sel *selection, now time.Time, ages bool) *listing {
	l := &listing{sel: sel, now: now, ages: ages}
	for _, c := range sel.columns {
		if c.Wide {
			l.wide = append(l.wide, c)
			continue
		}
		l.narrow = append(l.narrow, c)
	}
	return l
}

// own reports whether the kind has columns of its own. Then what others show is for -o wide.
func (l *listing) own() bool { return len(l.narrow)+len(l.wide) > 0 }

func (l *listing) table() table {
	t := table{header: []string{"NAME"}, wide: 4}
	if l.own() {
		t.wide += len(l.wide) + 2
	}
	for _, columns := range [][]schema.Column{l.narrow, l.wide} {
		for _, c := range columns {
			t.header = append(t.header, strings.ToUpper(c.Name))
		}
	}
	t.header = append(t.header, "REVISION", "UPDATED", "CREATED", "REFERENCES", "UID", "ID")
	return t
}

// cells describes a document in a line. Its name is what goes beyond the place that was asked for, so that it can be given
// back to the same verb.
func (l *listing) cells(doc *dovetail.Document) ([]string, error) {
	under := l.sel.under
	if l.sel.kind == nil || len(l.sel.parts) > 0 {
		under = ""
	}
	cells := []string{shortName(doc.ID, under)}
	if l.own() {
		data, err := value.NewMap(), error(nil)
		if len(doc.Data) > 0 {
			data, err = value.DataOf(doc, nil)
		}
		if err != nil {
			return nil, err
		}
		if len(doc.Status) > 0 {
			status, err := value.StatusOf(doc)
			if err != nil {
				return nil, err
			}
			data.Set("status", status)
		}
		for _, columns := range [][]schema.Column{l.narrow, l.wide} {
			for i := range columns {
				cells = append(cells, columns[i].Text(data, l.now))
			}
		}
	}
	revision := "-" // of a document that is deleted
	if doc.Revision > 0 {
		revision = strconv.FormatUint(doc.Revision, 10)
	}
	return append(cells, revision, l.when(doc.Updated), l.when(doc.Created), strconv.Itoa(len(doc.References)), doc.UID, string(doc.ID)), nil
}

func (l *listing) when(t time.Time) string {
	if l.ages && !t.IsZero() {
		return schema.Age(max(0, l.now.Sub(t))) + " ago" // clocks differ
	}
	return timeText(t)
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}
