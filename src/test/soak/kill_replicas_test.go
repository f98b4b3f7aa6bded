package soak_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// history is what one writer knows of one of its documents.
type history struct {
	acknowledged int          // the value of the last write that was answered; 0: deleted or never there
	possible     map[int]bool // values of writes that were not answered since
}

func (h *history) allows(value int) bool { return value == h.acknowledged || h.possible[value] }

// TestReplicasKilled kills processes while writers write through them. What was answered is there, what was
// not may be, nothing dangles, and no mark stays.
func TestReplicasKilled(t *testing.T) {
	rounds.Soak(t)
	kills, writers := rounds.Of(6, 24), 8
	uri := mongotest.Location(t)
	all := startOn(t, 3, uri.String(), schemas(t, map[string]string{"schema.yaml": fourKinds}))
	all[0].Must(t, 201, "POST", "/v2/projects", named("p"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	histories := make([]map[string]*history, writers)
	answered := make(chan struct{}) // receives when a write was answered, if the test waits for it
	var group sync.WaitGroup
	for w := range writers {
		histories[w] = make(map[string]*history)
		group.Go(func() { write(ctx, t, all, w, histories[w], answered) })
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		victim := all[random.IntN(3)]
		for range 1 + random.IntN(50) {
			<-answered
		}
		victim.Kill()
		victim.Start(t)
	}
	stop()
	group.Wait()
	acknowledged := 0
	for w, documents := range histories {
		for path, h := range documents {
			value := read(t, all[w%3], path)
			if !h.allows(value) {
				t.Errorf("%s has the value %d; the last write that was answered was %d, those after it %v", path, value, h.acknowledged, h.possible)
			}
			acknowledged++
		}
	}
	t.Logf("%d documents were written", acknowledged)
	marked := bson.D{{Key: "mark", Value: bson.D{{Key: "$exists", Value: true}}}}
	database := mongotest.Database(t, uri)
	apptest.Eventually(t, "the sweep has removed all marks", func() bool {
		n, err := database.Collection("documents").CountDocuments(t.Context(), marked)
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
	requireWhole(t, uri.String())
}

// write puts and deletes apps of its own, and versions and profiles that need apps of any writer, until
// the context ends.
func write(ctx context.Context, t *testing.T, all []*apptest.Process, w int, documents map[string]*history, answered chan<- struct{}) {
	random := rand.New(rand.NewPCG(uint64(w), 7))
	for value := 1; ctx.Err() == nil; value++ {
		name := fmt.Sprintf("w%da%d", w, random.IntN(4))
		path := "/v2/projects/p/apps/" + name
		p := all[random.IntN(len(all))]
		switch random.IntN(4) {
		case 0: // of others: only that nothing dangles counts
			other := fmt.Sprintf("w%da%d", random.IntN(8), random.IntN(4))
			_, _, _ = p.Call(ctx, "POST", "/v2/projects/p/apps/"+other+"/versions", named("v"))
		case 1:
			other := fmt.Sprintf("w%da%d", random.IntN(8), random.IntN(4))
			_, _, _ = p.Call(ctx, "PUT", fmt.Sprintf("/v2/projects/p/profiles/w%d", w), fmt.Sprintf(`{"metadata":{"name":"w%d"},"spec":{"app":%q}}`, w, other))
		case 2:
			// The request is not cut off with the test: whether it was done would not be known.
			status, text, err := p.Call(context.WithoutCancel(ctx), "DELETE", path+"?cascade=true", "")
			note(t, documents, path, 0, status, text, err, 204)
			signal(answered)
		default:
			body := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"value":%d}}`, name, value)
			status, text, err := p.Call(context.WithoutCancel(ctx), "PUT", path, body)
			note(t, documents, path, value, status, text, err, 201)
			signal(answered)
		}
	}
}

// signal wakes whoever waits for the channel.
func signal(waiting chan<- struct{}) {
	select {
	case waiting <- struct{}{}:
	default:
	}
}

// note remembers what a write of a value may have done.
func note(t *testing.T, documents map[string]*history, path string, value, status int, text string, err error, good int) {
	h := documents[path]
	if h == nil {
		h = &history{possible: make(map[int]bool)}
		documents[path] = h
	}
	switch {
	case err == nil && (status == good || status == 200):
		h.acknowledged, h.possible = value, make(map[int]bool)
	case err == nil && status == 404 && value == 0: // it is not there, whatever was not answered
		if !h.allows(0) {
			t.Errorf("%s is gone: %+v", path, h)
		}
		h.acknowledged, h.possible = 0, make(map[int]bool)
	case err == nil && (status == 409 || status == 412 || status == 503):
	case err == nil && status != 504:
		t.Errorf("%s: %d %s", path, status, text)
	default:
		h.possible[value] = true
	}
}

// read returns the value of an app, 0 when there is none.
func read(t *testing.T, p *apptest.Process, path string) int {
	t.Helper()
	status, text, err := p.Call(t.Context(), "GET", path, "")
	var app struct{ Spec struct{ Value int } }
	switch {
	case err != nil:
		t.Fatal(err)
	case status == 404:
		return 0
	case status != 200:
		t.Fatalf("%s: %d %s", path, status, text)
	}
	if err := json.Unmarshal([]byte(text), &app); err != nil {
		t.Fatal(errors.Join(err, errors.New(text)))
	}
	return app.Spec.Value
}
