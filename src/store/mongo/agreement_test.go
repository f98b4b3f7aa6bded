package mongo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Two ref-schemas: under the second one every item has a color, and no two the same serial number.
const (
	anyItem   = "resources:\n  - name: item\n    references:\n      - name: item\n"
	colorItem = anyItem + "    unique: [spec.serial]\n    schema:\n      properties:\n        spec:\n          required: [color]\n"
)

// writerVariable makes a child of TestProcessesAgree a writer in the database that it names.
const writerVariable = "DOVETAIL_TEST_WRITER"

// The margin is longer than a command may take, as in production, so that the test does not depend on how fast the server is.
var agreement = store.Agreement{Lease: 300 * time.Millisecond, Margin: 2 * time.Second}

const commandTime = 1500 * time.Millisecond

func compileModel(t testing.TB, text string) *schema.Model {
	t.Helper()
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(text)}})
	must(t, err)
	return model
}

// TestProcessesAgree changes the ref-schema again and again while writers in three processes, which are stopped for longer than
// their leases, write what one of the two forbids: none of it is there while the strict one is in force.
func TestProcessesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	uri := freshURI(t)
	b := mustOpen(t, uri)
	defer b.Close()
	b.server.commitTime = commandTime
	s, err := store.Open(t.Context(), b, compileModel(t, anyItem), store.Config{Agreement: agreement})
	must(t, err)
	program, err := os.Executable()
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	children := make([]*exec.Cmd, 3)
	for i := range children {
		children[i] = exec.CommandContext(ctx, program, "-test.run=^TestWriter$")
		children[i].Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", writerVariable, uri, i))
		must(t, children[i].Start())
	}
	end := sync.OnceFunc(func() {
		cancel()
		for _, child := range children {
			_ = child.Wait() // it was killed
		}
	})
	defer end()
	forbidden := func() (ids []dovetail.ID) {
		holders := make(map[string]bool)
		for doc, err := range s.Documents(t.Context(), store.ListQuery{Kind: "item"}) {
			must(t, err)
			var data struct {
				Spec struct{ Color, Serial string }
			}
			must(t, json.Unmarshal(doc.Data, &data))
			if data.Spec.Color == "" || holders[data.Spec.Serial] {
				ids = append(ids, doc.ID)
			}
			holders[data.Spec.Serial] = data.Spec.Serial != ""
		}
		return ids
	}
	awaitWrites := func(n int) {
		head, err := s.Head(t.Context())
		must(t, err)
		for _, err := range b.Changes(t.Context(), head) {
			must(t, err)
			if n--; n == 0 {
				return
			}
		}
	}
	strict, repaired := 0, 0
	for round, most := 0, rounds.Of(2, 40); strict < most; round++ {
		child := children[round%len(children)]
		must(t, child.Process.Signal(syscall.SIGSTOP)) // in the middle of a write, most times
		for _, id := range forbidden() {
			if _, err := s.Put(t.Context(), store.Operation{ID: id, Data: item("red", "", "")}); err != nil && !store.IsConflict(err) {
				t.Fatal(err)
			}
			repaired++
		}
		err := s.SetModel(t.Context(), compileModel(t, colorItem))
		must(t, child.Process.Signal(syscall.SIGCONT))
		if dovetail.CodeOf(err) == dovetail.CodeSchema {
			awaitWrites(1)
			continue // another one was written since
		}
		must(t, err)
		strict++
		for range 10 {
			if ids := forbidden(); len(ids) > 0 {
				t.Fatalf("round %d: the ref-schema in force forbids %q", round, ids)
			}
		}
		if strict < most {
			must(t, s.SetModel(t.Context(), compileModel(t, anyItem)))
			awaitWrites(20)
		}
	}
	t.Logf("the strict ref-schema was in force %d times; %d documents were repaired for that", strict, repaired)
	end()
	for finding, err := range s.Check(t.Context(), false) {
		must(t, err)
		switch finding.Problem {
		case store.ProblemInvalidData, store.ProblemDanglingReference, store.ProblemNotUnique, store.ProblemClaimMissing:
			t.Errorf("%+v", finding)
		}
	}
}

func item(color, serial, to string) *value.Value {
	spec := &value.Value{Kind: value.Map}
	for name, text := range map[string]string{"color": color, "serial": serial, "item": to} {
		if text != "" {
			spec.Set(name, value.NewString(text))
		}
	}
	data := &value.Value{Kind: value.Map}
	data.Set("spec", spec)
	return data
}

// TestWriter is a child of TestProcessesAgree; otherwise it has nothing to do.
func TestWriter(t *testing.T) {
	if os.Getenv(writerVariable) == "" {
		return
	}
	var uri string
	var which uint64
	if _, err := fmt.Sscan(os.Getenv(writerVariable), &uri, &which); err != nil {
		t.Fatal(err)
	}
	b := mustOpen(t, uri)
	defer b.Close()
	b.server.commitTime = commandTime
	s, err := store.Open(t.Context(), b, nil, store.Config{Agreement: agreement})
	must(t, err)
	random := rand.New(rand.NewPCG(which, 1))
	for n := 0; ; n++ {
		allowed := time.Now().Second()/3%2 == 0 // for so long that a change goes through
		fixed, color := fmt.Sprintf("item/%d-%d", which, n%7), "red"
		operations := []store.Operation{{Verb: store.Put, ID: dovetail.ID(fixed)}}
		if !allowed && random.IntN(4) == 0 {
			color = ""
		}
		serial, to := "", ""
		if !allowed && random.IntN(4) == 0 {
			serial = "the same"
		}
		switch random.IntN(4) {
		case 0: // another reference
			to = fmt.Sprintf("%d-%d", which, random.IntN(7))
		case 1: // a creation
			operations[0].ID += dovetail.ID(fmt.Sprintf("-%d", n))
		case 2: // several documents
			operations = append(operations, store.Operation{Verb: store.Put, ID: dovetail.ID(fixed + "-x")})
		}
		for i := range operations {
			own := serial
			if own == "" {
				own = string(operations[i].ID)
			}
			operations[i].Data = item(color, own, to)
		}
		_, err := s.Apply(t.Context(), operations, store.Options{})
		if e := (*dovetail.Error)(nil); errors.As(err, &e) && e.Code == dovetail.CodeInternal {
			t.Fatal(err)
		}
	}
}
