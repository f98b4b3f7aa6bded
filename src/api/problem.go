package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Problem is an error as application/problem+json (RFC 9457). Its type is about:blank, so its title is that of the status; the code
// is the error, with a reason where a service has codes of its own.
type Problem struct {
	Type     string        `json:"type"`
	Title    string        `json:"title"`
	Status   int           `json:"status"`
	Detail   string        `json:"detail"`
	Instance string        `json:"instance,omitempty"`
	Code     dovetail.Code `json:"code"`
	Reason   string        `json:"reason,omitempty"`
	Remedy   string        `json:"remedy,omitempty"`
	ProblemCause
	Errors    []ProblemPart   `json:"errors,omitempty"`
	Total     int             `json:"total,omitempty" doc:"the number of errors, if errors contains only the first"`
	Conflicts []MergeConflict `json:"conflicts,omitempty" doc:"the conflicts of a change set"`
}

// ProblemCause names the documents of an error.
type ProblemCause struct {
	ID        dovetail.ID        `json:"id,omitempty"`
	Missing   []dovetail.ID      `json:"missing,omitempty"`
	BlockedBy *dovetail.Blockers `json:"blockedBy,omitempty"`
	*dovetail.InState
	Current json.RawMessage `json:"current,omitempty" type:"object" doc:"the current document, with its etag"`
	Base    json.RawMessage `json:"base,omitempty" type:"object" doc:"the version that the request expected, with its etag"`
}

// ProblemPart is one of several errors, or the only one with its place in the input.
type ProblemPart struct {
	Index   int           `json:"index,omitempty"`
	File    string        `json:"file,omitempty"`
	Path    string        `json:"path,omitempty"`
	Line    int           `json:"line,omitempty"`
	Column  int           `json:"column,omitempty"`
	Code    dovetail.Code `json:"code"`
	Reason  string        `json:"reason,omitempty"`
	Message string        `json:"message"`
	Remedy  string        `json:"remedy,omitempty"`
	ProblemCause
}

// AsError returns the error that the server had.
func (p *Problem) AsError() *dovetail.Error {
	e := p.cause(p.Code, p.Reason, cmp.Or(p.Detail, p.Title), p.Remedy)
	if len(p.Conflicts) > 0 {
		e.Err = conflictsError(p.Conflicts)
	} else if len(p.Errors) == 1 && p.Errors[0].Message == p.Detail {
		return p.Errors[0].AsError() // which has the place
	}
	for _, part := range p.Errors {
		e.Errors = append(e.Errors, part.AsError())
	}
	if p.Total > len(e.Errors) {
		e.Total = p.Total
	}
	if len(e.Errors) > 0 { // they name the documents; the whole has those of all
		e.Missing, e.BlockedBy = nil, nil
	}
	return e
}

// AsError returns the error that the server had.
func (p *ProblemPart) AsError() *dovetail.Error {
	e := p.cause(p.Code, p.Reason, p.Message, p.Remedy)
	e.Index, e.Position = p.Index, dovetail.Position{File: p.File, Line: p.Line, Column: p.Column, Path: p.Path}
	return e
}

// cause returns an error about the documents of the cause.
func (c *ProblemCause) cause(code dovetail.Code, reason, message, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: code, Reason: reason, Message: message, Remedy: remedy, Key: c.ID, Missing: c.Missing,
		BlockedBy: c.BlockedBy, InState: c.InState, Current: document(c.Current), Base: document(c.Base)}
}

// document reads a document of an error, nil if there is none. What it cannot read it leaves out: the error stays the error.
func document(text json.RawMessage) *dovetail.Document {
	var doc *dovetail.Document
	if len(text) == 0 || json.Unmarshal(text, &doc) != nil {
		return nil
	}
	return doc
}

// conflictsError makes conflicts the cause of an error.
type conflictsError []MergeConflict

func (c conflictsError) Error() string { return fmt.Sprintf("%d conflicts", len(c)) }

// ConflictsOf returns the conflicts for which a merge or rebase was refused, nil for other errors.
func ConflictsOf(err error) []MergeConflict {
	var c conflictsError
	errors.As(err, &c)
	return c
}
