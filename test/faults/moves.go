package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A mover changes the documents of a cell that no one else writes in the ways that need more than one of them: it renames, reverts, merges change
// sets, acts, applies fields and claims values. So it knows what there is after each answer, and looks.
type mover struct {
	*client
	cell string
	jobs map[string]job // by name
	made int
}

// job is what a document of the kind of that name has.
type job struct {
	N      int
	Serial string // which no other may have
	State  string // of its lifecycle
	Target string // by name
}

// Action is a write that is no write of single documents.
type Action struct {
	Path string `json:"path"`
	Body any    `json:"body,omitempty"`
}

// move works in cells of its own until the context ends. A cell whose state is not known for certain any more is left.
func (c *client) move(ctx context.Context) {
	for ctx.Err() == nil {
		m := &mover{client: c, cell: fmt.Sprintf("moved%d-%d", c.number, c.numbers.Add(1)), jobs: make(map[string]job)}
		for known := m.begin(); known && ctx.Err() == nil && m.made < cellTurns; {
			known = m.turn() && m.look()
		}
	}
}

func (m *mover) id(name string) string { return "cell/" + m.cell + "/job/" + name }

// begin makes the cell, with a target, and reports whether it is there.
func (m *mover) begin() bool {
	o := &Operation{Kind: "bulk", Writes: []Write{{Do: "put", ID: "cell/" + m.cell, State: State{N: 1}}, {Do: "put", ID: "cell/" + m.cell + "/target/t0", State: State{N: 1}}}}
	return m.settled(o) && o.Outcome == Done
}

// settled does an operation, and reports whether its outcome is known.
func (m *mover) settled(o *Operation) bool {
	o.Number = int(m.numbers.Add(1))
	o.settle = true
	m.do(o)
	return o.Outcome != Unknown
}

// act does an action that changes the document, and expects it to have that state then. Without a state it is gone.
func (m *mover) act(kind, path string, body any, name string, after *job) bool {
	o := &Operation{Kind: kind, Action: &Action{path, body}, Writes: []Write{{Do: kind, ID: m.id(name)}}}
	if !m.settled(o) {
		return false
	}
	switch {
	case o.Outcome != Done:
		if explains(o.Code) {
			m.finding("%s was refused: %s", o, o.Detail)
		}
	case after == nil:
		delete(m.jobs, name)
	default:
		m.jobs[name] = *after
	}
	return true
}

// turn changes one document, and reports whether it is known how that ended.
func (m *mover) turn() bool {
	m.made++
	names := slices.Sorted(maps.Keys(m.jobs))
	if len(names) < 2 {
		return m.apply(fmt.Sprintf("j%d", m.made), job{State: "New"})
	}
	name := names[m.random.IntN(len(names))]
	was := m.jobs[name]
	switch m.random.IntN(6) {
	case 0:
		return m.rename(name, was)
	case 1:
		return m.revert(name, was)
	case 2:
		return m.merge(name, was)
	case 3:
		action, state := "run", "Ran"
		if was.State == state {
			action, state = "reset", "New"
		}
		after := was
		after.State = state
		return m.act("action", itemPath(m.id(name))+"/"+action, map[string]any{}, name, &after)
	case 4:
		return m.claim(name, was, m.jobs[names[(slices.Index(names, name)+1)%len(names)]])
	default:
		return m.apply(name, was)
	}
}

// apply applies fields, two of them with a reference.
func (m *mover) apply(name string, was job) bool {
	after := was
	after.N = int(m.numbers.Add(1))
	spec := map[string]any{"n": after.N}
	if after.Target = ""; m.random.IntN(2) == 0 {
		after.Target, spec["target"] = "t0", "t0" // that it has no more where the next configuration does not have it
	}
	if was.Serial == "" {
		after.Serial = fmt.Sprintf("%s-%d", m.cell, after.N)
	}
	spec["serial"] = after.Serial
	return m.act("apply", "/v2/batch", []any{map[string]any{"op": "apply", "id": m.id(name), "fieldManager": "mover", "force": true,
		"data": map[string]any{"metadata": map[string]any{"name": name}, "spec": spec}}}, name, &after)
}

func (m *mover) rename(name string, was job) bool {
	to := fmt.Sprintf("r%d", m.made)
	if !m.act("rename", "/v2/rename", map[string]any{"id": m.id(name), "to": m.id(to)}, name, nil) {
		return false
	}
	if _, still := m.jobs[name]; !still {
		m.jobs[to] = was
	}
	return true
}

// claim gives a document a value that it may have, or one that another has, which must be refused.
func (m *mover) claim(name string, was, other job) bool {
	after, taken := was, m.random.IntN(2) == 0
	if after.Serial = fmt.Sprintf("%s-%d", m.cell, m.numbers.Add(1)); taken {
		after.Serial = other.Serial
	}
	o := &Operation{Kind: "claim", Action: &Action{"/v2/batch", []any{map[string]any{"op": "patch", "id": m.id(name), "data": map[string]any{"spec": map[string]any{"serial": after.Serial}}}}},
		Writes: []Write{{Do: "claim", ID: m.id(name)}}}
	if !m.settled(o) {
		return false
	}
	switch {
	case o.Outcome == Done && taken:
		m.finding("%s was done, although another document has the value", o)
	case o.Outcome == Done:
		m.jobs[name] = after
	case explains(o.Code) && !taken:
		m.finding("%s was refused: %s", o, o.Detail)
	}
	return true
}

// revert changes a document, and takes the change back.
func (m *mover) revert(name string, was job) bool {
	if !m.apply(name, was) || m.jobs[name] == was {
		return true
	}
	position := m.positionOf(name)
	if position == "" {
		return true
	}
	return m.act("revert", "/v2/transactions/"+url.PathEscape(position)+"/revert", map[string]any{}, name, &was)
}

// positionOf finds the last transaction of a document.
func (m *mover) positionOf(name string) string {
	a := m.reach(func(address string) *answer {
		return call(context.Background(), address, http.MethodGet, itemPath(m.id(name))+"?view=history&limit=1", nil, nil)
	})
	var page struct{ Items []struct{ Position string } }
	if a.code != "" || json.Unmarshal(a.body, &page) != nil || len(page.Items) == 0 {
		return ""
	}
	return page.Items[0].Position
}

// merge stages a change in a change set and merges it. Where it is not known whether it is merged, the change set is closed, and then is what it says.
func (m *mover) merge(name string, was job) bool {
	set, after := fmt.Sprintf("set-%s-%d", m.cell, m.made), was
	after.N = int(m.numbers.Add(1))
	send := func(method, path string, body any) *answer {
		return m.reach(func(address string) *answer {
			header := map[string]string{}
			if method == http.MethodPatch {
				header["Content-Type"] = "application/merge-patch+json"
			}
			return call(context.Background(), address, method, path, header, body)
		})
	}
	if send(http.MethodPost, "/api/change-sets", map[string]any{"name": set}).code != "" ||
		send(http.MethodPatch, itemPath(m.id(name))+"?changeSet="+set, map[string]any{"spec": map[string]any{"n": after.N}}).code != "" {
		return true // nothing is merged
	}
	o := &Operation{Number: int(m.numbers.Add(1)), Kind: "merge", Attempts: 1, Call: time.Since(m.began)}
	merged := send(http.MethodPost, "/api/change-sets/"+set+"/merge", nil)
	o.Return, o.Outcome, o.Code, o.Detail = time.Since(m.began), merged.outcome(), merged.code, merged.detail
	m.add(record{Operation: o})
	if merged.code != "" {
		for attempts := 0; ; attempts++ {
			closed := send(http.MethodPost, "/api/change-sets/"+set+"/close", nil)
			if closed.code == "" {
				return true
			}
			var view struct{ State string }
			if now := send(http.MethodGet, "/api/change-sets/"+set, nil); now.code == "" && json.Unmarshal(now.body, &view) == nil && strings.EqualFold(view.State, "merged") {
				break
			}
			const most = 20
			if attempts == most {
				return false
			}
			m.backOff()
		}
	}
	m.jobs[name] = after
	return true
}

// look compares what a process shows with what must be there, and reports whether it could be read and is so.
func (m *mover) look() bool {
	a := m.reach(func(address string) *answer {
		return call(context.Background(), address, http.MethodGet, "/v2/documents?limit=1000&kind=job&under=cell/"+m.cell+"&at="+url.QueryEscape(latest), nil, nil)
	})
	if a.code != "" {
		m.backOff()
		return true
	}
	var page struct {
		Items []struct {
			ID   string
			Data struct {
				Spec struct {
					N              int
					Serial, Target string
				}
			}
			Status struct{ Lifecycle struct{ State string } }
		}
	}
	if err := json.Unmarshal(a.body, &page); err != nil {
		m.finding("the jobs of %s: %v", m.cell, err)
		return false
	}
	shown := make(map[string]job)
	for _, i := range page.Items {
		j := job{i.Data.Spec.N, i.Data.Spec.Serial, i.Status.Lifecycle.State, i.Data.Spec.Target}
		if j.State == "" {
			j.State = "New"
		}
		shown[nameOf(i.ID)] = j
	}
	if !maps.Equal(shown, m.jobs) {
		m.finding("after %v, at %s, there are the jobs\n    %v, and there should be\n    %v", time.Since(m.began).Round(time.Millisecond), m.cell, shown, m.jobs)
		return false
	}
	return true
}
