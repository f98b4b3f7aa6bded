package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
)

// fail answers with the problem that the error is. After the answer has begun it can only break the
// connection off, so that no client takes the part for the whole.
func (x *requestContext) fail(err error) {
	if x.w.replaced {
		return // the answer says already why there is none
	}
	e := dovetail.AsError(err)
	x.err = e
	if x.w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	h := x.w.Header()
	problem.SetHeaders(h, e.Code)
	if e.Code == dovetail.CodeMediaType && x.r.Method == http.MethodPatch {
		h.Set("Accept-Patch", "application/merge-patch+json, application/json, application/yaml")
	}
	if own := x.problemOf(); own != nil {
		text := own(e)
		_ = x.answerText(text.Status, text) // never fails
		return
	}
	answer := x.problem(e)
	if status := x.api.options.Profile.status(err, e); status != 0 {
		answer.Status, answer.Title = status, problem.Title(status)
	}
	body := problem.JSON(answer)
	var refusal *ProblemError
	if errors.As(err, &refusal) {
		body = withMembers(body, refusal.Members)
		if refusal.Version != "" {
			h["Etag"] = []string{quoted(refusal.Version)}
		}
	}
	x.reading.mustHold(int64(len(body)))
	problem.Write(&x.w, answer.Status, body)
}

// problem describes an error of the request.
func (x *requestContext) problem(e *dovetail.Error) *api.Problem {
	return problem.New(e, x.r.URL.EscapedPath(), func(doc *dovetail.Document) json.RawMessage {
		return appendEnvelope(nil, doc, false)
	})
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
	if problem.Status(e.Code) >= http.StatusInternalServerError {
		attrs = append(attrs, slog.String("error", e.Error()))
		if e.Err != nil {
			attrs = append(attrs, slog.String("cause", e.Err.Error()))
		}
	}
	return attrs
}
