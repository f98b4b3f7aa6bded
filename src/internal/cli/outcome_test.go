package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// faultyServer is a server whose answers to writes are lost.
type faultyServer struct {
	api   http.Handler
	fault string        // what happens to a batch or an import
	asked chan struct{} // closed when one arrives
	once  sync.Once
	held  *http.Request // one that was not served
	gone  func()        // ends the server
}

func (f *faultyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Query().Get("dryRun") != "" {
		f.api.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	served := func(w http.ResponseWriter) {
		again := r.Clone(context.WithoutCancel(r.Context()))
		again.Body = io.NopCloser(bytes.NewReader(body))
		f.api.ServeHTTP(w, again)
	}
	first := false
	f.once.Do(func() { first = true })
	switch {
	case !first:
		served(w)
	case f.fault == "commits and never answers":
		served(httptest.NewRecorder())
		close(f.asked)
		<-r.Context().Done()
	case f.fault == "does not commit":
		f.held = r.Clone(context.WithoutCancel(r.Context()))
		f.held.Body = io.NopCloser(bytes.NewReader(body))
		close(f.asked)
		<-r.Context().Done()
	case f.fault == "commits and breaks the connection":
		served(httptest.NewRecorder())
		panic(http.ErrAbortHandler)
	case f.fault == "breaks the connection":
		panic(http.ErrAbortHandler)
	case f.fault == "proxy":
		served(httptest.NewRecorder())
		http.Error(w, "bad gateway", http.StatusBadGateway)
	case f.fault == "is gone":
		close(f.asked)
		f.gone()
	}
}

// A command whose answer is lost finds out what became of its transaction.
func TestLostAnswers(t *testing.T) {
	const batch, document = "dovetail apply -f p1.yaml", "project/p1"
	for _, tt := range []struct {
		name, fault, command string
		interrupt            bool
		code                 int
		out, err             string
		stored               bool
	}{
		{name: "committed", fault: "commits and never answers", command: batch, interrupt: true, out: "created   project/p1\n1 created\n",
			err: "interrupted, but the transaction was committed before:\n", stored: true},
		{name: "not committed", fault: "does not commit", command: batch, interrupt: true, code: cli.ExitInterrupted,
			err: "error: interrupted before the transaction was committed; nothing was changed\n"},
		{name: "unknown", fault: "is gone", command: batch, code: cli.ExitUnavailable,
			err: "error: it is not known whether the transaction was committed: the server does not answer\n  find out with `dovetail outcome KEY`\n"},
		{name: "unknown when interrupted", fault: "is gone", command: batch, interrupt: true, code: cli.ExitUnavailable,
			err: "error: it is not known whether the transaction was committed: the server does not answer\n  find out with `dovetail outcome KEY`\n"},
		{name: "committed, connection broken", fault: "commits and breaks the connection", command: batch, out: "created   project/p1\n1 created\n", stored: true},
		{name: "connection broken", fault: "breaks the connection", command: batch, out: "created   project/p1\n1 created\n", stored: true},
		{name: "committed behind a proxy", fault: "proxy", command: batch, out: "created   project/p1\n1 created\n", stored: true},
		{name: "delete, committed", fault: "commits and never answers", command: "dovetail delete project p0", interrupt: true, out: "deleted   project/p0\n1 deleted\n",
			err: "interrupted, but the transaction was committed before:\n"},
		{name: "delete, not committed", fault: "does not commit", command: "dovetail delete project p0", interrupt: true, code: cli.ExitInterrupted,
			err: "error: interrupted before the transaction was committed; nothing was changed\n"},
		{name: "import, committed", fault: "commits and never answers", command: "dovetail import p1.jsonl --allow-incomplete", interrupt: true, out: "1 document imported\n",
			err: "interrupted, but the transaction was committed before:\n", stored: true},
		{name: "import, not committed", fault: "does not commit", command: "dovetail import p1.jsonl --allow-incomplete", interrupt: true, code: cli.ExitInterrupted,
			err: "error: interrupted before the transaction was committed; nothing was changed\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			db, err := app.OpenDatabase(t.Context(), "bolt:test.db", schemas, store.Config{Clock: clock(), NewUID: counter()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			if _, err := db.Store.Apply(t.Context(), []store.Operation{store.NewOperation(store.Put, "project/p0", map[string]any{})}, store.Options{}); err != nil {
				t.Fatal(err)
			}
			api := httpapi.New(db.Store, httpapi.Options{})
			t.Cleanup(api.Close)
			faulty := &faultyServer{api: api, fault: tt.fault, asked: make(chan struct{})}
			server := httptest.NewServer(faulty)
			t.Cleanup(server.Close)
			faulty.gone = func() {
				server.Listener.Close()
				server.CloseClientConnections()
			}
			deps := cli.Deps{NewKey: func() string { return "KEY" }, Connect: func(cli.Server) (cli.Store, error) {
				c, err := client.New(server.URL, client.Options{Backoff: time.Millisecond})
				return app.Online(c), err
			}}
			writeFile(t, "p1.yaml", "{kind: project, metadata: {name: p1}}")
			writeFile(t, "p1.jsonl", `{"id":"project/p1","kind":"project","data":{},"uid":"x","revision":7,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}`+"\n")
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			if tt.interrupt {
				go func() {
					<-faulty.asked
					interrupt()
				}()
			}
			out, errs, code := runCommand(ctx, t, deps, tt.command)
			if errs = strings.TrimPrefix(errs, "warning: the export has no last line that counts its documents, so that some may be missing: it has 1 document\n"); code != tt.code || out != tt.out || errs != tt.err {
				t.Errorf("got %d\n%s%s", code, out, errs)
			}
			if faulty.held != nil { // it arrives late
				w := httptest.NewRecorder()
				api.ServeHTTP(w, faulty.held)
				if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), store.ReasonAborted) {
					t.Errorf("a transaction that was aborted is answered %d %s", w.Code, w.Body)
				}
			}
			if _, err := db.Store.Get(t.Context(), document); (err == nil) != tt.stored {
				t.Errorf("stored: %v", err)
			}
		})
	}
}

// A command that was interrupted before it sent anything says that nothing was changed, and so does one without a server.
func TestInterruptedBefore(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "p1.yaml", "{kind: project, metadata: {name: p1}}")
	st := openStore(t, false)
	ctx, interrupt := context.WithCancel(t.Context())
	deps := cli.Deps{Connect: func(cli.Server) (cli.Store, error) { return interrupting{st, interrupt}, nil }}
	_, errs, code := runCommand(ctx, t, deps, "dovetail apply -f p1.yaml")
	if want := "error: interrupted before the transaction was committed; nothing was changed\n"; code != cli.ExitInterrupted || errs != want {
		t.Errorf("got %d %s", code, errs)
	}
}

// interrupting is a store at which every transaction is interrupted before it begins.
type interrupting struct {
	cli.Store
	interrupt func()
}

func (s interrupting) Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
	s.interrupt()
	return s.Store.Apply(ctx, operations, options)
}

func TestOutcomeCommand(t *testing.T) {
	for _, way := range []string{"database", "server"} {
		t.Run(way, func(t *testing.T) {
			t.Chdir(t.TempDir())
			deps := newDeps(t, way == "server")
			deps.NewKey = func() string { return "a/b c" }
			writeFile(t, "p1.yaml", "{kind: project, metadata: {name: p1}}")
			for _, step := range []struct {
				command  string
				code     int
				out, err string
			}{
				{"dovetail outcome 'a/b c'", 3, "", "error: the transaction is not committed\n  it may be under way: ask again, or give it up with --abort\n"},
				{"dovetail apply -f p1.yaml", 0, "created   project/p1\n1 created\n", ""},
				{"dovetail outcome 'a/b c'", 0, "created   project/p1\n1 created\n", ""},
				{"dovetail outcome 'a/b c' --abort -o name", 0, "project/p1\n", ""},
				{"dovetail outcome k --abort", 3, "", "error: the transaction was not committed, and never will be\n"},
				{"dovetail outcome k --abort", 3, "", "error: the transaction was not committed, and never will be\n"},
				{"dovetail outcome k", 3, "", "error: the transaction was not committed, and never will be\n"},
			} {
				if out, errs, code := runCommand(t.Context(), t, deps, step.command); code != step.code || out != step.out || errs != step.err {
					t.Errorf("%s: got %d\n%s%s", step.command, code, out, errs)
				}
			}
		})
	}
}
