package dovetail

import (
	"fmt"
	"slices"
)

// MaxErrors is the maximum length of Error.Errors. Error.Total counts all problems.
const MaxErrors = 100

// Errors collects the errors of an input: it keeps the first MaxErrors and counts the rest. An error with CodeForbidden
// is kept even if it comes later, since it determines the code of the whole. The zero value
// is ready to use. It is not safe for concurrent use.
type Errors struct {
	kept    []*Error
	total   int
	forbids bool
}

// Add collects errors. It ignores nil.
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

// Join collects the errors in err.Errors and counts the omitted ones; if there are none, it collects err itself.
func (c *Errors) Join(err error) {
	e := AsError(err)
	if e == nil || len(e.Errors) == 0 {
		c.Add(e)
		return
	}
	c.Add(e.Errors...)
	c.Count(e.Omitted())
}

// Merge adds the errors of another collector.
func (c *Errors) Merge(other *Errors) {
	c.Add(other.kept...)
	c.Count(other.Omitted())
}

// Count counts n errors without keeping them, for instance because the collector is full.
func (c *Errors) Count(n int) { c.total += n }

// Full reports whether further errors are only counted, except those with CodeForbidden: the caller need not describe them.
func (c *Errors) Full() bool { return len(c.kept) >= MaxErrors }

// Forbids reports whether one of the errors has CodeForbidden.
func (c *Errors) Forbids() bool { return c.forbids }

// Total returns how many errors were collected or counted.
func (c *Errors) Total() int { return c.total }

// Kept returns the errors that were kept, in the order in which they were added. The caller must not change the slice.
func (c *Errors) Kept() []*Error { return c.kept }

// Omitted returns how many errors were not kept.
func (c *Errors) Omitted() int { return c.total - len(c.kept) }

// Sort sorts the errors that were kept. The sort is stable.
func (c *Errors) Sort(compare func(a, b *Error) int) { slices.SortStableFunc(c.kept, compare) }

// Err returns nil if there are no errors, the error if there is one, or an error that contains all of them, with the code and the
// reason of the first. what names their subject in the message, such as "invalid schema".
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
