package mongo

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// victimVariable tells a child of TestKill what to die in: the connection string, the transaction, the
// step, and whether before it.
const victimVariable = "DOVETAIL_TEST_VICTIM"

// TestKill does what TestDeath does with processes of their own that end by SIGKILL: with their
// connections, their groups of creations, and all that they knew.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	program, err := os.Executable()
	must(t, err)
	for i, c := range deaths {
		t.Run(c.name, func(t *testing.T) {
			dieAtEveryStep(t, c.txn, func(uri string, _ *Backend, n int, before bool) (answer error, died bool) {
				child := exec.CommandContext(t.Context(), program, "-test.run=^TestVictim$")
				child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %t", victimVariable, uri, i, n, before))
				output, err := child.CombinedOutput()
				switch {
				case err == nil:
					return nil, false
				case strings.Contains(err.Error(), "killed"):
					return errDead, true
				}
				t.Fatalf("the child ended with %v: %s", err, output)
				return nil, false
			})
		})
	}
}

// TestVictim is the child of TestKill; otherwise it has nothing to do.
func TestVictim(t *testing.T) {
	if os.Getenv(victimVariable) == "" {
		return
	}
	var uri string
	var which, steps int
	var before bool
	if _, err := fmt.Sscan(os.Getenv(victimVariable), &uri, &which, &steps, &before); err != nil {
		t.Fatal(err)
	}
	b := mustOpen(t, uri)
	defer b.Close()
	victim := &mortal{server: b.server, steps: steps, before: before, kill: func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // it does not come at once
	}}
	must(t, protocol.New(victim, brief(), "victim").Commit(t.Context(), deaths[which].txn))
}
