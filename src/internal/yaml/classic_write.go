package yaml

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dovetail-store/dovetail/src/value"
)

// MarshalClassic writes a value as Java programs with SnakeYAML do: for readers of YAML 1.1, strings in single quotes where they could be read as something else,
// folded at 80 columns, lists at the column of their key. Members stand in their order. A map or list that stands at two places, as one value and
// not merely as an equal one, has an anchor at the first and aliases at the others. An empty map is an empty text.
func MarshalClassic(v *value.Value) []byte {
	if v.Kind == value.Map && len(v.Members) == 0 {
		return nil
	}
	w := classicWriter{anchors: make(map[*value.Value]string), written: make(map[*value.Value]bool)}
	if !expands(v) {
		w.number(v, make(map[*value.Value]bool))
	}
	w.block(v, 0, true)
	return w.out
}

// classicColumns is after how many columns a word ends before a string is folded.
const classicColumns = 80

type classicWriter struct {
	out     []byte
	anchors map[*value.Value]string // of what stands at two places
	written map[*value.Value]bool   // what was written with its anchor
	column  int
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

func (w *classicWriter) write(text string) {
	w.out = append(w.out, text...)
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		w.column, text = 0, text[at+1:]
	}
	w.column += utf8.RuneCountInString(text)
}

func (w *classicWriter) line(indent int) {
	if len(w.out) > 0 && w.out[len(w.out)-1] != '\n' {
		w.write("\n")
	}
	w.write(strings.Repeat(" ", indent))
}

// block writes the members or items of a map or list, each in a line of its own. first says that the first one goes on in the
// line that has begun.
func (w *classicWriter) block(v *value.Value, indent int, first bool) {
	for _, m := range v.Members {
		if !first {
			w.line(indent)
		}
		first = false
		w.key(m.Name)
		w.child(m.Value, indent, false)
	}
	for _, item := range v.Items {
		if !first {
			w.line(indent)
		}
		first = false
		w.write("-")
		w.child(item, indent, true)
	}
}

func (w *classicWriter) key(name string) {
	w.write(classicScalar(name))
	w.write(":")
}

// child writes a value after its key or dash.
func (w *classicWriter) child(v *value.Value, indent int, inList bool) {
	if anchor := w.anchors[v]; anchor != "" {
		if w.written[v] {
			w.write(" *" + anchor)
			w.end()
			return
		}
		w.written[v] = true
		w.write(" &" + anchor)
	}
	switch {
	case v.Kind == value.Map && len(v.Members) > 0:
		compact := inList && w.anchors[v] == ""
		if compact {
			w.write(" ")
		} else {
			w.end()
		}
		w.block(v, indent+2, compact)
	case v.Kind == value.List && len(v.Items) > 0:
		compact := inList && w.anchors[v] == ""
		inner := indent
		if inList {
			inner = indent + 2
		}
		if compact {
			w.write(" ")
		} else {
			w.end()
		}
		w.block(v, inner, compact)
	default:
		w.write(" ")
		w.scalar(v, indent+2)
		w.end()
	}
}

func (w *classicWriter) end() {
	if len(w.out) > 0 && w.out[len(w.out)-1] != '\n' {
		w.write("\n")
	}
}

func (w *classicWriter) scalar(v *value.Value, indent int) {
	switch v.Kind {
	case value.Null:
		w.write("null")
	case value.Map:
		w.write("{}")
	case value.List:
		w.write("[]")
	case value.String:
		w.text(v.Text, indent)
	default:
		w.write(v.Text)
	}
}

func (w *classicWriter) text(text string, indent int) {
	switch classicStyle(text) {
	case classicPlain:
		w.fold(text, indent)
	case classicSingle:
		w.single(strings.ReplaceAll(text, "'", "''"), indent)
	case classicLiteral:
		w.literal(text, indent)
	case classicDouble:
		w.double(text, indent)
	}
}

// fold writes a text, and goes on in another line at the first single blank after the limit.
func (w *classicWriter) fold(text string, indent int) {
	for {
		at := w.breakAt(text)
		if at < 0 {
			w.write(text)
			return
		}
		w.write(text[:at] + "\n" + strings.Repeat(" ", indent))
		text = text[at+1:]
	}
}

// single writes a text in single quotes; of several lines each newline stands once more. It is not broken at blanks beside the quotes.
func (w *classicWriter) single(text string, indent int) {
	w.write("'")
	defer w.write("'")
	for text != "" {
		line, rest, more := strings.Cut(text, "\n")
		w.fold(line, indent)
		if !more {
			return
		}
		inner := strings.TrimLeft(rest, "\n")
		w.write(strings.Repeat("\n", 2+len(rest)-len(inner)) + strings.Repeat(" ", indent))
		text = inner
	}
}

// breakAt returns where a text is broken: at a blank between two others that are none, beyond the limit; -1 for nowhere.
func (w *classicWriter) breakAt(text string) int {
	column := w.column
	for i, c := range text {
		if c == ' ' && column > classicColumns && i > 0 && i+1 < len(text) && text[i-1] != ' ' && text[i+1] != ' ' {
			return i
		}
		column++
	}
	return -1
}

// literal writes a text of several lines.
func (w *classicWriter) literal(text string, indent int) {
	header := "|"
	if text[0] == ' ' || text[0] == '\n' {
		header += "2"
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		header += "-"
	case strings.HasSuffix(text, "\n\n") || text == "\n":
		header += "+"
	}
	w.write(header + "\n")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if line != "" {
			w.write(strings.Repeat(" ", indent) + line)
		}
		w.write("\n")
	}
}

// double writes a text in double quotes with escapes, broken beyond the limit at blanks and after escapes.
func (w *classicWriter) double(text string, indent int) {
	w.write(`"`)
	runes := []rune(text)
	start := 0
	for end := 0; end <= len(runes); end++ {
		if end == len(runes) || !classicPrintable(runes[end]) || runes[end] == '"' || runes[end] == '\\' {
			if start < end {
				w.write(string(runes[start:end]))
				start = end
			}
			if end < len(runes) {
				w.write(classicEscape(runes[end]))
				start = end + 1
			}
		}
		if end == 0 || end >= len(runes)-1 || runes[end] != ' ' && start < end || w.column+end-start <= classicColumns {
			continue
		}
		if start < end {
			w.write(string(runes[start:end]))
			start = end
		}
		w.write("\\\n" + strings.Repeat(" ", indent))
		if runes[start] == ' ' {
			w.write(`\`)
		}
	}
	w.write(`"`)
}
