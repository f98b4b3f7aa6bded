package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// proposing is a server that answers requests by a list, and remembers them.
type proposing struct {
	mu      sync.Mutex
	answers map[string][]string // by method and path; the last one stays
	bodies  []string
}

func (p *proposing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	name := r.Method + " " + r.URL.RequestURI()
	p.bodies = append(p.bodies, strings.TrimSpace(name+" "+string(body)))
	answers := p.answers[name]
	if len(answers) == 0 {
		answers = []string{`404 {"code":"not-found","detail":"nothing is served here"}`}
	}
	if len(answers) > 1 {
		p.answers[name] = answers[1:]
	}
	status, text, _ := strings.Cut(answers[0], " ")
	code := 200
	if _, err := fmt.Sscan(status, &code); err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", map[bool]string{true: "application/json", false: "application/problem+json"}[code < 400])
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

// TestRebaseTakes resolves the conflicts that a rebase has, those of --resolve first.
func TestRebaseTakes(t *testing.T) {
	const open = `200 {"name":"cs","state":"open"}`
	conflict := func(paths ...string) string {
		var found []string
		for _, path := range paths {
			found = append(found, `{"id":"project/p1","path":"`+path+`","message":"both changed `+path+`","base":1,"staged":2,"now":3}`)
		}
		return `409 {"code":"conflict","reason":"CHANGE_SET_CONFLICT","detail":"it was changed","conflicts":[` + strings.Join(found, ",") + `]}`
	}
	const dry, do = "POST /api/change-sets/cs/rebase?dryRun=true", "POST /api/change-sets/cs/rebase"
	take := func(path, side string) string {
		return `{"id":"project/p1","path":"` + path + `","take":"` + side + `"}`
	}
	tests := []struct {
		name    string
		args    string
		answers map[string][]string
		want    []string
		code    int
	}{
		{name: "without conflicts", answers: map[string][]string{do: {open}}, want: []string{do + " {}"}},
		{name: "with conflicts", answers: map[string][]string{do: {conflict("/a")}}, want: []string{do + " {}"}, code: cli.ExitRefused},
		{name: "one resolved", args: "--resolve project/p1#/a=now", answers: map[string][]string{do: {open}}, want: []string{do + ` {"resolve":[` + take("/a", "now") + `]}`}},
		{name: "the document resolved", args: "--resolve project/p1=staged --dry-run", answers: map[string][]string{dry: {open}}, want: []string{dry + ` {"resolve":[` + take("", "staged") + `]}`}},
		{name: "all taken", args: "--take staged --resolve project/p1#/a=now", answers: map[string][]string{dry: {conflict("/b", "/c"), open}, do: {open}}, want: []string{
			dry + ` {"resolve":[` + take("/a", "now") + `]}`,
			dry + ` {"resolve":[` + take("/a", "now") + "," + take("/b", "staged") + "," + take("/c", "staged") + `]}`,
			do + ` {"resolve":[` + take("/a", "now") + "," + take("/b", "staged") + "," + take("/c", "staged") + `]}`}},
		{name: "changed in between", args: "--take now", answers: map[string][]string{dry: {open}, do: {conflict("/a"), open}}, want: []string{
			dry + " {}", do + " {}", dry + ` {"resolve":[` + take("/a", "now") + `]}`, do + ` {"resolve":[` + take("/a", "now") + `]}`}},
		{name: "not resolvable", args: "--take now", answers: map[string][]string{dry: {conflict("/a")}}, want: []string{
			dry + " {}", dry + ` {"resolve":[` + take("/a", "now") + `]}`}, code: cli.ExitRefused},
		{name: "another error", args: "--take now", answers: map[string][]string{dry: {`409 {"code":"conflict","reason":"CHANGE_SET_NOT_OPEN","detail":"it is closed"}`}},
			want: []string{dry + " {}"}, code: cli.ExitRefused},
		{name: "no side", args: "--take theirs", code: cli.ExitUsage},
		{name: "no resolution", args: "--resolve project/p1#a=now", code: cli.ExitUsage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fake := &proposing{answers: tt.answers}
			_, errs, code := runCommand(t.Context(), t, proposer(t, fake), "dovetail changeset rebase cs "+tt.args)
			if code != tt.code || strings.Join(fake.bodies, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("exit code %d, requests\n%s\nwant %d\n%s\n%s", code, strings.Join(fake.bodies, "\n"), tt.code, strings.Join(tt.want, "\n"), errs)
			}
			if tt.name == "with conflicts" && (!strings.Contains(errs, "error: project/p1: both changed /a\n") || !strings.Contains(errs, "--take staged")) {
				t.Errorf("the conflict is shown as %s", errs)
			}
		})
	}
}

// proposer connects commands to a server.
func proposer(t *testing.T, handler http.Handler) cli.Deps {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return cli.Deps{Connect: func(cli.Server) (cli.Store, error) {
		c, err := client.New(server.URL, client.Options{Attempts: 1})
		if err != nil {
			return nil, err
		}
		return app.Online(c), nil
	}}
}

// TestChangeSetAnswerLost finds out what became of an edit whose answer did not arrive.
func TestChangeSetAnswerLost(t *testing.T) {
	const closing, key = "POST /api/change-sets/cs/close", "DELETE /v2/idempotency-keys/KEY"
	tests := []struct {
		name, outcome, out string
		code               int
	}{
		{name: "done", outcome: `200 {"state":"committed","results":[]}`, out: "closed cs\n"},
		{name: "not done", outcome: `200 {"state":"aborted"}`, code: cli.ExitUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fake := &proposing{answers: map[string][]string{closing: {"200 torn"}, key: {tt.outcome}, "GET /api/change-sets/cs": {`200 {"name":"cs","state":"closed"}`}}}
			deps := proposer(t, fake)
			deps.NewKey = func() string { return "KEY" }
			out, errs, code := runCommand(t.Context(), t, deps, "dovetail changeset close cs")
			if code != tt.code || out != tt.out {
				t.Errorf("got %d %s%s", code, out, errs)
			}
		})
	}
}
