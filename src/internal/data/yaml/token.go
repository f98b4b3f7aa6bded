package yaml

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// ReplaceScalar replaces a scalar in a text, a value or a key, that begins at a place and has a text, and keeps its quotes if there
// may be some. It returns false, and the text as it is, where something else stands there, or the scalar is not all in one line.
func ReplaceScalar(text []byte, at value.Place, old string, to *value.Value) ([]byte, bool) {
	e := newEditor(yaml12, string(text))
	start := e.offset(at)
	if start < 0 {
		return text, false
	}
	end, quotation := e.token(start)
	if end < 0 || !strings.Contains(e.text[start:end], old) {
		return text, false
	}
	if written := e.text[start:end]; quotation == 0 && written != old || quotation != 0 && written != string(quotation)+old+string(quotation) {
		return text, false
	}
	e.replace(start, end, scalarText(to, quotation, true))
	return e.apply(), true
}

// token returns where the scalar at an offset ends in its line, also if it is a key, and its quotation mark or 0. Of other forms the
// end is -1.
func (e *editor) token(at int) (end int, quotation byte) {
	if end, quotation = e.scalarEnd(at, true); end < 0 || quotation != 0 {
		return end, quotation
	}
	if key := strings.Index(e.text[at:end]+" ", ": "); key >= 0 {
		end = at + len(strings.TrimRight(e.text[at:at+key], " \t"))
	}
	return end, 0
}
