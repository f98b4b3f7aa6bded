package simulation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// Scenario is a small world: what is stored at first, and what processes then do, all at once.
type Scenario struct {
	Name      string
	Documents []*dovetail.Document
	Processes []Process

	// Faults is how many things go wrong in one run at most: a process dies, the server cannot be
	// reached, an answer is lost, a request arrives late.
	Faults int
	// Expiries is how many times in one run a live process may seem dead to another.
	Expiries int
	// Attempts is how often a commit is tried; default 2.
	Attempts int
	// Window, where not zero, is the VisibilityWindow of all, and time passes, by Action.Pass.
	Window time.Duration
	// Level, where not zero, is that of the store at first, and processes announce themselves. Otherwise all use the newest.
	Level protocol.Level
}

// Process does its actions one after the other.
type Process struct {
	Name    string
	Actions []Action
	// Lazy: what is left of an action after its answer is done after the last action, not after each.
	Lazy bool
	// Windows, where not empty, has the process follow the changes at so many engines in turns, each with the cursor of the one before,
	// which names at most Named commits. Each is the VisibilityWindow of one; where none is zero writes become visible late.
	Windows []time.Duration
	Named   int
	// Polls has the process stay at the engine by which it follows the changes, and look by one more poll each time, pollEvery after the last.
	Polls bool
	// Few, where not zero, is how many transactions a look at the changes takes at most.
	Few int
	// Knows is the newest level that the process knows; default protocol.NewestLevel.
	Knows protocol.Level
	// Wrap, if it is not nil, is put between the process and the server: a defect.
	Wrap func(protocol.Server) protocol.Server
}

// Action is one thing that a process does. One member is set.
type Action struct {
	Commit *store.Txn
	Group  []GroupMember
	Read   dovetail.ID
	// Change reads a document and does the transaction that comes of what is there, if any.
	Change *Reaction
	// Remove deletes a document, whichever is there, with Engine.Remove where that does it.
	Remove dovetail.ID
	Sweep  bool
	// Reserve writes an entry of the log ahead, which the next transaction takes that needs one.
	Reserve bool
	Purge   bool
	// Announce has the process announce itself once more, and use the level that it finds. Raise raises the level.
	Announce, Raise bool
	// Pass has seconds pass.
	Pass uint32
	// EndTime has the server's clock show timeLimit from then on.
	EndTime bool
	// Follow looks so many times for changes, each time from where it was before. Of a process that
	// does, the simulation demands in the end that it has learned of everything.
	Follow int
	// Snapshot takes a snapshot of now and reads it twice. The simulation demands that each shows what was committed
	// before, that nothing dangles in it, and that it is the same whenever it is read. With Head it is of the position that Head returns.
	Snapshot, Head bool
}

// Reaction is a transaction that depends on what is read.
type Reaction struct {
	Read dovetail.ID
	Then func(*dovetail.Document) *store.Txn
}

// GroupMember is a creation in a group.
type GroupMember struct {
	Document *dovetail.Document
	Targets  []dovetail.ID
}

func (p Process) wrap(connection *Client) protocol.Server {
	if p.Wrap == nil {
		return connection
	}
	return p.Wrap(connection)
}

// process is a Process that runs: a coroutine that stops before every step that it takes.
type process struct {
	Process
	run    *run
	engine *protocol.Engine
	others []*protocol.Engine // where it follows the changes, where Windows are set
	looks  int                // at the changes, so far
	polls  polls              // of a process that Polls
	next   func() (request, bool)
	stop   func()
	yield  func(request) bool

	alive      bool
	ended      bool    // it has done all that it does, and is alive
	waiting    request // what it is about to do
	err        error   // what its last step returned
	yes        bool    // what it is answered
	learned    uint64  // all that it has learned, which is all that it decides by
	txns       int
	started    bool // the current operation has taken a step
	current    []*operation
	created    []*protocol.Created    // the creations of which it has not taken the intents away yet
	made       []*protocol.Replaced   // the updates of which it has not kept yet what they replaced
	reserved   []string               // the transactions of entries that were written ahead
	unresolved []*protocol.Unresolved // the committed transactions whose intents it has not taken away yet
	refused    []dovetail.ID          // of which it was refused a deletion
	feed       *feed                  // of a process that follows the changes
	level      protocol.Level         // that it uses
	levels     protocol.LevelServer
	connection *Client
}

// request is a step of a process, or its question whether another seems dead.
type request struct {
	step     Step
	apply    func()
	question string
}

// killed unwinds a process that dies.
type killed struct{}

func (p *process) ask(r request) {
	if !p.yield(r) {
		panic(killed{})
	}
}

// Step implements Gate.
func (p *process) Step(step Step, apply func()) error {
	p.ask(request{step: step, apply: apply})
	return p.err
}

// env answers what the protocol asks of its surroundings: time stands still, and chance is the
// schedule's.
func (p *process) env(attempts int) protocol.Env {
	return protocol.Env{
		NewTxn: func() string {
			p.txns++
			return fmt.Sprintf("%s%d", p.Name, p.txns)
		},
		Pause: func(_ context.Context, attempt int) (bool, error) { return attempt < attempts, nil },
		Expired: func(key string) bool {
			p.ask(request{question: key})
			return p.yes
		},
		Parallel: func(functions ...func()) {
			for _, f := range functions {
				f()
			}
		},
		Heartbeat: func(context.Context, *protocol.Engine, string) {},
		Detached:  func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} },
		Consistent: func(ctx context.Context) (context.Context, context.CancelFunc, bool) {
			return ctx, func() {}, false // all reads are
		},
		SubmitCreation: func(ctx context.Context, e *protocol.Engine, c *protocol.Creation) {
			e.CreateGroup(ctx, []*protocol.Creation{c})
		},
		SubmitCreated:    func(_ *protocol.Engine, c *protocol.Created) { p.created = append(p.created, c) },
		SubmitReplaced:   func(_ *protocol.Engine, r *protocol.Replaced) { p.made = append(p.made, r) },
		SubmitUnresolved: func(_ *protocol.Engine, u *protocol.Unresolved) { p.unresolved = append(p.unresolved, u) },
		TakeEntry:        p.takeEntry,
		TakeReplaced:     p.take,
		Refused:          func(id dovetail.ID) { p.refused = append(p.refused, id) },
		RefusedLately:    func(id dovetail.ID) bool { return slices.Contains(p.refused, id) },
		KeepNow:          func() {},
		Clock:            p.localClock,
		VisibilityWindow: p.run.scenario.Window,
		UsualDelay:       time.Second,
		Resolved:         func(bool, int) {},
		Listen:           listen,
		CursorCommits:    40,
		Level:            func() protocol.Level { return p.level },
	}
}

// work does the actions. It runs as a coroutine of the schedule.
func (p *process) work(yield func(request) bool) {
	p.yield = yield
	defer func() {
		if r := recover(); r != nil {
			if _, dies := r.(killed); !dies {
				panic(r)
			}
		}
	}()
	ctx := context.Background()
	if !p.join(ctx) {
		p.ended = true
		return
	}
	for i, action := range p.Actions {
		switch {
		case action.Commit != nil:
			op := p.begin(&operation{txn: action.Commit})
			op.answer(p.engine.Commit(ctx, *action.Commit))
		case action.Group != nil:
			p.createGroup(ctx, action.Group)
		case action.Read != "":
			p.read(ctx, action.Read)
		case action.Change != nil:
			doc := p.read(ctx, action.Change.Read)
			if txn := action.Change.Then(doc); txn != nil {
				p.end()
				op := p.begin(&operation{txn: txn})
				op.answer(p.engine.Commit(ctx, *txn))
			}
		case action.Remove != "":
			p.remove(ctx, action.Remove)
		case action.Sweep:
			_, _ = p.engine.Sweep(ctx) // what fails is left to the next
		case action.Reserve:
			if txns, err := p.engine.Reserve(ctx, 1); err == nil {
				p.reserved = append(p.reserved, txns...)
			}
		case action.Purge:
			_ = p.engine.Purge(ctx, 0)
		case action.Announce:
			if !p.join(ctx) {
				return
			}
		case action.Raise:
			p.raise(ctx)
		case action.Pass > 0:
			p.pass(action.Pass)
		case action.EndTime:
			op := p.begin(&operation{txn: &store.Txn{Puts: []*dovetail.Document{timeOver}}})
			_ = p.Step(Step{Text: func() string { return "end the time" }, Learned: func() uint64 { return 0 }}, func() { p.run.server.over = true })
			op.outcome = applied
		case action.Follow > 0:
			p.follow(ctx, action.Follow)
		case action.Snapshot:
			p.takeSnapshot(ctx, action.Head)
		}
		p.end()
		if !p.Lazy || i == len(p.Actions)-1 {
			p.keep(ctx)
		}
	}
	if p.run.scenario.Level != 0 {
		_ = p.levels.Leave(ctx, p.Name) // otherwise it expires
	}
	p.ended = true
}

// takeEntry takes an entry that was written ahead.
func (p *process) takeEntry(*protocol.Engine) (txn string) {
	if len(p.reserved) > 0 {
		txn, p.reserved = p.reserved[0], p.reserved[1:]
	}
	return txn
}

// take takes back an update of which it is to be kept what it replaced.
func (p *process) take(id dovetail.ID) *protocol.Replaced {
	at := slices.IndexFunc(p.made, func(r *protocol.Replaced) bool { return r.ID() == id })
	if at < 0 {
		return nil
	}
	taken := p.made[at]
	p.made = slices.Delete(slices.Clone(p.made), at, at+1)
	return taken
}

// keep does what is left of the last action after its answer: it keeps what updates have replaced, and takes the intents of
// committed transactions away.
func (p *process) keep(ctx context.Context) {
	if created := p.created; len(created) > 0 {
		p.created = nil
		_ = p.engine.ClearCreated(ctx, created) // what fails is left to others
		p.end()
	}
	if left := p.unresolved; len(left) > 0 {
		p.unresolved = nil
		_ = p.engine.Resolve(ctx, left) // what fails is left to others
		p.end()
	}
	if made := p.made; len(made) > 0 {
		p.made = nil
		_ = p.engine.KeepReplaced(ctx, made) // what fails is left to others
		p.end()
	}
}

func (p *process) read(ctx context.Context, id dovetail.ID) *dovetail.Document {
	op := p.begin(&operation{read: id})
	doc, err := p.engine.Get(ctx, id)
	op.sees(doc, err)
	return doc
}

// remove deletes what is there by Engine.Remove, or else by a transaction on what it has read.
func (p *process) remove(ctx context.Context, id dovetail.ID) {
	var op *operation
	done, err := p.engine.Remove(ctx, id, store.Provenance{}, func(doc *dovetail.Document) (store.Txn, bool) {
		txn := deletionOf(doc)
		op = p.begin(&operation{txn: &txn})
		p.started = false
		return txn, true
	})
	if op != nil {
		if op.outcome = never; done {
			op.outcome = applied
		} else if err != nil {
			op.answer(err)
		}
	}
	p.end()
	if done || err != nil {
		return
	}
	if doc := p.read(ctx, id); doc != nil {
		p.end()
		txn := deletionOf(doc)
		op := p.begin(&operation{txn: &txn})
		op.answer(p.engine.Commit(ctx, txn))
	}
}

// deletionOf is the transaction that deletes documents, as the store makes it.
func deletionOf(documents ...*dovetail.Document) (txn store.Txn) {
	for _, d := range documents {
		txn.Require = append(txn.Require, store.Condition{Test: store.AtVersion, ID: d.ID, Version: d.ETag()},
			store.Condition{Test: store.Childless, ID: d.ID}, store.Condition{Test: store.Unreferenced, ID: d.ID})
		txn.Deletes = append(txn.Deletes, d.ID)
	}
	return txn
}

func (p *process) createGroup(ctx context.Context, members []GroupMember) {
	creations := make([]*protocol.Creation, len(members))
	ops := make([]*operation, len(members))
	for i, m := range members {
		creations[i] = protocol.NewCreation(m.Document, m.Targets)
		txn := store.Txn{Require: []store.Condition{{Test: store.Absent, ID: m.Document.ID}}, Puts: []*dovetail.Document{m.Document}}
		for _, target := range m.Targets {
			txn.Require = append(txn.Require, store.Condition{Test: store.Exists, ID: target})
		}
		ops[i] = p.begin(&operation{txn: &txn})
	}
	p.engine.CreateGroup(ctx, creations)
	for i, c := range creations {
		switch created, err := c.Result(); {
		case created:
			ops[i].answer(nil)
		case err == nil:
			ops[i].outcome = never
		default:
			ops[i].answer(err)
		}
	}
}

// begin notes an operation: it begins with the next step. What has ended by then counts for the order
// of operations, and so for what the process knows.
func (p *process) begin(op *operation) *operation {
	op.process = p.Name
	op.begin, op.end, op.outcome = math.MaxInt, math.MaxInt, maybe
	p.current = append(p.current, op)
	p.run.operations = append(p.run.operations, op)
	return op
}

// end notes that the current operations have been answered.
func (p *process) end() {
	for _, op := range p.current {
		if op.outcome != maybe {
			op.end = p.run.clock
		}
	}
	p.current, p.started = nil, false
}
