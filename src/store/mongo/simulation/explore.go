package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Result is what exploring a scenario came to.
type Result struct {
	Runs   int
	States int
	// Whole says that every schedule was seen, up to those that lead to the same state.
	Whole bool
	// Violation is the first schedule that broke a promise, nil if there was none.
	Violation *Violation
}

// Violation is a schedule that breaks a promise.
type Violation struct {
	Problem  string
	Choices  []int  // for Replay
	Schedule string // the steps, as text
}

// Error gives the problem and the schedule.
func (v *Violation) Error() string { return v.Problem + "\n" + v.Schedule }

// Explore tries all schedules of the scenario, depth first, each state once; at most this many states
// (0: all).
func (s Scenario) Explore(states int) Result {
	result := Result{Whole: true}
	seen := make(map[uint64]struct{})
	var path []choice
	for {
		pruned := func(sum uint64) bool {
			if _, known := seen[sum]; known {
				return true
			}
			if states > 0 && len(seen) >= states {
				result.Whole = false
				return true
			}
			seen[sum] = struct{}{}
			return false
		}
		var problem string
		path, problem = s.follow(path, pruned)
		result.Runs++
		if problem != "" {
			result.Violation = s.Replay(choicesOf(path))
			break
		}
		for len(path) > 0 && path[len(path)-1].taken+1 == path[len(path)-1].of {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			break
		}
		path[len(path)-1].taken++
	}
	result.States = len(seen)
	return result
}

// choice is one point of a schedule: which of how many options was taken.
type choice struct{ taken, of int }

func choicesOf(path []choice) []int {
	choices := make([]int, len(path))
	for i, c := range path {
		choices[i] = c.taken
	}
	return choices
}

// follow runs the path, and from its end on the first option each time, until the run is over or
// reaches a state that prunes it.
func (s Scenario) follow(path []choice, pruned func(uint64) bool) (whole []choice, problem string) {
	r := start(s, false)
	defer r.close()
	var options []option
	for depth := 0; ; depth++ {
		options = r.options(options[:0])
		if len(options) == 0 {
			return path, r.finish()
		}
		if depth == len(path) {
			if pruned(r.sum()) {
				return path, ""
			}
			path = append(path, choice{0, len(options)})
		} else if path[depth].of != len(options) {
			panic(fmt.Sprintf("a run of %q went another way the second time", s.Name))
		}
		r.take(options[path[depth].taken])
		if problem := r.dangling(); problem != "" {
			return path[:depth+1], problem
		}
	}
}

// Sample runs random schedules of the scenario.
func (s Scenario) Sample(random *rand.Rand, runs int) Result {
	result := Result{Runs: runs}
	var options []option
	for range runs {
		r := start(s, false)
		var path []int
		problem := ""
		for problem == "" {
			options = r.options(options[:0])
			if len(options) == 0 {
				problem = r.finish()
				break
			}
			at := draw(random, options)
			path = append(path, at)
			r.take(options[at])
			problem = r.dangling()
		}
		r.close()
		if problem != "" {
			result.Violation = s.Replay(path)
			break
		}
	}
	return result
}

// draw picks an option. Faults are rare, so that they come at all times and not only early.
func draw(random *rand.Rand, options []option) int {
	const rare = 25
	for {
		at := random.IntN(len(options))
		if options[at].kind < dies || random.IntN(rare) == 0 {
			return at
		}
	}
}

// Replay runs one schedule again and traces it. It returns nil if nothing is wrong with it.
func (s Scenario) Replay(choices []int) *Violation {
	r := start(s, true)
	defer r.close()
	for _, at := range choices {
		options := r.options(nil)
		if at >= len(options) {
			return nil
		}
		r.take(options[at])
		if problem := r.dangling(); problem != "" {
			return &Violation{problem, choices, r.schedule()}
		}
	}
	if problem := r.finish(); problem != "" {
		return &Violation{problem, choices, r.schedule()}
	}
	return nil
}

// visible is what readers see now.
func (r *run) visible() state {
	seen := make(state, len(r.server.records))
	for id, record := range r.server.records {
		doc := record.Doc
		if m := record.Intent; m != nil {
			entry, there := r.server.entries[m.Txn]
			happened := m.Multi && !m.LockOnly && there && entry.State != protocol.Pending
			switch {
			case m.Op == protocol.Create && !happened, m.Op == protocol.Delete && happened:
				doc = nil
			case m.Op == protocol.Update && happened:
				doc = m.Next
			}
		}
		if doc != nil {
			seen[id] = doc
		}
	}
	return seen
}

// dangling looks for a document that readers see without its parent, without one that it refers to, or without its claim.
func (r *run) dangling() string {
	seen := r.visible()
	if problem := seen.dangling(); problem != "" {
		return problem
	}
	return seen.unclaimed()
}

func (s state) dangling() string {
	for id, doc := range s {
		if parent := parentOf(id); parent != "" && s[parent] == nil {
			return fmt.Sprintf("%s dangles: its parent is not there", id)
		}
		for _, ref := range doc.References {
			if !ref.Weak && s[ref.ID] == nil {
				return fmt.Sprintf("%s dangles: %s is not there", id, ref.ID)
			}
		}
	}
	return ""
}

func parentOf(id dovetail.ID) dovetail.ID {
	name := strings.LastIndexByte(string(id), '/')
	parent := strings.LastIndexByte(string(id[:name]), '/')
	return id[:max(parent, 0)]
}

// finish lets a sweep resolve what is left, and late requests arrive after all, and then looks whether
// anything is left, and whether the history is right.
func (r *run) finish() string {
	if problem := r.undecided(); problem != "" {
		return problem
	}
	for len(r.late) > 0 {
		if problem := r.sweep(); problem != "" {
			return problem
		}
		r.take(option{kind: arrives})
	}
	if problem := r.sweep(); problem != "" {
		return problem
	}
	final := r.visible()
	if r.server.over {
		final[timeOver.ID] = timeOver
	}
	first := make(state, len(r.scenario.Documents))
	for _, doc := range r.scenario.Documents {
		first[doc.ID] = doc
	}
	if !explains(first, final, events(r.operations)) {
		return "no order of the operations explains the answers and what is stored in the end"
	}
	if problem := r.checkPasts(); problem != "" {
		return problem
	}
	return r.checkFeeds(final)
}

// sweep resolves all that is left, as a process does that has seen it for long.
func (r *run) sweep() string {
	sweeper := &process{Process: Process{Name: "sweeper"}, run: r}
	env := sweeper.env(1)
	env.Expired = func(string) bool { return true }
	env.Level = func() protocol.Level { return protocol.NewestLevel }
	engine := protocol.New(r.server.Connect(nil), env, "")
	if _, err := engine.Sweep(context.Background()); err != nil {
		return err.Error()
	}
	for _, record := range r.server.records {
		if record.Intent != nil {
			return "after the sweep there is " + describe(record)
		}
	}
	for _, entry := range r.server.entries {
		if entry.State == protocol.Pending || entry.State == protocol.Committed {
			return "after the sweep the log says " + entry.Txn + " " + string(entry.State)
		}
	}
	return r.dangling()
}
