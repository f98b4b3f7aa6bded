package soak_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// A history is what clients asked of several processes at the same time, and were answered: reads, plain writes and deletions of
// apps, edits and merges of change sets over one base. It is linearizable when some order of them, each at an instant
// between its call and its answer, explains every answer. So a merge is seen whole or not at all, loses no write and no edit that
// was answered before, and is refused for a conflict only where there is one.

const (
	mergedApps       = 3
	mergedChangeSets = 6
)

// mergeState is what there is: apps with two values each, and what change sets stage of them; 0 is what both are at the base.
type mergeState struct {
	apps    [mergedApps]mergedApp
	staged  [mergedChangeSets][mergedApps][2]int
	touched [mergedChangeSets][mergedApps]bool
	merged  [mergedChangeSets]bool
}

type mergedApp struct {
	deleted bool
	values  [2]int
}

// mergeAction is one request. Every value is written once.
type mergeAction struct {
	verb                   string // "read", "write", "delete", "edit", "merge"
	app, member, changeSet int
	value                  int
}

// mergeAnswer is what the client got.
type mergeAnswer struct {
	status int
	reason string
	values [2]int // of a read
}

var mergeModel = porcupine.Model{
	Init: func() any { return mergeState{} },
	Step: func(state, input, output any) (bool, any) {
		now, a, got := state.(mergeState), input.(mergeAction), output.(mergeAnswer)
		app := &now.apps[a.app]
		switch a.verb {
		case "edit", "merge":
			if now.merged[a.changeSet] {
				return got.status == 409 && got.reason == "CHANGE_SET_NOT_OPEN", state
			}
		default:
			if app.deleted {
				return got.status == 404, state
			}
		}
		switch a.verb {
		case "read":
			return got.status == 200 && got.values == app.values, state
		case "write":
			app.values[a.member] = a.value
		case "delete":
			*app = mergedApp{deleted: true}
			return got.status == 204, now
		case "edit":
			now.staged[a.changeSet][a.app][a.member], now.touched[a.changeSet][a.app] = a.value, true
		case "merge":
			if !now.merge(a.changeSet) {
				return got.status == 409 && got.reason == "CHANGE_SET_CONFLICT", state
			}
		}
		return got.status == 200, now
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// merge applies a change set, unless it conflicts.
func (s *mergeState) merge(changeSet int) bool {
	for i, touched := range s.touched[changeSet] {
		if touched && s.apps[i].deleted {
			return false
		}
		for member, staged := range s.staged[changeSet][i] {
			if staged != 0 && s.apps[i].values[member] != 0 {
				return false
			}
			if staged != 0 {
				s.apps[i].values[member] = staged
			}
		}
	}
	s.merged[changeSet] = true
	return true
}

// TestMergesAreLinearizable merges, edits and writes at the same time, on one process of the embedded store, and on three on
// MongoDB.
func TestMergesAreLinearizable(t *testing.T) {
	rounds.Soak(t)
	kinds, err := os.ReadFile("../../changeset/ref-schemas/v1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		processes int
		location  func(*testing.T) string
	}{
		{"embedded", 1, func(t *testing.T) string { return "bolt:" + filepath.Join(t.TempDir(), "store.db") }},
		{"mongodb", 3, func(t *testing.T) string { return mongotest.Location(t).String() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := startOn(t, test.processes, test.location(t), schemas(t, map[string]string{"kinds.yaml": twoKinds, "changeset.yaml": string(kinds)}))
			outcomes := make(map[string]int)
			for round := range rounds.Of(3, 40) {
				history := mergeHistory(t, all, round)
				const patience = 2 * time.Minute // for the search; it takes milliseconds
				if result := porcupine.CheckOperationsTimeout(mergeModel, history, patience); result != porcupine.Ok {
					t.Fatalf("round %d: no order of operations explains the answers (%s): %+v", round, result, history)
				}
				for _, operation := range history {
					if a := operation.Input.(mergeAction); a.verb == "merge" {
						outcomes[operation.Output.(mergeAnswer).reason]++
					}
				}
			}
			if outcomes[""] == 0 || outcomes["CHANGE_SET_CONFLICT"] == 0 {
				t.Errorf("the merges ended so: %v", outcomes)
			}
		})
	}
}

// mergeHistory has clients work on apps and change sets of a project of their own.
func mergeHistory(t *testing.T, all []*apptest.Process, round int) []porcupine.Operation {
	t.Helper()
	const clients, operations = 6, 20
	project := fmt.Sprintf("/v2/projects/p%d", round)
	all[0].Must(t, 201, "POST", "/v2/projects", named(fmt.Sprintf("p%d", round)))
	for i := range mergedApps {
		all[0].Must(t, 201, "POST", project+"/apps", fmt.Sprintf(`{"metadata":{"name":"a%d"},"spec":{"v0":0,"v1":0}}`, i))
	}
	changeSet := func(i int) string { return fmt.Sprintf("p%d-%d", round, i) }
	for i := range mergedChangeSets {
		all[0].Must(t, 201, "POST", "/api/change-sets", fmt.Sprintf(`{"name":%q}`, changeSet(i)))
	}
	act := func(p *apptest.Process, a mergeAction) (got mergeAnswer) {
		method, path, body := "GET", fmt.Sprintf("%s/apps/a%d", project, a.app), ""
		switch a.verb {
		case "write", "edit":
			method, body = "PATCH", fmt.Sprintf(`{"spec":{"v%d":%d}}`, a.member, a.value)
		case "delete":
			method = "DELETE"
		case "merge":
			method, path = "POST", "/api/change-sets/"+changeSet(a.changeSet)+"/merge"
		}
		if a.verb == "edit" {
			path += "?changeSet=" + changeSet(a.changeSet)
		}
		status, text, err := p.Call(t.Context(), method, path, body)
		var answer struct {
			Reason string
			Spec   struct{ V0, V1 int }
		}
		if err != nil || text != "" && json.Unmarshal([]byte(text), &answer) != nil {
			t.Errorf("%s %s: %s, %v", method, path, text, err)
		}
		got.status, got.reason = status, answer.Reason
		if a.verb == "read" {
			got.values = [2]int{answer.Spec.V0, answer.Spec.V1}
		}
		return got
	}
	var history []porcupine.Operation
	var mu sync.Mutex
	began := time.Now()
	record := func(client int, p *apptest.Process, a mergeAction) {
		call := time.Since(began)
		got := act(p, a)
		done := time.Since(began)
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: a, Call: int64(call), Output: got, Return: int64(done)})
	}
	for i := range mergedChangeSets { // none is empty
		record(0, all[0], mergeAction{verb: "edit", changeSet: i, app: i % mergedApps, member: i / mergedApps % 2, value: 1 + i})
	}
	var working sync.WaitGroup
	for client := range clients {
		working.Go(func() {
			random := rand.New(rand.NewPCG(uint64(round), uint64(client)))
			for n := range operations {
				a := mergeAction{app: random.IntN(mergedApps), member: random.IntN(2), changeSet: random.IntN(mergedChangeSets), value: 100*(client+1) + n}
				switch k := random.IntN(20); {
				case k < 6:
					a.verb = "read"
				case k < 8:
					a.verb = "write"
				case k < 14:
					a.verb = "edit"
				case k < 19 || client > 0 || n < operations/2:
					a.verb = "merge"
				default:
					a.verb = "delete"
				}
				record(client, all[random.IntN(len(all))], a)
			}
		})
	}
	working.Wait()
	return history
}
