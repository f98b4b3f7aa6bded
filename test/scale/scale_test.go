package scale

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

func costs(t *testing.T) Costs {
	t.Helper()
	c, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func simulate(t *testing.T, s Site, seed uint64) *Result {
	t.Helper()
	r, err := Simulate(s, costs(t), seed, time.Second, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// smaller is a site of a tenth of everything, for tests that need a site of any size.
func smaller() Site {
	s := Reference()
	s.Writes, s.Gets, s.Processes, s.Watching, s.Watches = s.Writes/10, s.Gets/10, s.Processes/10, s.Watching/10, s.Watches/10
	return s
}

// TestModelAndSimulation holds what the model adds up against what the stations of the simulation were busy with.
func TestModelAndSimulation(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Site)
	}{
		{name: "a tenth", change: func(*Site) {}},
		{name: "one shard", change: func(s *Site) { s.Shards = 1 }},
		{name: "hashed", change: func(s *Site) { s.Hashed = true }},
		{name: "log on all shards", change: func(s *Site) { s.SpreadLog = true }},
		{name: "creations only", change: func(s *Site) { s.Mix = Mix{Create: 1} }},
		{name: "deletions only", change: func(s *Site) { s.Mix = Mix{Delete: 1} }},
		{name: "one process", change: func(s *Site) { s.Processes, s.Watching, s.Host.Cores = 1, 1, 40 }},
		{name: "no watches", change: func(s *Site) { s.Watching, s.Watches = 0, 0 }},
		{name: "watches at one process", change: func(s *Site) { s.Watching = 1 }},
		{name: "a cache that is too small", change: func(s *Site) { s.Shard.Memory, s.Writes = 1<<30, 300 }},
		{name: "gets from followers", change: func(s *Site) {
			s.Shards, s.Regions = 9, Regions{Number: 3, Within: time.Millisecond, Between: time.Millisecond, FollowerGets: true}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := smaller()
			test.change(&s)
			model, err := Uses(s, costs(t))
			if err != nil {
				t.Fatal(err)
			}
			r := simulate(t, s, 1)
			if math.Abs(r.Writes/s.Writes-1) > 0.06 {
				t.Errorf("%.0f writes a second were answered, of %.0f", r.Writes, s.Writes)
			}
			for _, resource := range Resources {
				if a, b := model[resource], r.Uses[resource]; math.Abs(a-b) > 0.12*max(a, b)+0.003 {
					t.Errorf("%s: %.4f by the model and %.4f by the simulation", resource, a, b)
				}
			}
		})
	}
}

// TestLimits has the simulation run on both sides of the lowest limit of the model: before it all writes are answered, beyond it they are not, or
// watches fall behind.
func TestLimits(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Site)
	}{
		{name: "reference", change: func(*Site) {}},
		{name: "no watches", change: func(s *Site) { s.Watching, s.Watches = 0, 0 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := smaller()
			s.Shard.Cores, s.Shards = 2, 4
			test.change(&s)
			lowest := math.Inf(1)
			for _, resource := range Resources {
				limit, err := Limit(s, costs(t), resource)
				if err != nil {
					t.Fatal(err)
				}
				lowest = min(lowest, limit)
			}
			s.Writes = 0.6 * lowest
			if r := simulate(t, s, 1); r.Writes < 0.93*s.Writes || r.Time("create").Part(0.5) > 100*time.Millisecond {
				t.Errorf("at 0.6 of the limit %.0f of %.0f writes a second were answered, after %v", r.Writes, s.Writes, r.Time("create").Part(0.5))
			}
			s.Writes = 1.6 * lowest
			if r := simulate(t, s, 1); r.Writes > 0.93*s.Writes && r.Lag.Part(0.99) < s.Feed.Window {
				t.Errorf("at 1.6 times the limit %.0f of %.0f writes a second were answered, and changes reached watches after %v", r.Writes, s.Writes, r.Lag.Part(0.99))
			}
		})
	}
}

func TestSeed(t *testing.T) {
	s := smaller()
	one, again, other := simulate(t, s, 1), simulate(t, s, 1), simulate(t, s, 2)
	if !reflect.DeepEqual(one, again) {
		t.Error("the same seed gave another result")
	}
	if reflect.DeepEqual(one, other) {
		t.Error("another seed gave the same result")
	}
}

// TestQueue holds a station to what is known of a queue with random arrivals and a constant time of service: the mean wait is
// use/(1-use)/2 of that time.
func TestQueue(t *testing.T) {
	const takes = time.Millisecond
	for _, use := range []float64{0.3, 0.6, 0.8} {
		var c clock
		s, random, n, waited := newStation(1), rand.New(rand.NewPCG(1, 0)), 0, time.Duration(0)
		var arrive func()
		arrive = func() {
			n++
			waited += s.serve(c.now, takes) - takes - c.now
			c.after(seconds(random.ExpFloat64()*takes.Seconds()/use), arrive)
		}
		c.after(0, arrive)
		c.run(20 * time.Minute)
		got, want := waited.Seconds()/float64(n), use/(1-use)/2*takes.Seconds()
		if math.Abs(got/want-1) > 0.05 {
			t.Errorf("with a use of %.1f the mean wait is %.6f s, want %.6f s", use, got, want)
		}
		if got := s.use(c.now); math.Abs(got-use) > 0.01 {
			t.Errorf("the station was busy for %.3f of the time, want %.1f", got, use)
		}
	}
}

func TestClock(t *testing.T) {
	var c clock
	var got []int
	random := rand.New(rand.NewPCG(1, 0))
	want := make([]int, 500)
	for i := range want {
		want[i] = i / 5
	}
	for _, n := range random.Perm(len(want)) {
		c.at(time.Duration(want[n]), func() { got = append(got, int(c.now)) })
	}
	c.run(time.Duration(len(want)))
	if !slices.Equal(got, want) {
		t.Errorf("it went on in the order %v", got)
	}
}

func TestSpread(t *testing.T) {
	var s Spread
	for n := range 1000 {
		s.Add(time.Duration(n+1)*time.Millisecond, 1)
	}
	for _, part := range []float64{0.1, 0.5, 0.99} {
		if got, want := s.Part(part).Seconds(), part; math.Abs(got/want-1) > fine {
			t.Errorf("%.2f of all take up to %.3f s, want %.3f s", part, got, want)
		}
	}
	if got := s.Mean(); got != 500500*time.Microsecond {
		t.Errorf("the mean is %v", got)
	}
	if got := new(Spread).Part(0.5); got != 0 {
		t.Errorf("nothing takes %v", got)
	}
}
