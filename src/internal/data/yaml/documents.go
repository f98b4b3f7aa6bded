package yaml

import "bytes"

// EmptyDocuments returns the lines of the documents without content in a stream that Parse reads. Parse passes over them; programs that want one document count them.
func EmptyDocuments(data []byte) []int {
	const marker = "---"
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !bytes.HasPrefix(data, []byte(marker)) && !bytes.Contains(data, []byte("\n"+marker)) {
		return nil
	}
	var empty []int
	line, begin, content := 0, 0, false // of the document: begin is 0 without a marker
	end := func() {
		if begin > 0 && !content {
			empty = append(empty, begin)
		}
	}
	for text := range bytes.Lines(data) {
		line++
		rest, isMarker := bytes.CutPrefix(text, []byte(marker))
		if isMarker = isMarker && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0); isMarker {
			end()
			begin, content, text = line, false, rest
		}
		text = bytes.TrimSpace(text)
		if len(text) > 0 && text[0] != '#' && !bytes.Equal(text, []byte("...")) && (begin > 0 || text[0] != '%') {
			content = true
		}
	}
	end()
	return empty
}
