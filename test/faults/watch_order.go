package faults

import (
	"fmt"
	"maps"
	"slices"
)

// moment is the place of an event in what happened to a document: which life, and which revision of it; a deletion comes after all.
type moment struct {
	life    int
	deleted bool
	rev     uint64
}

func (m moment) before(o moment) bool {
	if m.life != o.life {
		return m.life < o.life
	}
	if m.deleted != o.deleted {
		return !m.deleted
	}
	return !m.deleted && m.rev < o.rev
}

// reached follows what each watcher has seen of each document. Every event out of order, or of something that is not in the
// history of the store, is reported.
func reached(h *History, report func(string)) map[int]map[string]moment {
	lives, _ := livesOf(h)
	all := make(map[int]map[string]moment)
	streams := make(map[int]map[string]int)
	for _, e := range h.Events {
		if cellName(e.ID) == "" {
			continue
		}
		if all[e.Watcher] == nil {
			all[e.Watcher], streams[e.Watcher] = make(map[string]moment), make(map[string]int)
		}
		uid, revision, err := splitVersion(e.Version)
		index := slices.IndexFunc(lives[e.ID], func(l *life) bool { return l.uid == uid })
		if err != nil || index < 0 || !known(lives[e.ID][index], e.Op, revision) {
			report(fmt.Sprintf("watcher %d was told that %s was %s at %s, which is not in the history", e.Watcher, e.ID, e.Op, e.Version))
			continue
		}
		at := moment{index, e.Op == "deleted", revision}
		last, seen := all[e.Watcher][e.ID]
		if seen && at.before(last) {
			report(fmt.Sprintf("watcher %d was told that %s was %s at %s, after revision %d of life %d (deleted: %t) in stream %d, now stream %d",
				e.Watcher, e.ID, e.Op, e.Version, last.rev, last.life, last.deleted, streams[e.Watcher][e.ID], e.Stream))
			continue
		}
		all[e.Watcher][e.ID], streams[e.Watcher][e.ID] = at, e.Stream
	}
	return all
}

func known(l *life, op string, revision uint64) bool {
	return op == "deleted" && l.deleted || op != "deleted" && slices.Contains(l.revisions, revision)
}

// checkWatchOrder makes sure that no watch, resumed any number of times through any process, shows a document going back: an
// earlier revision, or anything of a document after its deletion. The same event may come again, and revisions may be left out.
func checkWatchOrder(h *History) (findings []string) {
	reached(h, func(finding string) { findings = append(findings, finding) })
	return findings
}

// checkWatchComplete makes sure that every watcher has seen the last state of each document.
func checkWatchComplete(h *History) (findings []string) {
	lives, _ := livesOf(h)
	all := reached(h, func(string) {})
	for watcher := range h.Run.Watchers {
		for _, id := range slices.Sorted(maps.Keys(lives)) {
			index := len(lives[id]) - 1
			last := lives[id][index]
			want := moment{life: index, deleted: last.deleted}
			if !want.deleted {
				want.rev = last.revisions[len(last.revisions)-1]
			}
			got, seen := all[watcher][id]
			if !seen || got.before(want) {
				findings = append(findings, fmt.Sprintf("watcher %d was not told of the end of %s: %+v, want %+v", watcher, id, got, want))
			}
		}
	}
	return findings
}
