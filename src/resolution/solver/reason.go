package solver

import (
	"errors"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
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

// below adds the errors of a part that stands at path; of, if it is not empty, is what messages call it.
func below(errs *dovetail.Errors, path, of string, part *dovetail.Errors) {
	move(errs, part, func(e *dovetail.Error) {
		e.Position.Path = path + e.Position.Path
		if of != "" {
			e.Message = of + ": " + e.Message
		}
	})
}

// into adds the errors of a part with a reason and an index.
func into(errs *dovetail.Errors, reason string, index int, part *dovetail.Errors) {
	move(errs, part, func(e *dovetail.Error) { e.Reason, e.Err = reason, indexed{index} })
}

// move adds changed copies of a part's errors, as many as there is room for, and counts the others.
func move(errs, part *dovetail.Errors, change func(*dovetail.Error)) {
	for _, e := range part.Kept() {
		if errs.Full() {
			errs.Count(1)
			continue
		}
		moved := *e
		change(&moved)
		errs.Add(&moved)
	}
	errs.Count(part.Omitted())
}

// clone returns a copy that can be added to.
func clone(errs *dovetail.Errors) dovetail.Errors {
	var c dovetail.Errors
	c.Merge(errs)
	return c
}

// errOf joins errors with a reason; nil without any.
func errOf(errs *dovetail.Errors, what, reason string) error {
	var all dovetail.Errors
	into(&all, reason, -1, errs)
	return all.Err(what)
}
