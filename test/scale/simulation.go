package scale

import (
	"math/rand/v2"
	"time"
)

// Simulation is a site at work: its processes send the commands of their operations to the members of shards, each of which serves
// what comes in order. It has a clock of its own, and draws from a seed when clients ask for what.
type Simulation struct {
	*plan
	clock
	random    *rand.Rand
	members   [][]*member // of each region and shard
	processes []*process
	commits   []float64 // how many there are up to each moment
	counted   int       // the last of them
	from      time.Duration
	result    Result
}

// member is a server of a shard.
type member struct{ processor, network, disk *station }

// process is one of the site.
type process struct {
	*Simulation
	region    int
	processor *station

	waiting []creation
	groups  int // under way
	pausing bool
	left    map[*operation]*queue // what follows answers

	watches  int
	lastLong time.Duration   // when the last full poll began
	polls    []time.Duration // when those began from which the next one reads on
	lastTook time.Duration
	seen     int // the moment up to which it has the changes
	received float64
}

// creation is one that waits for its group.
type creation struct {
	began time.Duration
	shard int
}

// queue is what follows the answers of operations, of the shards.
type queue struct {
	shards []int
	busy   bool
}

// moment is how exactly commits are counted.
const moment = 5 * time.Millisecond

// Result is what came of a simulation, except its beginning.
type Result struct {
	Uses map[Resource]float64
	// Writes are how many were answered a second, Times how long operations took by the names "get", "create", "update" and "delete",
	// and by the number of the region as well, as in "get 0".
	Writes float64
	Times  map[string]*Spread
	// Lag is how long after its commit a change is at the watches of a process, Poll how long polls took, LongPoll those that went back
	// all the way.
	Lag, Poll, LongPoll *Spread
	// Group is how many creations went together.
	Group float64

	groups, created float64
}

// Time returns how long operations took.
func (r *Result) Time(name string) *Spread {
	if r.Times[name] == nil {
		r.Times[name] = new(Spread)
	}
	return r.Times[name]
}

// Simulate runs a site for some time, of which the beginning does not count.
func Simulate(s Site, c Costs, seed uint64, beginning, of time.Duration) (*Result, error) {
	p, err := newPlan(&s, c)
	if err != nil {
		return nil, err
	}
	r := &Simulation{plan: p, random: rand.New(rand.NewPCG(seed, 0)), from: beginning}
	r.result = Result{Uses: make(map[Resource]float64), Times: make(map[string]*Spread), Lag: new(Spread), Poll: new(Spread), LongPoll: new(Spread)}
	for range s.Regions.Number {
		var members []*member
		for range s.Shards {
			members = append(members, &member{newStation(s.Shard.Cores), newStation(1), newStation(1)})
		}
		r.members = append(r.members, members)
	}
	for i := range s.Processes {
		host := &process{Simulation: r, region: i % s.Regions.Number, processor: newStation(s.Host.Cores), left: make(map[*operation]*queue)}
		if i < s.Watching {
			host.watches = s.Watches / s.Watching
		}
		r.processes = append(r.processes, host)
	}
	r.begin(beginning + of)
	r.run(beginning)
	for _, st := range r.stations() {
		st.busy = 0
	}
	for _, h := range r.processes {
		h.received = 0
	}
	r.run(beginning + of)
	r.count(of)
	return &r.result, nil
}

// begin has clients ask and processes poll until a time.
func (r *Simulation) begin(until time.Duration) {
	r.commits = make([]float64, r.index(until)+2)
	for r.counted = range r.index(0) + 1 { // as if it had been at work before
		r.commits[r.counted] = float64(r.counted) * r.Writes * moment.Seconds()
	}
	r.arrivals(r.Gets, until, (*process).get)
	r.arrivals(r.Writes*r.Mix.Create, until, (*process).create)
	r.arrivals(r.Writes*r.Mix.Update, until, func(h *process) { h.write("update", &r.update) })
	r.arrivals(r.Writes*r.Mix.Delete, until, func(h *process) { h.write("delete", &r.remove) })
	r.arrivals(float64(r.Processes)/2.5, until, func(h *process) { h.send(r.sweep, []int{0}, false, func() {}) })
	for i, h := range r.processes {
		if h.watches == 0 {
			continue
		}
		h.seen = r.index(0)
		h.lastLong = -time.Duration(r.random.Int64N(int64(longEvery)))
		r.at(time.Duration(i)*r.Feed.Poll/time.Duration(len(r.processes)), func() { h.poll(until) })
	}
}

// arrivals has something happen at random moments, so many a second, each at a process drawn.
func (r *Simulation) arrivals(rate float64, until time.Duration, do func(*process)) {
	if rate <= 0 {
		return
	}
	var next func()
	next = func() {
		if r.now > until {
			return
		}
		do(r.processes[r.random.IntN(len(r.processes))])
		r.after(seconds(r.random.ExpFloat64()/rate), next)
	}
	r.after(seconds(r.random.ExpFloat64()/rate), next)
}

// index is the place of a time in commits.
func (r *Simulation) index(t time.Duration) int { return max(0, int((t+3*r.Feed.Window)/moment)) }

// committed counts commits of now, and returns how many there are so far up to a place.
func (r *Simulation) committed(n int, at int) float64 {
	for now := min(r.index(r.now), len(r.commits)-1); r.counted < now; r.counted++ {
		r.commits[r.counted+1] = r.commits[r.counted]
	}
	r.commits[r.counted] += float64(n)
	return r.commits[min(at, r.counted)]
}

// stations are all of them.
func (r *Simulation) stations() (all []*station) {
	for _, members := range r.members {
		for _, m := range members {
			all = append(all, m.processor, m.network, m.disk)
		}
	}
	for _, h := range r.processes {
		all = append(all, h.processor)
	}
	return all
}

// count sums up how busy the stations were.
func (r *Simulation) count(of time.Duration) {
	mean := func(members []*member, station func(*member) *station) (sum float64) {
		for _, m := range members {
			sum += station(m).use(of)
		}
		return sum / float64(len(members))
	}
	primaries := make([]*member, r.Shards)
	for shard := range primaries {
		primaries[shard] = r.members[r.home(shard)][shard]
	}
	others := primaries
	if !r.SpreadLog && r.Shards > 1 {
		others = primaries[1:]
	}
	u := r.result.Uses
	processor, network, disk := func(m *member) *station { return m.processor }, func(m *member) *station { return m.network }, func(m *member) *station { return m.disk }
	u[ShardProcessor], u[ShardNetwork], u[ShardDisk] = mean(others, processor), mean(others, network), mean(others, disk)
	u[LogProcessor], u[LogNetwork] = mean(primaries[:1], processor), mean(primaries[:1], network)
	hosts := r.processes[:max(r.Watching, 1)] // those with watches have most to do
	for _, h := range hosts {
		u[HostProcessor] += h.processor.use(of) / float64(len(hosts))
		u[HostNetwork] += h.received / of.Seconds() / r.Host.Network / float64(len(hosts))
	}
	u[PollTime] = r.result.LongPoll.Mean().Seconds() / r.Feed.Window.Seconds()
	r.result.Writes /= of.Seconds()
	if r.result.groups > 0 {
		r.result.Group = r.result.created / r.result.groups
	}
}
