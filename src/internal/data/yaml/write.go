package yaml

import (
	"iter"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// Marshal writes values as a stream of documents, separated by lines with "---".
func Marshal(values ...*value.Value) []byte {
	var dst []byte
	for i, v := range values {
		if i > 0 {
			dst = append(dst, "---\n"...)
		}
		dst = Append(dst, v)
	}
	return dst
}

// partSize is about how many bytes a part of a stream has.
const partSize = 64 << 10

// Parts writes what Marshal writes, of values that are asked for one by one, part by part. A part is good until the next
// is asked for.
func Parts(values iter.Seq[*value.Value]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var part []byte
		separator := ""
		for v := range values {
			part = Append(append(part, separator...), v)
			separator = "---\n"
			if len(part) < partSize {
				continue
			}
			if !yield(part) {
				return
			}
			part = part[:0]
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// Append appends the value as one document without separator to dst: block style, indented by 2,
// members in order, numbers as they are, strings in quotes where they could be read as something
// else, texts of several lines as literal blocks. Parse reads an equal value from it.
func Append(dst []byte, v *value.Value) []byte {
	w := writer{out: dst}
	if isBlock(v) {
		w.block(v, 0)
	} else {
		w.scalar(v, 0)
	}
	return w.out
}

type writer struct {
	out []byte
}

func (w *writer) write(text string) { w.out = append(w.out, text...) }

func (w *writer) indent(column int) {
	for range column {
		w.out = append(w.out, ' ')
	}
}

// isBlock reports whether the value takes lines of its own.
func isBlock(v *value.Value) bool {
	return v != nil && (len(v.Items) > 0 || len(v.Members) > 0)
}

// block writes a list or map that begins at the given column; the output is there already.
func (w *writer) block(v *value.Value, column int) {
	for i, item := range v.Items {
		if i > 0 {
			w.indent(column)
		}
		w.write("-")
		w.compact(item, column)
	}
	for i, m := range v.Members {
		if i > 0 {
			w.indent(column)
		}
		w.member(m, column)
	}
}

func (w *writer) member(m value.Member, column int) {
	key := inline(m.Name)
	if len(key) > maxSimpleKey {
		w.write("? " + key + "\n")
		w.indent(column)
		w.write(":")
		w.compact(m.Value, column)
		return
	}
	w.write(key + ":")
	if isBlock(m.Value) {
		w.write("\n")
		w.indent(column + 2)
		w.block(m.Value, column+2)
		return
	}
	w.write(" ")
	w.scalar(m.Value, column)
}

// compact writes a value right after a one-character indicator at the column.
func (w *writer) compact(v *value.Value, column int) {
	w.write(" ")
	if isBlock(v) {
		w.block(v, column+2)
		return
	}
	w.scalar(v, column)
}

// scalar writes a value without lines of its own, and the line's end. The column is where the
// surrounding list or map begins.
func (w *writer) scalar(v *value.Value, column int) {
	switch {
	case v == nil || v.Kind == value.Null:
		w.write("null")
	case v.Kind == value.List:
		w.write("[]")
	case v.Kind == value.Map:
		w.write("{}")
	case v.Kind != value.String:
		w.write(v.Text)
	case isLiteral(v.Text):
		w.literal(v.Text, column)
		return
	default:
		w.write(inline(v.Text))
	}
	w.write("\n")
}

// literal writes a text of several lines as a literal block.
func (w *writer) literal(text string, column int) {
	w.write("|")
	if strings.IndexByte(" \t\n", text[0]) >= 0 {
		w.write("2") // otherwise the indentation is taken from the first line
	}
	body := strings.TrimSuffix(text, "\n")
	switch {
	case body == text:
		w.write("-")
	case strings.HasSuffix(body, "\n"):
		w.write("+")
	}
	w.write("\n")
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.indent(column + 2)
			w.write(line)
		}
		w.write("\n")
	}
}
