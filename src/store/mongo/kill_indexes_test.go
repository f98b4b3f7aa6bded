package mongo

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
)

// builderVariable makes a child of TestKillIndexBuild build the index of a field in the database that it names.
const builderVariable = "DOVETAIL_TEST_BUILDER"

func openIndexed(t *testing.T, uri, field string) (*Backend, *store.Store) {
	t.Helper()
	b := mustOpen(t, uri)
	s, err := store.Open(t.Context(), b, compileModel(t, "resources:\n- name: item\n  index: [spec."+field+"]\n"), store.Config{Agreement: agreement})
	must(t, err)
	return b, s
}

// TestKillIndexBuild kills a process that builds an index, after each of its pages, while another one lists by it: the selector finds what
// looking at all documents finds, before that one has completed the index and afterwards.
func TestKillIndexBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	program, err := os.Executable()
	must(t, err)
	const documents, most = 1200, 4
	uri := freshURI(t)
	b, s := openIndexed(t, uri, "none")
	defer b.Close()
	var want []dovetail.ID
	for n := 0; n < documents; n += 300 {
		var operations []store.Operation
		for i := n; i < n+300; i++ {
			id := dovetail.ID(fmt.Sprintf("item/i%04d", i))
			if i%3 == 1 {
				want = append(want, id)
			}
			operations = append(operations, store.Operation{Verb: store.Create, ID: id, Data: item(fmt.Sprint(i%3), "", "")})
		}
		_, err := s.Apply(t.Context(), operations, store.Options{})
		must(t, err)
	}
	for round := 1; round <= most; round++ {
		model := []string{"color", "other"}[round%2] // the index of color is built in each second round
		must(t, s.SetModel(t.Context(), compileModel(t, "resources:\n- name: item\n  index: [spec."+model+"]\n")))
		child := exec.CommandContext(t.Context(), program, "-test.run=^TestIndexBuilder$")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", builderVariable, uri, model))
		output, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		pages := 0
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			if scanner.Text() == "page" {
				pages++
			}
			if pages == (round+1)/2 {
				must(t, child.Process.Kill())
				break
			}
		}
		_ = child.Wait() // it was killed
		if pages == 0 {
			t.Fatal("the child has built nothing")
		}
		for _, what := range []string{"after the death", "when the index is complete"} {
			q := store.ListQuery{Kind: "item"}
			q.Fields, err = selector.ParseFields("spec.color=1")
			must(t, err)
			var got []dovetail.ID
			for doc, err := range s.Documents(t.Context(), q) {
				must(t, err)
				got = append(got, doc.ID)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s in round %d the selector finds %d documents, want %d", what, round, len(got), len(want))
			}
			must(t, s.BuildIndexes(t.Context(), nil, nil))
		}
		for f, err := range s.Check(t.Context(), false) {
			t.Fatalf("%+v %v", f, err)
		}
	}
}

// TestIndexBuilder is the child of TestKillIndexBuild; otherwise it has nothing to do.
func TestIndexBuilder(t *testing.T) {
	if os.Getenv(builderVariable) == "" {
		return
	}
	var uri, field string
	_, err := fmt.Sscan(os.Getenv(builderVariable), &uri, &field)
	must(t, err)
	_, s := openIndexed(t, uri, field)
	must(t, s.BuildIndexes(t.Context(), func(context.Context, store.IndexProgress) error {
		fmt.Println("page")
		return nil
	}, nil))
	select {} // until it is killed
}
