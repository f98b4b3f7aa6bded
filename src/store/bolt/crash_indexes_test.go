package bolt

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// indexesEnv is the path of the store of a child of TestKillIndexBuild, and fieldEnv the field that is indexed.
const (
	indexesEnv = "DOVETAIL_TEST_CRASH_INDEXES"
	fieldEnv   = "DOVETAIL_TEST_CRASH_FIELD"
)

func openIndexed(path, field string) (*Backend, *store.Store, error) {
	model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte("resources:\n- name: device\n  index: [spec." + field + "]\n")}})
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

// indexesChild builds the index, and says so after each page. It waits to be killed when it is done.
func indexesChild(path, field string) {
	_, s, err := openIndexed(path, field)
	if err == nil {
		err = s.BuildIndexes(context.Background(), func(context.Context, store.IndexProgress) error {
			fmt.Println("page")
			return nil
		}, nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("done")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// TestKillIndexBuild kills a process that builds an index, after each of its pages: selectors find what looking at all documents finds,
// before another process has completed the index and afterwards.
func TestKillIndexBuild(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	const documents, most = 1800, 8
	b, s, err := openIndexed(path, "none")
	for n := 0; err == nil && n < documents; n += 300 {
		var operations []store.Operation
		for i := n; i < n+300; i++ {
			text := `{"spec":{"n":0`
			for field := range most {
				text += fmt.Sprintf(`,"f%d":%d`, field, i%3)
			}
			data, parseErr := value.ParseJSON([]byte(text+"}}"), value.Limits{})
			if parseErr != nil {
				t.Fatal(parseErr)
			}
			operations = append(operations, store.Operation{Verb: store.Create, ID: dovetail.ID(fmt.Sprintf("device/d%04d", i)), Data: data})
		}
		_, err = s.Apply(t.Context(), operations, store.Options{})
	}
	for round := 1; round <= most; round++ {
		if err == nil {
			err = b.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		field := fmt.Sprint("f", round-1)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), indexesEnv+"="+path, fieldEnv+"="+field)
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		input, err := child.StdinPipe() // which stays open
		if err != nil {
			t.Fatal(err)
		}
		var failed beginning
		child.Stderr = &failed
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			if lines++; lines == round || scanner.Text() == "done" {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait() // it was killed
		_ = input.Close()
		if failed.String() != "" || lines == 0 {
			t.Fatalf("the child failed after %d lines: %s", lines, failed.String())
		}
		if b, s, err = openIndexed(path, field); err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"after the death", "when the index is complete"} {
			q := store.ListQuery{Kind: "device"}
			if q.Fields, err = selector.ParseFields("spec." + field + "=1"); err != nil {
				t.Fatal(err)
			}
			var got, want []dovetail.ID
			for doc, err := range s.Documents(t.Context(), q) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, doc.ID)
			}
			for n := 1; n < documents; n += 3 {
				want = append(want, dovetail.ID(fmt.Sprintf("device/d%04d", n)))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s in round %d the selector finds %d documents, want %d", what, round, len(got), len(want))
			}
			if err := s.BuildIndexes(t.Context(), nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		for f, err := range s.Check(t.Context(), false) {
			t.Fatalf("%+v %v", f, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}
