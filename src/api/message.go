package api

import (
	"cmp"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Message is a warning or an error about an input, with its place.
type Message struct {
	Code    string `json:"code"` // the reason, or the code of an error without one
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
}

// NewMessage returns the message of an error.
func NewMessage(e *dovetail.Error) Message {
	at := e.Position
	return Message{Code: cmp.Or(e.Reason, string(e.Code)), Message: e.Message, Remedy: e.Remedy, File: at.File, Line: at.Line, Column: at.Column, Path: at.Path}
}

// NewMessages returns the messages of errors, an empty list if there are none.
func NewMessages(errs []*dovetail.Error) []Message {
	all := make([]Message, len(errs))
	for i, e := range errs {
		all[i] = NewMessage(e)
	}
	return all
}
