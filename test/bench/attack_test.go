package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

var (
	attackTime = flag.Duration("attack", 3*time.Second, "how long TestWorstRequests sends its requests")
	attackOnly = flag.String("attack-family", "", "the only family of requests that TestWorstRequests sends")
	attackSeed = flag.Uint64("attack-seed", 0, "seed of TestWorstRequests; 0 chooses one")
)

const (
	attackers   = 50        // clients, each with a token of its own
	limited     = 10        // the first principals, which may write below one cluster
	viewers     = 20        // the last principals, which may read everything
	podMemory   = 512 << 20 // the limit of the chart's pods
	goMemory    = podMemory / 10 * 8
	mostMemory  = 400_000_000 // that an attacked server may take, so that a pod has room for more
	refusalSize = 1 << 20     // no refusal is larger
	writePause  = 5 * time.Millisecond
	starved     = 15 * time.Second // is a writer whose write takes so long, which is then a failure
)

// TestWorstRequests sends cheap requests with expensive meaning, as principals without rights and with few, to a server that has the
// memory of a pod. The server must stay up and within its memory, must not fail and must not answer refusals at length; another
// principal's writes must succeed meanwhile, before it counts as starved. How long those take is printed, not asserted.
func TestWorstRequests(t *testing.T) {
	if _, err := program(); err != nil { // built before GOMEMLIMIT is set
		t.Fatal(err)
	}
	seed := *attackSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-attack-seed %d", seed)
	t.Setenv("GOMEMLIMIT", fmt.Sprint(goMemory))
	policy := filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(policy, attackPolicy(), 0o600); err != nil {
		t.Fatal(err)
	}
	group := newMemoryGroup(t)
	database := filepath.Join(t.TempDir(), "attacked.db")
	hostile, err := peer.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s := launchIn(t, group.procs, database, "--access", policy, "--source-hosts", "http://"+hostile)
	stopped := false
	defer func() {
		if !stopped {
			s.stop(t)
		}
	}()

	w := newAttackedWriter(s.address)
	w.seed(t)
	w.run(t, time.Second) // warms up
	alone := w.run(t, max(*attackTime/6, time.Second))

	t.Logf("writer alone: p50 %v, p99 %v, %d writes", alone.quantile(.5), alone.quantile(.99), len(alone.times))

	var last []string
	for _, phase := range []struct {
		name  string
		first int // of the principals that attack; those before limited have rights
		many  int
		only  string // a family of requests
		share time.Duration
	}{
		{"without rights", limited, attackers, *attackOnly, *attackTime / 2},
		{"with few rights", 0, attackers, *attackOnly, *attackTime / 2},
		{"that read everything", limited + attackers, viewers, readEverything, *attackTime / 6},
	} {
		end := startAttack(t, attackOrder{Address: s.address, Upstream: hostile, Seed: seed, Only: phase.only, First: phase.first, Clients: phase.many})
		under := w.run(t, phase.share)
		result := end()
		if err := s.get("/livez", io.Discard); err != nil {
			t.Errorf("%s: the server does not answer after the attack: %v", phase.name, err)
		}
		memory := s.peak(t)
		if memory >= mostMemory {
			t.Errorf("%s: the server took %d bytes of memory, the limit is %d", phase.name, memory, mostMemory)
		}
		for _, finding := range result.Findings {
			t.Errorf("%s: %s", phase.name, finding)
		}
		if under.failed > 0 {
			t.Errorf("%s: %d of %d writes of another principal failed, such as: %s", phase.name, under.failed, len(under.times)+under.failed, under.failure)
		}
		t.Logf("%s: writer p50 %v, p99 %v, %d writes, ratio of p50 %.1f, of p99 %.1f; most resident memory so far %d MiB", phase.name,
			under.quantile(.5), under.quantile(.99), len(under.times), under.ratio(alone, .5), under.ratio(alone, .99), memory>>20)
		result.report(t)
		last = append(last, result.Last...)
	}
	stopped = true
	s.stop(t)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(path, "fsck", "--store", "bolt:"+database).CombinedOutput(); err != nil {
		t.Errorf("fsck: %v: %s", err, output)
	}
	if t.Failed() {
		t.Logf("repeat with -attack-seed %d; the last requests:\n%s", seed, strings.Join(last, "\n"))
	}
}

// attackToken is the token of a principal. It is for this test only, so it needs no randomness.
func attackToken(name string) string {
	return "dovetail_" + fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:43]
}

func attackerName(n int) string { return fmt.Sprintf("attacker-%02d", n) }

// attackPolicy is the access policy file: a writer of all, principals that may write below one place, principals without rights, and viewers.
func attackPolicy() []byte {
	var b, few bytes.Buffer
	for n := range limited {
		fmt.Fprintf(&few, "%s,", attackerName(n))
	}
	users := strings.TrimSuffix(few.String(), ",")
	var all []string
	for n := range viewers {
		all = append(all, attackerName(limited+attackers+n))
	}
	fmt.Fprintf(&b, `roles:
- {name: tenant, rules: [{kinds: ["*"], verbs: [read, create, update, delete]}, {kinds: [source], verbs: [act]}]}
bindings:
- {role: editor, users: [writer]}
- {role: viewer, users: [%s]}
- {role: tenant, users: [%s], on: [cluster/%s, siteParamSet/%s, source/%s, activeResolution/%s, layeringBucket/%s]}
tokens:
`, strings.Join(all, ","), users, tenant, tenant, tenant, tenant, tenant)
	names := []string{"writer"}
	for n := range limited + attackers + viewers {
		names = append(names, attackerName(n))
	}
	for _, name := range names {
		fmt.Fprintf(&b, "- {name: %s, sha256: %x}\n", name, sha256.Sum256([]byte(attackToken(name))))
	}
	return b.Bytes()
}

// attackOrder says what a process of attackers does.
type attackOrder struct {
	Address  string
	Upstream string // where the attackers serve what sources follow
	Seed     uint64
	Only     string // a family
	First    int    // number of the first principal; each client has one of its own
	Clients  int
}

// attackResult is the outcome of an attack.
type attackResult struct {
	Counts   map[string]map[string]int // by family and outcome
	Findings []string
	Last     []string // the last requests that ended
}

const attackOrderVariable = "DOVETAIL_BENCH_ATTACK"

// startAttack starts the attackers, as a process of their own that has one processor at most and a lower priority than the server and
// the writer, since it would be on another machine. They send when it returns. The function that is returned ends them.
func startAttack(t *testing.T, order attackOrder) func() *attackResult {
	t.Helper()
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), "nice", "-n", "5", os.Args[0], "-test.run", "^TestAttackers$", "-test.count", "1")
	process.Env = append(os.Environ(), attackOrderVariable+"="+string(text), "GOMAXPROCS=1", "GOMEMLIMIT=")
	process.Stderr = os.Stderr
	control, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	if line, err := lines.ReadString('\n'); err != nil || line != attackReady {
		t.Fatalf("the attackers say %q, %v", line, err)
	}
	return func() *attackResult {
		var result attackResult
		closed := control.Close()
		decoded := json.NewDecoder(lines).Decode(&result)
		_, rest := io.Copy(io.Discard, lines)
		if err := errors.Join(closed, decoded, rest, process.Wait()); err != nil {
			t.Fatalf("the attackers: %v", err)
		}
		return &result
	}
}

const attackReady = "ready\n"

// TestAttackers is the process of attackers. It sends until its input ends.
func TestAttackers(t *testing.T) {
	var order attackOrder
	text := os.Getenv(attackOrderVariable)
	if text == "" {
		t.Skip("TestWorstRequests runs it")
	}
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		t.Fatal(err)
	}
	pool := attackPool(order.Seed, order.Only, order.Upstream)
	if len(pool) == 0 {
		t.Fatalf("no family of requests is %q", order.Only)
	}
	listener, err := net.Listen("tcp", order.Upstream)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = http.Serve(listener, http.HandlerFunc(upstream)) }() // until the process ends
	a := &attack{address: order.Address, pool: pool, attackResult: attackResult{Counts: map[string]map[string]int{}}}
	ctx, cancel := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	for n := range order.Clients {
		principal := attackerName(order.First + n)
		sending.Go(func() {
			r := rand.New(rand.NewPCG(order.Seed, uint64(1000+n)))
			for ctx.Err() == nil {
				family := a.pool[r.IntN(len(a.pool))]
				a.send(ctx, &family[r.IntN(len(family))], principal)
			}
		})
	}
	fmt.Print(attackReady)
	_, err = io.Copy(io.Discard, os.Stdin)
	cancel()
	sending.Wait()
	if err := errors.Join(err, json.NewEncoder(os.Stdout).Encode(&a.attackResult)); err != nil {
		t.Fatal(err)
	}
}

// attack sends requests of a pool.
type attack struct {
	address string
	pool    [][]attackRequest // by family
	mu      sync.Mutex        // for what follows
	attackResult
}

// send sends a request, on as many connections as it wants, and records the outcome.
func (a *attack) send(ctx context.Context, request *attackRequest, principal string) {
	var connections sync.WaitGroup
	for range request.connections - 1 {
		connections.Go(func() { a.sendOne(ctx, request, principal) })
	}
	a.sendOne(ctx, request, principal)
	connections.Wait()
}

func (a *attack) sendOne(ctx context.Context, request *attackRequest, principal string) {
	status, size, text, err := a.exchange(ctx, request, principal)
	if err != nil && ctx.Err() != nil {
		return // the attack is over
	}
	outcome := fmt.Sprint(status)
	if err != nil {
		outcome = "cut off" // as the server may where it does not read a body to its end
		if errors.Is(err, os.ErrDeadlineExceeded) {
			outcome = "timeout"
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	line := fmt.Sprintf("%s by %s: %s, %d bytes", request, principal, outcome, size)
	switch {
	case status == http.StatusInternalServerError:
		a.Findings = append(a.Findings, line+": "+text)
	case status >= 400 && size > refusalSize:
		a.Findings = append(a.Findings, "too large an answer: "+line)
	}
	if a.Counts[request.family] == nil {
		a.Counts[request.family] = map[string]int{}
	}
	a.Counts[request.family][outcome]++
	const kept = 100
	if a.Last = append(a.Last, line); len(a.Last) > kept {
		a.Last = a.Last[1:]
	}
}

// exchange sends a request on a connection of its own and reads its answer: its status, the size of its body and the beginning of it.
func (a *attack) exchange(ctx context.Context, request *attackRequest, principal string) (status int, size int64, text string, err error) {
	conn, err := net.DialTimeout("tcp", a.address, time.Minute)
	if err != nil {
		return 0, 0, "", err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })() // what fails then is not counted
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, 0, "", err
	}
	head := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", request.method, request.path, a.address)
	own := false
	for _, header := range request.headers {
		own = own || strings.HasPrefix(header, "Authorization:")
		head = fmt.Appendf(head, "%s\r\n", header)
	}
	if !own {
		head = fmt.Appendf(head, "Authorization: Bearer %s\r\n", attackToken(principal))
	}
	if request.mediaType != "" {
		head = fmt.Appendf(head, "Content-Type: %s\r\nContent-Length: %d\r\n", request.mediaType, len(request.body))
	}
	if tcp, ok := conn.(*net.TCPConn); ok && request.unread > 0 {
		const window = 4096 // so little that the answer stays at the server
		if err := tcp.SetReadBuffer(window); err != nil {
			return 0, 0, "", err
		}
	}
	sent := make(chan struct{})
	go func() { // beside reading, since the answer may come before the body has been sent
		defer close(sent)
		if _, err := conn.Write(append(head, "\r\n"...)); err == nil {
			_ = a.sendBody(conn, request) // the answer has the outcome
		}
	}()
	defer func() {
		conn.Close()
		<-sent // the connection that was closed ends it
	}()
	if request.unread > 0 {
		timer := time.NewTimer(request.unread)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if request.pause > 0 {
		if err := conn.SetReadDeadline(time.Now().Add(20 * request.pause)); err != nil {
			return 0, 0, "", err
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, 0, "", err
	}
	defer response.Body.Close()
	if request.listen > 0 {
		if err := conn.SetReadDeadline(time.Now().Add(request.listen)); err != nil {
			return 0, 0, "", err
		}
	}
	var start bytes.Buffer
	const shown = 500
	size, err = io.CopyN(&start, response.Body, shown)
	if err == nil {
		var more int64
		more, err = io.Copy(io.Discard, response.Body)
		size += more
	}
	if errors.Is(err, io.EOF) || request.listen > 0 {
		err = nil
	}
	return response.StatusCode, size, start.String(), err
}

// sendBody sends a body at once, or a byte after each pause until the connection is closed.
func (a *attack) sendBody(conn net.Conn, request *attackRequest) error {
	if request.pause == 0 {
		_, err := conn.Write(request.body)
		return err
	}
	pauses := time.NewTicker(request.pause)
	defer pauses.Stop()
	for n := range request.body {
		<-pauses.C
		if _, err := conn.Write(request.body[n : n+1]); err != nil {
			return err
		}
	}
	return nil
}

// report prints how many requests of each family had which outcome.
func (a *attackResult) report(t *testing.T) {
	for _, family := range attackFamilies {
		var outcomes []string
		for _, outcome := range slices.Sorted(maps.Keys(a.Counts[family.name])) {
			outcomes = append(outcomes, fmt.Sprintf("%s: %d", outcome, a.Counts[family.name][outcome]))
		}
		t.Logf("%-22s %s", family.name, strings.Join(outcomes, ", "))
	}
}
