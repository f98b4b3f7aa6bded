package cli_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// An export that was cut off at any line, or in which anything was changed, is not imported, and nothing of it is.
func TestImportOfDamagedExports(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return "bolt:" + filepath.Join(dir, name) }
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		if got := cli.Run(t.Context(), cli.Deps{Out: &out, Err: &errs, Open: app.Open}, args); got != want {
			t.Fatalf("%v ends with %d: %s%s", args, got, out.String(), errs.String())
		}
		return out.String() + errs.String()
	}
	manifests := filepath.Join(dir, "all.yaml")
	if err := os.WriteFile(manifests, []byte("kind: cluster\nmetadata: {name: c1}\n---\nkind: cluster\nmetadata: {name: c2}\n---\nkind: cluster\nmetadata: {name: c3}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "apply", "-f", manifests, "--store", at("from.db"))
	text := run(0, "export", "--store", at("from.db"))
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "incomplete: it has no last line that counts its documents, after 0 documents"},
		{"one line", lines[0], "after 1 document, the last of them cluster/c1"},
		{"two lines", lines[0] + lines[1], "after 2 documents, the last of them cluster/c2"},
		{"all but the end", lines[0] + lines[1] + lines[2], "after 3 documents, the last of them cluster/c3"},
		{"cut inside a line", lines[0] + lines[1][:len(lines[1])/2], "the line is not a document"},
		{"cut inside the end", lines[0] + lines[1] + lines[2] + lines[3][:20], "the line is not a document"},
		{"without the first", lines[1] + lines[2] + lines[3], "the export has 2 documents, the last of them cluster/c3, and its last line counts 3"},
		{"without one in the middle", lines[0] + lines[2] + lines[3], "its last line counts 3"},
		{"changed", strings.Replace(text, `"name":"c2"`, `"name":"c9"`, 1), "the export was changed"},
		{"another order", lines[1] + lines[0] + lines[2] + lines[3], "the export was changed"},
		{"more after the end", text + lines[0], "the line comes after the one that ends the export"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "damaged.jsonl")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			to := "bolt:" + filepath.Join(t.TempDir(), "to.db")
			if said := run(cli.ExitInvalid, "import", file, "--store", to); !strings.Contains(said, test.want) {
				t.Errorf("it says\n%s\nwithout %q", said, test.want)
			}
			if left := run(0, "export", "--store", to); !strings.Contains(left, `"documents":0`) {
				t.Errorf("something was imported: %s", left)
			}
		})
	}
	t.Run("at random", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for round := range rounds.Of(40, 1000) {
			damaged, what := rounds.Damage(random, []byte(text))
			file := filepath.Join(t.TempDir(), "damaged.jsonl")
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			to, said := "bolt:"+filepath.Join(t.TempDir(), "to.db"), strings.Builder{}
			code := cli.Run(t.Context(), cli.Deps{Out: &said, Err: &said, Open: app.Open}, []string{"import", file, "--store", to})
			if left := run(0, "export", "--store", to); code == 0 && left != text || code != 0 && !strings.Contains(left, `"documents":0`) {
				t.Errorf("round %d, %s: import ends with %d, and there is\n%s", round, what, code, left)
			}
		}
	})
	t.Run("of an older version", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "old.jsonl")
		if err := os.WriteFile(file, []byte(lines[0]+lines[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		said := run(0, "import", file, "--store", at("old.db"), "--allow-incomplete")
		if want := "some may be missing: it has 2 documents"; !strings.Contains(said, want) {
			t.Errorf("it says\n%s\nwithout %q", said, want)
		}
	})
	whole := filepath.Join(dir, "whole.jsonl")
	if err := os.WriteFile(whole, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "import", whole, "--store", at("whole.db"))
	if again := run(0, "export", "--store", at("whole.db")); again != text {
		t.Errorf("imported and exported it is otherwise:\n%s\n%s", text, again)
	}
}
