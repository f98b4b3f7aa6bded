package schema_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Each file below testdata/errors is a ref-schema, and the .txt beside it what is wrong with it: in
// front of each error its fault.
func TestErrors(t *testing.T) {
	for _, file := range glob(t, "errors") {
		t.Run(file, func(t *testing.T) {
			model, err := schema.Compile(readSources(t, "testdata/errors", file))
			if model != nil || err == nil {
				t.Fatal("it compiles")
			}
			if code := dovetail.CodeOf(err); code != dovetail.CodeSchema {
				t.Errorf("code %s", code)
			}
			golden(t, "errors/"+strings.TrimSuffix(file, ".yaml")+".txt", listing(parts(err)))
		})
	}
}

func TestWarnings(t *testing.T) {
	for _, file := range glob(t, "warnings") {
		t.Run(file, func(t *testing.T) {
			model, err := schema.Compile(readSources(t, "testdata/warnings", file))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "warnings/"+strings.TrimSuffix(file, ".yaml")+".txt", listing(model.Warnings()))
		})
	}
}

func glob(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return files
}

func listing(errs []*dovetail.Error) string {
	var b strings.Builder
	for _, e := range errs {
		b.WriteString(string(schema.FaultOf(e)) + "  " + e.Error() + "\n")
	}
	return b.String()
}

func TestErrorsOfSeveralFilesAtOnce(t *testing.T) {
	sources := sourcesOf(
		"resources:\n- name: cluster\n  parent: clusterProvidr\n",
		"resources:\n- name: clusterProvider\n- name: cluster\n",
		"resources: [\n",
	)
	_, err := schema.Compile(sources)
	want := []string{
		`a.yaml:3:11: cluster: unknown parent "clusterProvidr"; did you mean "clusterProvider"?`,
		`b.yaml:3:9: "cluster" is defined already, at a.yaml:2:9; give it another name, or remove one of the two: element names are unique over all kinds`,
		`c.yaml:`,
	}
	got := parts(err)
	if len(got) != len(want) {
		t.Fatalf("got %v", err)
	}
	for i, e := range got {
		if !strings.HasPrefix(e.Error(), want[i]) {
			t.Errorf("got %s, want %s", e, want[i])
		}
	}
	reversed := []schema.Source{sources[2], sources[1], sources[0]}
	if _, again := schema.Compile(reversed); again.Error() != err.Error() {
		t.Errorf("another order of sources gives other errors: %v", again)
	}
}
