package simulation

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// run is one schedule of a scenario, step by step.
type run struct {
	scenario   Scenario
	server     *Server
	processes  []*process
	late       []lateRequest
	faults     int // that are left
	expiries   int // that are left
	clock      int // the number of the step
	operations []*operation
	pasts      []*past // the snapshots that were taken
	over       bool
	traced     bool // record the steps as text
	text       []string
}

// lateRequest is a request that has not arrived yet, although its process has got an error for it already.
type lateRequest struct {
	process string
	step    Step
	apply   func()
}

// option is something that may happen next.
type option struct {
	kind    kind
	process *process
	late    int
}

type kind uint8

const (
	proceeds    kind = iota // the process takes its step, or its question is answered with no
	seemsDead               // its question is answered with yes
	arrives                 // a late request arrives
	ends                    // no process is left, and late requests arrive after a sweep
	dies                    // the process dies before its step
	diesAfter               // or after
	isRefused               // the step does not happen, and the process gets an error that says so
	losesAnswer             // the step happens, and the process gets no answer
	isDelayed               // the process gets no answer, and the step happens later or never
)

func start(scenario Scenario, traced bool) *run {
	if scenario.Attempts == 0 {
		scenario.Attempts = 2
	}
	r := &run{scenario: scenario, server: NewServer(), faults: scenario.Faults, expiries: scenario.Expiries, traced: traced}
	for _, doc := range scenario.Documents {
		strong, weak := protocol.Links(doc.References)
		r.server.records[doc.ID] = &protocol.Record{ID: doc.ID, Doc: doc, Strong: sorted(strong), Weak: sorted(weak), Txn: "first", Stamp: r.server.tick()}
	}
	r.server.registry.Level = scenario.Level
	has := func(is func(Action) bool) bool {
		return slices.ContainsFunc(scenario.Processes, func(p Process) bool { return slices.ContainsFunc(p.Actions, is) })
	}
	r.server.late = has(func(a Action) bool { return a.Snapshot }) ||
		slices.ContainsFunc(scenario.Processes, func(p Process) bool { return len(p.Windows) > 0 && !slices.Contains(p.Windows, 0) })
	if scenario.Window > 0 {
		r.server.late, r.server.underway = true, make(map[*Client]uint32)
	}
	r.server.followed = r.server.late || has(func(a Action) bool { return a.Follow > 0 })
	for i := range scenario.Processes {
		p := &process{Process: scenario.Processes[i], run: r, alive: true}
		p.connect(p, scenario.Attempts)
		if scenario.Window > 0 && slices.ContainsFunc(p.Actions, func(a Action) bool { return a.Follow > 0 }) {
			p.connection.gate = nil
			p.follow(context.Background(), 0) // from the beginning on
			p.connection.gate = p
		}
		p.next, p.stop = iter.Pull(p.work)
		r.processes = append(r.processes, p)
		r.resume(p)
	}
	return r
}

// close ends the processes that have not ended.
func (r *run) close() {
	for _, p := range r.processes {
		p.stop()
	}
}

// resume lets the process go on to its next step.
func (r *run) resume(p *process) {
	p.waiting, p.alive = p.next()
}

// options lists what may happen next, always in the same order.
func (r *run) options(options []option) []option {
	if r.over {
		return options
	}
	for _, p := range r.processes {
		if !p.alive {
			continue
		}
		if blocked := p.waiting.step.Blocked; blocked != nil && blocked() {
			continue
		}
		options = append(options, option{kind: proceeds, process: p})
		if p.waiting.question != "" && r.expiries > 0 {
			options = append(options, option{kind: seemsDead, process: p})
		}
	}
	busy := len(options) > 0
	for i := range r.late {
		options = append(options, option{kind: arrives, late: i})
	}
	if !busy && len(r.late) > 0 {
		options = append(options, option{kind: ends})
	}
	if r.faults == 0 {
		return options
	}
	for _, p := range r.processes {
		if !p.alive || p.waiting.question != "" {
			continue
		}
		options = append(options, option{kind: dies, process: p})
		if p.waiting.step.Writes {
			for _, k := range []kind{diesAfter, isRefused, losesAnswer, isDelayed} {
				options = append(options, option{kind: k, process: p})
			}
		}
	}
	return options
}

// take makes one option happen.
func (r *run) take(o option) {
	r.clock++
	r.trace(o)
	if o.kind == arrives {
		apply := r.late[o.late].apply
		r.late = append(r.late[:o.late:o.late], r.late[o.late+1:]...)
		apply()
		return
	}
	if o.kind == ends {
		r.over = true
		return
	}
	p := o.process
	if !p.started {
		p.started = true
		for i, op := range r.operations {
			if op.end < r.clock {
				p.learned = mix(p.learned, uint64(i))
			}
		}
		for _, op := range p.current {
			op.begin = r.clock
		}
	}
	switch o.kind {
	case seemsDead:
		r.expiries--
	case dies, diesAfter, isRefused, losesAnswer, isDelayed:
		r.faults--
	case proceeds, arrives, ends:
	}
	p.err, p.yes = nil, o.kind == seemsDead
	p.learned = mix(p.learned, uint64(o.kind))
	switch o.kind {
	case proceeds, diesAfter, losesAnswer:
		if p.waiting.question == "" {
			p.waiting.apply()
			p.learned = mix(p.learned, p.waiting.step.Learned())
		}
	case isDelayed:
		r.late = append(r.late, lateRequest{p.Name, p.waiting.step, p.waiting.apply})
	case seemsDead, arrives, ends, dies, isRefused:
	}
	if o.kind >= dies { // a write that was under way has ended
		delete(r.server.underway, p.connection)
	}
	switch o.kind {
	case dies, diesAfter:
		p.stop()
		p.alive = false
		r.server.died[p.Name] = true
		return
	case isRefused:
		p.err = refused()
	case losesAnswer, isDelayed:
		p.err = lost()
	case proceeds, seemsDead, arrives, ends:
	}
	r.resume(p)
}

// sum tells the states of runs of one scenario apart.
func (r *run) sum() uint64 {
	sum := r.server.sum()
	for _, p := range r.processes {
		alive := mix(p.learned, sumBool(p.alive))
		sum = mix(sum, mix(alive, sumBool(p.started)))
	}
	for _, l := range r.late {
		sum += mix(7, sumString(l.process+l.step.Text()))
	}
	return mix(sum, uint64(r.faults<<8|r.expiries))
}

var kindText = map[kind]string{
	seemsDead:   ": yes",
	dies:        "  †  dies before: ",
	diesAfter:   "  †  dies after: ",
	isRefused:   "  ×  cannot reach the server: ",
	losesAnswer: "  ?  is not answered: ",
	isDelayed:   "  …  is delayed: ",
}

// trace records what is about to happen.
func (r *run) trace(o option) {
	if !r.traced {
		return
	}
	line := fmt.Sprintf("%3d  ", r.clock)
	switch {
	case o.kind == ends:
		line += "a sweep, and what is late"
	case o.kind == arrives:
		l := r.late[o.late]
		line += l.process + "  …  arrives late: " + l.step.Text()
	case o.process.waiting.question != "":
		line += o.process.Name + "  does it seem dead: " + o.process.waiting.question + kindText[o.kind]
	case o.kind == proceeds:
		line += o.process.Name + "  " + o.process.waiting.step.Text()
	default:
		line += o.process.Name + kindText[o.kind] + o.process.waiting.step.Text()
	}
	r.text = append(r.text, line)
}

// Schedule is the text of what happened, a line each.
func (r *run) schedule() string {
	for _, op := range r.operations {
		r.text = append(r.text, "     "+op.String())
	}
	return strings.Join(r.text, "\n")
}
