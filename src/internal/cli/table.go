package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is text in columns.
type table struct {
	header []string // none when the rows speak for themselves
	wide   int      // this many columns at the end are shown only with -o wide
	rows   []row
}

type row struct {
	cells  []string
	colour colour // of the first cell; "" if there is none
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, row{cells: cells}) }

// narrow takes away the columns that are only for -o wide.
func (t *table) narrow() {
	t.header = t.header[:len(t.header)-t.wide]
	for i := range t.rows {
		t.rows[i].cells = t.rows[i].cells[:len(t.rows[i].cells)-t.wide]
	}
	t.wide = 0
}

const gap = "   "

// hidden reports whether a terminal would obey the character and not show it: data may hold sequences that colour, move or clear, or that
// change the direction of text.
func hidden(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// visible escapes what is hidden.
func visible(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// text lays the table out. Columns are as wide as their widest cell, the last one is not padded.
func (t *table) text(wide bool, paint painter) string {
	var rows []row
	if len(t.header) > 0 && len(t.rows) > 0 {
		rows = append(rows, row{cells: t.header})
	}
	rows = append(rows, t.rows...)
	var widths []int
	for i := range rows {
		if !wide {
			rows[i].cells = rows[i].cells[:len(rows[i].cells)-t.wide]
		}
		for n, cell := range rows[i].cells {
			if shown := visible(cell); shown != cell {
				rows[i].cells[n], cell = shown, shown
			}
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, r := range rows {
		isHeader := i == 0 && len(t.header) > 0
		for n, cell := range r.cells {
			if n > 0 {
				b.WriteString(gap)
			}
			padding := ""
			if n < len(r.cells)-1 {
				padding = strings.Repeat(" ", widths[n]-utf8.RuneCountInString(cell))
			}
			switch {
			case isHeader:
				cell = paint(dim, cell)
			case n == 0 && r.colour != "":
				cell = paint(r.colour, cell)
			}
			b.WriteString(cell + padding)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
