package gitops

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// repository is the root of the repository.
const repository = "../.."

// TestMain runs kubectl where the program of the tests is called so. It removes the program dovetail when all tests are done.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == kubectl {
		runKubectl()
		return
	}
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path)) // in the folder of temporary files
	}
	os.Exit(code)
}

// program builds the dovetail program once and returns its path.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "dovetail-gitops")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "dovetail")
	build := exec.Command("go", "build", "-o", path, "./src/cmd/dovetail")
	build.Dir, build.Env = repository, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return path, nil
})

// log keeps what a process writes, and sends the address that it serves, once.
type log struct {
	mutex   sync.Mutex
	text    bytes.Buffer
	address chan string // nil once it was sent
}

func newLog() (kept *log, address <-chan string) {
	sent := make(chan string, 1)
	return &log{address: sent}, sent
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	n, err := l.text.Write(text)
	if m := ready.FindSubmatch(l.text.Bytes()); m != nil && l.address != nil {
		l.address <- string(m[1])
		l.address = nil
	}
	return n, err
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

var ready = regexp.MustCompile(`API +(http://\S+)/v2`)

// server is the program with a database of its own.
type server struct {
	address string // http://host:port
	store   string
	flags   []string
	process *exec.Cmd
	output  *log
	ended   chan error
}

// serve starts a server on a new database, which ends with the test, and returns its address.
func serve(t *testing.T, flags ...string) string {
	t.Helper()
	return newServer(t, flags...).address
}

// newServer starts a server on a new database, which ends with the test.
func newServer(t *testing.T, flags ...string) *server {
	t.Helper()
	s := &server{store: "bolt:" + filepath.Join(t.TempDir(), "gitops.db"), flags: flags}
	s.start(t, "127.0.0.1:0")
	t.Cleanup(func() {
		_ = s.process.Process.Signal(syscall.SIGTERM) // it may have ended, which is an error below
		if err := <-s.ended; err != nil {
			t.Errorf("the server ended: %v: %s", err, s.output)
		}
	})
	return s
}

func (s *server) start(t *testing.T, listen string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	process, ended := exec.Command(path, append([]string{"serve", "--listen", listen, "--store", s.store}, s.flags...)...), make(chan error, 1)
	output, address := newLog()
	process.Stdout, process.Stderr = output, output
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- process.Wait() }()
	s.process, s.output, s.ended = process, output, ended
	select {
	case s.address = <-address:
	case <-time.After(time.Minute):
		t.Fatalf("the server is not ready: %s", output)
	}
}

// restart kills the server, and starts it again at the same address with what it has stored.
func (s *server) restart(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; err == nil {
		t.Fatal("the server ended before it was killed")
	}
	s.start(t, strings.TrimPrefix(s.address, "http://"))
}

// put writes through REST, as a service that tells how a document does.
func put(ctx context.Context, t *testing.T, url, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("PUT %s: %s", url, answer.Status)
	}
}
