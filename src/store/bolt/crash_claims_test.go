package bolt

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// claimsEnv is the path of the store of a child of TestKillClaims.
const claimsEnv = "DOVETAIL_TEST_CRASH_CLAIMS"

// openClaimed opens a store of devices with unique serials, and of cables with ports of their own.
func openClaimed(path string) (*Backend, *store.Store, error) {
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
	if err != nil {
		return nil, nil, err
	}
	b, err := Open(path, Options{tableSize: 32 << 10}) // flushes often
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Open(context.Background(), b, model, store.Config{})
	return b, s, err
}

func applyText(s *store.Store, verb store.Verb, id, text string) error {
	op := store.Operation{Verb: verb, ID: dovetail.ID(id)}
	if verb != store.Delete {
		data, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			return err
		}
		op.Data = data
	}
	_, err := s.Apply(context.Background(), []store.Operation{op}, store.Options{})
	return err
}

// claimsChild writes until it is killed. Each writer has a device and a cable, and all compete for few serials and ports. It says
// what it is about to write, and then whether that was acknowledged.
func claimsChild(path, round string) {
	_, s, err := openClaimed(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	seed, _ := strconv.ParseUint(round, 10, 64)
	var busy sync.WaitGroup
	for writer := range writers {
		busy.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(writer)))
			for {
				id, text, verb := fmt.Sprint("device/", writer), fmt.Sprintf(`{"spec":{"serial":%d}}`, random.IntN(writers)), store.Put
				if random.IntN(2) == 0 {
					id, text = fmt.Sprint("cable/", writer), fmt.Sprintf(`{"spec":{"a":"%d","b":"%d"}}`, random.IntN(writers), writers+random.IntN(writers))
				}
				if random.IntN(5) == 0 {
					text, verb = "", store.Delete
				}
				fmt.Fprintln(os.Stdout, "about", id, text)
				switch err := applyText(s, verb, id, text); dovetail.CodeOf(err) {
				case "":
					fmt.Fprintln(os.Stdout, "done", id, text)
				case dovetail.CodeConflict, dovetail.CodeNotFound:
					fmt.Fprintln(os.Stdout, "refused", id)
				default:
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
		})
	}
	busy.Wait()
}

// TestKillClaims kills a process whose writers compete for unique values and exclusive targets, again and again on the same store:
// what was acknowledged is there, and the claims are those of the documents.
func TestKillClaims(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	stored, done, refused := make(map[string]string), 0, 0
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	b, s, err := openClaimed(path)
	for n := range 2 * writers {
		if err == nil {
			err = applyText(s, store.Create, fmt.Sprint("port/", n), "{}")
		}
	}
	for range rounds.Of(4, 100) {
		if err == nil {
			err = b.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		about := make(map[string]string) // what may have been done without an answer
		killAfter, lines := 50+random.IntN(600), 0
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), claimsEnv+"="+path, roundEnv+"="+fmt.Sprint(random.Uint64()))
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var failed beginning
		child.Stderr = &failed
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			what, rest, _ := strings.Cut(scanner.Text(), " ")
			id, text, _ := strings.Cut(rest, " ")
			switch what {
			case "about":
				about[id] = text
			case "done":
				stored[id], done = text, done+1
				delete(about, id)
			case "refused":
				refused++
				delete(about, id)
			}
			if lines++; lines == killAfter {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait() // it was killed
		if failed.String() != "" {
			t.Fatalf("the child failed: %s", failed.String())
		}
		b, s, err = openClaimed(path)
		if err != nil {
			t.Fatal(err)
		}
		for writer := range writers {
			for _, id := range []string{fmt.Sprint("device/", writer), fmt.Sprint("cable/", writer)} {
				text := ""
				if doc, err := b.Get(t.Context(), dovetail.ID(id)); err == nil {
					text = string(doc.Data)
				} else if dovetail.CodeOf(err) != dovetail.CodeNotFound {
					t.Fatal(err)
				}
				if other, unknown := about[id]; text != stored[id] && (!unknown || text != other) {
					t.Fatalf("%s is %q, want %q, or %q", id, text, stored[id], other)
				}
				stored[id] = text
			}
		}
		for f, err := range s.Check(t.Context(), false) {
			t.Fatalf("%+v %v", f, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if done == 0 || refused == 0 {
		t.Errorf("%d writes were done and %d refused", done, refused)
	}
}
