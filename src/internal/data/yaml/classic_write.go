package yaml

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// MarshalClassic writes a value as Java programs with SnakeYAML do: for readers of YAML 1.1, strings in single quotes where they could be read as something else,
// folded at 80 columns, lists at the column of their key, long keys after "? ". Members stand in their order. A map or list that stands at two places, as one value and
// not merely as an equal one, has an anchor at the first and aliases at the others. An empty map is an empty text.
func MarshalClassic(v *value.Value) []byte {
	if v.Kind == value.Map && len(v.Members) == 0 {
		return nil
	}
	w := classicWriter{anchors: make(map[*value.Value]string), written: make(map[*value.Value]bool), indent: -classicIndent, blank: true, fresh: true}
	if !expands(v) {
		w.number(v, make(map[*value.Value]bool))
	}
	w.node(v, false)
	w.indent = 0
	w.startLine()
	return w.out
}

const (
	// classicColumns is after how many columns a word ends before a string is folded.
	classicColumns = 80
	classicIndent  = 2
)

type classicWriter struct {
	out     []byte
	anchors map[*value.Value]string // of what stands at two places
	written map[*value.Value]bool   // what was written with its anchor
	indent  int
	column  int  // in units of Java
	blank   bool // the last character is a blank, or there is none in the line
	fresh   bool // the line has nothing but indentation and indicators
}

// number gives anchors, in the order in which second places are met.
func (w *classicWriter) number(v *value.Value, seen map[*value.Value]bool) {
	if v.Kind != value.Map && v.Kind != value.List {
		return
	}
	if seen[v] {
		if w.anchors[v] == "" {
			w.anchors[v] = fmt.Sprintf("id%03d", len(w.anchors)+1)
		}
		return
	}
	seen[v] = true
	for _, item := range v.Items {
		w.number(item, seen)
	}
	for _, m := range v.Members {
		w.number(m.Value, seen)
	}
}

// write writes what has no line breaks.
func (w *classicWriter) write(text string) {
	w.out = append(w.out, text...)
	w.column += units(text)
}

func (w *classicWriter) lineBreak(text string) {
	w.out = append(w.out, text...)
	w.column, w.blank, w.fresh = 0, true, true
}

// startLine goes to the column of the indentation, in a new line unless this one is free up to there.
func (w *classicWriter) startLine() {
	if !w.fresh || w.column > w.indent || w.column == w.indent && !w.blank {
		w.lineBreak("\n")
	}
	for w.column < w.indent {
		w.write(" ")
		w.blank = true
	}
}

// foldLine continues with a text in another line.
func (w *classicWriter) foldLine() {
	w.startLine()
	w.blank, w.fresh = false, false
}

// indicator writes a piece of syntax, after a blank; stays says that what follows may stand in the same line.
func (w *classicWriter) indicator(text string, stays bool) {
	if !w.blank {
		w.write(" ")
	}
	w.write(text)
	w.blank, w.fresh = false, w.fresh && stays
}

// node writes a value; ofKey says that it is that of a key.
func (w *classicWriter) node(v *value.Value, ofKey bool) {
	if anchor := w.anchors[v]; anchor != "" {
		if w.written[v] {
			w.indicator("*"+anchor, false)
			return
		}
		w.written[v] = true
		w.indicator("&"+anchor, false)
	}
	outer := w.indent
	switch {
	case len(v.Members) > 0:
		w.indent += classicIndent
		for _, m := range v.Members {
			w.member(m)
		}
	case len(v.Items) > 0:
		if !ofKey || w.fresh {
			w.indent += classicIndent
		}
		for _, item := range v.Items {
			w.startLine()
			w.indicator("-", true)
			w.node(item, false)
		}
	default:
		w.indent += classicIndent
		w.scalar(v)
	}
	w.indent = outer
}

func (w *classicWriter) member(m value.Member) {
	w.startLine()
	if isSimpleKey(m.Name) {
		w.text(m.Name, true)
		w.write(":")
		w.blank, w.fresh = false, false
		w.node(m.Value, true)
		return
	}
	w.indicator("?", true)
	w.indent += classicIndent
	w.text(m.Name, false)
	w.indent -= classicIndent
	w.startLine()
	w.indicator(":", true)
	w.node(m.Value, true)
}

func (w *classicWriter) scalar(v *value.Value) {
	switch v.Kind {
	case value.Null:
		w.indicator("null", false)
	case value.Map:
		w.indicator("{}", false)
	case value.List:
		w.indicator("[]", false)
	case value.String:
		w.text(v.Text, false)
	case value.Bool, value.Number:
		w.indicator(v.Text, false)
	}
}

// text writes a string; keys before their values are not folded.
func (w *classicWriter) text(text string, key bool) {
	switch classicStyle(text) {
	case classicPlain:
		w.indicator("", false)
		w.fold(text, false, key)
	case classicSingle:
		w.indicator("'", false)
		w.fold(text, true, key)
		w.write("'")
	case classicLiteral:
		w.literal(text)
	case classicDouble:
		w.indicator(`"`, false)
		w.double([]rune(text), key)
		w.write(`"`)
	}
}

// fold writes a text of one line, and goes on in another one at the first single blank after the limit. In quotes each apostrophe stands twice.
func (w *classicWriter) fold(text string, quoted, whole bool) {
	for start := 0; start < len(text); {
		end := start + 1
		switch c := text[start]; {
		case c == ' ':
			end = start + len(text[start:]) - len(strings.TrimLeft(text[start:], " "))
			if end == start+1 && w.column > classicColumns && !whole && start > 0 && end < len(text) {
				w.foldLine()
			} else {
				w.write(text[start:end])
			}
		case c == '\'' && quoted:
			w.write("''")
		default:
			end = len(text)
			if at := strings.IndexAny(text[start+1:], " '"); at >= 0 {
				end = start + 1 + at
			}
			w.write(text[start:end])
		}
		start = end
	}
}
