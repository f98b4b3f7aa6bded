package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/schema"
)

// lookedAt is a store whose ref-schema in force is examined.
type lookedAt struct {
	model    *schema.Model
	changing atomic.Bool
	looks    atomic.Int32
}

func (l *lookedAt) Model() *schema.Model { return l.model }

func (l *lookedAt) FollowModel(context.Context) (bool, error) {
	l.looks.Add(1)
	return l.changing.Load(), nil
}

// TestFollowRefSchema counts how often a process looks which ref-schema is in force, and when.
func TestFollowRefSchema(t *testing.T) {
	model, err := refSchemaFiles{}.compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name        string
		used        bool // by more than requests
		open        bool // a request is under way all the time
		changing    bool
		least, most int32 // looks in an hour
	}{
		{name: "no requests", least: 5, most: 6},
		{name: "services use it", used: true, least: 359, most: 360},
		{name: "a request is under way", open: true, least: 359, most: 360},
		{name: "a change is announced", used: true, changing: true, least: 3590, most: 3600},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				resources := &lookedAt{model: model}
				resources.changing.Store(test.changing)
				f := &refSchemaFollower{resources: resources, log: slog.New(slog.NewTextHandler(io.Discard, nil)), unused: func() bool { return !test.used }}
				go f.run(ctx)
				synctest.Wait()
				ask := func(serve func()) {
					f.over(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { serve() })).
						ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
				}
				if test.open {
					go ask(func() { <-ctx.Done() })
				}
				clocktest.Advance(time.Hour)
				if n := resources.looks.Load(); n < test.least || n > test.most {
					t.Errorf("it looked %d times", n)
				}
				clocktest.Advance(followEvery + 2*followSoon)
				before := resources.looks.Load()
				ask(func() {
					if n := resources.looks.Load(); !test.used && !test.open && n != before+1 {
						t.Errorf("the first request after a while is answered after %d looks", n-before)
					}
				})
			})
		})
	}
}
