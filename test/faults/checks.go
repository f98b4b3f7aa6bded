package faults

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Check finds what is wrong in a history.
type Check struct {
	Name string
	Find func(*History) []string
}

// Checks are all that is checked.
var Checks = []Check{
	{"seen", func(h *History) []string { return h.Findings }},
	{"answers", checkAnswers},
	{"exactly once", checkExactlyOnce},
	{"revisions", checkRevisions},
	{"dangling", checkDangling},
	{"repeatable", checkRepeatable},
	{"linearizable", checkLinearizable},
	{"watch order", checkWatchOrder},
	{"watch completeness", checkWatchComplete},
	{"convergence", checkConvergence},
}

// messageOf is the message of an operation in the history of the store.
func messageOf(number int) string { return "op " + strconv.Itoa(number) }

// checkAnswers looks for answers that no fault excuses, and for repeated answers that differ from the first.
func checkAnswers(h *History) (findings []string) {
	expected := []string{"conflict", "unavailable", "unreachable", "unknown", "timeout", "no-answer", "aborted", "rate-limited"}
	for i := range h.Operations {
		o := &h.Operations[i]
		if o.Outcome != Done && !explains(o.Code) && !slices.Contains(expected, o.Code) {
			findings = append(findings, fmt.Sprintf("%s: %s", o, o.Detail))
		}
		for _, version := range o.Versions {
			if version != o.Versions[0] {
				findings = append(findings, fmt.Sprintf("%s was answered %s, and repeated %s", o, o.Versions[0], version))
			}
		}
	}
	return findings
}

// checkExactlyOnce holds the answers to writes against the history of the store: what was acknowledged is there once, what was refused is
// not there, and there are no duplicates.
func checkExactlyOnce(h *History) (findings []string) {
	times := make(map[string][]Transaction)
	for _, t := range h.Transactions {
		times[t.Message] = append(times[t.Message], t)
	}
	for i := range h.Operations {
		o := &h.Operations[i]
		if len(o.Writes) == 0 {
			continue
		}
		happened := times[messageOf(o.Number)]
		switch {
		case len(happened) > 1:
			findings = append(findings, fmt.Sprintf("%s happened %d times", o, len(happened)))
		case o.Outcome == Done && len(happened) == 0:
			findings = append(findings, fmt.Sprintf("%s was acknowledged, and is not in the history", o))
		case o.Outcome == Refused && len(happened) > 0:
			findings = append(findings, fmt.Sprintf("%s was refused, and is in the history at %s", o, happened[0].Position))
		}
		for _, t := range happened {
			for _, w := range o.Writes {
				if !slices.ContainsFunc(t.Changes, func(c Change) bool { return c.ID == w.ID }) {
					findings = append(findings, fmt.Sprintf("%s is in the history at %s without %s", o, t.Position, w.ID))
				}
			}
		}
	}
	return findings
}

// lives are the versions that each document had, by the history of the store: of each life, from a creation to a deletion, the
// revisions in their order. The lives are in the order of their creations.
type life struct {
	uid       string
	revisions []uint64
	deleted   bool
}

func livesOf(h *History) (map[string][]*life, []string) {
	all, byUID, findings := make(map[string][]*life), make(map[string]*life), []string(nil)
	for _, t := range h.Transactions {
		for _, c := range t.Changes {
			if cellName(c.ID) == "" { // a change set
				continue
			}
			uid, revision, err := splitVersion(c.Version)
			if err != nil {
				findings = append(findings, fmt.Sprintf("%s of %s at %s: %v", c.Op, c.ID, t.Position, err))
				continue
			}
			l := byUID[c.ID+" "+uid]
			if l == nil {
				l = &life{uid: uid}
				byUID[c.ID+" "+uid] = l
				all[c.ID] = append(all[c.ID], l)
			}
			if c.Op == "deleted" {
				if l.deleted {
					findings = append(findings, fmt.Sprintf("%s %s was deleted twice, the second time at %s", c.ID, uid, t.Position))
				}
				l.deleted = true
			} else {
				l.revisions = append(l.revisions, revision)
			}
		}
	}
	for _, lives := range all {
		for _, l := range lives {
			slices.Sort(l.revisions)
		}
	}
	return all, findings
}

// splitVersion returns the parts of uid-revision.
func splitVersion(version string) (uid string, revision uint64, err error) {
	dash := strings.LastIndexByte(version, '-')
	if dash < 0 {
		return "", 0, fmt.Errorf("%q is no version", version)
	}
	revision, err = strconv.ParseUint(version[dash+1:], 10, 64)
	return version[:dash], revision, err
}

// checkRevisions makes sure that each life of a document begins with revision 1 and has every revision once, and that only the
// last life goes on.
func checkRevisions(h *History) []string {
	all, findings := livesOf(h)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		for i, l := range all[id] {
			for n, revision := range l.revisions {
				if revision != uint64(n+1) {
					findings = append(findings, fmt.Sprintf("%s %s has the revisions %v", id, l.uid, l.revisions))
					break
				}
			}
			if !l.deleted && i < len(all[id])-1 {
				findings = append(findings, fmt.Sprintf("%s %s was never deleted, but created again as %s", id, l.uid, all[id][i+1].uid))
			}
		}
	}
	return findings
}

// checkDangling looks in every snapshot, and in the listings of the end, for documents whose parent or reference is not there.
func checkDangling(h *History) (findings []string) {
	look := func(where string, documents []Document) {
		there := make(map[string]bool, len(documents))
		for _, d := range documents {
			there[d.ID] = true
		}
		for _, d := range documents {
			for _, needed := range []string{parentOf(d.ID), d.Target} {
				if needed != "" && !there[needed] {
					findings = append(findings, fmt.Sprintf("%s shows %s, but not %s", where, d.ID, needed))
				}
			}
		}
	}
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Kind == "snapshot" && o.Outcome == Done {
			look(fmt.Sprintf("the snapshot of op %d, at %s,", o.Number, o.Position), o.Seen)
		}
	}
	for _, l := range h.Listings {
		look(fmt.Sprintf("the listing of process %d", l.Process), l.Documents)
	}
	return findings
}

// parentOf is the id without its last two elements.
func parentOf(id string) string {
	elements := strings.Split(id, "/")
	return strings.Join(elements[:len(elements)-2], "/")
}

// checkRepeatable makes sure that a position shows the same whenever and through whichever process it is read.
func checkRepeatable(h *History) (findings []string) {
	first := make(map[string]*Operation)
	for i := range h.Operations {
		o := &h.Operations[i]
		if o.Position == "" || o.Outcome != Done {
			continue
		}
		key := o.Position + " " + o.Cell
		before := first[key]
		if before == nil {
			first[key] = o
			continue
		}
		if !slices.Equal(before.Seen, o.Seen) {
			findings = append(findings, fmt.Sprintf("%s was shown once as\n    %s, and once as\n    %s", o.Position, before, o))
		}
	}
	return findings
}

// checkConvergence makes sure that in the end all processes show the same documents, and those that the history of the store says.
func checkConvergence(h *History) (findings []string) {
	all, _ := livesOf(h)
	want := make(map[string]string)
	for id, lives := range all {
		if last := lives[len(lives)-1]; !last.deleted {
			want[id] = fmt.Sprintf("%s-%d", last.uid, last.revisions[len(last.revisions)-1])
		}
	}
	for _, l := range h.Listings {
		shown := make(map[string]string)
		for _, d := range l.Documents {
			if cellName(d.ID) != "" {
				shown[d.ID] = d.Version
			}
		}
		for _, id := range slices.Sorted(maps.Keys(want)) {
			if shown[id] != want[id] {
				findings = append(findings, fmt.Sprintf("process %d shows %s at version %q, the history says %s", l.Process, id, shown[id], want[id]))
			}
		}
		for _, id := range slices.Sorted(maps.Keys(shown)) {
			if want[id] == "" {
				findings = append(findings, fmt.Sprintf("process %d shows %s at version %s, which is not in the history", l.Process, id, shown[id]))
			}
		}
	}
	if len(h.Listings) == 0 {
		findings = append(findings, "no process listed its documents in the end")
	}
	return findings
}
