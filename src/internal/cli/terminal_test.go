package cli_test

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

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

// Who looks at a table on a terminal sees how long ago documents were written; programs see when.
func TestAges(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.yaml", "kind: label\nmetadata: {name: a}\n")
	deps := newDeps(t, false)
	if _, errs, code := runCommand(t.Context(), t, deps, "dovetail apply -f a.yaml"); code != 0 {
		t.Fatal(errs)
	}
	line, _, _ := runCommand(t.Context(), t, deps, "dovetail get labels --no-headers")
	cells := strings.Fields(line)
	if len(cells) != 3 {
		t.Fatal(line)
	}
	at, err := time.Parse(time.RFC3339, cells[2])
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		terminal bool
		later    time.Duration
		want     string
	}{
		{"on a terminal", true, 5 * time.Minute, "5m ago"},
		{"days", true, 50 * time.Hour, "2d2h ago"},
		{"a clock that is behind", true, -time.Minute, "0s ago"},
		{"not on a terminal", false, 5 * time.Minute, at.UTC().Format(time.RFC3339)},
	} {
		t.Run(test.name, func(t *testing.T) {
			deps.OutTerminal, deps.Now = test.terminal, func() time.Time { return at.Add(test.later) }
			if out, errs, _ := runCommand(t.Context(), t, deps, "dovetail get labels"); !strings.Contains(out, test.want) {
				t.Errorf("%s%s, want %s", out, errs, test.want)
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
		{"schema", "show", "testdata/schema"}, {"explain", "app", "--schema", "testdata/schema"}, {"completion", "bash"}, {"help"},
	} {
		var errs bytes.Buffer
		code := cli.Run(t.Context(), cli.Deps{Out: full{}, Err: &errs}, args)
		if code != cli.ExitUnavailable || !strings.Contains(errs.String(), "no space left on device") || !strings.Contains(errs.String(), "free space") {
			t.Errorf("%v: got %d %s", args, code, errs.String())
		}
	}
}
