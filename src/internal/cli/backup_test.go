package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestBackupShows shows position, time and counts, of now and of an earlier position.
func TestBackupShows(t *testing.T) {
	for _, over := range []bool{false, true} {
		t.Run(map[bool]string{false: "database", true: "server"}[over], func(t *testing.T) {
			t.Chdir(t.TempDir())
			deps := newDeps(t, over)
			writeFile(t, "a.yaml", "kind: project\nmetadata: {name: p1}\n")
			run := func(command string) string {
				t.Helper()
				out, errs, code := runCommand(t.Context(), t, deps, command)
				if code != 0 {
					t.Fatalf("%s: %s", command, errs)
				}
				return out
			}
			run("dovetail apply -f a.yaml")
			said := run("dovetail backup one.backup")
			parts := regexp.MustCompile(`^one\.backup: written, position (\S+) of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, 1 document \(project 1\)\n$`).FindStringSubmatch(said)
			if parts == nil {
				t.Fatal(said)
			}
			writeFile(t, "a.yaml", "kind: project\nmetadata: {name: p2}\n")
			run("dovetail apply -f a.yaml")
			if said := run("dovetail backup two.backup"); !strings.Contains(said, "2 documents (project 2)") {
				t.Error(said)
			}
			if said := run("dovetail backup before.backup --at " + parts[1]); !strings.Contains(said, "position "+parts[1]+" of ") || !strings.Contains(said, " 1 document (") {
				t.Error(said)
			}
			if said := run("dovetail backup verify before.backup -o json"); !strings.Contains(said, `"position": "`+parts[1]+`"`) || !strings.Contains(said, `"documents": 1`) || !strings.Contains(said, `"schema": "`) {
				t.Error(said)
			}
		})
	}
}

// TestRestoreRefusesDamage restores a backup that is damaged or cut off: it is refused, with its place, and no database is made.
func TestRestoreRefusesDamage(t *testing.T) {
	t.Chdir(t.TempDir())
	deps := newDeps(t, false)
	var shop strings.Builder
	for n := range 50 {
		fmt.Fprintf(&shop, "---\nkind: project\nmetadata: {name: p%02d}\n", n)
	}
	writeFile(t, "shop.yaml", shop.String())
	runCommand(t.Context(), t, deps, "dovetail apply -f shop.yaml")
	if _, errs, code := runCommand(t.Context(), t, deps, "dovetail backup shop.backup"); code != 0 {
		t.Fatal(errs)
	}
	whole, err := os.ReadFile("shop.backup")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		at := n * len(whole) / 40
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x10
		for what, text := range map[string][]byte{"damaged": damaged, "cut off": whole[:at]} {
			writeFile(t, "bad.backup", string(text))
			_, errs, code := runCommand(t.Context(), t, deps, "dovetail restore bad.backup --store bolt:bad.db")
			if code != cli.ExitInvalid || !strings.Contains(errs, "bad.backup: ") || !strings.Contains(errs, "another copy") {
				t.Errorf("%s at byte %d of %d: %d %s", what, at, len(whole), code, errs)
			}
			if _, err := os.Stat("bad.db"); err == nil {
				t.Fatal("a database was made")
			}
		}
	}
}

// TestRestoreOfDirectory names a directory as a backup: the error says what to do, and no database is made.
func TestRestoreOfDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "my shop/a.yaml", "kind: project\nmetadata: {name: p1}\n")
	deps := newDeps(t, false)
	for _, command := range []string{"restore", "restore --dry-run", "backup verify"} {
		t.Run(command, func(t *testing.T) {
			_, errs, code := runCommand(t.Context(), t, deps, "dovetail "+command+" 'my shop'")
			if code != cli.ExitInvalid || !strings.Contains(errs, "my shop: this is a directory, not a backup") || !strings.Contains(errs, "dovetail apply -f 'my shop'") {
				t.Errorf("%d %s", code, errs)
			}
			if _, err := os.Stat("dovetail.db"); err == nil {
				t.Fatal("a database was made")
			}
		})
	}
}

// TestRestoreNeedsMainKey keeps sensitive documents encrypted in a backup. Without their main key nothing is stored.
func TestRestoreNeedsMainKey(t *testing.T) {
	t.Chdir(t.TempDir())
	deps := cli.Deps{Open: app.Open, OpenBackend: app.OpenBackend}
	writeFile(t, "schema/s.yaml", "resources: [{name: login, sensitive: true}]\n")
	writeFile(t, "a.yaml", "{kind: login, metadata: {name: a}, spec: {password: barnowl-at-midnight}}")
	run := func(want int, command string) string {
		t.Helper()
		out, errs, code := runCommand(t.Context(), t, deps, command)
		if code != want {
			t.Fatalf("%s: exit code %d: %s", command, code, errs)
		}
		return out + errs
	}
	key := run(0, "dovetail secrets keygen")
	writeFile(t, "main.key", key)
	run(0, "dovetail apply -f a.yaml --store bolt:a.db --ref-schemas schema --encryption-key-file main.key")
	run(0, "dovetail backup a.backup --store bolt:a.db --encryption-key-file main.key")
	file, err := os.Open("a.backup")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, _, err := backup.Read(file, nil, func(d *dovetail.Document) error {
		if !store.IsSealed(d.Data) || bytes.Contains(d.Data, []byte("barnowl-at-midnight")) {
			t.Errorf("%s", d.Data)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if said := run(cli.ExitUnavailable, "dovetail restore a.backup --store bolt:b.db"); !strings.Contains(said, "key") {
		t.Error(said)
	}
	run(0, "dovetail restore a.backup --store bolt:b.db --encryption-key-file main.key") // still empty
	if said := run(0, "dovetail get logins -o yaml --store bolt:b.db --encryption-key-file main.key"); !strings.Contains(said, "barnowl-at-midnight") {
		t.Error(said)
	}
	if text, err := os.ReadFile("b.db"); err == nil && bytes.Contains(text, []byte("barnowl-at-midnight")) {
		t.Error("the restored document is stored in clear")
	}
	run(0, "dovetail apply -f a.yaml --store bolt:clear.db --ref-schemas schema")
	if said := run(cli.ExitRefused, "dovetail backup c.backup --store bolt:clear.db"); !strings.Contains(said, "--cleartext") {
		t.Error(said)
	}
	run(0, "dovetail backup c.backup --store bolt:clear.db --cleartext")
	run(0, "dovetail restore c.backup --store bolt:d.db")
}

// TestImportNeedsSchema imports documents of several kinds into a database that lacks them all: one error names the flag that gives them.
func TestImportNeedsSchema(t *testing.T) {
	t.Chdir(t.TempDir())
	deps := cli.Deps{Open: app.Open, OpenBackend: app.OpenBackend}
	writeFile(t, "schema/s.yaml", "resources: [{name: bird}, {name: nest}]\n")
	writeFile(t, "a.yaml", "{kind: bird, metadata: {name: a}}\n---\n{kind: nest, metadata: {name: b}}\n---\n{kind: nest, metadata: {name: c}}\n")
	run := func(want int, command string) string {
		t.Helper()
		out, errs, code := runCommand(t.Context(), t, deps, command)
		if code != want {
			t.Fatalf("%s: exit code %d: %s", command, code, errs)
		}
		return out + errs
	}
	run(0, "dovetail apply -f a.yaml --store bolt:a.db --ref-schemas schema")
	run(0, "dovetail export a.jsonl --store bolt:a.db")
	said := run(cli.ExitInvalid, "dovetail import a.jsonl --store bolt:b.db")
	if strings.Count(said, "error:") != 1 || !strings.Contains(said, "no kind bird, no kind nest") || !strings.Contains(said, "--ref-schemas") {
		t.Error(said)
	}
	run(0, "dovetail import a.jsonl --store bolt:b.db --ref-schemas schema")
}
