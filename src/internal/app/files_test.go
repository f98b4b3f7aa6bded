package app

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

func TestConnectionLimit(t *testing.T) {
	for _, test := range []struct {
		name       string
		configured int
		sockets    int
		files      uint64
		open       int
		memory     int64
		want       int
	}{
		{"no limit", 20000, 1, math.MaxUint64, 10, 8 << 30, 20000},
		{"a usual limit", 20000, 1, 1 << 20, 10, 8 << 30, 20000},
		{"an old limit", 20000, 1, 1024, 12, 8 << 30, 884},
		{"few files", 20000, 1, 64, 12, 8 << 30, 36},
		{"too few files", 20000, 1, 16, 12, 8 << 30, 1},
		{"the memory of a pod", 20000, 1, 1 << 20, 10, 400 << 20, 2844},
		{"little memory", 20000, 1, 1 << 20, 10, 1 << 20, 100},
		{"fewer connections than fit", 50, 1, 1 << 20, 10, 1 << 20, 50},
		{"fewer connections than files", 100, 1, 1024, 12, 8 << 30, 100},
		{"a gateway with no limit", 20000, 2, math.MaxUint64, 10, 8 << 30, 20000},
		{"a gateway with few files", 20000, 2, 64, 12, 8 << 30, 18},
		{"a gateway with too few files", 20000, 2, 16, 12, 8 << 30, 1},
		{"a gateway in a pod", 20000, 2, 1 << 20, 10, 400 << 20, 1422},
		{"a gateway with little memory", 20000, 2, 1 << 20, 10, 1 << 20, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := connectionLimit(test.configured, test.sockets, test.files, test.open, test.memory); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// TestFewFiles: a server or gateway that may open 64 files is alive while 120 connections are opened that send nothing, and while
// as many have sent half of a request.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no limit on open files")
	}
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	behind := start(t, nil)
	for _, test := range []struct {
		name  string
		args  []string
		paths []string
	}{
		{"server", []string{"serve", "--store", "bolt:" + filepath.Join(t.TempDir(), "store.db"), "--log-level", "error"}, []string{"/livez", "/readyz", "/v2"}},
		{"gateway", []string{"gateway", behind.URL()}, []string{"/livez", "/readyz", "/v2", "/v2/clusters"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fewFiles{address: apptest.FreeAddress(t), client: &http.Client{Timeout: apptest.Patience, Transport: &http.Transport{DisableKeepAlives: true}}}
			command := append([]string{"-c", `ulimit -n 64; exec "$0" "$@"`, path, test.args[0], "--listen", f.address}, test.args[1:]...)
			process := exec.CommandContext(t.Context(), "sh", command...)
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = process.Process.Kill()
				_ = process.Wait()
			}()
			eventually(t, "it is ready", func() bool { return f.status(t, "/readyz") == "200" })
			for _, begin := range []string{"", "GET /v2/clusters HTTP/1.1\r\nHost: x\r\n"} {
				f.crowd(t, 120, begin)
				for _, path := range test.paths {
					if got := f.status(t, path); got != "200" {
						t.Errorf("with connections that send %q: %s is answered %s", begin, path, got)
					}
				}
			}
		})
	}
}

// fewFiles is a process that may open few files.
type fewFiles struct {
	address string
	client  *http.Client
}

// status asks for a path on a connection of its own.
func (f *fewFiles) status(t *testing.T, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+f.address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err.Error()
	}
	return strconv.Itoa(answer.StatusCode)
}

// crowd opens connections that send the beginning of a request and no more, until the test ends.
func (f *fewFiles) crowd(t *testing.T, many int, begin string) {
	t.Helper()
	for i := range many {
		c, err := net.DialTimeout("tcp", f.address, apptest.Patience)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, begin) // it may be closed by now
	}
}

func TestLimitsOf(t *testing.T) {
	tests := []struct {
		name   string
		files  uint64
		memory int64
		want   string
	}{
		{name: "both", files: 1000, memory: 1 << 30, want: "[connections 7 files 1000 memory 1073741824]"},
		{name: "no limit of a cgroup", files: 1000, memory: 9223372036854771712, want: "[connections 7 files 1000]"},
		{name: "no limit of files", files: 1 << 62, memory: 1 << 30, want: "[connections 7 memory 1073741824]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(limitsOf(7, test.files, test.memory)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
