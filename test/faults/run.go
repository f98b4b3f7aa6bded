package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Options are what a run is about. Seed, Duration and Program are required.
type Options struct {
	Seed     uint64
	Duration time.Duration
	Program  string                        // that Build has built
	Earlier  string                        // the program of the last supported version; "" if there is no rolling updates
	Folder   string                        // for logs and files
	Kinds    []string                      // of faults; nil for all
	Crash    bool                          // crashes the database's storage, too, which all its users notice
	Lie      func(request message) message // answers requests instead of the database
}

const (
	servers  = 4
	clients  = 20
	bulkers  = 1
	movers   = 3
	watchers = 3
)

// patience limits what comes after the faults: all processes serve again, and nothing of what was under way is left.
const patience = 2 * time.Minute

// cluster is a database, processes that share it, and proxies between them.
type cluster struct {
	load
	*injector
	options Options
	address string // of the database
	name    string // of the database
	view    *Database
}

// RunLoad runs processes under load and faults, and returns what was seen and a table of what happened. The server
// of scripts/documentdb must run.
func RunLoad(ctx context.Context, options Options) (h *History, summary string, err error) {
	c, err := newCluster(ctx, options)
	if err != nil {
		return nil, "", err
	}
	defer c.close()
	if err := c.ready(ctx); err != nil {
		return nil, "", err
	}
	c.began = time.Now()
	c.recorder.add(record{Run: &Run{Seed: options.Seed, Duration: options.Duration, Watchers: watchers}})
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	var following sync.WaitGroup
	for i := range watchers {
		w := c.watcher(i)
		if w.cursor, err = c.head(ctx); err != nil {
			return nil, "", err
		}
		following.Go(func() { w.run(watching) })
	}
	working, stop := context.WithTimeout(ctx, options.Duration)
	defer stop()
	var group sync.WaitGroup
	group.Go(func() { c.injector.run(working) })
	for i := range clients {
		group.Go(func() { c.client(i).run(working) })
	}
	for i := range bulkers {
		group.Go(func() { c.client(clients + i).bulk(working) })
	}
	for i := range movers {
		group.Go(func() { c.client(clients + bulkers + 1 + i).move(working) })
	}
	group.Wait()

	err = c.finish(ctx)
	stopWatching()
	following.Wait()
	history := &c.history
	if missing := c.missing(); len(missing) > 0 && err == nil {
		err = fmt.Errorf("faults that never happened: %q; the run was too short, or its machine too slow", missing)
	}
	return history, table(c.counts, history), err
}

func newCluster(ctx context.Context, options Options) (*cluster, error) {
	const firstPort = 21000
	c := &cluster{options: options, name: fmt.Sprintf("faults_%d_%d", os.Getpid(), options.Seed)}
	c.seed = options.Seed
	c.injector = &injector{random: rand.New(rand.NewPCG(options.Seed, 1<<32)), schemas: filepath.Join(options.Folder, "schemas"), //nolint:gosec // no secret
		kinds: options.Kinds, counts: make(map[string]int), busy: make(map[string]bool), versions: [2]string{options.Program, options.Earlier}}
	if options.Crash {
		c.crash = func() error { return script("crash").Run() }
	}
	if err := os.MkdirAll(c.schemas, 0o700); err != nil {
		return nil, err
	}
	if err := writeSchema(c.schemas, 0); err != nil {
		return nil, err
	}
	var err error
	if c.address, err = freeAddress(ctx, firstPort+os.Getpid()%5000); err != nil {
		return nil, err
	}
	place, err := url.Parse("mongodb://" + c.address)
	if err != nil {
		return nil, err
	}
	c.database = StartProcess(c.address, filepath.Join(options.Folder, "database.log"), "", script("second", place.Port()).Args...)
	if c.view, err = OpenDatabase(c.address, c.name); err != nil {
		return nil, err
	}
	if err := retry(ctx, func() error { return c.view.Ping(ctx) }); err != nil {
		return nil, fmt.Errorf("the database does not start: %w", err)
	}
	for i := range servers {
		if err := c.addProcess(ctx, i); err != nil {
			return nil, err
		}
	}
	c.load.processes = c.injector.processes
	return c, nil
}

// script runs scripts/documentdb.
func script(arguments ...string) *exec.Cmd {
	return exec.Command(filepath.Join(repository, "scripts", "documentdb"), arguments...) //nolint:gosec // ours
}

func (c *cluster) addProcess(ctx context.Context, i int) error {
	proxy, err := NewProxy(c.address, rand.New(rand.NewPCG(c.seed, uint64(2000+i))), c.count) //nolint:gosec // no secret
	if err != nil {
		return err
	}
	proxy.Lie(c.options.Lie)
	c.proxies = append(c.proxies, proxy)
	const firstPort = 11000
	address, err := freeAddress(ctx, firstPort+os.Getpid()%5000+100*i)
	if err != nil {
		return err
	}
	clock := filepath.Join(c.options.Folder, fmt.Sprintf("clock-%d", i))
	if err := setClock(clock, 0); err != nil {
		return err
	}
	// Shorter limits than the defaults, so that more happens in the time.
	location := fmt.Sprintf("mongodb://%s/%s?timeoutMS=4000&serverSelectionTimeoutMS=2000", proxy.Address(), c.name)
	c.injector.processes = append(c.injector.processes, StartProcess(address, filepath.Join(c.options.Folder, fmt.Sprintf("process-%d.log", i)), clock,
		c.options.Program, "serve", "--listen", address, "--store", location, "--ref-schemas", c.schemas, "--services", "resources,changeset",
		"--lease-time", lease.String(), "--log-level", "warn"))
	return nil
}

// ready waits until all processes serve.
func (c *cluster) ready(ctx context.Context) error {
	for _, p := range c.load.processes {
		err := retry(ctx, func() error {
			if a := call(ctx, p.Address, "GET", "/readyz", nil, nil); a.status != 200 {
				return fmt.Errorf("%d %s %s %s", a.status, a.code, a.detail, a.body)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("the process at %s does not become ready, see %s: %w", p.Address, p.log, err)
		}
	}
	return nil
}

// retry tries again until there is no error, or patience ends.
func retry(ctx context.Context, try func() error) error {
	for began := time.Now(); ; {
		err := try()
		if err == nil || ctx.Err() != nil || time.Since(began) > patience {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// head is the position that watchers begin at.
func (c *cluster) head(ctx context.Context) (position string, err error) {
	err = retry(ctx, func() error {
		_, a := list(ctx, c.load.processes[0].Address, "under=cell/none&at="+url.QueryEscape(latest))
		if position = a.position; a.code != "" {
			return errors.New(a.code + ": " + a.detail)
		}
		return nil
	})
	return position, err
}

// finish waits until the faults are overcome, and records what is there then.
func (c *cluster) finish(ctx context.Context) error {
	if len(c.failures) > 0 {
		return fmt.Errorf("faults could not be injected: %q", c.failures)
	}
	if err := retry(ctx, func() error { return c.view.Ping(ctx) }); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	var left string
	err := retry(ctx, func() (err error) {
		if left, err = c.view.Left(ctx); err == nil && left != "" {
			err = errors.New("left:" + left)
		}
		return err
	})
	if left != "" {
		c.finding("after %v without faults there are still%s", patience, left)
	} else if err != nil {
		return err
	}
	// A write that the watchers must see, so that they have seen all before.
	last := c.client(clients + bulkers)
	o := &Operation{Number: int(c.numbers.Add(1)), Kind: "create", Cell: "last", Writes: []Write{{Do: "create", ID: "cell/last", State: State{N: int(c.numbers.Add(1))}}}}
	last.do(o)
	c.awaitWatchers(ctx)
	if err := c.readHistory(ctx); err != nil {
		return err
	}
	for i, p := range c.load.processes {
		documents, a := list(ctx, p.Address, "under=cell&at="+url.QueryEscape(latest))
		if a.code == "invalid" {
			documents, a = list(ctx, p.Address, "at="+url.QueryEscape(latest))
		}
		if a.code != "" {
			return fmt.Errorf("listing all documents at %s: %s %s", p.Address, a.code, a.detail)
		}
		c.recorder.add(record{Listing: &Listing{Process: i, Documents: documents}})
		for _, line := range p.defects() {
			c.finding("log of process %d: %s", i, line)
		}
	}
	output, err := exec.CommandContext(ctx, c.options.Program, "fsck", "--store", "mongodb://"+c.address+"/"+c.name).CombinedOutput() //nolint:gosec // ours
	if err != nil {
		c.finding("fsck: %v: %s", err, output)
	}
	return nil
}

// awaitWatchers waits until every watcher has seen the last write.
func (c *cluster) awaitWatchers(ctx context.Context) {
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = retry(ctx, func() error { // the history shows what a watcher has missed
		seen := make(map[int]bool)
		c.recorder.mutex.Lock()
		defer c.recorder.mutex.Unlock()
		for _, e := range c.history.Events {
			if e.ID == "cell/last" {
				seen[e.Watcher] = true
			}
		}
		if len(seen) < watchers {
			return errors.New("not all watchers have seen the last write")
		}
		return nil
	})
}

// readHistory records the history of the store, oldest first.
func (c *cluster) readHistory(ctx context.Context) error {
	var all []Transaction
	before := ""
	for {
		a := call(ctx, c.load.processes[0].Address, "GET", "/v2/transactions?limit=1000"+before, nil, nil)
		if a.code != "" {
			return fmt.Errorf("the history cannot be read: %s %s", a.code, a.detail)
		}
		var page struct {
			Items  []Transaction
			Before string
		}
		if err := json.Unmarshal(a.body, &page); err != nil {
			return err
		}
		all = append(all, page.Items...)
		if page.Before == "" {
			break
		}
		before = "&before=" + url.QueryEscape(page.Before)
	}
	for i := len(all) - 1; i >= 0; i-- {
		c.recorder.add(record{Transaction: &all[i]})
	}
	return nil
}

func (c *cluster) close() {
	for _, p := range c.load.processes {
		p.Close()
	}
	for _, p := range c.proxies {
		p.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = retry(ctx, func() error { return c.view.Drop(ctx) }) // the database is for development; what is left does no harm
	c.database.Close()
}
