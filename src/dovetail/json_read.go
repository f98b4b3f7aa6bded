package dovetail

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// textReader reads JSON whose members have the order in which AppendJSON and servers write them, without spaces. Other JSON is
// for encoding/json: of that failed says no more than that it may be good.
type textReader struct {
	text   []byte
	at     int
	failed bool
}

// ReadJSON is a fast path for JSON in the exact form of AppendJSON, or of servers, which add an etag at the end. It reads a document
// from the start of the text and returns the rest. If ok is false, the document is not changed and the text may still be
// valid: use UnmarshalJSON.
func (d *Document) ReadJSON(text []byte) (rest []byte, ok bool) {
	r := textReader{text: text}
	if read := r.document(); !r.failed {
		*d = read
		return text[r.at:], true
	}
	return nil, false
}

func (r *textReader) document() (d Document) {
	r.expect(`{"id":`)
	d.ID = ID(r.string())
	r.expect(`,"kind":`)
	d.Kind = r.string()
	r.expect(`,"key":`)
	r.raw()
	r.expect(`,"keyId":`)
	r.raw()
	r.expect(`,"data":`)
	d.Data = bytes.Clone(r.raw())
	if r.has(`,"content":`) {
		r.unmarshal(&d.Content)
	}
	if r.has(`,"status":`) {
		d.Status = bytes.Clone(r.raw())
	}
	if r.has(`,"inputs":`) {
		r.unmarshal(&d.Inputs)
	}
	if r.has(`,"references":[`) {
		d.References = r.references()
	}
	r.expect(`,"uid":`)
	d.UID = r.string()
	r.expect(`,"revision":`)
	var err error
	d.Revision, err = strconv.ParseUint(string(r.raw()), 10, 64)
	r.failed = r.failed || err != nil
	r.expect(`,"created":`)
	d.Created = r.time()
	r.expect(`,"updated":`)
	d.Updated = r.time()
	if r.has(`,"schema":`) {
		d.Schema = r.string()
	}
	if r.has(`,"etag":`) {
		r.raw()
	}
	r.expect(`}`)
	return d
}

// references reads a list of what Reference.AppendJSON writes, from behind its bracket on.
func (r *textReader) references() []Reference {
	var few [8]Reference
	all := few[:0]
	for more := !r.has(`]`); more && !r.failed; more = !r.has(`]`) {
		if len(all) > 0 {
			r.expect(`,`)
		}
		var one Reference
		r.expect(`{"key":`)
		r.raw()
		r.expect(`,"keyId":`)
		r.raw()
		r.expect(`,"id":`)
		one.ID = ID(r.string())
		r.expect(`,"kind":`)
		one.Kind = r.string()
		one.Weak = r.has(`,"weak":true`)
		one.Cascade = r.has(`,"cascade":true`)
		r.expect(`}`)
		all = append(all, one)
	}
	return append(make([]Reference, 0, len(all)), all...)
}

// has reads a literal, if it is what comes next.
func (r *textReader) has(literal string) bool {
	end := r.at + len(literal)
	if r.failed || end > len(r.text) || string(r.text[r.at:end]) != literal {
		return false
	}
	r.at = end
	return true
}

func (r *textReader) expect(literal string) { r.failed = !r.has(literal) }

// raw reads a value, and returns its text, which is not copied.
func (r *textReader) raw() []byte {
	if r.failed {
		return nil
	}
	end, _ := skipValue(r.text, r.at, 0)
	if end < 0 {
		r.failed = true
		return nil
	}
	text := r.text[r.at:end]
	r.at = end
	return text
}

// string reads a text.
func (r *textReader) string() (text string) {
	raw := r.raw()
	if r.failed || raw[0] != '"' {
		r.failed = true
		return ""
	}
	if text = string(raw[1 : len(raw)-1]); !isPlain(text) {
		r.failed = json.Unmarshal(raw, &text) != nil
	}
	return text
}

func (r *textReader) time() (t time.Time) {
	raw := r.raw()
	r.failed = r.failed || t.UnmarshalJSON(raw) != nil
	return t
}

// unmarshal reads a value as encoding/json does.
func (r *textReader) unmarshal(into any) {
	raw := r.raw()
	r.failed = r.failed || json.Unmarshal(raw, into) != nil
}
