package solver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Options say how to resolve.
type Options struct {
	// Timeout is the time limit; 0 means that of the spec, or DefaultTimeout if it has none. What Pause waits does not
	// count.
	Timeout time.Duration
	// Pause, where not nil, is called again and again, and may wait to let others work. It returns for how long it did.
	// Its error is that of Resolve.
	Pause func() (time.Duration, error)
	// Deadline is when there must be an answer, all waiting included: without one in time it is that the time was too
	// short. Zero is never.
	Deadline time.Time
	// Now returns the time by which Timeout and Deadline pass; nil means time.Now.
	Now func() time.Time
	// Explain adds to the outcome why preferred candidates were ruled out.
	Explain bool
}

// Outcome is the result: selections, or a conflict, or a timeout.
type Outcome struct {
	Selections []Selection // in the order of choice; nil only if there is no solution
	Plan       []Step      // to the selections from what is installed; nil where the spec asks for none
	Rollback   *Rollback   // of the plan; nil where that has no steps
	Unsat      *Unsat      // nil unless the constraints clash
	TimedOut   bool        // neither is known
	Message    string      // the result in words, in at most MaxMessage bytes
}

// Resolved reports whether the constraints are satisfied by the selections.
func (o *Outcome) Resolved() bool { return o.Selections != nil }

// Selection is one selected version.
type Selection struct {
	Source     string  `json:"source"`
	Package    string  `json:"package"`
	Version    string  `json:"version"`
	Channel    string  `json:"channel"`
	Image      string  `json:"image,omitempty"`
	MediaType  string  `json:"mediaType,omitempty"`  // of the image, by the version's property olm.bundle.mediatype
	Manifests  string  `json:"-"`                    // of the version's property manifests, as JSON
	Deprecated bool    `json:"deprecated,omitempty"` // the version or the package
	Why        Why     `json:"why"`
	Ruled      []Ruled `json:"ruledOut,omitempty"` // with Options.Explain: what would have been preferred
	// More counts what would have been preferred beyond Ruled.
	More int `json:"moreRuledOut,omitempty"`
}

// String is source:name:version:channel.
func (s Selection) String() string {
	return s.Source + ":" + s.Package + ":" + s.Version + ":" + s.Channel
}

// errStopped says that the time limit was reached or the context ended.
var errStopped = errors.New("stopped")

func broken(format string, args ...any) error {
	return &dovetail.Error{Code: dovetail.CodeInternal, Message: "the resolution engine is at fault: " + fmt.Sprintf(format, args...), Remedy: "report it, with the input"}
}

// Resolve finds the preferred solution of a problem, or why there is none. It may be called at any
// time from any number of goroutines. The same problem gives the same outcome, unless the time limit
// comes first. The error is that of an ended context, or has CodeInternal.
func Resolve(ctx context.Context, p *Problem, o Options) (*Outcome, error) {
	limit := cmp.Or(o.Timeout, p.spec.Timeout, DefaultTimeout)
	if o.Now == nil {
		o.Now = time.Now
	}
	c := clock{ctx: ctx, o: &o, end: o.Now().Add(limit)}
	out, err := resolve(p, c.stop, o.Explain)
	if errors.Is(err, errStopped) {
		switch {
		case c.err != nil:
			return nil, c.err
		case ctx.Err() != nil:
			return nil, dovetail.AsError(ctx.Err())
		}
		return &Outcome{TimedOut: true, Message: c.message(limit)}, nil
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// clock measures the time of one resolution.
type clock struct {
	ctx    context.Context
	o      *Options
	end    time.Time // of the time limit
	waited time.Duration
	err    error // of the pause
}

// stop reports whether to give up. Before that it pauses.
func (c *clock) stop() bool {
	if c.o.Pause != nil && c.err == nil {
		var waited time.Duration
		waited, c.err = c.o.Pause()
		c.waited += waited
		c.end = c.end.Add(waited)
	}
	now := c.o.Now()
	return c.err != nil || c.ctx.Err() != nil || now.After(c.end) || !c.o.Deadline.IsZero() && now.After(c.o.Deadline)
}

func (c *clock) message(limit time.Duration) string {
	if c.o.Deadline.IsZero() || c.o.Now().After(c.end) {
		return fmt.Sprintf("no answer within %s", limit)
	}
	return fmt.Sprintf("no answer in time: of it, other resolutions took %s", c.waited.Round(time.Millisecond))
}

func resolve(p *Problem, stop func() bool, explain bool) (*Outcome, error) {
	e, err := encode(newUniverse(p), stop, nil, nil)
	if err != nil {
		return nil, err
	}
	possible, err := e.solve(e.roots...)
	if err != nil {
		return nil, err
	}
	if !possible {
		unsat, err := e.clash()
		if err != nil {
			return nil, err
		}
		if explain && !unsat.Incomplete {
			unsat.Derivation = e.derive(unsat)
		}
		return &Outcome{Unsat: unsat, Message: unsat.Message}, nil
	}
	if p.spec.Planned() {
		return e.resolvePlan()
	}
	selections, err := e.selections(all(len(e.roots)), explain)
	if err != nil {
		return nil, err
	}
	selections = withoutFacts(selections)
	message := fmt.Sprintf("selected %s for %s", count(len(selections), "package"), count(len(e.roots), "constraint"))
	return &Outcome{Selections: selections, Message: message}, nil
}

// selections makes the preferred solution of some of the constraints, and checks it.
func (e *encoding) selections(constraints []int, explain bool) ([]Selection, error) {
	found, err := e.prefer(constraints)
	if err != nil {
		return nil, err
	}
	out := []Selection{}
	for i := range found.choices {
		c := &found.choices[i]
		n := c.option.node
		if n == nil {
			continue
		}
		s := Selection{Source: n.source.Name, Package: n.pkg.Name, Version: n.version.Text, Channel: found.channel(n),
			Image: n.version.Image, MediaType: n.version.mediaType(), Manifests: n.version.manifests(), Deprecated: n.deprecated(), Why: e.why(c.by)}
		if explain {
			if err := e.ruledOut(&s, c, constraints, found.choices[:i]); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	if err := Verify(e.problem.with(constraints), out); err != nil {
		return nil, broken("%s", err)
	}
	return out, nil
}

// with is the problem with some of its constraints only.
func (p *Problem) with(constraints []int) *Problem {
	if len(constraints) == len(p.spec.Constraints) {
		return p
	}
	spec := *p.spec
	spec.Constraints = nil
	for _, i := range constraints {
		spec.Constraints = append(spec.Constraints, p.spec.Constraints[i])
	}
	return &Problem{&spec, p.whole, p.sources, p.needs}
}

// all returns 0 to n-1.
func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// count is "1 package", "2 packages".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
