package dovetail

import (
	"fmt"
	"slices"
)

// MaxErrors is how many parts an error carries. Error.Total counts them all.
const MaxErrors = 100

// Errors collects what is wrong with an input: the first MaxErrors, and how many there are in all. One of
// CodeForbidden is kept even if it comes later, since it decides what the whole is refused with. The zero value
// is ready to use.
type Errors struct {
	kept    []*Error
	total   int
	forbids bool
}

// Add collects errors. Nil ones do not count.
func (c *Errors) Add(errs ...*Error) {
	for _, e := range errs {
		if e == nil {
			continue
		}
		c.total++
		forbids := e.Code == CodeForbidden
		switch {
		case len(c.kept) < MaxErrors:
			c.kept = append(c.kept, e)
		case forbids && !c.forbids:
			c.kept[MaxErrors-1] = e
		}
		c.forbids = c.forbids || forbids
	}
}

// Join collects the parts of an error, and how many it has left out; an error without parts is one.
func (c *Errors) Join(err error) {
	e := AsError(err)
	if e == nil || len(e.Errors) == 0 {
		c.Add(e)
		return
	}
	c.Add(e.Errors...)
	c.Count(e.Omitted())
}

// Merge adds what another collector has.
func (c *Errors) Merge(other *Errors) {
	c.Add(other.kept...)
	c.Count(other.Omitted())
}

// Count counts errors that are not described, for instance because the collector is full.
func (c *Errors) Count(n int) { c.total += n }

// Full says whether further errors only count, those of CodeForbidden aside: then they need no words.
func (c *Errors) Full() bool { return len(c.kept) >= MaxErrors }

// Forbids says whether one of the errors is of CodeForbidden.
func (c *Errors) Forbids() bool { return c.forbids }

// Total is how many errors were collected or counted.
func (c *Errors) Total() int { return c.total }

// Kept are the errors that were kept, in the order in which they came. The slice is the collector's own.
func (c *Errors) Kept() []*Error { return c.kept }

// Omitted is how many errors were not kept.
func (c *Errors) Omitted() int { return c.total - len(c.kept) }

// Sort orders the errors that were kept.
func (c *Errors) Sort(compare func(a, b *Error) int) { slices.SortStableFunc(c.kept, compare) }

// Err returns nil for no errors, the one error, or one error that carries them, with the code and the reason of
// the first. what says, for the message, what the errors are about: "invalid schema".
func (c *Errors) Err(what string) error {
	switch {
	case c.total == 0:
		return nil
	case c.total == 1 && len(c.kept) == 1:
		return c.kept[0]
	}
	e := &Error{Code: CodeInvalid, Message: fmt.Sprintf("%s: %d errors", what, c.total), Errors: c.kept}
	if len(c.kept) > 0 {
		e.Code, e.Reason = c.kept[0].Code, c.kept[0].Reason
	}
	if c.total > len(c.kept) {
		e.Total = c.total
	}
	return e
}
