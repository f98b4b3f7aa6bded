package mongo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// claimantVariable tells a child of TestProcessesClaim which of the processes it is, and the connection string.
const claimantVariable = "DOVETAIL_TEST_CLAIMANT"

// claimants is how many writers each process of TestProcessesClaim has.
var claimants = []int{3, 3, 2}

// openClaimed opens a store of devices with unique serials, and of cables with ports of their own.
func openClaimed(t *testing.T, uri string) *store.Store {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(`
resources:
  - name: port
  - name: device
    unique: [spec.serial]
  - name: cable
    references:
      - {name: port, at: spec.a, exclusive: true}
      - {name: port, at: spec.b, exclusive: true}
`)}})
	must(t, err)
	b := mustOpen(t, uri)
	t.Cleanup(func() { _ = b.Close() })
	s, err := store.Open(t.Context(), b, model, store.Config{})
	must(t, err)
	return s
}

// claim has a writer create what only one of those of its round can have: a serial in even rounds, else a port.
func claim(ctx context.Context, s *store.Store, round, writer int) (won bool, err error) {
	id, text, reason := fmt.Sprintf("device/%d-%d", round, writer), fmt.Sprintf(`{"spec":{"serial":%d}}`, round), store.ReasonNotUnique
	if round%2 == 1 {
		id, text = fmt.Sprintf("cable/%d-%d", round, writer), fmt.Sprintf(`{"spec":{"%c":"%d"}}`, "ab"[writer/2%2], round)
		reason = store.ReasonTaken
	}
	data, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		return false, err
	}
	_, err = s.Apply(ctx, []store.Operation{{Verb: store.Create, ID: dovetail.ID(id), Data: data}}, store.Options{})
	if err != nil && dovetail.AsError(err).Reason == reason {
		return false, nil
	}
	return err == nil, err
}

// TestProcessesClaim lets eight writers in three processes take one unique value, or one port: exactly one of them has it.
func TestProcessesClaim(t *testing.T) {
	uri := freshURI(t)
	s := openClaimed(t, uri)
	program, err := os.Executable()
	must(t, err)
	type process struct {
		in  io.WriteCloser
		out *bufio.Reader
		cmd *exec.Cmd
	}
	var processes []process
	for n := range claimants {
		child := exec.CommandContext(t.Context(), program, "-test.run=^TestClaimant$", "-test.timeout=0")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", claimantVariable, n, uri))
		child.Stderr = os.Stderr
		in, err := child.StdinPipe()
		must(t, err)
		out, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		processes = append(processes, process{in, bufio.NewReader(out), child})
	}
	const all = 2000
	for round := range rounds.Of(12, all) {
		if round%2 == 1 {
			_, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: dovetail.ID(fmt.Sprint("port/", round)), Data: value.NewMap()}}, store.Options{})
			must(t, err)
		}
		for _, p := range processes {
			_, err := fmt.Fprintln(p.in, round)
			must(t, err)
		}
		won := 0
		for n, p := range processes {
			var wins int
			if _, err := fmt.Fscanln(p.out, &wins); err != nil {
				t.Fatalf("round %d: process %d: %v", round, n, err)
			}
			won += wins
		}
		if won != 1 {
			t.Fatalf("round %d: %d writers won", round, won)
		}
	}
	for _, p := range processes {
		must(t, p.in.Close())
		_, _ = io.Copy(io.Discard, p.out)
		must(t, p.cmd.Wait())
	}
	for f, err := range s.Check(t.Context(), false) {
		t.Errorf("%+v %v", f, err)
	}
}

// TestClaimant is a child of TestProcessesClaim; otherwise it has nothing to do. It reads rounds, and says how many of its writers
// won each.
func TestClaimant(t *testing.T) {
	if os.Getenv(claimantVariable) == "" {
		return
	}
	var n int
	var uri string
	_, err := fmt.Sscan(os.Getenv(claimantVariable), &n, &uri)
	must(t, err)
	s := openClaimed(t, uri)
	for {
		var round int
		if _, err := fmt.Fscanln(os.Stdin, &round); err != nil {
			return
		}
		var wins atomic.Int32
		var group sync.WaitGroup
		for w := range claimants[n] {
			group.Go(func() {
				won, err := claim(t.Context(), s, round, n*len(claimants)+w)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				if won {
					wins.Add(1)
				}
			})
		}
		group.Wait()
		if t.Failed() {
			return
		}
		fmt.Println(wins.Load())
	}
}
