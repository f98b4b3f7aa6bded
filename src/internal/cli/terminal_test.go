package cli_test

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

const escape = "\x1b["

func TestColours(t *testing.T) {
	for _, test := range []struct {
		name       string
		terminal   bool
		env        map[string]string
		out, error bool
	}{
		{"on a terminal", true, nil, true, true},
		{"not on a terminal", false, nil, false, false},
		{"not wanted", true, map[string]string{"NO_COLOR": "1"}, false, false},
		{"an empty NO_COLOR wants nothing", true, map[string]string{"NO_COLOR": ""}, true, true},
		{"a dumb terminal", true, map[string]string{"TERM": "dumb"}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "a.yaml", "kind: label\nmetadata: {name: a}\n")
			deps := newDeps(t, false)
			deps.OutTerminal, deps.ErrTerminal = test.terminal, test.terminal
			deps.Env = func(name string) (string, bool) { text, ok := test.env[name]; return text, ok }
			var out, errs bytes.Buffer
			deps.Out, deps.Err = &out, &errs
			for _, args := range [][]string{{"apply", "-f", "a.yaml"}, {"get", "labels"}, {"describe", "label/a"}, {"get", "label", "b"}} {
				cli.Run(t.Context(), deps, args)
			}
			if got := strings.Contains(out.String(), escape); got != test.out {
				t.Errorf("colours on the output: %v, want %v: %q", got, test.out, out.String())
			}
			if got := strings.Contains(errs.String(), escape); got != test.error {
				t.Errorf("colours on errors: %v, want %v: %q", got, test.error, errs.String())
			}
		})
	}
}

// Progress is for terminals, and only there.
func TestProgress(t *testing.T) {
	t.Chdir(t.TempDir())
	var manifests strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&manifests, "- {kind: label, metadata: {name: l%d}}\n", i)
	}
	writeFile(t, "labels.yaml", manifests.String())
	deps := newDeps(t, false)
	if _, errs, code := runCommand(t.Context(), t, deps, "dovetail apply -f labels.yaml"); code != 0 {
		t.Fatal(errs)
	}
	if _, errs, _ := runCommand(t.Context(), t, deps, "dovetail export >all.jsonl"); errs != "" {
		t.Errorf("got %q without a terminal", errs)
	}
	deps.ErrTerminal = true
	_, errs, _ := runCommand(t.Context(), t, deps, "dovetail export >all.jsonl")
	if want := "\rexported 1000 documents\rexported 1001 documents\n"; errs != want {
		t.Errorf("got %q, want %q", errs, want)
	}
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Output that cannot be written is an error, whichever verb it is.
func TestUnwritableOutput(t *testing.T) {
	for _, args := range [][]string{
		{"version"}, {"schema", "check", "testdata/schema", "-o", "yaml"}, {"schema", "aggregate", "testdata/schema"},
		{"schema", "show", "testdata/schema"}, {"explain", "app", "--schema", "testdata/schema"},
	} {
		var errs bytes.Buffer
		code := cli.Run(t.Context(), cli.Deps{Out: full{}, Err: &errs}, args)
		if code != cli.ExitInvalid || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%v: got %d %s", args, code, errs.String())
		}
	}
}
