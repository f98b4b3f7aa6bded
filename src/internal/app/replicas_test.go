package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// process is a dovetail program that serves.
type process struct {
	arguments []string
	address   string
	log       string

	mutex   sync.Mutex
	running *exec.Cmd
}

// processes starts n programs on one database, under a ref-schema with parents and references.
func processes(t *testing.T, n int, location string) []*process {
	t.Helper()
	return processesUnder(t, n, location, map[string]string{"schema.yaml": twoKinds +
		"  - name: version\n    parent: app\n  - name: profile\n    parent: project\n    references:\n      - name: app\n"})
}

// processesUnder starts n programs on one database, under ref-schemas by the names of their files, with more arguments.
func processesUnder(t *testing.T, n int, location string, refSchemas map[string]string, more ...string) []*process {
	t.Helper()
	schemas := newConfigMap(t, refSchemas)
	all := make([]*process, n)
	for i := range all {
		all[i] = newProcess(t, append([]string{"--store", location, "--ref-schemas", schemas.dir}, more...)...)
	}
	return all
}

// newProcess starts a program that serves on a port of its own.
func newProcess(t *testing.T, arguments ...string) *process {
	t.Helper()
	p := &process{address: freeAddress(t), log: filepath.Join(t.TempDir(), "log")}
	p.arguments = append([]string{"serve", "--listen", p.address, "--log-level", "error"}, arguments...)
	for name, text := range apptest.PatientFlags() {
		p.arguments = append(p.arguments, "--"+name, text)
	}
	p.start(t)
	t.Cleanup(p.kill)
	return p
}

// ports counts those that freeAddress gave out.
var ports atomic.Int64

// freeAddress is one that nothing listens on, and that no other test gets. It is below the ports that systems give to outgoing
// connections, so that no client takes it before the server has it, or while that restarts, and not where other test processes
// look first.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 20000 {
		address := fmt.Sprintf("127.0.0.1:%d", 10000+(int64(os.Getpid())*100+ports.Add(1))%20000)
		probe, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			_ = probe.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// start runs the program and waits until it is ready.
func (p *process) start(t *testing.T) {
	t.Helper()
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(path, p.arguments...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.mutex.Lock()
	p.running = cmd
	p.mutex.Unlock()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if status, _, err := p.call(t.Context(), "GET", "/readyz", ""); err == nil && status == 200 {
			return
		}
		if time.Since(began) > apptest.Patience {
			text, _ := os.ReadFile(p.log)
			t.Fatalf("the process does not become ready:\n%s", text)
		}
	}
}

// kill ends the program by SIGKILL.
func (p *process) kill() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.running != nil {
		_ = p.running.Process.Kill()
		_ = p.running.Wait()
		p.running = nil
	}
}

// call sends a request. An error means that there was no answer.
func (p *process) call(ctx context.Context, method, path, body string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+p.address+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func (p *process) must(t *testing.T, status int, method, path, body string) {
	t.Helper()
	got, text, err := p.call(t.Context(), method, path, body)
	if err != nil || got != status {
		t.Fatalf("%s %s: %d %s %v, want %d", method, path, got, text, err, status)
	}
}

// TestReplicasRaceOverHTTP sets a deletion at one process against a creation at another that needs what is
// deleted: exactly one of the two gets its way, the other a 409 that says why, and nothing dangles.
func TestReplicasRaceOverHTTP(t *testing.T) {
	rounds.Soak(t)
	races, lanes := rounds.Of(160, 2000), 8
	location := freshMongo(t).String()
	all := processes(t, 3, location)
	tests := []struct {
		name       string
		path, body func(n int) string // of what needs app aN
	}{
		{name: "delete parent against insert child",
			path: func(n int) string { return fmt.Sprintf("/v2/projects/p/apps/a%d/versions", n) },
			body: func(int) string { return named("v") }},
		{name: "delete referenced against insert referrer",
			path: func(int) string { return "/v2/projects/p/profiles" },
			body: func(n int) string { return fmt.Sprintf(`{"metadata":{"name":"x%d"},"spec":{"app":"a%d"}}`, n, n) }},
	}
	all[0].must(t, 201, "POST", "/v2/projects", named("p"))
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var next, deletions atomic.Int64
			var group sync.WaitGroup
			for range lanes {
				group.Go(func() {
					for n := int(next.Add(1)); n <= races && !t.Failed(); n = int(next.Add(1)) {
						if race(t, all, n+i*races, test.path, test.body) {
							deletions.Add(1)
						}
					}
				})
			}
			group.Wait()
			t.Logf("the deletion won %d of %d", deletions.Load(), races)
		})
	}
	requireWhole(t, location)
}

// race plays one round and says whether the deletion won.
func race(t *testing.T, all []*process, n int, path, body func(n int) string) (deleted bool) {
	t.Helper()
	name := fmt.Sprintf("a%d", n)
	if status, text, err := all[n%3].call(t.Context(), "POST", "/v2/projects/p/apps", named(name)); status != 201 {
		t.Errorf("round %d: creating the app: %d %s %v", n, status, text, err)
		return false
	}
	var removed, created int
	var removal, creation string
	together(
		func() {
			var err error
			if removed, removal, err = all[(n+1)%3].call(t.Context(), "DELETE", "/v2/projects/p/apps/"+name, ""); err != nil {
				t.Error(err)
			}
		},
		func() {
			var err error
			if created, creation, err = all[(n+2)%3].call(t.Context(), "POST", path(n), body(n)); err != nil {
				t.Error(err)
			}
		})
	var problem struct {
		Code      string
		Missing   []string
		BlockedBy struct{ Total int }
	}
	switch {
	case removed == 204 && created == 409:
		if err := json.Unmarshal([]byte(creation), &problem); err != nil || problem.Code != "missing" || len(problem.Missing) != 1 {
			t.Errorf("round %d: the creation answered %s", n, creation)
		}
		return true
	case removed == 409 && created == 201:
		if err := json.Unmarshal([]byte(removal), &problem); err != nil || problem.Code != "in-use" || problem.BlockedBy.Total != 1 {
			t.Errorf("round %d: the deletion answered %s", n, removal)
		}
	default:
		t.Errorf("round %d: the deletion answered %d %s, the creation %d %s", n, removed, removal, created, creation)
	}
	return false
}

func TestReplicasOneCreatorWinsOverHTTP(t *testing.T) {
	rounds.Soak(t)
	location := freshMongo(t).String()
	all := processes(t, 3, location)
	for n := range rounds.Of(40, 300) {
		var created, exists atomic.Int32
		var creators []func()
		for i := range 8 {
			creators = append(creators, func() {
				switch status, text, err := all[i%3].call(t.Context(), "POST", "/v2/projects", named(fmt.Sprintf("p%d", n))); status {
				case 201:
					created.Add(1)
				case 409:
					exists.Add(1)
				default:
					t.Errorf("status %d: %s %v", status, text, err)
				}
			})
		}
		together(creators...)
		if created.Load() != 1 || exists.Load() != 7 {
			t.Fatalf("round %d: %d times 201, %d times 409", n, created.Load(), exists.Load())
		}
	}
	requireWhole(t, location)
}

// requireWhole checks the database once all marks are resolved, which takes a lease at most.
func requireWhole(t *testing.T, location string) {
	t.Helper()
	db, err := Open(t.Context(), location, cli.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for f, err := range db.Check(t.Context(), false) {
		t.Errorf("fsck: %+v %v", f, err)
	}
}

// history is what one writer knows of one of its documents.
type history struct {
	acknowledged int          // the value of the last write that was answered; 0: deleted or never there
	possible     map[int]bool // values of writes that were not answered since
}

func (h *history) allows(value int) bool { return value == h.acknowledged || h.possible[value] }

// TestReplicasKilled kills processes while writers write through them. What was answered is there, what was
// not may be, nothing dangles, and no mark stays.
func TestReplicasKilled(t *testing.T) {
	rounds.Soak(t)
	kills, writers := rounds.Of(6, 24), 8
	uri := freshMongo(t)
	all := processes(t, 3, uri.String())
	all[0].must(t, 201, "POST", "/v2/projects", named("p"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	histories := make([]map[string]*history, writers)
	var group sync.WaitGroup
	for w := range writers {
		histories[w] = make(map[string]*history)
		group.Go(func() { write(ctx, t, all, w, histories[w]) })
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		victim := all[random.IntN(3)]
		time.Sleep(time.Duration(20+random.IntN(200)) * time.Millisecond)
		victim.kill()
		victim.start(t)
	}
	stop()
	group.Wait()
	acknowledged := 0
	for w, documents := range histories {
		for path, h := range documents {
			value := read(t, all[w%3], path)
			if !h.allows(value) {
				t.Errorf("%s has the value %d; the last write that was answered was %d, those after it %v", path, value, h.acknowledged, h.possible)
			}
			acknowledged++
		}
	}
	t.Logf("%d documents were written", acknowledged)
	requireNoMarks(t, uri.String(), func() (int64, error) {
		return onMongo(t, uri).Collection("documents").CountDocuments(t.Context(), bson.D{{Key: "mark", Value: bson.D{{Key: "$exists", Value: true}}}})
	})
}

// requireNoMarks waits for the sweep, which needs two leases at most, and checks the database.
func requireNoMarks(t *testing.T, location string, marks func() (int64, error)) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		left, err := marks()
		if err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			break
		}
		if time.Since(began) > apptest.Patience {
			t.Fatalf("%d marks stay", left)
		}
	}
	requireWhole(t, location)
}

// write puts and deletes apps of its own, and versions and profiles that need apps of any writer, until
// the context ends.
func write(ctx context.Context, t *testing.T, all []*process, w int, documents map[string]*history) {
	random := rand.New(rand.NewPCG(uint64(w), 7))
	for value := 1; ctx.Err() == nil; value++ {
		name := fmt.Sprintf("w%da%d", w, random.IntN(4))
		path := "/v2/projects/p/apps/" + name
		p := all[random.IntN(len(all))]
		switch random.IntN(4) {
		case 0: // of others: only that nothing dangles counts
			other := fmt.Sprintf("w%da%d", random.IntN(8), random.IntN(4))
			_, _, _ = p.call(ctx, "POST", "/v2/projects/p/apps/"+other+"/versions", named("v"))
		case 1:
			other := fmt.Sprintf("w%da%d", random.IntN(8), random.IntN(4))
			_, _, _ = p.call(ctx, "PUT", fmt.Sprintf("/v2/projects/p/profiles/w%d", w), fmt.Sprintf(`{"metadata":{"name":"w%d"},"spec":{"app":%q}}`, w, other))
		case 2:
			// The request is not cut off with the test: whether it was done would not be known.
			status, text, err := p.call(context.WithoutCancel(ctx), "DELETE", path+"?cascade=true", "")
			note(t, documents, path, 0, status, text, err, 204)
		default:
			body := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"value":%d}}`, name, value)
			status, text, err := p.call(context.WithoutCancel(ctx), "PUT", path, body)
			note(t, documents, path, value, status, text, err, 201)
		}
	}
}

// note remembers what a write of a value may have done.
func note(t *testing.T, documents map[string]*history, path string, value, status int, text string, err error, good int) {
	h := documents[path]
	if h == nil {
		h = &history{possible: make(map[int]bool)}
		documents[path] = h
	}
	switch {
	case err == nil && (status == good || status == 200):
		h.acknowledged, h.possible = value, make(map[int]bool)
	case err == nil && status == 404 && value == 0: // it is not there, whatever was not answered
		if !h.allows(0) {
			t.Errorf("%s is gone: %+v", path, h)
		}
		h.acknowledged, h.possible = 0, make(map[int]bool)
	case err == nil && (status == 409 || status == 412 || status == 503):
	case err == nil && status != 504:
		t.Errorf("%s: %d %s", path, status, text)
	default:
		h.possible[value] = true
	}
}

// read returns the value of an app, 0 when there is none.
func read(t *testing.T, p *process, path string) int {
	t.Helper()
	status, text, err := p.call(t.Context(), "GET", path, "")
	var app struct{ Spec struct{ Value int } }
	switch {
	case err != nil:
		t.Fatal(err)
	case status == 404:
		return 0
	case status != 200:
		t.Fatalf("%s: %d %s", path, status, text)
	}
	if err := json.Unmarshal([]byte(text), &app); err != nil {
		t.Fatal(errors.Join(err, errors.New(text)))
	}
	return app.Spec.Value
}
