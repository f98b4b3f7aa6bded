package solver

import (
	"errors"
	"fmt"
	"slices"
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

// faults collects what is wrong with one part of the input: the first errors, and how many more there are. Paths are
// relative to the part.
type faults struct {
	list []*dovetail.Error
	more int
}

// total is how many there are.
func (f *faults) total() int { return len(f.list) + f.more }

// clone returns a copy that can be added to.
func (f faults) clone() faults { return faults{slices.Clone(f.list), f.more} }

// add notes a fault of v, which stands at path.
func (f *faults) add(v *value.Value, path, remedy, format string, args ...any) {
	if len(f.list) >= dovetail.MaxErrors {
		f.more++
		return
	}
	at := v.Position()
	at.Path = path
	f.list = append(f.list, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf(format, args...), Position: at, Remedy: remedy})
}

// below adds the faults of a part that stands at path; of, if it is not empty, is what messages call it.
func (f *faults) below(path, of string, part faults) {
	room := min(len(part.list), dovetail.MaxErrors-len(f.list))
	for _, e := range part.list[:room] {
		moved := *e
		moved.Position.Path = path + e.Position.Path
		if of != "" {
			moved.Message = of + ": " + e.Message
		}
		f.list = append(f.list, &moved)
	}
	f.more += part.total() - room
}

// into collects the faults with a reason and an index.
func (f *faults) into(errs *dovetail.Errors, reason string, index int) {
	for i, e := range f.list {
		if errs.Full() {
			errs.Count(len(f.list) - i)
			break
		}
		named := *e
		named.Reason, named.Err = reason, indexed{index}
		errs.Add(&named)
	}
	errs.Count(f.more)
}

// err joins the faults with a reason; nil without any.
func (f *faults) err(what, reason string) error {
	var errs dovetail.Errors
	f.into(&errs, reason, -1)
	return errs.Err(what)
}
