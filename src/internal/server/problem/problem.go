package problem

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// MediaType is that of problems.
const MediaType = "application/problem+json"

// RetryAfter is how many seconds a client is asked to wait when the server cannot serve it now.
const RetryAfter = "1"

// Envelope writes a document as it is shown to users.
type Envelope func(*dovetail.Document) json.RawMessage

// New describes an error of the request of the path instance. Nothing of its cause shows. envelope writes the document that
// an error shows as the current one; it may be nil where errors have none.
func New(e *dovetail.Error, instance string, envelope Envelope) *api.Problem {
	status := Status(e.Code)
	p := &api.Problem{Type: "about:blank", Title: Title(status), Status: status, Detail: e.Message,
		Instance: instance, Code: e.Code, Reason: e.Reason, Remedy: e.Remedy, ProblemCause: envelope.causeOf(e)}
	if len(e.Errors) == 0 {
		if e.Position != (dovetail.Position{}) || e.Index > 0 || e.Reason != "" {
			p.Errors = []api.ProblemPart{envelope.partOf(e)}
		}
		return p
	}
	total := add(p, e, envelope)
	if total > len(p.Errors) {
		p.Total = total
	}
	return p
}

// add flattens the parts of an error, collects the missing and the blocking documents of all of them, and returns how
// many parts there are. Further ones than dovetail.MaxErrors only count.
func add(p *api.Problem, whole *dovetail.Error, envelope Envelope) int {
	total := whole.Omitted()
	for _, e := range whole.Errors {
		if len(e.Errors) > 0 {
			total += add(p, e, envelope)
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

func (envelope Envelope) partOf(e *dovetail.Error) api.ProblemPart {
	at := e.Position
	return api.ProblemPart{Index: e.Index, File: at.File, Path: at.Path, Line: at.Line, Column: at.Column,
		Code: e.Code, Reason: e.Reason, Message: e.Message, Remedy: e.Remedy, ProblemCause: envelope.causeOf(e)}
}

func (envelope Envelope) causeOf(e *dovetail.Error) api.ProblemCause {
	c := api.ProblemCause{ID: e.Key, Missing: slices.Clone(e.Missing), BlockedBy: e.BlockedBy, InState: e.InState}
	if e.Current != nil && envelope != nil {
		c.Current = envelope(e.Current)
	}
	if e.Base != nil && envelope != nil {
		c.Base = envelope(e.Base)
	}
	return c
}

// JSON returns the text of a problem. It does not escape HTML: problems are not embedded in pages.
func JSON(p *api.Problem) []byte {
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
	Write(w, p.Status, JSON(p))
}
