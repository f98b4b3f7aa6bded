package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// report shows an error on Err: for humans, or, with -o json, as one JSON object.
func (s *session) report(err error) {
	if err == nil || answered(err) {
		return
	}
	known := dovetail.AsError(err)
	if s.output == formatJSON {
		fmt.Fprintf(s.Err, "%s\n", indentJSON(mustJSON(map[string]any{"error": toReport(known)})))
		return
	}
	paint := s.paintErr()
	for _, part := range parts(known) {
		s.reportPart(paint, red, "error: ", part)
	}
	if more := omitted(known); more > 0 {
		fmt.Fprintf(s.Err, "... and %d more\n", more)
	}
	if len(known.Errors) > 0 {
		fmt.Fprintln(s.Err, known.Message)
		if known.Remedy != "" {
			fmt.Fprintln(s.Err, "  "+known.Remedy)
		}
	}
}

// reportPart shows one error: where, what, the documents that it names, and what to do.
func (s *session) reportPart(paint painter, shade colour, label string, e *dovetail.Error) {
	fmt.Fprint(s.Err, s.partText(paint, shade, label, e))
}

func (s *session) partText(paint painter, shade colour, label string, e *dovetail.Error) string {
	var b strings.Builder
	b.WriteString(paint(shade, label))
	at := place(e.Position)
	if e.Reason == store.ReasonChangedSince || conflictOf(e) != nil { // whose message names the path
		at = ""
		if !strings.Contains(e.Message, string(e.Key)) {
			at = string(e.Key)
		}
	}
	if at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(e.Message)
	if e.Code == dovetail.CodeUnprocessable && e.Position.Path != "" {
		b.WriteString(" (at " + e.Position.Path + ")")
	}
	b.WriteByte('\n')
	for _, id := range e.Missing {
		b.WriteString("  missing: " + string(id) + "\n")
	}
	if e.BlockedBy != nil {
		for _, id := range e.BlockedBy.IDs {
			b.WriteString("  held by: " + string(id) + "\n")
		}
		if more := e.BlockedBy.Total - len(e.BlockedBy.IDs); more > 0 {
			fmt.Fprintf(&b, "  held by: %d more\n", more)
		}
	}
	var c *conflict
	if errors.As(e.Err, &c) {
		b.WriteString(c.text())
	}
	if e.Current != nil {
		b.WriteString("  current version: " + e.Current.ETag().Version() + "\n")
	}
	if e.Remedy != "" {
		b.WriteString("  " + e.Remedy + "\n")
	}
	return b.String()
}

// place gives "file:line:column", as editors and compilers write it; the path only where that is
// all there is to say.
func place(p dovetail.Position) string {
	if p.File != "" || p.Line > 0 {
		p.Path = ""
	}
	return p.String()
}

// errorReport is an error as -o json shows it.
type errorReport struct {
	Code      dovetail.Code      `json:"code"`
	Reason    string             `json:"reason,omitempty"` // more exactly than the code
	Message   string             `json:"message"`
	Remedy    string             `json:"remedy,omitempty"`
	ID        dovetail.ID        `json:"id,omitempty"`
	Index     int                `json:"index,omitempty"`
	File      string             `json:"file,omitempty"`
	Line      int                `json:"line,omitempty"`
	Column    int                `json:"column,omitempty"`
	Path      string             `json:"path,omitempty"`
	Missing   []dovetail.ID      `json:"missing,omitempty"`
	BlockedBy *dovetail.Blockers `json:"blockedBy,omitempty"`
	Current   *dovetail.Document `json:"current,omitempty"`
	Conflicts []leafReport       `json:"conflicts,omitempty"` // values that differ from a file
	// Conflict is the value of a change set that was changed since its base, too.
	Conflict *api.MergeConflict `json:"conflict,omitempty"`
	Errors   []errorReport      `json:"errors,omitempty"`
	Total    int                `json:"total,omitempty"` // of errors, where they are not all there
}

func toReport(e *dovetail.Error) errorReport {
	r := errorReport{Code: e.Code, Reason: e.Reason, Message: e.Message, Remedy: e.Remedy, ID: e.Key, Index: e.Index,
		File: e.Position.File, Line: e.Position.Line, Column: e.Position.Column, Path: e.Position.Path,
		Missing: e.Missing, BlockedBy: e.BlockedBy, Current: e.Current, Total: e.Total}
	if r.Line > 0 {
		r.Index = 0 // the place in the file tells more
	}
	var c *conflict
	if len(e.Errors) == 0 && errors.As(e.Err, &c) {
		r.Conflicts = c.report()
	}
	if conflict := conflictOf(e); conflict != nil {
		r.Conflict, r.Path = conflict, conflict.Path
	}
	for _, part := range e.Errors {
		r.Errors = append(r.Errors, toReport(part))
	}
	return r
}

// mustJSON writes what this package made itself, which can always be written. People read it, so that < and > stay.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	check(e.Encode(v))
	return bytes.TrimSpace(b.Bytes())
}
