package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
)

const workSchema = `resources:
- name: cluster
  lifecycle:
    initial: Created
    actions:
      apply: {from: [Created, Terminated/done], to: Applied, via: Applying, failed: Created, work: true}
      note: {work: true}
      terminate: {from: [Applied/done], to: Terminated, work: true}
    freeze: {delete: [Applying, Applied]}
`

func workSchemas(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "work.yaml"), []byte(workSchema), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWorkers has workers at two servers of one database, and at one of the embedded store, carry out actions, some of whom lose their claims: every
// action is finished once, and those of a document in their order.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		name    string
		servers int
		open    func(t *testing.T) string
	}{
		{"embedded store", 1, func(t *testing.T) string { return "bolt:" + filepath.Join(memdir.New(t), "work.db") }},
		{"MongoDB", 2, func(t *testing.T) string { return freshMongo(t).String() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			location, schemas := test.open(t), workSchemas(t)
			var clients []*client.Client
			for range test.servers {
				s := start(t, map[string]string{"store": location, "ref-schemas": schemas})
				c, err := client.New(s.URL(), client.Options{})
				if err != nil {
					t.Fatal(err)
				}
				clients = append(clients, c)
			}
			const documents, workers = 6, 4
			for n := range documents {
				id := fmt.Sprintf("cluster/c%d", n)
				for _, op := range []store.Operation{store.NewOperation(store.Create, dovetail.ID(id), map[string]any{"metadata": map[string]any{"name": id[8:]}}),
					store.NewAction(dovetail.ID(id), "apply", map[string]any{"n": n}), store.NewAction(dovetail.ID(id), "note", nil)} {
					if _, err := clients[0].Apply(t.Context(), []store.Operation{op}, store.Options{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var mu sync.Mutex
			done := make(map[string][]string)
			var deaths atomic.Int32
			var group sync.WaitGroup
			for n := range workers {
				group.Go(func() {
					for turn := 0; ctx.Err() == nil; turn++ {
						living, die := context.WithCancel(ctx)
						worker := client.Worker{Queue: clients[n%len(clients)], Name: fmt.Sprintf("w%d-%d", n, turn), Claim: 2 * time.Second, Poll: 100 * time.Millisecond,
							Do: func(context.Context, *store.Work) (store.WorkResult, error) {
								if deaths.Add(1) <= 3 {
									die() // with the claim, which another gets when it is over
								}
								return store.WorkResult{Message: fmt.Sprintf("by w%d", n)}, nil
							}}
						worker.Run(living)
						die()
					}
				})
			}
			eventually(t, "no action is left", func() bool {
				open, err := clients[0].OpenWork(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return len(open) == 0
			})
			stop()
			group.Wait()
			for n := range documents {
				doc, err := clients[0].Get(t.Context(), dovetail.ID(fmt.Sprintf("cluster/c%d", n)))
				if err != nil {
					t.Fatal(err)
				}
				var status struct {
					Lifecycle struct{ State, Progress string }
					Actions   []struct {
						Action, Result string
						Finished       time.Time
					}
				}
				if err := json.Unmarshal(doc.Status, &status); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				for _, a := range status.Actions {
					done[string(doc.ID)] = append(done[string(doc.ID)], a.Action+" "+a.Result)
				}
				mu.Unlock()
				if status.Lifecycle.State != "Applied" || status.Lifecycle.Progress != "done" || strings.Join(done[string(doc.ID)], ", ") != "apply done, note done" ||
					status.Actions[0].Finished.After(status.Actions[1].Finished) {
					t.Errorf("the status of %s is %s", doc.ID, doc.Status)
				}
			}
		})
	}
}

// TestWorkAccess: a worker claims only actions of documents that it may act on, and sees only what it may read.
func TestWorkAccess(t *testing.T) {
	file, tokens := accessFile(t, `roles:
- name: worker
  rules:
  - {kinds: [cluster], verbs: [read, act]}
bindings:
- {role: editor, users: [root]}
- {role: viewer, users: [reader]}
- {role: worker, users: [ann], on: [cluster/a]}`, "root", "reader", "ann", "norole")
	s := start(t, map[string]string{"access": file, "ref-schemas": workSchemas(t)})
	for _, name := range []string{"a", "b"} {
		s.mustAs(t, tokens["root"], 201, http.MethodPost, "/v2/clusters", `{"metadata":{"name":"`+name+`"}}`)
		s.mustAs(t, tokens["root"], 202, http.MethodPost, "/v2/clusters/"+name+"/apply", "")
	}
	if text := s.mustAs(t, tokens["root"], 202, http.MethodPost, "/v2/clusters/b/note", `{"secret":"large"}`); !strings.Contains(text, `"large"`) {
		t.Errorf("the status has no body of the request: %s", text)
	}
	for who, want := range map[string]int{"root": 2, "reader": 2, "ann": 1, "norole": 0} {
		if text := s.mustAs(t, tokens[who], 200, http.MethodGet, "/v2/work", ""); strings.Count(text, `"action"`) != want {
			t.Errorf("%s sees %s", who, text)
		}
	}
	s.mustAs(t, tokens["norole"], 403, http.MethodPost, "/v2/work/claim", `{"worker":"w"}`)
	s.mustAs(t, tokens["reader"], 403, http.MethodPost, "/v2/work/claim", `{"worker":"w"}`)
	s.mustAs(t, tokens["ann"], 403, http.MethodPost, "/v2/work/claim", `{"worker":"w","id":"cluster/b"}`)
	claimed := s.mustAs(t, tokens["ann"], 200, http.MethodPost, "/v2/work/claim", `{"worker":"w"}`)
	var answer struct{ Work struct{ ID, Token string } }
	if err := json.Unmarshal([]byte(claimed), &answer); err != nil || answer.Work.ID != "cluster/a" {
		t.Fatal(claimed, err)
	}
	if text := s.mustAs(t, tokens["reader"], 200, http.MethodGet, "/v2/work", ""); strings.Contains(text, answer.Work.Token) {
		t.Errorf("the token is shown: %s", text)
	}
	finish := fmt.Sprintf(`{"id":"cluster/a","token":%q}`, answer.Work.Token)
	s.mustAs(t, tokens["reader"], 403, http.MethodPost, "/v2/work/finish", finish)
	s.mustAs(t, tokens["root"], 409, http.MethodPost, "/v2/work/renew", `{"id":"cluster/a","token":"other"}`)
	for _, body := range []string{`{"id":"cluster/a","token":"t","secs":3}`, `{"worker":"w","id":"cluster/a","kinds":["cluster"]}`, `{"worker":"w","seconds":0}`, `{"worker":"w","seconds":4000}`, `{"worker":"w","kinds":["clutser"]}`, `{}`} {
		s.mustAs(t, tokens["root"], 400, http.MethodPost, "/v2/work/claim", body)
	}
	s.mustAs(t, tokens["root"], 400, http.MethodPost, "/v2/work/finish", fmt.Sprintf(`{"id":"cluster/a","token":%q,"status":{"lifecycle":{"state":"Applied"}}}`, answer.Work.Token))
	s.mustAs(t, tokens["ann"], 200, http.MethodPost, "/v2/work/finish", finish)
	if text := s.mustAs(t, tokens["ann"], 200, http.MethodPost, "/v2/work/claim", `{"worker":"w"}`); text != `{"work":null}` {
		t.Errorf("nothing is left for ann, but there is %s", text)
	}
}

// mustAs sends a request with a token, whose answer must have a status.
func (r *running) mustAs(t *testing.T, token string, want int, method, path, body string) string {
	t.Helper()
	status, _, text := r.as(t, token, method, path, body)
	if status != want {
		t.Errorf("%s %s %s: status %d, want %d: %s", method, path, body, status, want, text)
	}
	return text
}
