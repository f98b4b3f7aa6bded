package rendering

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/schema"
)

// reader reads documents. Where something is wrong it reports the error and goes on.
type reader struct {
	decode.Decoder
	of       *Document // the one that is being read
	restores bool      // what was accepted before: see Restore
	profile  Profile
	patterns map[string]*pattern
	schemas  schema.JSONSchemas
}

func newReader(file string) *reader {
	r := &reader{patterns: make(map[string]*pattern)}
	r.Decoder = decode.Decoder{File: file, Errors: &dovetail.Errors{}, Complete: func(e *dovetail.Error) {
		e.Reason, e.Err = ClassInvalidDocumentFormat, subject{id: r.of.ID, cause: e.Err}
	}}
	return r
}

// flag reads a boolean, false when it is missing or null.
func flag(f decode.Field) bool { return !f.IsMissing() && f.Bool() }

// readPath reads a member that is a path to one place; with several it may be ambiguous.
func readPath(of decode.Field, several bool) path {
	f := of.Get("path")
	text := f.Text()
	if text == "" {
		return nil
	}
	parsed, problem := parsePath(text)
	if problem == "" && !several && parsed.isAmbiguous() {
		problem = "a wildcard leads to more than one place"
	}
	if problem != "" {
		f.Fail("write it as .a.b, .a[0] or .'a member'", "%s is not a path that can be used here: %s", short(text), problem)
	}
	return parsed
}
