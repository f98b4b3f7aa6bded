package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// cellTurns is how many operations a cell sees before another takes its place.
const cellTurns = 120

// load is what clients share.
type load struct {
	recorder
	processes []*Process
	began     time.Time
	seed      uint64
	numbers   atomic.Int64 // of operations, and of the states that they write

	cellsMutex sync.Mutex
	cells      []*cell // that are in use
	made       int
}

type cell struct {
	name  string
	turns int
}

// takeCell chooses a cell, and replaces those that have had their turns.
func (l *load) takeCell(random *rand.Rand) string {
	const atOnce = 4
	l.cellsMutex.Lock()
	defer l.cellsMutex.Unlock()
	for len(l.cells) < atOnce {
		l.made++
		l.cells = append(l.cells, &cell{name: "c" + strconv.Itoa(l.made)})
	}
	i := random.IntN(len(l.cells))
	c := l.cells[i]
	if c.turns++; c.turns >= cellTurns {
		l.cells = append(l.cells[:i], l.cells[i+1:]...)
	}
	return c.name
}

// client is one source of operations: it sends the next when it has done with the one before.
type client struct {
	*load
	number   int
	random   *rand.Rand
	versions map[string]Document // of documents as it saw them last
	position map[string]string   // of the last snapshot of a cell
}

func (l *load) client(number int) *client {
	return &client{load: l, number: number, random: rand.New(rand.NewPCG(l.seed, uint64(number))), versions: make(map[string]Document), position: make(map[string]string)} //nolint:gosec // no secret
}

// run works until the context ends. What is under way then goes on to its end.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		c.turn()
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(c.random.IntN(30)) * time.Millisecond):
		}
	}
}

// reach sends something to one process after the other until it reaches one.
func (c *client) reach(send func(address string) *answer) *answer {
	const most = 100
	for range most {
		if a := send(c.processes[c.random.IntN(len(c.processes))].Address); a.code != "unreachable" {
			return a
		}
		c.backOff()
	}
	return &answer{code: "unreachable"}
}

// turn does one operation.
func (c *client) turn() {
	if o := c.next(); len(o.Writes) > 0 {
		c.do(o)
	} else {
		c.read(o)
	}
}

// next draws an operation.
func (c *client) next() *Operation {
	name := c.takeCell(c.random)
	o := &Operation{Number: int(c.numbers.Add(1)), Cell: name}
	switch k := c.random.IntN(100); {
	case k < 22:
		o.Kind, o.Read = "get", "cell/"+name+cellDocuments[c.random.IntN(cellSize)]
	case k < 32:
		o.Kind = "snapshot"
		if at, ok := c.position[name]; ok && c.random.IntN(3) == 0 {
			o.Kind, o.Position = "past", at
		}
	case k < 46:
		c.draw(o, "create")
	case k < 64:
		c.draw(o, "put")
	case k < 76:
		c.draw(o, "patch")
	case k < 85:
		c.draw(o, "delete")
	case k < 90:
		c.draw(o, "cascade")
	default:
		o.Kind = "batch"
		for i := range cellDocuments {
			if c.random.IntN(3) == 0 {
				do := []string{"put", "put", "create", "delete", "patch"}[c.random.IntN(5)]
				o.Writes = append(o.Writes, c.write(do, name, i))
			}
		}
		if len(o.Writes) == 0 {
			o.Writes = append(o.Writes, c.write("put", name, 0))
		}
	}
	return o
}

// draw makes an operation of one write. The root is deleted seldom, since that ends the cell for all.
func (c *client) draw(o *Operation, do string) {
	i := c.random.IntN(cellSize)
	if i == 0 && (do == "delete" || do == "cascade") && c.random.IntN(3) > 0 {
		i = 3
	}
	if (do == "create" || do == "put") && c.random.IntN(5) == 0 {
		i = 0
	}
	o.Kind = do
	w := c.write(do, o.Cell, i)
	if seen, ok := c.versions[w.ID]; ok && do != "create" && c.random.IntN(3) == 0 {
		state := seen.State
		w.Expect, w.Tag = &state, `"`+seen.Version+`"`
	}
	o.Writes = []Write{w}
}

// write makes one write with a state that no other write has.
func (c *client) write(do, cell string, index int) Write {
	w := Write{Do: do, ID: "cell/" + cell + cellDocuments[index]}
	switch do {
	case "delete", "cascade":
		return w
	case "patch":
		w.State.M = int(c.numbers.Add(1))
	default:
		w.State.N = int(c.numbers.Add(1))
	}
	if isItem(index) && c.random.IntN(2) == 0 {
		w.State.Target = "cell/" + cell + cellDocuments[1+c.random.IntN(2)]
	}
	return w
}

// read does a read.
func (c *client) read(o *Operation) {
	o.Attempts = 1
	o.Call = time.Since(c.began)
	a := c.reach(func(address string) (a *answer) {
		if o.Kind == "get" {
			o.Seen, a = get(context.Background(), address, o.Read, "")
		} else {
			o.Seen, a = snapshot(context.Background(), address, o.Cell, o.Position)
		}
		return a
	})
	if o.Kind != "get" && a.code == "" {
		o.Position, c.position[o.Cell] = a.position, a.position
	}
	o.Return = time.Since(c.began)
	o.Outcome, o.Code, o.Detail = a.outcome(), a.code, a.detail
	for _, d := range o.Seen {
		if o.Kind != "past" {
			c.versions[d.ID] = d
		}
	}
	if o.Outcome == Refused {
		c.backOff()
	}
	c.add(record{Operation: o})
}

// do does a write, most with an idempotency key, which makes it safe to try through other processes until its outcome is known.
func (c *client) do(o *Operation) {
	const attempts = 6
	if o.settle || c.random.IntN(3) > 0 {
		o.Key = fmt.Sprintf("key-%d-%d", c.seed, o.Number)
	}
	ctx := context.Background()
	o.Call = time.Since(c.began)
	unknown := false
	var a *answer
	for {
		o.Attempts++
		a = c.reach(func(address string) *answer { return o.send(ctx, address) })
		o.Outcome, o.Code, o.Detail = a.outcome(), a.code, a.detail
		if o.Outcome == Refused && unknown {
			o.Outcome = Unknown // an attempt before may still do it
		}
		unknown = unknown || o.Outcome == Unknown
		again := unknown && o.Outcome != Done || a.code == "unavailable" || a.code == "unreachable" || a.code == "conflict"
		if o.Key == "" || !again || o.Attempts >= attempts {
			break
		}
		c.backOff()
	}
	if o.Outcome == Unknown && o.Key != "" && (o.settle || c.random.IntN(2) == 0) {
		c.abort(ctx, o)
	}
	o.Return = time.Since(c.began)
	if o.Key != "" && a.code == "" && o.Outcome == Done {
		c.repeat(ctx, o, a)
	}
	if o.Outcome == Refused && !explains(o.Code) {
		c.backOff()
	}
	c.add(record{Operation: o})
}

// abort makes sure that a write whose outcome is unknown does not happen any more, if it has not happened.
func (c *client) abort(ctx context.Context, o *Operation) {
	a := c.reach(func(address string) *answer {
		return call(ctx, address, http.MethodDelete, "/v2/idempotency-keys/"+o.Key, nil, nil)
	})
	if a.code != "" {
		return
	}
	if string(a.body) == `{"state":"aborted"}` {
		o.Outcome, o.Code = Refused, "aborted"
	} else {
		o.Outcome, o.Code = Done, ""
	}
}

// repeat sends some of the writes that were done again: they must be answered as the first time, and not be done again.
func (c *client) repeat(ctx context.Context, o *Operation, first *answer) {
	o.Versions = []string{first.tag}
	if c.random.IntN(3) > 0 {
		return
	}
	o.Attempts++
	if again := c.reach(func(address string) *answer { return o.send(ctx, address) }); again.code == "" {
		o.Versions = append(o.Versions, again.tag)
	} else if explains(again.code) {
		c.finding("%s was done, and refused when it was sent again: %s %s", o, again.code, again.detail)
	}
}

func (c *client) backOff() { time.Sleep(time.Duration(20+c.random.IntN(400)) * time.Millisecond) }

// bulk creates and deletes many documents at once, in a cell that only it writes, until the context ends.
func (c *client) bulk(ctx context.Context) {
	for ctx.Err() == nil {
		name := fmt.Sprintf("bulk%d-%d", c.number, c.numbers.Add(1))
		size := 20 + c.random.IntN(180)
		o := &Operation{Number: int(c.numbers.Add(1)), Kind: "bulk", Writes: []Write{{Do: "put", ID: "cell/" + name, State: State{N: 1}}}}
		for i := range size {
			o.Writes = append(o.Writes, Write{Do: "put", ID: fmt.Sprintf("cell/%s/target/b%d", name, i), State: State{N: int(c.numbers.Add(1))}})
		}
		c.do(o)
		if o.Outcome == Refused {
			continue
		}
		look := &Operation{Number: int(c.numbers.Add(1)), Kind: "snapshot", Attempts: 1, Call: time.Since(c.began)}
		a := c.reach(func(address string) (a *answer) {
			look.Seen, a = snapshot(context.Background(), address, name, "")
			return a
		})
		look.Return, look.Outcome, look.Code = time.Since(c.began), a.outcome(), a.code
		if look.Outcome == Done && o.Outcome == Done && len(look.Seen) != size+1 {
			c.finding("%d of the documents of op %d are there", len(look.Seen), o.Number)
		}
		c.add(record{Operation: look})
		c.do(&Operation{Number: int(c.numbers.Add(1)), Kind: "bulk-cascade", Writes: []Write{{Do: "cascade", ID: "cell/" + name}}})
	}
}
