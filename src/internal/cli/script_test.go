package cli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/value"
)

var update = flag.Bool("update", false, "write what the commands put out into the scripts")

// A script is a transcript: lines that begin with "$ " are commands, those after them what they put
// out: "| " on the standard output, "! " on the standard error, "? " the exit code when it is not 0.
// At the end stand files that the commands find in their directory, each after "-- name --".
//
// Commands are split at spaces, except those in single quotes. "<name" feeds a file to the
// standard input, ">name" sends the standard output to one, "NAME=value" in front sets the environment. "cp" copies a file.
type script struct {
	lines []string
	files map[string]string
	tail  string // the files as they stand in the script
}

func parseScript(text string) script {
	s := script{files: make(map[string]string)}
	var name string
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSuffix(line, "\n")
		if inner, ok := strings.CutPrefix(trimmed, "-- "); ok && strings.HasSuffix(inner, " --") {
			name = strings.TrimSuffix(inner, " --")
		}
		switch {
		case name == "":
			if !strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "! ") && !strings.HasPrefix(line, "? ") &&
				trimmed != "|" && trimmed != "!" {
				s.lines = append(s.lines, trimmed)
			}
			continue
		case trimmed != "-- "+name+" --":
			s.files[name] += line
		}
		s.tail += line
	}
	return s
}

// run does the commands in the current directory and returns the script with what they put out.
func (s *script) run(ctx context.Context, t *testing.T, deps cli.Deps) string {
	t.Helper()
	for name, text := range s.files {
		writeFile(t, name, text)
	}
	var out strings.Builder
	identity := identityOf(ctx, deps)
	for _, line := range s.lines {
		out.WriteString(line + "\n")
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		stdout, stderr, code := runCommand(ctx, t, deps, strings.ReplaceAll(command, "POSITION-", identity+"-"))
		if identity != "" {
			stdout, stderr = strings.ReplaceAll(stdout, identity+"-", "POSITION-"), strings.ReplaceAll(stderr, identity+"-", "POSITION-")
		}
		stdout = timeText.ReplaceAllStringFunc(stdout, hideNow)
		prefixed(&out, "|", stdout)
		prefixed(&out, "!", stderr)
		if code != 0 {
			fmt.Fprintf(&out, "? %d\n", code)
		}
	}
	return out.String() + s.tail
}

var timeText = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,}Z\b`)

// hideNow replaces times by the clock of the machine, which are those of commits. Documents have those of the tests.
func hideNow(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil && time.Since(at) < time.Hour {
		return "2026-03-02T00:00:00Z"
	}
	return text
}

// identityOf is what positions of the database begin with, which is another one in each database.
func identityOf(ctx context.Context, deps cli.Deps) string {
	st, err := deps.Connect(cli.Server{})
	if err != nil {
		return ""
	}
	head, err := st.Head(ctx)
	if err != nil {
		return ""
	}
	return string(head[:strings.LastIndexByte(string(head), '-')])
}

func prefixed(out *strings.Builder, prefix, text string) {
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(prefix+" "+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
}

func runCommand(ctx context.Context, t *testing.T, deps cli.Deps, command string) (stdout, stderr string, code int) {
	t.Helper()
	env := map[string]string{}
	var args []string
	var in []byte
	var target string
	for _, word := range splitWords(command) {
		name, value, isSet := strings.Cut(word, "=")
		switch {
		case len(args) == 0 && isSet:
			env[name] = value
		case strings.HasPrefix(word, "<"):
			data, err := os.ReadFile(word[1:])
			if err != nil {
				t.Fatal(err)
			}
			in = data
		case strings.HasPrefix(word, ">"):
			target = word[1:]
		default:
			args = append(args, word)
		}
	}
	if len(args) == 3 && args[0] == "cp" {
		data, err := os.ReadFile(args[1])
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, args[2], string(data))
		return "", "", 0
	}
	if len(args) == 0 || !slices.Contains([]string{"dovetail", "kubectl-dovetail", "kubectl_complete-dovetail"}, args[0]) {
		t.Fatalf("not a command of ours: %s", command)
	}
	var out, errs bytes.Buffer
	deps.In, deps.Out, deps.Err = bytes.NewReader(in), &out, &errs
	deps.Random = bytes.NewReader(make([]byte, 1000))
	deps.Env = func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	code = cli.RunAs(ctx, deps, args[0], args[1:])
	if target != "" {
		writeFile(t, target, out.String())
		out.Reset()
	}
	// Where the tests lie is not the same everywhere.
	return strings.ReplaceAll(out.String(), schemas, "SCHEMAS"), strings.ReplaceAll(errs.String(), schemas, "SCHEMAS"), code
}

func splitWords(text string) []string {
	var words []string
	var word strings.Builder
	quoted, begun := false, false
	for _, c := range text + " " {
		switch {
		case c == '\'':
			quoted, begun = !quoted, true
		case c == ' ' && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	return words
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestScripts runs every script twice: on a database, and through a server in front of it. What
// they put out must be the same.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"database", "server"} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+way, func(t *testing.T) {
				t.Chdir(t.TempDir())
				s := parseScript(string(text))
				deps := newDeps(t, way == "server")
				if text, own := s.files["own/ref-schema.yaml"]; own { // that of the store, in place of the usual one
					dir := t.TempDir()
					writeFile(t, filepath.Join(dir, "ref-schema.yaml"), text)
					st := openStoreOf(t, way == "server", dir)
					deps.Connect = func(cli.Server) (cli.Store, error) { return st, nil }
				}
				if name, own := s.files["own/example"]; own { // one of those that are shipped, with its samples
					dir := filepath.Join(filepath.Dir(path), "../../../../../ref-schemas/examples", strings.TrimSpace(name))
					if err := os.CopyFS("samples", os.DirFS(filepath.Join(dir, "samples"))); err != nil {
						t.Fatal(err)
					}
					st := openStoreOf(t, way == "server", dir)
					deps.Connect = func(cli.Server) (cli.Store, error) { return st, nil }
				}
				got := s.run(t.Context(), t, deps)
				if *update && way == "database" {
					if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
					return
				}
				if want, err := os.ReadFile(path); err != nil || string(want) != got {
					t.Errorf("the script puts out something else (%v):\n%s", err, difference(string(want), got))
				}
			})
		}
	}
}

// difference shows the first lines that differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			end := func(lines []string) string { return strings.Join(lines[i:min(i+8, len(lines))], "\n") }
			return fmt.Sprintf("line %d\nwant:\n%s\ngot:\n%s", i+1, end(w), end(g))
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(w), len(g))
}

// newDeps returns what a run needs, on a new database with a clock and uids that always are the same.
func newDeps(t *testing.T, overHTTP bool) cli.Deps {
	t.Helper()
	st := openStore(t, overHTTP)
	return cli.Deps{
		Executable:       os.Executable,
		Kubeconfig:       readKubeconfig,
		Connect:          func(cli.Server) (cli.Store, error) { return st, nil },
		Open:             app.Open,
		Salvage:          app.Salvage,
		OpenBackend:      app.OpenBackend,
		Config:           app.Services(),
		VerifyCheckpoint: app.VerifyCheckpoint,
		ReadForeign:      readLines,
		ReadTables:       app.ReadTables,
		TakeOver:         app.TakeOver,
		Examine:          examine,
		RaiseProtocol:    raiseProtocol,
		Serve:            func(context.Context, map[string]string) error { return errors.New("not in scripts") },
		Settings:         app.Settings(),

		Now:               func() time.Time { return time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) },
		CompletionTimeout: 5 * time.Minute,
	}
}

// readKubeconfig stands for kubeconfigs: the context p1 has a namespace.
func readKubeconfig(_, context string) (*cli.Kubeconfig, error) {
	switch context {
	case "":
		return &cli.Kubeconfig{Namespace: "default"}, nil
	case "p1":
		return &cli.Kubeconfig{Namespace: context}, nil
	}
	return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no context " + context}
}

// raiseProtocol stands for raising the level of databases.
func raiseProtocol(ctx context.Context, location string) (cli.RaisedLevel, error) {
	switch location {
	case "mongodb://good/dovetail":
		return cli.RaisedLevel{From: 2, To: 2}, nil
	case "mongodb://earlier/dovetail":
		return cli.RaisedLevel{From: 1, To: 2}, nil
	}
	return app.RaiseProtocol(ctx, location)
}

// examine stands for an examination of database servers.
func examine(ctx context.Context, location string, quick bool) ([]cli.ServerCheck, error) {
	checks := []cli.ServerCheck{
		{Name: "unique-insert", Required: true, Holds: true, Detail: "8 races of 4 clients, one winner each", Took: 20 * time.Millisecond},
		{Name: "change-streams", Detail: "no such stage", Effect: "each process looks for changes four times a second", Took: time.Millisecond},
	}
	switch {
	case location == "mongodb://faulty/dovetail":
		checks[0].Holds, checks[0].Detail, checks[0].Effect = false, "2 of 4 clients inserted the same _id", "one of two documents is lost"
	case location != "mongodb://good/dovetail":
		return app.Examine(ctx, location, quick)
	}
	if quick {
		checks = checks[:1]
	}
	return checks, nil
}

// readLines stands for another system's database: the file that the collection names has a document a line.
func readLines(_ context.Context, _, collection string) iter.Seq2[*value.Value, error] {
	return func(yield func(*value.Value, error) bool) {
		text, err := os.ReadFile(collection)
		if err != nil {
			yield(nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the database cannot be reached", Remedy: "try again"})
			return
		}
		for line := range bytes.Lines(text) {
			if v, err := value.ParseJSON(line, value.Limits{}); !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// clock ticks once a second whenever it is asked.
func clock() func() time.Time {
	var ticks atomic.Int64 // of several writers at once
	return func() time.Time {
		return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(ticks.Add(1)) * time.Second)
	}
}

func counter() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("u%d", n.Add(1)) }
}
