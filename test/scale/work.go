package scale

import "time"

// step is a command of an operation, and what it takes more for each further document of a group.
type step struct {
	command Command
	more    Command
}

// load is what a command takes of the primary of a shard.
type load struct {
	processor time.Duration
	bytes     float64 // that it sends
	pages     float64 // that it reads from disk
}

func (l load) plus(other load) load {
	return load{l.processor + other.processor, l.bytes + other.bytes, l.pages + other.pages}
}

func (l load) times(n float64) load {
	return load{time.Duration(float64(l.processor) * n), l.bytes * n, l.pages * n}
}

// plan is a site with the steps of its operations.
type plan struct {
	*Site
	missed float64 // of the pages of indexes

	get, create, update, remove operation
	polled                      struct{ change, entry float64 } // bytes of a change in a poll
	poll                        []step
	sweep                       []step
}

type operation struct{ before, after []step }

// scattered is which part of the keys that are written lie anywhere in their index; the others are at its end, in pages that are cached.
const scattered = 0.7

// newPlan looks up what the operations of a site cost.
func newPlan(s *Site, c Costs) (*plan, error) {
	p := &plan{Site: s}
	var err error
	if p.missed, err = s.missing(c); err != nil {
		return nil, err
	}
	var create operation
	var creations, none, changes, deletions Operation
	for _, o := range []struct {
		name string
		to   *Operation
	}{{"20 creations of a group", &creations}, {"poll of 0 changes", &none}, {"poll of 100 creations", &changes}, {"poll of 20 deletions", &deletions}} {
		if *o.to, err = c.Operation(o.name); err != nil {
			return nil, err
		}
	}
	for _, o := range []struct {
		name string
		to   *operation
	}{{"get", &p.get}, {"create", &create}, {"update", &p.update}, {"delete of a leaf", &p.remove}} {
		measured, err := c.Operation(o.name)
		if err != nil {
			return nil, err
		}
		*o.to = operation{steps(measured.Commands), steps(measured.After)}
	}
	for i := range create.before {
		create.before[i].more = difference(creations.Commands[i], create.before[i].command, 19)
	}
	p.create = create
	p.poll = steps(none.Commands)
	sweep, err := c.Operation("sweep")
	p.sweep = steps(sweep.Commands)
	p.polled.change = float64(changes.Commands[0].Reply-none.Commands[0].Reply) / 100
	p.polled.entry = float64(deletions.Commands[1].Reply-none.Commands[1].Reply) / 20
	return p, err
}

// steps are commands of which each further document takes as much as the first.
func steps(commands []Command) []step {
	all := make([]step, len(commands))
	for i, c := range commands {
		all[i] = step{c, c}
	}
	return all
}

// difference is what each further document takes.
func difference(of, one Command, more int) Command {
	one.IDs, one.Written, one.Keys = (of.IDs-one.IDs)/more, (of.Written-one.Written)/more, (of.Keys-one.Keys)/more
	one.Request, one.Reply = (of.Request-one.Request)/more, (of.Reply-one.Reply)/more
	return one
}

// asks says which shards a command asks.
type asks uint8

const (
	theirs asks = iota // those that have the documents
	first              // the one that has the log
	all
)

// where says which shards a command asks.
func (s *Site) where(c Command) asks {
	log := c.Collection == "commits"
	switch {
	case log && !s.SpreadLog:
		return first
	case c.By == ByIDs, c.By == ByRange && !s.Hashed:
		return theirs
	}
	return all
}

// asked is the cost of a command for each shard that it asks, whatever it does there.
func (p *plan) asked() load { return load{processor: p.Prices.Command} }

// each is the cost of n documents of a command.
func (p *plan) each(c Command, n float64) load {
	read := 0
	if c.Written == 0 {
		read = c.IDs
	}
	one := load{
		processor: time.Duration(read)*p.Prices.Read + time.Duration(c.Written)*p.Prices.Write + time.Duration(c.Keys)*p.Prices.Key + p.sent(float64(c.Request+c.Reply)),
		bytes:     float64(c.Reply),
		pages:     p.missed * (float64(c.Keys)*scattered + float64(read)),
	}
	return one.times(n)
}

// pollOf is the cost of a poll of n changes for each shard, and for the first one, which may have the log. Deletions are found in the log, the others
// in the documents.
func (p *plan) pollOf(n float64) (each, first load) {
	read := func(n, bytes float64) load {
		return load{processor: time.Duration(n*float64(p.Prices.Read)) + p.sent(n*bytes), bytes: n * bytes}
	}
	shards := float64(p.Shards)
	each = p.asked().plus(p.each(p.poll[0].command, 1)).plus(read(n*(1-p.Mix.Delete)/shards, p.polled.change))
	log := p.asked().plus(p.each(p.poll[1].command, 1))
	entries := read(n*p.Mix.Delete, p.polled.entry)
	if p.SpreadLog {
		each = each.plus(log).plus(entries.times(1 / shards))
		return each, each
	}
	return each, each.plus(log).plus(entries)
}

// sent is what sending or receiving bytes takes of a processor.
func (p *plan) sent(bytes float64) time.Duration {
	return time.Duration(bytes / 1024 * float64(p.Prices.Kilobyte))
}

// writes reports whether a command waits for a majority.
func (c Command) writes() bool { return c.Written > 0 }
