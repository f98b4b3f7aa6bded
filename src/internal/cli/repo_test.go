package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
)

// sampleRepo is a whole instance repository.
const sampleRepo = "../git/instancerepo/testdata/sample"

// builtIn returns what a run needs, on a new database with the built-in kinds.
func builtIn(t *testing.T, overHTTP bool) cli.Deps {
	t.Helper()
	db, err := app.OpenDatabase(t.Context(), "bolt:"+memdir.New(t)+"/test.db", "", store.Config{Clock: clock(), NewUID: counter()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	st := cli.Store(kept{app.Offline(db)})
	if overHTTP {
		api := httpapi.New(db.Store, httpapi.Options{})
		server := httptest.NewServer(api)
		t.Cleanup(server.Close)
		t.Cleanup(api.Close)
		c, err := client.New(server.URL, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		st = kept{app.Online(c)}
	}
	deps := newDeps(t, false)
	deps.Connect = func(cli.Server) (cli.Store, error) { return st, nil }
	return deps
}

// bothWays runs a test on a database and through a server.
func bothWays(t *testing.T, test func(t *testing.T, deps func() cli.Deps)) {
	t.Helper()
	t.Run("database", func(t *testing.T) { test(t, func() cli.Deps { return builtIn(t, false) }) })
	t.Run("server", func(t *testing.T) { test(t, func() cli.Deps { return builtIn(t, true) }) })
}

// must runs a command and checks its exit code.
func must(t *testing.T, deps cli.Deps, code int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	deps.Out, deps.Err = &out, &errs
	if got := cli.Run(t.Context(), deps, args); got != code {
		t.Fatalf("%v ends with %d: %s%s", args, got, out.String(), errs.String())
	}
	return out.String()
}

// data returns the ids and the data of everything stored, a line each.
func data(t *testing.T, deps cli.Deps) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(must(t, deps, 0, "export", "--cleartext")) {
		if strings.HasPrefix(line, `{"end":`) {
			continue
		}
		var doc struct {
			ID   string          `json:"id"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		b.WriteString(doc.ID + " " + string(doc.Data) + "\n")
	}
	return b.String()
}

// What is exported is imported as the same documents; and the sample, written over itself, stays.
func TestInstanceRepositoryRoundTrip(t *testing.T) {
	bothWays(t, func(t *testing.T, deps func() cli.Deps) {
		one, two := deps(), deps()
		if out := must(t, one, 1, "import", "instance-repo", sampleRepo); out != "189 documents read, 186 created\n" {
			t.Error(out)
		}
		if out := must(t, one, 1, "import", "instance-repo", sampleRepo); out != "189 documents read, 186 unchanged\n" {
			t.Error(out)
		}
		dir := filepath.Join(t.TempDir(), "out")
		if out := must(t, one, 0, "export", "instance-repo", dir, "--dry-run"); out != "112 files created, 0 updated, 0 removed (dry run: nothing was changed)\n" {
			t.Error(out)
		}
		if out := must(t, one, 0, "export", "instance-repo", dir); out != "112 files created, 0 updated, 0 removed\n" {
			t.Error(out)
		}
		must(t, two, 1, "import", "instance-repo", dir)
		if got, want := data(t, two), data(t, one); got != want {
			t.Errorf("imported again it is otherwise: %s", difference(want, got))
		}
		again := t.TempDir()
		if err := os.CopyFS(again, os.DirFS(sampleRepo)); err != nil {
			t.Fatal(err)
		}
		if out := must(t, one, 1, "export", "instance-repo", again); out != "0 files created, 0 updated, 0 removed\n" {
			t.Error(out)
		}
	})
}

// A folder that is no instance repository is refused: with --prune all documents would go.
func TestImportOfNoInstanceRepository(t *testing.T) {
	bothWays(t, func(t *testing.T, deps func() cli.Deps) {
		one, dir := deps(), t.TempDir()
		must(t, one, 1, "import", "instance-repo", sampleRepo)
		before := data(t, one)
		write(t, filepath.Join(dir, "README.md"), "# Environments\n")
		tests := []struct {
			name, from, says string
			command          []string
		}{
			{"imported", dir, "nothing in it is of an instance repository", []string{"import", "instance-repo"}},
			{"pruned", dir, "name the folder that has environments", []string{"import", "instance-repo", "--prune"}},
			{"a folder above", filepath.Dir(sampleRepo), "did you mean " + sampleRepo + "?", []string{"import", "instance-repo", "--prune"}},
			{"checked", dir, "nothing in it is of an instance repository", []string{"check", "instance-repo"}},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				var out, errs bytes.Buffer
				one := one
				one.Out, one.Err = &out, &errs
				if code := cli.Run(t.Context(), one, append(tt.command, tt.from)); code != 6 || !strings.Contains(errs.String(), tt.says) {
					t.Errorf("ends with %d: %s%s", code, out.String(), errs.String())
				}
			})
		}
		if after := data(t, one); after != before {
			t.Errorf("it changed the store: %s", difference(before, after))
		}
	})
}

const smallRepo = `-- r/environments/c/e/Inventory/env_definition.yml --
# of the environment
envTemplate:
  name: t # the template
  envSpecificParamsets:
    cloud:
      - first # of two
      - second
      - absent
-- r/environments/c/e/Inventory/parameters/first.yml --
name: first
parameters: {A: 1}
-- r/environments/c/e/Inventory/parameters/second.yml --
name: second
parameters:
  A: 2
-- r/environments/c/e/Namespaces/core/namespace.yml --
name: 5
-- r/environments/c/e/Namespaces/core/Applications/app.yml --
name: app
-- r/README.md --
not a document
`

// What an import reports, and what it leaves out.
func TestImportReports(t *testing.T) {
	bothWays(t, func(t *testing.T, deps func() cli.Deps) {
		t.Chdir(t.TempDir())
		repo := parseScript(smallRepo)
		for name, text := range repo.files {
			writeFile(t, name, text)
		}
		d := deps()
		var report struct {
			Documents map[string]int
			Defects   []struct {
				Code, Message, File string
				Line                int
			}
		}
		check := func(args ...string) {
			t.Helper()
			out := must(t, d, 1, append([]string{"import", "instance-repo", "r", "-o", "json"}, args...)...)
			report.Documents, report.Defects = nil, nil
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err)
			}
			var codes []string
			for _, defect := range report.Defects {
				if defect.File == "" || defect.Line == 0 {
					t.Errorf("the defect has no position: %+v", defect)
				}
				codes = append(codes, defect.Code)
			}
			// The namespace breaks its schema, and the application is in it.
			if got := strings.Join(codes, " "); got != "REPO_FILE_OTHER REPO_ASSOCIATION_WITHOUT_PARAMSET REPO_REFUSED REPO_REFUSED" {
				t.Errorf("%s\n%s", got, out)
			}
		}
		check("--dry-run")
		if report.Documents["created"] != 6 || data(t, d) != "" {
			t.Errorf("a dry run stores: %v", report.Documents)
		}
		check()
		if report.Documents["created"] != 6 {
			t.Errorf("%v", report.Documents)
		}
		check()
		if report.Documents["unchanged"] != 6 {
			t.Errorf("%v", report.Documents)
		}
		// The lists of the inventory are all that is associated; with --prune so are files.
		writeFile(t, "r/environments/c/e/Inventory/env_definition.yml", "envTemplate:\n  envSpecificParamsets:\n    cloud: [second, absent]\n")
		if err := os.Remove("r/environments/c/e/Inventory/parameters/first.yml"); err != nil {
			t.Fatal(err)
		}
		check()
		if report.Documents["deleted"] != 1 || report.Documents["updated"] != 2 {
			t.Errorf("%v", report.Documents)
		}
		check("--prune")
		if report.Documents["deleted"] != 1 || strings.Contains(data(t, d), "first") {
			t.Errorf("%v", report.Documents)
		}
	})
}

// An export edits files in place, and keeps those that it does not know.
func TestExportOverFiles(t *testing.T) {
	bothWays(t, func(t *testing.T, deps func() cli.Deps) {
		t.Chdir(t.TempDir())
		repo := parseScript(smallRepo)
		for name, text := range repo.files {
			writeFile(t, name, text)
		}
		d := deps()
		must(t, d, 1, "import", "instance-repo", "r")
		writeFile(t, "second.yaml", "kind: environmentParamSet\nkey: {cluster: c, environment: e}\nmetadata: {name: second}\nspec: {name: second, parameters: {A: 2, B: x}}\n")
		must(t, d, 0, "apply", "-f", "second.yaml")
		must(t, d, 0, "delete", "cluster/c/environment/e/paramSetAssociation/"+associationOf(t, d, "first"))
		out := must(t, d, 1, "export", "instance-repo", "r", "-o", "json")
		if !strings.Contains(out, "REPO_NOT_STORED") {
			t.Error(out)
		}
		for name, want := range map[string]string{
			"r/environments/c/e/Inventory/parameters/second.yml": "name: second\nparameters:\n  A: 2\n  B: x\n",
			"r/environments/c/e/Inventory/env_definition.yml":    strings.Replace(repo.files["r/environments/c/e/Inventory/env_definition.yml"], "      - first # of two\n", "", 1),
			"r/environments/c/e/Inventory/parameters/first.yml":  repo.files["r/environments/c/e/Inventory/parameters/first.yml"],
			"r/README.md": repo.files["r/README.md"],
		} {
			if got, err := os.ReadFile(name); err != nil || string(got) != want {
				t.Errorf("%s is now\n%s(%v)", name, got, err)
			}
		}
		must(t, d, 0, "export", "instance-repo", "r", "--prune")
		if _, err := os.Stat("r/environments/c/e/Namespaces/core/Applications/app.yml"); err == nil {
			t.Error("what is not stored is still there")
		}
	})
}

// associationOf returns the name of the association of a ParamSet.
func associationOf(t *testing.T, deps cli.Deps, paramSet string) string {
	t.Helper()
	for line := range strings.Lines(data(t, deps)) {
		id, text, _ := strings.Cut(line, " ")
		if strings.Contains(id, "/paramSetAssociation/") && strings.Contains(text, `ParamSet":"`+paramSet+`"`) {
			return filepath.Base(id)
		}
	}
	t.Fatalf("%s is not associated", paramSet)
	return ""
}

// A repository in Git is cloned; its password is never shown.
func TestImportFromGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(sampleRepo)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "work"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "all"}} {
		cmd := exec.CommandContext(context.Background(), "git", append([]string{"-C", dir}, args...)...) //nolint:gosec // of this test
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	deps := builtIn(t, false)
	if out := must(t, deps, 1, "import", "instance-repo", "file://"+dir, "--branch", "work"); out != "189 documents read, 186 created\n" {
		t.Error(out)
	}
	if out := must(t, deps, 1, "import", "instance-repo", dir, "--branch", "work"); out != "189 documents read, 186 unchanged\n" {
		t.Error(out)
	}
	must(t, deps, cli.ExitInvalid, "import", "instance-repo", dir, "--branch", "none")
	must(t, deps, cli.ExitInvalid, "import", "instance-repo", dir+"/none")
}

// An import has a bar on a terminal.
func TestImportShowsProgress(t *testing.T) {
	deps := builtIn(t, false)
	deps.ErrTerminal = true
	var errs bytes.Buffer
	deps.Err = &errs
	cli.Run(t.Context(), deps, []string{"import", "instance-repo", sampleRepo})
	for _, want := range []string{"read 118 files\n", "[======", "] 100% stored 189 documents\n"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("there is no %q in %q", want, errs.String()[:500])
		}
	}
}
