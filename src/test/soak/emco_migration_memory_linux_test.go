//go:build !race

package soak_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestMemoryOfEMCOMigration migrates far more than it may keep in memory. The race detector takes several times as much.
func TestMemoryOfEMCOMigration(t *testing.T) {
	rounds.Soak(t)
	const documents, each, allowed = 20_000, 10_000, 300 << 20
	from := apptest.EMCOProjects(t, documents, each)
	migration := apptest.Command(t, migrateArguments(from, "bolt:"+filepath.Join(t.TempDir(), "emco.db"))...)
	migration.Env = append(os.Environ(), "GOGC=100") // as the product has it; tests have more
	var output bytes.Buffer
	migration.Stdout, migration.Stderr = &output, &output
	if err := migration.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- migration.Wait() }()
	peak := int64(0)
	for running := true; running; {
		select {
		case err := <-ended:
			if running = false; err != nil {
				t.Fatal(output.String())
			}
		case <-time.After(20 * time.Millisecond):
			peak = max(peak, peakMemory(migration.Process.Pid))
		}
	}
	if t.Logf("%d MB of documents took %d MB of memory", documents*each>>20, peak>>20); peak == 0 || peak > allowed {
		t.Errorf("%d MB of documents took %d MB of memory", documents*each>>20, peak>>20)
	}
}

// peakMemory returns the most memory that a process had so far, in bytes; 0 where it has ended.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kilobytes int64
	_, _ = fmt.Sscan(string(after), &kilobytes)
	return kilobytes << 10
}
