package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// watcher follows all changes, through one process after the other.
type watcher struct {
	*load
	number int
	random *rand.Rand
	cursor string
	stream int
}

func (l *load) watcher(number int) *watcher {
	return &watcher{load: l, number: number, random: rand.New(rand.NewPCG(l.seed, uint64(1000+number)))} //nolint:gosec // no secret
}

// run watches until the context ends. It goes to another process when a stream ends, and after some seconds in any case.
func (w *watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		stay, cancel := context.WithTimeout(ctx, time.Duration(500+w.random.IntN(15000))*time.Millisecond)
		w.follow(stay, w.processes[w.random.IntN(len(w.processes))].Address)
		cancel()
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(w.random.IntN(200)) * time.Millisecond):
		}
	}
}

// follow reads one stream, and keeps the place to resume from.
func (w *watcher) follow(ctx context.Context, address string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/v2/watch", http.NoBody)
	if err != nil {
		panic(err) // the path is ours
	}
	request.Header.Set("Accept", "text/event-stream")
	if w.cursor != "" {
		request.Header.Set("Last-Event-ID", w.cursor)
	}
	response, err := (&http.Client{}).Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		if response.StatusCode == http.StatusGone || response.StatusCode == http.StatusBadRequest {
			w.finding("watcher %d could not resume from %s: %s", w.number, w.cursor, response.Status)
			w.cursor = ""
		}
		return
	}
	w.stream++
	lines := bufio.NewReader(response.Body)
	var event, id, data string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "event":
			event = value
		case "id":
			id = value
		case "data":
			data += value
		case "":
			if line == "" {
				w.take(event, id, data)
				event, id, data = "", "", ""
			}
		}
	}
}

// take records an event, and then the place after it.
func (w *watcher) take(event, id, data string) {
	switch event {
	case "changes":
		var changes struct {
			Changes []struct {
				Op, ID, UID string
				Revision    json.Number
			}
		}
		if err := json.Unmarshal([]byte(data), &changes); err != nil {
			w.finding("watcher %d got an event that is no JSON: %v: %s", w.number, err, data)
			return
		}
		for _, c := range changes.Changes {
			w.add(record{Event: &Event{Watcher: w.number, Stream: w.stream, Op: c.Op, ID: c.ID, Version: c.UID + "-" + c.Revision.String()}})
		}
	case "expired":
		w.finding("watcher %d was told that %s has expired", w.number, w.cursor)
	case "error":
		return // the stream ends, and resumes from the place before
	}
	if id != "" {
		w.cursor = id
	}
}
