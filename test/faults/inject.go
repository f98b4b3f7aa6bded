package faults

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// injector makes faults of all kinds, in an order drawn from the seed, each about as often as the others.
type injector struct {
	random    *rand.Rand
	processes []*Process
	proxies   []*Proxy
	database  *Process
	schemas   string       // folder of the ref-schema of all processes
	crash     func() error // restarts the database's own storage; nil where others use it
	versions  [2]string    // the program, and that of the last supported version, "" if there is none
	kinds     []string     // the only ones; nil for all

	faults  sync.WaitGroup
	changes int // of the ref-schema
	updates int // rolling ones, forwards and back in turn

	mutex    sync.Mutex
	counts   map[string]int
	busy     map[string]bool // processes that are stopped, and the database while it restarts
	failures []string
}

// lease is the lease duration of the processes.
const lease = 10 * time.Second

// fault is a kind of fault. It reports whether it could be injected now, and takes itself back.
type fault struct {
	name   string
	inject func(n *injector, victim int, random *rand.Rand) bool
}

var faults = []fault{
	{"connections cut", func(n *injector, victim int, random *rand.Rand) bool {
		n.proxies[victim].Cut(true)
		n.pause(random, 20*time.Millisecond, 1500*time.Millisecond)
		n.proxies[victim].Cut(false)
		return true
	}},
	{"messages delayed", func(n *injector, victim int, random *rand.Rand) bool {
		n.proxies[victim].Delay(time.Duration(5+random.IntN(250)) * time.Millisecond)
		n.pause(random, time.Second, 4*time.Second)
		n.proxies[victim].Delay(0)
		return true
	}},
	{"network frozen", func(n *injector, victim int, random *rand.Rand) bool {
		n.proxies[victim].Freeze(true)
		n.pause(random, 500*time.Millisecond, 8*time.Second)
		n.proxies[victim].Freeze(false)
		return true
	}},
	{"requests lost", func(n *injector, victim int, random *rand.Rand) bool {
		n.proxies[victim].Lose(1+random.IntN(4), 0)
		return true
	}},
	{"answers lost", func(n *injector, victim int, random *rand.Rand) bool {
		n.proxies[victim].Lose(0, 1+random.IntN(4))
		return true
	}},
	{"process killed", func(n *injector, victim int, random *rand.Rand) bool {
		return n.processes[victim].Kill(time.Duration(random.IntN(3000)) * time.Millisecond)
	}},
	{"process stopped beyond its lease", func(n *injector, victim int, random *rand.Rand) bool {
		if !n.processes[victim].Signal(syscall.SIGSTOP) {
			return false
		}
		n.pause(random, lease+time.Second, lease*3/2)
		n.processes[victim].Signal(syscall.SIGCONT)
		return true
	}},
	{"clock set", func(n *injector, victim int, random *rand.Rand) bool {
		offsets := []time.Duration{2 * time.Second, time.Minute, time.Hour, 26 * time.Hour, 40 * 24 * time.Hour}
		offset := offsets[random.IntN(len(offsets))]
		if random.IntN(2) == 0 {
			offset = -offset
		}
		return n.must(setClock(n.processes[victim].clock, offset))
	}},
	{"database restarted", func(n *injector, _ int, random *rand.Rand) bool {
		return n.database.Kill(time.Duration(random.IntN(1500)) * time.Millisecond)
	}},
	{"ref-schema changed", func(n *injector, _ int, _ *rand.Rand) bool {
		n.mutex.Lock()
		n.changes++
		changes := n.changes
		n.mutex.Unlock()
		return n.must(writeSchema(n.schemas, changes))
	}},
	{rollingUpdate, func(n *injector, _ int, random *rand.Rand) bool {
		if n.versions[1] == "" {
			return false
		}
		n.mutex.Lock()
		n.updates++
		to := n.versions[n.updates%2]
		n.mutex.Unlock()
		for _, i := range random.Perm(len(n.processes)) {
			for !n.processes[i].Exchange(to) { // it may be about to start
				n.pause(random, 50*time.Millisecond, 100*time.Millisecond)
			}
			n.pause(random, 300*time.Millisecond, 3*time.Second)
		}
		return true
	}},
	{"database storage crashed", func(n *injector, _ int, _ *rand.Rand) bool {
		return n.crash != nil && n.must(n.crash())
	}},
}

// rollingUpdate replaces all processes, one after another, by those of the other version.
const rollingUpdate = "rolling update"

// writeSchema writes the ref-schema, with a kind that changes.
func writeSchema(folder string, change int) error {
	text := "resources:\n  - name: cell\n  - name: target\n    parent: cell\n  - name: item\n    parent: cell\n    references: [target]\n" +
		"  - name: part\n    parent: item\n" +
		"  - name: job\n    parent: cell\n    references: [{name: target, at: spec.target}]\n    unique: [spec.serial]\n" +
		"    lifecycle: {initial: New, actions: {run: {from: [New], to: Ran}, reset: {from: [Ran], to: New}}}\n" + fmt.Sprintf("  - name: extra%d\n    parent: cell\n", change)
	temporary := filepath.Join(folder, ".new")
	if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(folder, "schema.yaml"))
}

// possible are the names of the kinds of faults that this run injects.
func (n *injector) possible() (names []string) {
	for _, f := range faults {
		if (n.kinds == nil || slices.Contains(n.kinds, f.name)) && (n.crash != nil || f.name != "database storage crashed") && (n.versions[1] != "" || f.name != rollingUpdate) {
			names = append(names, f.name)
		}
	}
	return names
}

// rare are the kinds that every fourth round has only: they keep all writes waiting for many seconds.
var rare = []string{"ref-schema changed", "database storage crashed"}

// run injects faults until the context ends, and returns when all have been taken back. Each round has every kind once, rare ones
// excepted.
func (n *injector) run(ctx context.Context) {
	defer n.heal()
	defer n.faults.Wait()
	const rarely = 4
	for round := 0; ; round++ {
		names := slices.DeleteFunc(n.possible(), func(name string) bool { return round%rarely > 0 && slices.Contains(rare, name) })
		n.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			wait := time.Duration(300+n.random.IntN(1800)) * time.Millisecond
			victim, random := n.random.IntN(len(n.processes)), rand.New(rand.NewPCG(n.random.Uint64(), 0)) //nolint:gosec // no secret
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			f := faults[slices.IndexFunc(faults, func(f fault) bool { return f.name == name })]
			n.faults.Go(func() { n.one(f, victim, random) })
		}
	}
}

// one injects a fault, unless its victim has one of the kind already.
func (n *injector) one(f fault, victim int, random *rand.Rand) {
	key := fmt.Sprint(f.name, victim)
	if f.name == rollingUpdate { // of all of them
		key = f.name
	}
	n.mutex.Lock()
	busy := n.busy[key]
	n.busy[key] = true
	n.mutex.Unlock()
	if busy {
		return
	}
	done := f.inject(n, victim, random)
	n.mutex.Lock()
	defer n.mutex.Unlock()
	delete(n.busy, key)
	if done {
		n.counts[f.name]++
	}
}

// heal takes back all that may last.
func (n *injector) heal() {
	for i, p := range n.proxies {
		p.Cut(false)
		p.Freeze(false)
		p.Delay(0)
		p.Lose(0, 0)
		p.Lie(nil)
		n.processes[i].Signal(syscall.SIGCONT)
	}
}

func (n *injector) pause(random *rand.Rand, least, most time.Duration) {
	time.Sleep(least + time.Duration(random.Int64N(int64(most-least))))
}

func (n *injector) must(err error) bool {
	if err != nil {
		n.mutex.Lock()
		defer n.mutex.Unlock()
		n.failures = append(n.failures, err.Error())
	}
	return err == nil
}

// count records the effects that proxies report of a fault.
func (n *injector) count(effect string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.counts["- "+effect]++
}

// effects must be seen of faults, too: they say that those had something to act on.
var effects = map[string]string{
	"messages delayed": "- message delayed", "network frozen": "- write after a freeze",
	"requests lost": "- request lost", "answers lost": "- answer lost",
}

// missing are the kinds of faults that never happened.
func (n *injector) missing() (names []string) {
	for _, name := range n.possible() {
		if n.counts[name] == 0 {
			names = append(names, name)
		}
		if effect := effects[name]; effect != "" && n.counts[effect] == 0 {
			names = append(names, strings.TrimPrefix(effect, "- "))
		}
	}
	return names
}

// table shows how many faults of each kind there were, and how many operations had which outcome.
func table(counts map[string]int, h *History) string {
	var b strings.Builder
	b.WriteString("\nfaults\n")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "  %-45s %6d\n", name, counts[name])
	}
	outcomes := make(map[string]map[string]int)
	for _, o := range h.Operations {
		if outcomes[o.Kind] == nil {
			outcomes[o.Kind] = make(map[string]int)
		}
		name := string(o.Outcome)
		if o.Code != "" {
			name += " " + o.Code
		}
		outcomes[o.Kind][name]++
	}
	b.WriteString("operations\n")
	for _, kind := range slices.Sorted(maps.Keys(outcomes)) {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(outcomes[kind])) {
			parts = append(parts, fmt.Sprintf("%s %d", name, outcomes[kind][name]))
		}
		fmt.Fprintf(&b, "  %-14s %s\n", kind, strings.Join(parts, ", "))
	}
	streams := make(map[[2]int]bool)
	for _, e := range h.Events {
		streams[[2]int{e.Watcher, e.Stream}] = true
	}
	fmt.Fprintf(&b, "watches\n  %d events in %d streams\nhistory\n  %d transactions\n", len(h.Events), len(streams), len(h.Transactions))
	return b.String()
}
