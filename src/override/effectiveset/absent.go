package effectiveset

import (
	"errors"
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// absent is something that macros refer to and that does not exist. It is reported as one error, with the number of places that refer to it.
type absent struct {
	what   string
	places map[dovetail.Position]bool
}

// Error is error.
func (a *absent) Error() string { return "there is no " + a.what }

// absence is the error of a reference to what there is not.
func (c *calculation) absence(what string, at dovetail.Position) *dovetail.Error {
	a := c.absent[what]
	if a == nil {
		a = &absent{what, make(map[dovetail.Position]bool)}
		c.absent[what] = a
	}
	a.places[at] = true
	err := invalid(at, "there is no %s", what)
	err.Err = a
	return err
}

// tellOnce collects an error, or its parts, without those that are about what another one is about.
func tellOnce(errs *dovetail.Errors, err error) {
	e := dovetail.AsError(err)
	if e == nil {
		return
	}
	for _, part := range e.Errors {
		tellOnce(errs, part)
	}
	if len(e.Errors) > 0 {
		errs.Count(e.Omitted())
		return
	}
	var a *absent
	if errors.As(e.Err, &a) {
		for _, other := range errs.Kept() {
			if errors.Is(other.Err, a) {
				return
			}
		}
	}
	errs.Add(e)
}

// countPlaces says of what there is not how many places refer to it, where that is more than one.
func (c *calculation) countPlaces() {
	for _, e := range c.errs.Kept() {
		if a := (*absent)(nil); errors.As(e.Err, &a) && len(a.places) > 1 {
			e.Message += fmt.Sprintf(", to which %d places refer", len(a.places))
		}
	}
}
