package yaml

import (
	"strings"
	"unicode/utf8"
)

// isBreakAt reports whether a text begins with a line break.
func isBreakAt(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return isClassicBreak(c)
}

// lineBreaks writes line breaks.
func (w *classicWriter) lineBreaks(text string) {
	for _, c := range text {
		w.lineBreak(string(c))
	}
}

// literal writes a text of several lines.
func (w *classicWriter) literal(text string) {
	header := "|"
	if text[0] == ' ' || isBreakAt(text) {
		header += "2"
	}
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	switch {
	case !isClassicBreak(last):
		header += "-"
	case len(text) == size || isClassicBreak(before):
		header += "+"
	}
	w.indicator(header, false)
	w.lineBreak("\n")
	for text != "" {
		end := strings.IndexFunc(text, isClassicBreak)
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			w.startLine()
			w.write(text[:end])
		}
		text = text[end:]
		end = strings.IndexFunc(text, func(c rune) bool { return !isClassicBreak(c) })
		if end < 0 {
			end = len(text)
		}
		w.lineBreaks(text[:end])
		if text == "" {
			w.lineBreak("\n")
		}
		text = text[end:]
	}
}

// double writes a text in double quotes with escapes, broken beyond the limit at blanks and after what is no ASCII.
func (w *classicWriter) double(text []rune, whole bool) {
	start := 0
	for end := 0; end <= len(text); end++ {
		if end == len(text) || text[end] < ' ' || text[end] > '~' || text[end] == '"' || text[end] == '\\' {
			if start < end {
				w.write(string(text[start:end]))
				start = end
			}
			if end < len(text) {
				w.write(classicEscape(text[end]))
				start = end + 1
			}
		}
		inside := (end > 0 || end == 0 && len(text) > 0 && text[0] >= 0x10000) && end < len(text)-1
		if !inside || whole || text[end] != ' ' && start < end || w.column+end-start <= classicColumns {
			continue
		}
		if start < end {
			w.write(string(text[start:end]))
			start = end
		}
		w.write(`\`)
		w.foldLine()
		if text[start] == ' ' {
			w.write(`\`)
		}
	}
}
