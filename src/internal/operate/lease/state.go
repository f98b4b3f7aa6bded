package lease

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// State is the state of the lease of a task: its current or last holder.
type State struct {
	Task   string
	Holder string    // "" where no process has ever led
	Term   uint64    // how often the lease was taken
	Since  time.Time // when the holder took it, or gave it back
	// Heartbeat is when the holder last said that it is alive; zero where it writes none.
	Heartbeat time.Time
	// Held reports whether the holder leads: it did not release the lease, and no process has ended its session.
	Held bool
}

// States reads the leases of tasks by their names, in that order. The errors are those of the backend.
func States(ctx context.Context, backend store.Backend, tasks ...string) ([]State, error) {
	ids := make([]dovetail.ID, len(tasks))
	for i, task := range tasks {
		ids[i] = termID(task)
	}
	terms, err := backend.GetAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	beats, err := beatsOf(ctx, backend, terms)
	if err != nil {
		return nil, err
	}
	states := make([]State, len(tasks))
	for i, task := range tasks {
		states[i].Task = task
		if terms[i] == nil {
			continue
		}
		says := read(terms[i])
		states[i].Holder, states[i].Term, states[i].Since, states[i].Held = says.Holder, says.Term, terms[i].Updated, !says.Released
		if says.Session == "" || says.Released {
			continue
		}
		beat := beats[beatID(says.Session)]
		if states[i].Held = beat != nil; beat != nil {
			states[i].Heartbeat = beat.Updated
		}
	}
	return states, nil
}

// beatsOf reads the heartbeats of the sessions that terms name.
func beatsOf(ctx context.Context, backend store.Backend, terms []*dovetail.Document) (map[dovetail.ID]*dovetail.Document, error) {
	var ids []dovetail.ID
	for _, term := range terms {
		if term == nil || read(term).Session == "" {
			continue
		}
		if id := beatID(read(term).Session); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	beats := make(map[dovetail.ID]*dovetail.Document, len(ids))
	if len(ids) == 0 {
		return beats, nil
	}
	found, err := backend.GetAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		beats[id] = found[i]
	}
	return beats, nil
}
