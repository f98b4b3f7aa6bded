package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

// copied is a store whose copies note how many seats of a level are taken while they are made.
type copied struct {
	nowhere
	level *flowcontrol.Level
	taken []int
}

const copiedParts = 3

func (c *copied) note() { c.taken = append(c.taken, c.level.Stats().Taken) }

func (c *copied) Checkpoint(_ context.Context, begin func(store.Checkpoint) (io.Writer, error)) error {
	to, err := begin(store.Checkpoint{Size: copiedParts})
	for range copiedParts {
		c.note()
		if err == nil {
			_, err = to.Write([]byte("x"))
		}
	}
	return err
}

func (c *copied) Backup(context.Context, store.BackupOptions) (*store.Backup, error) {
	large := []byte(`"` + strings.Repeat("x", 4<<20) + `"`)
	return &store.Backup{Documents: func(yield func(*dovetail.Document, error) bool) {
		for i := range copiedParts {
			if c.note(); !yield(&dovetail.Document{ID: dovetail.ID(fmt.Sprint("p/", i)), Kind: "p", Data: large}, nil) {
				return
			}
		}
	}}, nil
}

// sent is an answer that notes how many seats of a level are taken while it is sent.
type sent struct {
	*httptest.ResponseRecorder
	level *flowcontrol.Level
	taken []int
}

func (s *sent) Write(part []byte) (int, error) {
	s.taken = append(s.taken, s.level.Stats().Taken)
	return s.ResponseRecorder.Write(part)
}

// TestCopiesHaveSeats: the work on each part of a copy of the store has a seat for hard work, and no part has one while it is sent.
func TestCopiesHaveSeats(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v2/backup", "/v2/backup?checkpoint=true"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			level := flowcontrol.NewLevel(flowcontrol.Options{Seats: 2})
			of := &copied{level: level}
			w := &sent{ResponseRecorder: httptest.NewRecorder(), level: level}
			httpapi.New(of, httpapi.Options{Hard: level}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != http.StatusOK || !slices.Equal(of.taken, []int{1, 1, 1}) {
				t.Errorf("%d: the parts had %v seats", w.Code, of.taken)
			}
			if slices.Contains(w.taken, 1) || len(w.taken) < copiedParts {
				t.Errorf("%v seats were taken while parts were sent", w.taken)
			}
			if level.Stats().Taken != 0 {
				t.Error("a seat is still held")
			}
		})
	}
}

// gate is a reader's end of an answer that is passed on part by part.
type gate struct {
	*httptest.ResponseRecorder
	documents chan int // of each part
}

func (g gate) Write(part []byte) (int, error) {
	g.documents <- strings.Count(string(part), `"name"`)
	return len(part), nil
}

// TestWholeListsAreHard: after its first part a list of everything waits for a seat for hard work, while other requests are served.
func TestWholeListsAreHard(t *testing.T) {
	t.Parallel()
	level := flowcontrol.NewLevel(flowcontrol.Options{Seats: 1})
	s := newServer(t, httpapi.Options{Hard: level, Limits: httpapi.Limits{Concurrency: 1}})
	const n = 1500
	var operations []string
	for i := range n {
		operations = append(operations, fmt.Sprintf(`{"op":"put","id":"project/p%d","document":{"metadata":{"name":"p%d"}}}`, i, i))
	}
	s.must(200, "POST", "/v2/batch", `{"operations":[`+strings.Join(operations, ",")+`]}`)
	var busy flowcontrol.Seat
	if err := level.Enter(t.Context(), &busy, flowcontrol.Request{}); err != nil {
		t.Fatal(err)
	}
	w := gate{httptest.NewRecorder(), make(chan int)}
	go func() {
		defer close(w.documents)
		s.api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/projects", nil))
	}()
	got := <-w.documents
	for level.Stats().Waiting == 0 {
		select {
		case more := <-w.documents:
			t.Fatalf("%d documents and %d more came without a seat", got, more)
		default:
			runtime.Gosched()
		}
	}
	s.must(200, "GET", "/v2/projects/p1", "")
	busy.Leave()
	for more := range w.documents {
		got += more
	}
	if got != n {
		t.Errorf("%d documents came, want %d", got, n)
	}
}
