package argocd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

const repository = "../.."

// output keeps what a process writes, and sends the address that it serves, once.
type output struct {
	mutex   sync.Mutex
	text    bytes.Buffer
	address chan string // nil once it was sent
}

func newOutput() (kept *output, address <-chan string) {
	sent := make(chan string, 1)
	return &output{address: sent}, sent
}

func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	n, err := o.text.Write(text)
	if m := ready.FindSubmatch(o.text.Bytes()); m != nil && o.address != nil {
		o.address <- string(m[1])
		o.address = nil
	}
	return n, err
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

var ready = regexp.MustCompile(`API +(http://\S+)/v2`)

// TestMain builds the program and runs the tests.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "dovetail-argocd")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(folder, "dovetail")
	build := exec.Command("go", "build", "-o", program, "./src/cmd/dovetail")
	build.Dir, build.Env = repository, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		panic(string(text))
	}
	code := m.Run()
	_ = os.RemoveAll(folder) // in the folder of temporary files
	os.Exit(code)
}

var program string

// serve starts the program on a new database. It ends with the test. The address is that of the server.
func serve(t *testing.T) string {
	t.Helper()
	process := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--store", "bolt:"+filepath.Join(t.TempDir(), "argocd.db"))
	said, address := newOutput()
	process.Stdout, process.Stderr = said, said
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM) // it may have ended, which is an error below
		if err := process.Wait(); err != nil {
			t.Errorf("the server ended: %v: %s", err, said)
		}
	})
	select {
	case served := <-address:
		return served
	case <-time.After(time.Minute):
		t.Fatalf("the server is not ready: %s", said)
		return ""
	}
}
