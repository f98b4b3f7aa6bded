package apptest

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

// Patience is how long a test waits for an event. Only a defect makes it so long, however slow the machine is.
const Patience = 5 * time.Minute

// PatientFlags returns limits of a server that only a defect reaches.
func PatientFlags() map[string]string {
	return map[string]string{"request-timeout": "5m", "queue-wait": "5m", "shutdown-timeout": "5m"}
}

// Logs is a bytes.Buffer for several goroutines, some of which wait for what is logged. Its zero value is empty.
type Logs struct {
	mu    sync.Mutex
	b     bytes.Buffer
	waits []wait
}

// wait is a text that someone waits for.
type wait struct {
	text string
	came chan struct{}
}

// Write appends to the logs.
func (l *Logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = slices.DeleteFunc(l.waits, func(w wait) bool {
		came := bytes.Contains(p, []byte(w.text))
		if came {
			close(w.came)
		}
		return came
	})
	return l.b.Write(p)
}

// Next returns a channel that is closed when a text is logged from now on.
func (l *Logs) Next(text string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	came := make(chan struct{})
	l.waits = append(l.waits, wait{text, came})
	return came
}

// String returns the logs.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// ServerFlags returns flags for a server of a test: a free port, patient limits, and a new database in memory, unless given
// names others.
func ServerFlags(t testing.TB, given map[string]string) map[string]string {
	t.Helper()
	flags := map[string]string{"listen": "127.0.0.1:0", "log-level": "warn"}
	maps.Copy(flags, PatientFlags())
	maps.Copy(flags, given)
	if flags["store"] == "" {
		flags["store"] = "bolt:" + filepath.Join(memdir.New(t), "dovetail.db")
	}
	return flags
}

// Run runs a server until the test ends, or until the returned function is called, which returns the error of run.
func Run(t testing.TB, run func(context.Context) error) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return stop
}
