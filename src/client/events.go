package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event: a transaction of very many documents.
const maxEvent = 256 << 20

var errTooLong = errors.New("event too long")

// serverEvent is one server-sent event.
type serverEvent struct {
	name string
	id   string // of the event, or of the last one before it that had one
	data []byte
}

// eventReader reads text/event-stream as the HTML standard describes it, except `retry`, which is
// ours to choose.
type eventReader struct {
	lines  *bufio.Reader
	lastID string
}

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{lines: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next event that has data. An event that the end cut off is not returned.
func (r *eventReader) next() (serverEvent, error) {
	var e serverEvent
	hasData := false
	for {
		line, err := r.line(maxEvent - len(e.data))
		if err != nil {
			return serverEvent{}, err
		}
		if len(line) == 0 {
			if !hasData {
				e.name = "" // an event without data is none
				continue
			}
			e.id = r.lastID
			return e, nil
		}
		field, text, _ := bytes.Cut(line, []byte(":"))
		text = bytes.TrimPrefix(text, []byte(" "))
		switch string(field) {
		case "event":
			e.name = string(text)
		case "id":
			if !bytes.ContainsRune(text, 0) {
				r.lastID = string(text)
			}
		case "data":
			if hasData {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, text...)
			hasData = true
		}
	}
}

// line reads one line without its end, which is LF or CR LF.
func (r *eventReader) line(most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return nil, errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
	}
}
