package problem

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// MediaType is that of problems.
const MediaType = "application/problem+json"

// RetryAfter is how many seconds a client is asked to wait when the server cannot serve it now.
const RetryAfter = "1"

// Envelope writes a document as it is shown to users.
type Envelope func(*dovetail.Document) json.RawMessage

// Problem is an error as application/problem+json (RFC 9457). Its type is about:blank, so that
// title is that of the status; what went wrong is reported by code, and by reason where a service has
// codes of its own.
type Problem struct {
	Type     string        `json:"type"`
	Title    string        `json:"title"`
	Status   int           `json:"status"`
	Detail   string        `json:"detail"`
	Instance string        `json:"instance,omitempty"`
	Code     dovetail.Code `json:"code"`
	Reason   string        `json:"reason,omitempty"`
	Remedy   string        `json:"remedy,omitempty"`
	cause
	Errors []part `json:"errors,omitempty"`
	Total  int    `json:"total,omitempty"` // of errors, where they are not all there
}

// cause is what an error is about.
type cause struct {
	ID        dovetail.ID        `json:"id,omitempty"`
	Missing   []dovetail.ID      `json:"missing,omitempty"`
	BlockedBy *dovetail.Blockers `json:"blockedBy,omitempty"`
	*dovetail.InState
	Current json.RawMessage `json:"current,omitempty"` // envelope and etag
	Base    json.RawMessage `json:"base,omitempty"`    // the same of the version that was expected
}

// part is one of several things that are wrong, or the one thing with its place in the input.
type part struct {
	Index   int           `json:"index,omitempty"`
	File    string        `json:"file,omitempty"`
	Path    string        `json:"path,omitempty"`
	Line    int           `json:"line,omitempty"`
	Column  int           `json:"column,omitempty"`
	Code    dovetail.Code `json:"code"`
	Reason  string        `json:"reason,omitempty"`
	Message string        `json:"message"`
	Remedy  string        `json:"remedy,omitempty"`
	cause
}

// New describes an error of the request of the path instance. Nothing of its cause shows. envelope writes the document that
// an error shows as the current one; it may be nil where errors have none.
func New(e *dovetail.Error, instance string, envelope Envelope) *Problem {
	status := Status(e.Code)
	p := &Problem{Type: "about:blank", Title: Title(status), Status: status, Detail: e.Message,
		Instance: instance, Code: e.Code, Reason: e.Reason, Remedy: e.Remedy, cause: envelope.causeOf(e)}
	if len(e.Errors) == 0 {
		if e.Position != (dovetail.Position{}) || e.Index > 0 || e.Reason != "" {
			p.Errors = []part{envelope.partOf(e)}
		}
		return p
	}
	total := p.add(e, envelope)
	if total > len(p.Errors) {
		p.Total = total
	}
	return p
}

// add flattens the parts of an error, collects the missing and the blocking documents of all of them, and returns how
// many parts there are. Further ones than dovetail.MaxErrors only count.
func (p *Problem) add(whole *dovetail.Error, envelope Envelope) int {
	total := whole.Omitted()
	for _, e := range whole.Errors {
		if len(e.Errors) > 0 {
			total += p.add(e, envelope)
			continue
		}
		if total++; len(p.Errors) == dovetail.MaxErrors {
			continue
		}
		p.Errors = append(p.Errors, envelope.partOf(e))
		for _, id := range e.Missing {
			if len(p.Missing) < dovetail.MaxErrors && !slices.Contains(p.Missing, id) {
				p.Missing = append(p.Missing, id)
			}
		}
		if e.BlockedBy != nil && p.BlockedBy == nil {
			p.BlockedBy = e.BlockedBy
		}
	}
	return total
}

func (envelope Envelope) partOf(e *dovetail.Error) part {
	at := e.Position
	return part{Index: e.Index, File: at.File, Path: at.Path, Line: at.Line, Column: at.Column,
		Code: e.Code, Reason: e.Reason, Message: e.Message, Remedy: e.Remedy, cause: envelope.causeOf(e)}
}

func (envelope Envelope) causeOf(e *dovetail.Error) cause {
	c := cause{ID: e.Key, Missing: slices.Clone(e.Missing), BlockedBy: e.BlockedBy, InState: e.InState}
	if e.Current != nil && envelope != nil {
		c.Current = envelope(e.Current)
	}
	if e.Base != nil && envelope != nil {
		c.Base = envelope(e.Base)
	}
	return c
}

// JSON is the problem as text. It does not escape HTML: problems are not embedded in pages.
func (p *Problem) JSON() []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		panic(err) // of texts and numbers
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// SetHeaders removes the headers that describe the answer which an error replaces, and sets Retry-After if there is none
// and trying again may help.
func SetHeaders(h http.Header, code dovetail.Code) {
	for _, name := range []string{"Etag", "Last-Modified", "Location", "Link", "Content-Length", "Content-Disposition"} {
		h.Del(name)
	}
	if (code == dovetail.CodeUnavailable || code == dovetail.CodeRateLimited) && h.Get("Retry-After") == "" {
		h.Set("Retry-After", RetryAfter)
	}
}

// Write sends the text of a problem.
func Write(w http.ResponseWriter, status int, text []byte) {
	h := w.Header()
	h.Set("Content-Type", MediaType)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails when the client has gone
}

// Answer answers a request with an error that shows no document.
func Answer(w http.ResponseWriter, r *http.Request, e *dovetail.Error) {
	p := New(e, r.URL.EscapedPath(), nil)
	SetHeaders(w.Header(), e.Code)
	Write(w, p.Status, p.JSON())
}
