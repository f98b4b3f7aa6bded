package yaml

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Edit writes a value over the text that Parse read another one from, its only document, and keeps
// the text of everything that stays: comments, blank lines, indentation, quotes.
//
// What stays is reported by positions: to holds the lists and maps of from that stay, also those that are
// changed, with the positions that they had there, and what is new without position. Members of a map
// are the same by name. Comments right above what is removed go with it, except those above the first
// of a list or map, which may be about the whole.
//
// A text that cannot be edited is written again, as by Marshal: one in flow style, one in which other
// order is wanted, one whose aliases get in the way. Whatever is edited was read again and compared.
func Edit(text []byte, from, to *value.Value) []byte { return edit(yaml12, text, from, to) }

// EditClassic is Edit of a text that ParseClassic read.
func EditClassic(text []byte, from, to *value.Value) []byte { return edit(yaml11, text, from, to) }

func edit(by reading, text []byte, from, to *value.Value) []byte {
	if value.Equal(from, to) {
		return text
	}
	e := newEditor(by, string(text))
	if isBlock(from) && samePlace(from, to) && !e.isFlow(e.offset(from.Place)) && e.edit(from, to, len(e.text), false) {
		edited := e.apply()
		if again, err := by.parse("", edited, value.Limits{}); err == nil && len(again) == 1 && value.Equal(again[0], to) {
			return edited
		}
	}
	return Marshal(to)
}

func samePlace(a, b *value.Value) bool {
	return a.Line > 0 && a.Place == b.Place
}

// editor collects what to change in a text. Its methods return false when they cannot do something,
// so that their caller replaces more.
type editor struct {
	by      reading
	text    string
	lines   []int // where they begin
	newline string
	edits   []splice
}

// splice replaces a part of the text.
type splice struct {
	start, end int
	text       string
}

func newEditor(by reading, text string) *editor {
	e := &editor{by: by, text: text, lines: []int{0}, newline: "\n"}
	if strings.Contains(text, "\r\n") {
		e.newline = "\r\n"
	}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return e
		}
		i += n + 1
		e.lines = append(e.lines, i)
	}
}

func (e *editor) replace(start, end int, text string) {
	if e.newline != "\n" {
		text = strings.ReplaceAll(text, "\n", e.newline)
	}
	e.edits = append(e.edits, splice{start, end, text})
}

func (e *editor) apply() []byte {
	slices.SortStableFunc(e.edits, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	done := 0
	for _, s := range e.edits {
		if s.start < done { // two edits of one place, as under an anchor: what comes out will not be equal
			continue
		}
		out = append(append(out, e.text[done:s.start]...), s.text...)
		done = s.end
	}
	return append(out, e.text[done:]...)
}

// edit changes a value in its place. What belongs to it ends before limit.
func (e *editor) edit(from, to *value.Value, limit int, flow bool) bool {
	at := e.offset(from.Place)
	switch {
	case at < 0:
		return false
	case !samePlace(from, to) && value.Equal(from, to):
		return true
	case from.Kind != to.Kind && (isCollection(from) || isCollection(to)):
		return false
	case !isCollection(from):
		return e.scalar(from, to, at, flow)
	case e.isFlow(at):
		return e.flow(from, to, at, flow)
	case len(from.Items)+len(from.Members) == 0 || len(to.Items)+len(to.Members) == 0:
		return false
	case from.Kind == value.List:
		return e.list(from, to, limit)
	}
	return e.mapping(from, to, limit)
}

func isCollection(v *value.Value) bool { return v.Kind == value.List || v.Kind == value.Map }

// list edits a list in block style.
func (e *editor) list(from, to *value.Value, limit int) bool {
	b := block{limit: limit}
	for _, item := range from.Items {
		dash, ok := e.dash(item)
		if !ok {
			return false
		}
		b.starts = append(b.starts, dash)
	}
	b.column = b.starts[0] - e.lineStart(b.starts[0])
	b.stays = stayingItems(from, to)
	b.edit = func(i, j, limit int) bool { return e.edit(from.Items[i], to.Items[j], limit, false) }
	b.write = func(w *writer, j int) {
		w.write("-")
		w.compact(to.Items[j], b.column)
	}
	return e.block(b)
}

// stayingItems returns, for each item of a list, its index in the list that it comes from, or -1.
func stayingItems(from, to *value.Value) []int {
	places := make(map[value.Place]int, len(from.Items))
	for i, item := range from.Items {
		places[item.Place] = i
	}
	stays := make([]int, len(to.Items))
	for j, item := range to.Items {
		stays[j] = -1
		if i, ok := places[item.Place]; ok && item.Line > 0 {
			stays[j] = i
		}
	}
	return stays
}

// mapping edits a map in block style.
func (e *editor) mapping(from, to *value.Value, limit int) bool {
	b := block{limit: limit, column: int(from.Members[0].Column) - 1}
	for _, m := range from.Members {
		b.starts = append(b.starts, e.offset(m.Place))
	}
	b.stays = stayingMembers(from, to)
	b.edit = func(i, j, limit int) bool {
		return e.edit(from.Members[i].Value, to.Members[j].Value, limit, false)
	}
	b.write = func(w *writer, j int) { w.member(to.Members[j], b.column) }
	return e.block(b)
}

// stayingMembers returns, for each member of a map, its index in the map that it comes from, or -1.
func stayingMembers(from, to *value.Value) []int {
	names := make(map[string]int, len(from.Members))
	for i, m := range from.Members {
		names[m.Name] = i
	}
	stays := make([]int, len(to.Members))
	for j, m := range to.Members {
		stays[j] = -1
		if i, ok := names[m.Name]; ok {
			stays[j] = i
		}
	}
	return stays
}

// block is a list or map in block style and what becomes of it.
type block struct {
	starts []int                      // of its elements: of the dash of an item, of the name of a member
	limit  int                        // before which it ends
	column int                        // of its elements, from 0
	stays  []int                      // for each new element which old one it is, or -1
	edit   func(i, j, limit int) bool // old element i into new element j, before limit
	write  func(w *writer, j int)     // new element j, which begins at the column
}

// block edits, removes and inserts elements.
func (e *editor) block(b block) bool {
	if !e.isOrdered(b) {
		return false
	}
	kept := make([]bool, len(b.starts))
	last := -1 // the old element after which new ones are inserted
	var inserted strings.Builder
	flush := func() bool {
		ok := inserted.Len() == 0 || e.insert(b, last, inserted.String())
		inserted.Reset()
		return ok
	}
	for j, i := range b.stays {
		if i < 0 {
			inserted.WriteString(e.element(b, j, true))
			continue
		}
		if !flush() {
			return false
		}
		last, kept[i] = i, true
		before := len(e.edits)
		if !b.edit(i, j, e.bound(b, i)) {
			e.edits = e.edits[:before]
			e.replace(b.starts[i], e.contentEnd(b.starts[i], e.bound(b, i)), strings.TrimSuffix(e.element(b, j, false), "\n"))
		}
	}
	if !flush() {
		return false
	}
	return e.removeOthers(b, kept)
}

// isOrdered reports whether the elements that stay come in the order that they had.
func (e *editor) isOrdered(b block) bool {
	last := -1
	for _, i := range b.stays {
		if i >= 0 && i <= last {
			return false
		}
		last = max(last, i)
	}
	return !slices.Contains(b.starts, -1) && slices.IsSorted(b.starts) && b.starts[len(b.starts)-1] < b.limit
}

// bound is where an element ends at the latest.
func (e *editor) bound(b block, i int) int {
	if i+1 < len(b.starts) {
		return e.lineStart(b.starts[i+1])
	}
	return b.limit
}

// element writes a new element, with or without indentation of its first line.
func (e *editor) element(b block, j int, indented bool) string {
	var w writer
	if indented {
		w.indent(b.column)
	}
	b.write(&w, j)
	return string(w.out)
}

// insert puts lines after an old element, or, after -1, before the first.
func (e *editor) insert(b block, after int, lines string) bool {
	if after < 0 {
		if !e.beginsLine(b.starts[0]) {
			return false
		}
		at := e.lineStart(b.starts[0])
		e.replace(at, at, lines)
		return true
	}
	at := e.nextLine(e.contentEnd(b.starts[after], e.bound(b, after)))
	if at == len(e.text) && !strings.HasSuffix(e.text, "\n") {
		lines = "\n" + strings.TrimSuffix(lines, "\n")
	}
	e.replace(at, at, lines)
	return true
}

// removeOthers removes the elements that are not kept: their lines, the comments right above them,
// and the blank lines that would be left before the first or after the last one that is kept.
func (e *editor) removeOthers(b block, kept []bool) bool {
	first, last := slices.Index(kept, true), -1
	for i, is := range kept {
		if is {
			last = i
		}
	}
	for i, start := range b.starts {
		if kept[i] {
			continue
		}
		if !e.beginsLine(start) {
			return false
		}
		from, to := e.lineStart(start), e.nextLine(e.contentEnd(start, e.bound(b, i)))
		if i > 0 {
			from = e.commentsAbove(from, b.column)
		}
		for i < first && to < len(e.text) && e.isBlank(to) {
			to = e.nextLine(to)
		}
		for last >= 0 && i > last && from > 0 && e.isBlank(e.lineStart(from-1)) {
			from = e.lineStart(from - 1)
		}
		e.replace(from, to, "")
	}
	return true
}
