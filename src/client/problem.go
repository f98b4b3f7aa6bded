package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxProblem bounds how much of a bad answer is read.
const maxProblem = 16 << 20

// refusal is an answer that is not good.
type refusal struct {
	status     int
	isProblem  bool // the answer was Dovetail's own; otherwise something in between wrote it
	retryAfter time.Duration
	problem    *dovetail.Error
}

func (r *refusal) Error() string { return r.problem.Error() }
func (r *refusal) Unwrap() error { return r.problem }

// problemJSON is application/problem+json as the server writes it (RFC 9457).
type problemJSON struct {
	Code      dovetail.Code      `json:"code"`
	Reason    string             `json:"reason"`
	Title     string             `json:"title"`
	Detail    string             `json:"detail"`
	Remedy    string             `json:"remedy"`
	ID        dovetail.ID        `json:"id"`
	Missing   []dovetail.ID      `json:"missing"`
	BlockedBy *dovetail.Blockers `json:"blockedBy"`
	*dovetail.InState
	Current   *dovetail.Document `json:"current"`
	Base      *dovetail.Document `json:"base"`
	Errors    []partJSON         `json:"errors"`
	Total     int                `json:"total"`
	Conflicts []MergeConflict    `json:"conflicts"` // of a change set
}

// partJSON is one of several things that are wrong.
type partJSON struct {
	Index     int                `json:"index"`
	Path      string             `json:"path"`
	File      string             `json:"file"`
	Line      int                `json:"line"`
	Column    int                `json:"column"`
	Code      dovetail.Code      `json:"code"`
	Reason    string             `json:"reason"`
	Message   string             `json:"message"`
	Remedy    string             `json:"remedy"`
	ID        dovetail.ID        `json:"id"`
	Missing   []dovetail.ID      `json:"missing"`
	BlockedBy *dovetail.Blockers `json:"blockedBy"`
	*dovetail.InState
	Current *dovetail.Document `json:"current"`
	Base    *dovetail.Document `json:"base"`
}

// ErrForeign is the cause of errors of answers that are not Dovetail's, as those of other servers and of proxies.
var ErrForeign = errors.New("the answer is not Dovetail's")

// newRefusal reads an answer that is not good. One to a write that is not the server's own does not report whether the write
// was done.
func newRefusal(answer *http.Response, writes bool) *refusal {
	r := &refusal{status: answer.StatusCode, retryAfter: retryAfter(answer.Header)}
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if mediaType == "application/problem+json" {
		var problem problemJSON
		err := json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(&problem)
		if err == nil && problem.Code != "" {
			r.isProblem, r.problem = true, problem.error()
			return r
		}
	}
	if r.problem = layeringFailure(answer); r.problem != nil {
		r.isProblem = true
		return r
	}
	r.problem = &dovetail.Error{Code: dovetail.CodeInternal, Err: ErrForeign,
		Message: fmt.Sprintf("the server answered %s, which is not an answer of a Dovetail server", answer.Status),
		Remedy:  "check the server's URL, and the proxies in between"}
	switch answer.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		r.problem.Code = dovetail.CodeUnavailable
	case http.StatusUnauthorized:
		r.problem.Code = dovetail.CodeUnauthenticated
	case http.StatusForbidden:
		r.problem.Code = dovetail.CodeForbidden
	case http.StatusNotFound:
		r.problem.Code = dovetail.CodeNotFound
	}
	if writes && answer.StatusCode/100 == 5 {
		r.problem.Code = dovetail.CodeUnknown
	}
	return r
}

// error rebuilds the error that the server had.
func (p problemJSON) error() *dovetail.Error {
	e := &dovetail.Error{Code: p.Code, Reason: p.Reason, Message: p.Detail, Remedy: p.Remedy, Key: p.ID,
		Missing: p.Missing, BlockedBy: p.BlockedBy, InState: p.InState, Current: p.Current, Base: p.Base}
	if e.Message == "" {
		e.Message = p.Title
	}
	if len(p.Conflicts) > 0 {
		e.Err = conflictsError(p.Conflicts)
	} else if len(p.Errors) == 1 && p.Errors[0].Message == p.Detail {
		return p.Errors[0].error() // the one thing that is wrong, with its place
	}
	for _, part := range p.Errors {
		e.Errors = append(e.Errors, part.error())
	}
	if p.Total > len(e.Errors) {
		e.Total = p.Total
	}
	if len(e.Errors) > 0 { // which name what the whole only gathers
		e.Missing, e.BlockedBy = nil, nil
	}
	return e
}

func (p partJSON) error() *dovetail.Error {
	return &dovetail.Error{Code: p.Code, Reason: p.Reason, Message: p.Message, Remedy: p.Remedy, Key: p.ID, Index: p.Index,
		Position: dovetail.Position{File: p.File, Line: p.Line, Column: p.Column, Path: p.Path},
		Missing:  p.Missing, BlockedBy: p.BlockedBy, InState: p.InState, Current: p.Current, Base: p.Base}
}
