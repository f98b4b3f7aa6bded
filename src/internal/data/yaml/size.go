package yaml

import "github.com/dovetail-store/dovetail/src/value"

// Size is about how many bytes Append writes of a value, and no fewer than two thirds of them: the indentation of what lies
// deep can be many times its text.
func Size(v *value.Value) int64 { return sizeAt(v, 0) }

func sizeAt(v *value.Value, column int) int64 {
	if !isBlock(v) {
		size := int64(len("null") + 1)
		if v != nil {
			size += textSize(v.Text, column)
		}
		return size
	}
	const marks = 3 // "- " or ": ", and the end of a line
	size := int64(0)
	for _, item := range v.Items {
		size += int64(column+marks) + sizeAt(item, column+2)
	}
	for _, m := range v.Members {
		size += int64(2*column+marks) + textSize(m.Name, 0) + sizeAt(m.Value, column+2)
	}
	return size
}

// textSize is about how much a text takes: each of its lines is indented, and control characters are escaped.
func textSize(text string, column int) int64 {
	const escaped = 6
	size := int64(len(text))
	for _, c := range []byte(text) {
		switch {
		case c == '\n':
			size += int64(column + 2)
		case c < ' ' || c == '"' || c == '\\' || c >= 0x7f:
			size += escaped - 1
		}
	}
	return size
}
