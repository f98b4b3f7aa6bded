package cli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

func TestEdit(t *testing.T) {
	replace := func(from, to string) func(string) string {
		return func(text string) string { return strings.Replace(text, from, to, 1) }
	}
	tests := []struct {
		name      string
		command   string
		env       string                   // of the editor, where a real one runs
		edit      func(text string) string // what the user makes of the file
		meanwhile string                   // a manifest that another user applies
		fails     bool                     // the editor
		code      int
		out, err  string // of err the beginning
		stored    string
		kept      bool // the file
	}{
		{name: "changed", command: "edit cloud p1/c1", edit: replace("size: 1", "size: 2"), out: "updated   project/p1/cloud/c1\n1 updated\n", stored: "size: 2"},
		{name: "by id", command: "edit project/p1/cloud/c1 project/p1", edit: replace("size: 1", "size: 2"),
			out: "updated     project/p1/cloud/c1\nunchanged   project/p1\n1 updated, 1 unchanged\n", stored: "size: 2"},
		{name: "an editor", command: "edit cloud p1/c1", env: "EDITOR=sed -i 's/size: 1/size: 2/'", out: "updated   project/p1/cloud/c1\n1 updated\n", stored: "size: 2"},
		{name: "unchanged", command: "edit cloud p1/c1", edit: replace("", ""), err: "nothing was changed in the editor, so nothing is applied\n", stored: "size: 1"},
		{name: "invalid", command: "edit cloud p1/c1", edit: replace("kind: cloud", "kind: clod"), code: cli.ExitInvalid, err: "your changes are kept in ", stored: "size: 1", kept: true},
		{name: "conflict", command: "edit cloud p1/c1", edit: replace("size: 1", "size: 2"),
			meanwhile: "{kind: cloud, key: {project: p1}, metadata: {name: c1}, spec: {size: 3}}", code: cli.ExitRefused, err: "your changes are kept in ", stored: "size: 3", kept: true},
		{name: "both made the same change", command: "edit cloud p1/c1", edit: replace("size: 1", "size: 3"),
			meanwhile: "{kind: cloud, key: {project: p1}, metadata: {name: c1}, spec: {size: 3}}", out: "unchanged   project/p1/cloud/c1\n1 unchanged\n", stored: "size: 3"},
		{name: "the editor fails", command: "edit cloud p1/c1", edit: replace("size: 1", "size: 2"), fails: true, code: cli.ExitInvalid,
			err: "error: the editor failed: exit status 1; nothing was applied\n", stored: "size: 1", kept: true},
		{name: "not found", command: "edit cloud p1/c9", code: cli.ExitNotFound, err: "error: project/p1/cloud/c9 does not exist\n", stored: "size: 1"},
		{name: "a whole kind", command: "edit clouds", code: cli.ExitUsage, err: "error: name the cloud to edit\n", stored: "size: 1"},
	}
	for _, tt := range tests {
		for _, way := range []string{"database", "server"} {
			t.Run(tt.name+"/"+way, func(t *testing.T) {
				t.Chdir(t.TempDir())
				t.Setenv("TMPDIR", t.TempDir())
				deps := newDeps(t, way == "server")
				writeFile(t, "start.yaml", "[{kind: project, metadata: {name: p1}}, {kind: cloud, key: {project: p1}, metadata: {name: c1}, spec: {size: 1}}]")
				writeFile(t, "meanwhile.yaml", tt.meanwhile)
				if _, errs, code := runCommand(t.Context(), t, deps, "dovetail apply -f start.yaml"); code != 0 {
					t.Fatal(errs)
				}
				editing := deps
				if tt.edit != nil {
					editing.Edit = func(ctx context.Context, file string) error {
						text, err := os.ReadFile(file)
						if err != nil {
							return err
						}
						if tt.meanwhile != "" {
							if _, errs, code := runCommand(ctx, t, deps, "dovetail apply -f meanwhile.yaml"); code != 0 {
								return errors.New(errs)
							}
						}
						if tt.fails {
							return errors.New("exit status 1")
						}
						return os.WriteFile(file, []byte(tt.edit(string(text))), 0o600)
					}
				}
				command := "dovetail " + tt.command
				if tt.env != "" {
					name, value, _ := strings.Cut(tt.env, "=")
					command = name + "='" + strings.ReplaceAll(value, "'", `"`) + "' " + command
				}
				out, errs, code := runCommand(t.Context(), t, editing, command)
				if code != tt.code || out != tt.out || !strings.HasPrefix(errs, tt.err) {
					t.Errorf("got %d\n%s%s", code, out, errs)
				}
				if tt.name == "conflict" && !strings.Contains(errs, "/spec/size\n    base:   1\n    theirs: 3\n    yours:  2\n") {
					t.Errorf("got %s", errs)
				}
				stored, _, _ := runCommand(t.Context(), t, deps, "dovetail get cloud p1/c1 -o yaml")
				if !strings.Contains(stored, tt.stored) {
					t.Errorf("stored is %s", stored)
				}
				kept, err := filepath.Glob(os.TempDir() + "/dovetail-edit-*.yaml")
				if err != nil || len(kept) > 0 != tt.kept {
					t.Errorf("kept are %v, %v", kept, err)
				}
				if tt.kept && !strings.Contains(errs, kept[0]) {
					t.Errorf("%s is not named: %s", kept[0], errs)
				}
			})
		}
	}
}
