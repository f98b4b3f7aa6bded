package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/test/bench/load"
	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// connections is how many connections put a server under load.
const connections = 64

// program builds the dovetail program once and returns its path.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(files.dir, "dovetail")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "github.com/dovetail-store/dovetail/src/cmd/dovetail")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return path, nil
})

// server is a dovetail process that serves a database file. The caller must stop it.
type server struct {
	address string
	ready   time.Duration // from its start to the first 200 of /readyz
	process *exec.Cmd
	log     string // path of what it wrote
}

// serve starts the program on a database file, with the schema of the items.
func serve(tb testing.TB, database string) *server {
	tb.Helper()
	schemas := tb.TempDir()
	if err := os.WriteFile(filepath.Join(schemas, "schema.yaml"), peer.Schema, 0o600); err != nil {
		tb.Fatal(err)
	}
	return launch(tb, database, "--ref-schemas", schemas)
}

// launch starts the program on a database file with more flags.
func launch(tb testing.TB, database string, flags ...string) *server {
	tb.Helper()
	return launchIn(tb, "", database, flags...)
}

// launchIn starts the program in the control group whose file cgroup.procs is given, if one is.
func launchIn(tb testing.TB, procs, database string, flags ...string) *server {
	tb.Helper()
	path, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	address, err := peer.FreeAddress()
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{address: address, log: filepath.Join(tb.TempDir(), "log")}
	log, err := os.Create(s.log) // a file, so that the log of each request costs this process nothing
	if err != nil {
		tb.Fatal(err)
	}
	defer log.Close()
	command := append([]string{path, "serve", "--listen", address, "--store", "bolt:" + database}, flags...)
	if procs != "" { // the shell joins the group and becomes the program, so that all of its memory counts
		command = append([]string{"sh", "-c", `echo $$ >"$0" && exec "$@"`, procs}, command...)
	}
	s.process = exec.Command(command[0], command[1:]...)
	s.process.Stdout, s.process.Stderr = log, log
	start := time.Now()
	if err := s.process.Start(); err != nil {
		tb.Fatal(err)
	}
	attempts := time.NewTicker(time.Millisecond)
	defer attempts.Stop()
	for {
		err := s.get("/readyz", io.Discard)
		if err == nil {
			s.ready = time.Since(start)
			return s
		}
		if time.Since(start) > time.Minute {
			s.stop(tb)
			tb.Fatalf("the server is not ready: %v", err)
		}
		<-attempts.C
	}
}

// stop ends the process as an operator would; it must end well.
func (s *server) stop(tb testing.TB) {
	tb.Helper()
	if err := errors.Join(s.process.Process.Signal(syscall.SIGTERM), s.process.Wait()); err != nil {
		output, _ := os.ReadFile(s.log) // for the message only
		tb.Errorf("the server ended: %v: %s", err, output)
	}
}

// get copies the answer to a GET, which must be 200.
func (s *server) get(path string, to io.Writer) error {
	return s.send(http.MethodGet, path, "", "", to)
}

// send copies the answer to a request, which must be 200.
func (s *server) send(method, path, mediaType, body string, to io.Writer) error {
	request, err := http.NewRequest(method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	if mediaType != "" {
		request.Header.Set("Content-Type", mediaType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		problem, _ := io.ReadAll(response.Body) // for the message only
		return fmt.Errorf("%s: %s", response.Status, problem)
	}
	_, err = io.Copy(to, response.Body)
	return err
}

// load runs b.N requests from as many connections and reports what they took.
func (s *server) load(b *testing.B, connections, status int, request func(buffer []byte, n int) []byte) {
	b.Helper()
	plan := load.Plan{Address: s.address, Connections: connections, Requests: b.N, Request: request, Status: status}
	b.ResetTimer()
	result, err := plan.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(result.PerSecond(), "requests/s")
	b.ReportMetric(float64(result.Quantile(0.5).Microseconds()), "p50-µs")
	b.ReportMetric(float64(result.Quantile(0.99).Microseconds()), "p99-µs")
}

// getRequest is the request that reads an item.
func (s *server) getRequest(buffer []byte, item peer.Item) []byte {
	return fmt.Appendf(buffer, "GET /v2/parents/%s/items/%s HTTP/1.1\r\nHost: %s\r\n\r\n",
		peer.TargetName(item.Parent), item.Name(), s.address)
}

// createRequest is the request that creates an item.
func (s *server) createRequest(buffer []byte, item peer.Item) []byte {
	data := item.Data()
	return fmt.Appendf(buffer, "POST /v2/parents/%s/items HTTP/1.1\r\nHost: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		peer.TargetName(item.Parent), s.address, len(data), data)
}

var heapLine = regexp.MustCompile(`(?m)^go_memstats_heap_inuse_bytes (\S+)$`)

// heap is the part of the server's heap that is in use, in bytes.
func (s *server) heap() (float64, error) {
	var text bytes.Buffer
	if err := s.get("/metrics", &text); err != nil {
		return 0, err
	}
	line := heapLine.FindSubmatch(text.Bytes())
	if line == nil {
		return 0, errors.New("/metrics has no go_memstats_heap_inuse_bytes")
	}
	return strconv.ParseFloat(string(line[1]), 64)
}

// TestServer proves that the program understands what the benchmarks send: a folder is applied, its items are read, and
// more are created.
func TestServer(t *testing.T) {
	const documents, created = 3*peer.Targets + 100, 50
	folder := t.TempDir()
	if err := writeManifests(folder, documents); err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "test.db"))
	defer s.stop(t)
	if err := s.apply(folder); err != nil {
		t.Fatal(err)
	}
	plans := []load.Plan{
		{Requests: 100, Status: 200, Request: func(buffer []byte, n int) []byte { return s.getRequest(buffer, peer.ItemOf(n)) }},
		{Requests: created, Status: 201, Request: func(buffer []byte, n int) []byte { return s.createRequest(buffer, peer.ItemOf(100+n)) }},
		{Requests: created, Status: 409, Request: func(buffer []byte, n int) []byte { return s.createRequest(buffer, peer.ItemOf(100+n)) }},
		{Requests: 1, Status: 409, Request: func(buffer []byte, _ int) []byte {
			return s.createRequest(buffer, peer.Item{Number: 1000, Left: peer.Targets})
		}},
	}
	for _, plan := range plans {
		plan.Address, plan.Connections = s.address, 4
		if _, err := plan.Run(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if heap, err := s.heap(); err != nil || heap < 1e6 {
		t.Errorf("the heap is %v bytes, %v", heap, err)
	}
}
