package resolution

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The reasons of this package's errors.
const (
	ReasonSourceNotFound    = "SourceNotFound"    // spec.sources names a source that does not exist
	ReasonInvalidConstraint = "InvalidConstraint" // a member of spec.constraints cannot be read
	ReasonInvalidSource     = "InvalidSource"     // a source that is used breaks a rule
	ReasonInvalidSpec       = "InvalidSpec"       // anything else about a spec
)

// maxFaults is how many errors of one input are reported.
const maxFaults = 100

// indexed is the cause of this package's errors: it carries the index.
type indexed struct{ index int }

// Error is for logs.
func (e indexed) Error() string { return "index " + strconv.Itoa(e.index) }

// FaultOf returns the reason of the first error of this package in err, and the index in
// spec.sources (ReasonSourceNotFound), in spec.constraints (ReasonInvalidConstraint) or in the used
// sources in their order of preference (ReasonInvalidSource); -1 for others. ok is false if there is none.
func FaultOf(err error) (reason string, index int, ok bool) {
	e := dovetail.AsError(err)
	if e == nil || e.Reason == "" {
		return "", -1, false
	}
	if len(e.Errors) > 0 {
		return FaultOf(e.Errors[0])
	}
	var cause indexed
	if errors.As(e.Err, &cause) {
		return e.Reason, cause.index, true
	}
	return e.Reason, -1, true
}

// faults collects what is wrong with one part of the input. Paths are relative to the part.
type faults []*dovetail.Error

// add notes a fault of v, which stands at path.
func (f *faults) add(v *value.Value, path, remedy, format string, args ...any) {
	if len(*f) >= maxFaults {
		return
	}
	at := v.Position()
	at.Path = path
	*f = append(*f, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf(format, args...), Position: at, Remedy: remedy})
}

// below adds the faults of a part that stands at path; of, if it is not empty, is what messages call it.
func (f *faults) below(path, of string, part faults) {
	for _, e := range part {
		if len(*f) >= maxFaults {
			return
		}
		moved := *e
		moved.Position.Path = path + e.Position.Path
		if of != "" {
			moved.Message = of + ": " + e.Message
		}
		*f = append(*f, &moved)
	}
}

// as returns the faults with a reason and an index.
func (f faults) as(reason string, index int) []*dovetail.Error {
	var out []*dovetail.Error
	for _, e := range f {
		named := *e
		named.Reason, named.Err = reason, indexed{index}
		out = append(out, &named)
	}
	return out
}
