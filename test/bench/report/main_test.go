package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRun renders testdata/results.txt into a document that has old rows, and one place without results.
func TestRun(t *testing.T) {
	var before strings.Builder
	for _, table := range tables {
		before.WriteString("# " + table.place + "\n<!-- " + table.place + " -->\nold\n<!-- /" + table.place + " -->\n\n")
	}
	doc := filepath.Join(t.TempDir(), "benchmarks.md")
	if err := os.WriteFile(doc, []byte(before.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	results, err := os.Open(filepath.Join("testdata", "results.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	if err := run(doc, results); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "benchmarks.md")
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRunFails(t *testing.T) {
	tests := []struct{ name, doc, results, want string }{
		{"no place", "text", "cpu: x\n", `the document has no place "machine"`},
		{"a place without end", "<!-- machine -->\n", "cpu: x\n", `the document has no place "machine"`},
		{"a value that is no number", "", "BenchmarkX-2 1 many ns/op\n", "invalid syntax"},
		{"a value without a unit", "", "BenchmarkX-2 1 5\n", "do not pair up"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := filepath.Join(t.TempDir(), "benchmarks.md")
			if err := os.WriteFile(doc, []byte(test.doc), 0o600); err != nil {
				t.Fatal(err)
			}
			err := run(doc, strings.NewReader(test.results))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
