package yaml

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// flow edits a list or map in flow style: values in their places and items at the end of a list. For
// anything else it is written again, unless it stands in a block and was empty.
func (e *editor) flow(from, to *value.Value, at int, inFlow bool) bool {
	before := len(e.edits)
	if e.flowInPlace(from, to) {
		return true
	}
	e.edits = e.edits[:before]
	if !inFlow && len(from.Items)+len(from.Members) == 0 {
		return false
	}
	end := e.flowEnd(at)
	if end < 0 {
		return false
	}
	e.replace(at, end, flowText(to))
	return true
}

// flowInPlace changes values and adds items, where nothing is removed and the order stays.
func (e *editor) flowInPlace(from, to *value.Value) bool {
	if from.Kind == value.Map {
		if len(from.Members) != len(to.Members) {
			return false
		}
		for i, m := range from.Members {
			if n := to.Members[i]; m.Name != n.Name || !e.edit(m.Value, n.Value, len(e.text), true) {
				return false
			}
		}
		return true
	}
	if len(from.Items) == 0 || len(from.Items) > len(to.Items) {
		return len(from.Items)+len(to.Items) == 0
	}
	stays := stayingItems(from, to)
	for i, item := range from.Items {
		if stays[i] != i || !e.edit(item, to.Items[i], len(e.text), true) {
			return false
		}
	}
	return e.flowAppend(from, to.Items[len(from.Items):])
}

// flowAppend adds items to a list, in the quotes of its last one.
func (e *editor) flowAppend(list *value.Value, items []*value.Value) bool {
	if len(items) == 0 {
		return true
	}
	last := list.Items[len(list.Items)-1]
	at := e.offset(last.Place)
	if at < 0 {
		return false
	}
	var end int
	var quotation byte
	if e.isFlow(at) {
		end = e.flowEnd(at)
	} else {
		end, quotation = e.scalarEnd(at, true)
	}
	if end < 0 {
		return false
	}
	var b strings.Builder
	for _, item := range items {
		b.WriteString(", ")
		if isCollection(item) {
			b.WriteString(flowText(item))
		} else {
			b.WriteString(scalarText(item, quotation, true))
		}
	}
	e.replace(end, end, b.String())
	return true
}

// flowEnd is where a list or map in flow style ends, or -1.
func (e *editor) flowEnd(at int) int {
	depth := 0
	for i := at; i < len(e.text); i++ {
		switch c := e.text[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if strings.IndexByte(" \t\n[{,:", e.text[i-1]) < 0 { // it is in a plain text
				continue
			}
			end := e.quotedEnd(i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '#':
			if strings.IndexByte(" \t\n", e.text[i-1]) >= 0 {
				i = e.nextLine(i) - 1
			}
		}
	}
	return -1
}

// flowText writes a value in flow style.
func flowText(v *value.Value) string {
	var parts []string
	switch {
	case v == nil || !isCollection(v):
		if v == nil {
			v = value.NullValue()
		}
		return scalarText(v, 0, true)
	case v.Kind == value.List:
		for _, item := range v.Items {
			parts = append(parts, flowText(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, m := range v.Members {
		parts = append(parts, scalarText(value.NewString(m.Name), 0, true)+": "+flowText(m.Value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
