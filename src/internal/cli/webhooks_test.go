package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// hooks is a server with two webhooks.
type hooks struct{ cli.Store }

func (hooks) Webhooks(context.Context) ([]dovetail.Webhook, error) {
	return []dovetail.Webhook{
		{Name: "audit", URL: "https://audit.example.org/in?...", Events: []string{"*"}, Principal: "auditor", Position: "p-7", Delivered: 12, Behind: 2},
		{Name: "release-bot", URL: "https://bot.example.org/", Events: []string{"change-set.*"}, Principal: "bot", Groups: []string{"all"}, Position: "p-3", Delivered: 3, DeadLetters: 1,
			Failure: &dovetail.Failure{Event: "msg_9", Type: "change-set.merged", Since: first, Attempts: 4, Error: "the receiver answered 503 Service Unavailable", Next: first.Add(time.Minute)}},
		{Name: "late", URL: "https://late.example.org/", Events: []string{"*"}, Principal: "bot", Position: "p-2", Delivered: 2, Behind: dovetail.MaxBehind,
			Lost: &dovetail.Lost{After: "p-1", Position: "p-2", Time: first}},
		{Name: "soon", URL: "https://soon.example.org/", Events: []string{"transaction.committed"}, Principal: "bot"},
	}, nil
}

func (hooks) DeadLetters(_ context.Context, webhook string) ([]dovetail.DeadLetter, error) {
	if webhook != "release-bot" {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: `there is no webhook "` + webhook + `"`, Remedy: "see `dovetail webhooks list`"}
	}
	return []dovetail.DeadLetter{{ID: "msg_5", Type: "change-set.opened", Since: first, Last: first.Add(time.Minute), Attempts: 5,
		Error: "the receiver answered 422 Unprocessable Entity", Event: json.RawMessage(`{"type":"change-set.opened"}`)}}, nil
}

func (h hooks) Redeliver(ctx context.Context, webhook string, ids ...string) (int, error) {
	if _, err := h.DeadLetters(ctx, webhook); err != nil {
		return 0, err
	}
	return max(1, len(ids)), nil
}

func TestWebhooksScript(t *testing.T) {
	const file = "testdata/access/webhooks.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := parseScript(string(text))
	got := s.run(t.Context(), t, cli.Deps{Connect: func(cli.Server) (cli.Store, error) { return hooks{openStore(t, false)}, nil }})
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != string(text) {
		t.Errorf("the script puts out something else:\n%s", difference(string(text), got))
	}
}
