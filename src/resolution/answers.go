package resolution

import (
	"slices"
	"sync"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
)

// answers are those to problems over the sources as they are: the resolutions of a set ask for the same where their clusters have the
// same, and each problem is solved once. It is safe for concurrent use, and ready with its zero value.
type answers struct {
	mu   sync.Mutex
	from []*solver.Source
	held map[string]*answered // by state.Request.Problem
}

// maxAnswers bounds how many are held.
const maxAnswers = 256

// answered is an answer, with what it is one to. It is not changed.
type answered struct {
	state.Answer
	spec  *solver.Spec
	reach *solver.Reach // what of the sources decides it; nil if the request is wrong
}

// get returns the answer to a problem over sources, nil where none is held.
func (a *answers) get(problem string, from []*solver.Source) *answered {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Equal(a.from, from) {
		return nil
	}
	return a.held[problem]
}

// put holds an answer, in the place of all to other sources. One that time was too short for is none.
func (a *answers) put(problem string, from []*solver.Source, of *answered) {
	if of.Err == nil && of.Outcome.TimedOut {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held == nil || !slices.Equal(a.from, from) || len(a.held) == maxAnswers {
		a.from, a.held = from, make(map[string]*answered)
	}
	a.held[problem] = of
}
