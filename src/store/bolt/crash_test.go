package bolt

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// The crash tests run this test binary again as a child that writes, kill it, and look at the file.
const (
	childEnv = "DOVETAIL_TEST_CRASH_CHILD" // path of the store; makes the process the child
	roundEnv = "DOVETAIL_TEST_CRASH_ROUND" // seed of the child's scripts
	writers  = 6
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		crashChild(path, os.Getenv(roundEnv))
		return
	}
	os.Exit(m.Run())
}

// script is what one writer does: transactions that follow from the seed and one another, and the
// documents that are there when all so far were done.
type script struct {
	root   dovetail.ID // all documents of the script are below it
	random *rand.Rand
	done   int
	state  map[dovetail.ID]dovetail.ETag
}

func newScript(round string, writer int) *script {
	n, _ := strconv.ParseUint(round, 10, 64)
	return &script{
		root:   dovetail.ID(fmt.Sprintf("round/%s/writer/%d", round, writer)),
		random: rand.New(rand.NewPCG(n, uint64(writer))),
		state:  make(map[dovetail.ID]dovetail.ETag),
	}
}

// next returns the next transaction: a family of a parent and its children with references to one
// another is created, changed or deleted, all at once.
func (s *script) next() store.Txn {
	s.done++
	var txn store.Txn
	families := make(map[dovetail.ID]bool)
	for id := range s.state {
		families[id[:len(s.root)+len("/family/0000")]] = true
	}
	ids := slices.Sorted(maps.Keys(families))
	parent := s.root + dovetail.ID(fmt.Sprintf("/family/%04d", s.done))
	if action := s.random.IntN(5); action > 1 && len(ids) > 0 {
		parent = ids[s.random.IntN(len(ids))]
		if action == 2 {
			for _, id := range slices.Sorted(maps.Keys(s.state)) {
				if id == parent || id.IsDescendantOf(parent) {
					txn.Require = append(txn.Require, store.Condition{Test: store.AtVersion, ID: id, Version: s.state[id]})
					txn.Deletes = append(txn.Deletes, id)
					delete(s.state, id)
				}
			}
			return txn
		}
	}
	for _, id := range []dovetail.ID{parent, parent + "/child/a", parent + "/child/b"} {
		d := document(id, dovetail.Reference{ID: parent, Kind: "family"}, dovetail.Reference{ID: s.root, Kind: "writer", Weak: true})
		d.Data = make([]byte, s.random.IntN(2000))
		if version, ok := s.state[id]; ok {
			d.UID, d.Revision = version.UID, version.Revision+1
			txn.Require = append(txn.Require, store.Condition{Test: store.AtVersion, ID: id, Version: version})
		} else {
			d.UID = fmt.Sprint("uid", s.done)
			txn.Require = append(txn.Require, store.Condition{Test: store.Absent, ID: id})
		}
		txn.Puts = append(txn.Puts, d)
		s.state[id] = d.ETag()
	}
	return txn
}

// crashChild writes until it is killed, and says after each acknowledged transaction whose it was.
func crashChild(path, round string) {
	b, err := Open(path, Options{tableSize: 32 << 10}) // flushes often
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var busy sync.WaitGroup
	for writer := range writers {
		busy.Go(func() {
			for s := newScript(round, writer); ; {
				if err := b.Commit(context.Background(), s.next()); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Fprintln(os.Stdout, writer)
			}
		})
	}
	busy.Wait()
}

// crash runs the program as a child on the store until it dies, and returns how many transactions
// of each writer it acknowledged. It is killed after so many of them.
func crash(t *testing.T, program, path, round string, killAfter int, env ...string) (acknowledged [writers]int, stderr string) {
	t.Helper()
	child := exec.Command(program)
	child.Env = slices.Concat(os.Environ(), []string{childEnv + "=" + path, roundEnv + "=" + round}, env)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errors beginning
	child.Stderr = &errors
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for lines := bufio.NewScanner(output); lines.Scan(); {
		writer, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		acknowledged[writer]++
		if total++; total == killAfter {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	return acknowledged, errors.String()
}

// beginning keeps the beginning of what is written to it.
type beginning struct{ text []byte }

func (w *beginning) Write(p []byte) (int, error) {
	const most = 4000
	w.text = append(w.text, p[:min(len(p), most-len(w.text))]...)
	return len(p), nil
}

func (w *beginning) String() string { return string(w.text) }

// survivors checks a store after a crash: of each writer all acknowledged transactions are there,
// perhaps one more, and nothing else; the change log agrees.
func survivors(t *testing.T, b *Backend, round string, since store.Cursor, acknowledged [writers]int) {
	t.Helper()
	transactions := 0
	for writer := range writers {
		s := newScript(round, writer)
		for s.done < acknowledged[writer] {
			s.next()
		}
		got := make(map[dovetail.ID]dovetail.ETag)
		for d, err := range b.List(t.Context(), store.Query{Under: s.root}) {
			if err != nil {
				t.Fatal(err)
			}
			got[d.ID] = d.ETag()
		}
		if !maps.Equal(got, s.state) {
			s.next() // it was done, but the child died before it could say so
		}
		if !maps.Equal(got, s.state) {
			t.Errorf("writer %d: after %d acknowledged transactions there is\n%v\nwant\n%v", writer, acknowledged[writer], got, s.state)
		}
		transactions += s.done
	}
	wantClean(t, b)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sets := 0
	if transactions == 0 {
		return
	}
	past := stateAt(t, b, since)
	for set, err := range b.Changes(ctx, since) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range set.Changes {
			if past[c.ID] = (dovetail.ETag{UID: c.UID, Revision: c.Revision}); c.Op == store.Deleted {
				delete(past, c.ID)
			}
		}
		if sets%10 == 0 {
			if got := stateAt(t, b, set.Cursor); !maps.Equal(got, past) {
				t.Errorf("the snapshot of %s has\n%v\nafter its changes it should have\n%v", set.Cursor, got, past)
			}
		}
		if sets++; sets == transactions {
			break
		}
	}
	if head, err := b.Head(t.Context()); err != nil || head != b.cursor(sequenceOf(t, b, since)+uint64(transactions)) {
		t.Errorf("the head is %s, %v, after %s and %d transactions", head, err, since, transactions)
	}
}

// stateAt returns the versions of all documents at a position.
func stateAt(t *testing.T, b *Backend, position store.Cursor) map[dovetail.ID]dovetail.ETag {
	t.Helper()
	s, err := b.At(t.Context(), position)
	if err != nil {
		t.Fatal(err)
	}
	state := make(map[dovetail.ID]dovetail.ETag)
	for d, err := range s.List(t.Context(), store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		state[d.ID] = d.ETag()
	}
	return state
}

func sequenceOf(t *testing.T, b *Backend, cursor store.Cursor) uint64 {
	t.Helper()
	sequence, err := b.parseCursor(cursor)
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// headNow opens the store in a file for a moment.
func headNow(t *testing.T, path string) store.Cursor {
	t.Helper()
	b := mustOpen(t, path, Options{})
	defer b.Close()
	head, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// TestKill kills the child with SIGKILL at random moments, again and again on the same store.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range rounds.Of(3, 100) {
		round := strconv.Itoa(n)
		since := headNow(t, path)
		acknowledged, stderr := crash(t, os.Args[0], path, round, 1+random.IntN(600))
		if stderr != "" {
			t.Fatalf("the child failed: %s", stderr)
		}
		b := mustOpen(t, path, Options{})
		survivors(t, b, round, since, acknowledged)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}
