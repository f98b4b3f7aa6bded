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
	"testing"
	"time"
)

func TestConnectionLimit(t *testing.T) {
	for _, test := range []struct {
		name       string
		configured int
		files      uint64
		open       int
		memory     int64
		want       int
	}{
		{"no limit", 20000, math.MaxUint64, 10, 8 << 30, 20000},
		{"a usual limit", 20000, 1 << 20, 10, 8 << 30, 20000},
		{"an old limit", 20000, 1024, 12, 8 << 30, 884},
		{"few files", 20000, 64, 12, 8 << 30, 36},
		{"too few files", 20000, 16, 12, 8 << 30, 1},
		{"the memory of a pod", 20000, 1 << 20, 10, 400 << 20, 2844},
		{"little memory", 20000, 1 << 20, 10, 1 << 20, 100},
		{"fewer connections than fit", 50, 1 << 20, 10, 1 << 20, 50},
		{"fewer connections than files", 100, 1024, 12, 8 << 30, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := connectionLimit(test.configured, test.files, test.open, test.memory); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// TestFewFiles: a process that may open 64 files is alive and takes writes while 120 connections are opened that send nothing.
func TestFewFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no limit on open files")
	}
	built.Store(true)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := probe.Addr().String()
	probe.Close()
	server := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -n 64; exec "$0" "$@"`, path, "serve", "--store", "bolt:"+filepath.Join(t.TempDir(), "store.db"), "--listen", address, "--log-level", "error")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(method, path string) (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
		if err != nil {
			return 0, err
		}
		answer, err := client.Do(r)
		if err != nil {
			return 0, err
		}
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode, err
	}
	for range 1000 {
		if code, err := ask("GET", "/readyz"); err == nil && code == 200 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	var idle []net.Conn
	defer func() {
		for _, c := range idle {
			c.Close()
		}
	}()
	for i := range 120 {
		c, err := net.DialTimeout("tcp", address, 20*time.Second)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		idle = append(idle, c)
	}
	for _, path := range []string{"/livez", "/readyz", "/v2"} {
		if code, err := ask("GET", path); err != nil || code != 200 {
			t.Errorf("%s is answered %s", path, fmt.Sprint(code, " ", err))
		}
	}
}
