package apptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// Process is a dovetail program that serves in a process of its own, at one address however often it is started. It is safe for
// concurrent use.
type Process struct {
	Address string

	arguments []string
	log       string

	mutex sync.Mutex
	ended chan struct{} // closed when the running program has ended; nil before the first start
	kill  func()
}

// NewProcess returns a process that is not started yet. It has a port of its own, patient limits, and further arguments of serve. It
// is killed when the test ends.
func NewProcess(t testing.TB, arguments ...string) *Process {
	t.Helper()
	p := &Process{Address: FreeAddress(t), log: filepath.Join(t.TempDir(), "log")}
	p.arguments = []string{"serve", "--listen", p.Address, "--log-level", "error"}
	for name, text := range PatientFlags() {
		p.arguments = append(p.arguments, "--"+name, text)
	}
	p.arguments = append(p.arguments, arguments...)
	t.Cleanup(p.Kill)
	return p
}

// StartProcess starts a process, and returns it when it is ready.
func StartProcess(t testing.TB, arguments ...string) *Process {
	t.Helper()
	p := NewProcess(t, arguments...)
	p.Start(t)
	return p
}

// URL returns the base URL of the server.
func (p *Process) URL() string { return "http://" + p.Address }

// Start runs the program and returns when it is ready.
func (p *Process) Start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := Command(t, p.arguments...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	p.mutex.Lock()
	p.ended, p.kill = ended, func() { _ = cmd.Process.Kill() }
	p.mutex.Unlock()
	Eventually(t, "the process is ready", func() bool {
		select {
		case <-ended:
			text, _ := os.ReadFile(p.log)
			t.Fatalf("the process ended:\n%s", text)
		default:
		}
		return p.Ready(t.Context())
	})
}

// Ready reports whether the process answers that it is ready.
func (p *Process) Ready(ctx context.Context) bool {
	status, _, err := p.Call(ctx, http.MethodGet, "/readyz", "")
	return err == nil && status == http.StatusOK
}

// Kill ends the program by SIGKILL.
func (p *Process) Kill() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ended != nil {
		p.kill()
		<-p.ended
	}
}

// Send sends a request with header fields, given as name and value in turn. A body without a Content-Type is JSON. An error means
// that there was no answer.
func (p *Process) Send(ctx context.Context, method, path, body string, header ...string) (apitest.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.URL()+path, strings.NewReader(body))
	if err != nil {
		return apitest.Answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return apitest.Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return apitest.Answer{Status: response.StatusCode, Header: response.Header, Text: string(text)}, err
}

// Call is Send without header fields.
func (p *Process) Call(ctx context.Context, method, path, body string) (status int, text string, err error) {
	answer, err := p.Send(ctx, method, path, body)
	return answer.Status, answer.Text, err
}

// Must sends a request, fails the test if the status of the answer differs, and returns the body.
func (p *Process) Must(t testing.TB, status int, method, path, body string) string {
	t.Helper()
	got, text, err := p.Call(t.Context(), method, path, body)
	if err != nil || got != status {
		t.Fatalf("%s %s: %d %s %v, want %d", method, path, got, text, err, status)
	}
	return text
}

// ports counts the addresses that FreeAddress has returned.
var ports atomic.Int64

// FreeAddress returns an address that nothing listens on, and that no other test gets. Its port is below those that systems give
// to outgoing connections, so that no client takes it before the server listens, or while the server restarts. Other test
// processes begin elsewhere.
func FreeAddress(t testing.TB) string {
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

// KillWithin starts the program with the arguments, kills it by SIGKILL once begun returns true, and reports whether it was killed
// before it had ended. The test fails if the program ends with another exit code.
func KillWithin(t testing.TB, code int, begun func() bool, arguments ...string) bool {
	t.Helper()
	cmd := Command(t, arguments...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	Eventually(t, "the program has begun, or ended", func() bool {
		select {
		case <-ended:
			return true
		default:
			return begun()
		}
	})
	_ = cmd.Process.Kill()
	<-ended
	if cmd.ProcessState.Exited() && cmd.ProcessState.ExitCode() != code {
		t.Fatalf("dovetail %v: %s", arguments, output.String())
	}
	return !cmd.ProcessState.Exited()
}

// Size returns the bytes of all files of a folder, which other processes may change meanwhile.
func Size(dir string) (bytes int64) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return bytes
}
