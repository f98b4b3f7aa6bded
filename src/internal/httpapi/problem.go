package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// retryAfter is what a client is asked to wait when the server cannot serve it now.
const retryAfter = "1"

// problem is an error as application/problem+json (RFC 9457). Its type is about:blank, so that
// title is that of the status; what went wrong is told by code, and by reason where a service has
// codes of its own.
type problem struct {
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
	Current   json.RawMessage    `json:"current,omitempty"` // envelope and etag
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

// newProblem describes an error. Nothing of its cause shows.
func newProblem(e *dovetail.Error, instance string) *problem {
	status := statusOf(e.Code)
	p := &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: e.Message,
		Instance: instance, Code: e.Code, Reason: e.Reason, Remedy: e.Remedy, cause: causeOf(e)}
	if p.Title == "" {
		p.Title = "Client Closed Request"
	}
	if len(e.Errors) == 0 {
		if e.Position != (dovetail.Position{}) || e.Index > 0 || e.Reason != "" {
			p.Errors = []part{partOf(e)}
		}
		return p
	}
	total := p.add(e)
	if total > len(p.Errors) {
		p.Total = total
	}
	return p
}

// add flattens the parts of an error, gathers what is missing or in the way of them all, and returns how many they
// are. Further ones than dovetail.MaxErrors only count.
func (p *problem) add(whole *dovetail.Error) int {
	total := whole.Omitted()
	for _, e := range whole.Errors {
		if len(e.Errors) > 0 {
			total += p.add(e)
			continue
		}
		if total++; len(p.Errors) == dovetail.MaxErrors {
			continue
		}
		p.Errors = append(p.Errors, partOf(e))
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

func partOf(e *dovetail.Error) part {
	at := e.Position
	return part{Index: e.Index, File: at.File, Path: at.Path, Line: at.Line, Column: at.Column,
		Code: e.Code, Reason: e.Reason, Message: e.Message, Remedy: e.Remedy, cause: causeOf(e)}
}

func causeOf(e *dovetail.Error) cause {
	c := cause{ID: e.Key, Missing: slices.Clone(e.Missing), BlockedBy: e.BlockedBy}
	if e.Current != nil {
		c.Current, _ = appendEnvelope(nil, e.Current, false)
	}
	return c
}

// fail answers with the problem that the error is. After the answer has begun it can only break the
// connection off, so that nobody takes the part for the whole.
func (x *exchange) fail(err error) {
	e := dovetail.AsError(err)
	x.err = e
	if x.w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	p := newProblem(e, x.r.URL.EscapedPath())
	h := x.w.Header()
	for _, name := range []string{"Etag", "Last-Modified", "Location", "Link", "Content-Length", "Content-Disposition"} {
		h.Del(name)
	}
	switch e.Code {
	case dovetail.CodeUnavailable, dovetail.CodeRateLimited:
		if h.Get("Retry-After") == "" {
			h.Set("Retry-After", retryAfter)
		}
	case dovetail.CodeMediaType:
		if x.r.Method == http.MethodPatch {
			h.Set("Accept-Patch", "application/merge-patch+json, application/json, application/yaml")
		}
	}
	if own := x.problemOf(); own != nil {
		text := own(e)
		_ = x.answerText(text.Status, text) // never fails
		return
	}
	body := encodeJSON(p)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		body = withMembers(body, refusal.Members)
		if refusal.Version != "" {
			h["Etag"] = []string{quoted(refusal.Version)}
		}
	}
	x.reading.mustHold(int64(len(body)))
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(p.Status)
	x.write(body)
}

// withMembers adds members to the text of a problem.
func withMembers(body []byte, members map[string]any) []byte {
	if len(members) == 0 {
		return body
	}
	more := encodeJSON(members) // in the order of names
	return append(append(body[:len(body)-1], ','), more[1:]...)
}

// encodeJSON writes what cannot fail to be written. It does not escape HTML: answers are not embedded in pages.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// logCause is what the log says of an error beside the status: its code, and the text of the cause
// where the server is to blame.
func logCause(e *dovetail.Error) []slog.Attr {
	attrs := []slog.Attr{slog.String("code", string(e.Code))}
	if statusOf(e.Code) >= http.StatusInternalServerError {
		attrs = append(attrs, slog.String("error", e.Error()))
		if e.Err != nil {
			attrs = append(attrs, slog.String("cause", e.Err.Error()))
		}
	}
	return attrs
}
