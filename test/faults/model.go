package faults

import (
	"fmt"
	"slices"
	"strings"
)

// A cell is a small cluster of documents that only reference each other: a root, two targets, items that may reference a target,
// and a part below two of the items.
var cellDocuments = []string{"", "/target/t0", "/target/t1", "/item/i0", "/item/i1", "/item/i2", "/item/i0/part/p0", "/item/i1/part/p1"}

const cellSize = 8

// The index of the parent of each document of a cell.
var cellParents = [cellSize]int{-1, 0, 0, 0, 0, 0, 3, 4}

// cellName is the name of the cell of a document, "" if it is of none.
func cellName(id string) string {
	rest, ok := strings.CutPrefix(id, "cell/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// cellIndex is the place of a document in its cell.
func cellIndex(id string) int {
	return slices.Index(cellDocuments, strings.TrimPrefix(id, "cell/"+cellName(id)))
}

func isItem(index int) bool { return index >= 3 && index <= 5 }

// cellState is what the documents of a cell contain. A document whose n is 0 does not exist.
type cellState [cellSize]cellDocument

type cellDocument struct{ n, m, target int } // the target is an index, 0 if there is none

func cellDocumentOf(s State) cellDocument {
	d := cellDocument{n: s.N, m: s.M}
	if s.Target != "" {
		d.target = cellIndex(s.Target)
	}
	return d
}

// apply is what an operation does, and the codes that it may be refused with if it does nothing.
func (s cellState) apply(writes []Write) (next cellState, reasons []string) {
	next = s
	written := make(map[int]bool)
	for _, w := range writes {
		i := cellIndex(w.ID)
		now := s[i]
		written[i] = true
		if w.Expect != nil && now != cellDocumentOf(*w.Expect) {
			reasons = append(reasons, "stale")
		}
		if now.n == 0 && (w.Do == "patch" || w.Do == "delete" || w.Do == "cascade") {
			reasons = append(reasons, "not-found")
			continue
		}
		switch w.Do {
		case "create":
			if now.n != 0 {
				reasons = append(reasons, "exists")
			}
			next[i] = cellDocumentOf(w.State)
		case "put":
			next[i] = cellDocumentOf(w.State)
		case "patch":
			next[i].m = w.State.M
			if w.State.Target != "" {
				next[i].target = cellIndex(w.State.Target)
			}
		case "delete":
			next[i] = cellDocument{}
		case "cascade":
			next.deleteAll(i)
		default:
			panic("no write is " + w.Do)
		}
	}
	for i, d := range next {
		if d.n == 0 {
			continue
		}
		for _, needed := range []int{cellParents[i], d.target} {
			if needed < 0 || needed == 0 && cellParents[i] != 0 || next[needed].n != 0 {
				continue
			}
			if written[i] {
				reasons = append(reasons, "missing")
			}
			if written[needed] {
				reasons = append(reasons, "in-use")
			}
		}
		// What is written below a deleted document has it in use, also where its own parent is not there.
		for above := cellParents[i]; above > 0; {
			above = cellParents[above]
			if above >= 0 && written[i] && written[above] && next[above].n == 0 {
				reasons = append(reasons, "in-use")
			}
		}
	}
	return next, reasons
}

// deleteAll deletes a document, all below it and all that references any of them.
func (s *cellState) deleteAll(root int) {
	s[root] = cellDocument{}
	for i, d := range s {
		if d.n != 0 && (cellParents[i] == root || d.target == root && root != 0) {
			s.deleteAll(i)
		}
	}
}

// shows reports whether a read of the whole cell shows this state.
func (s cellState) shows(seen []Document) bool {
	var shown cellState
	for _, d := range seen {
		shown[cellIndex(d.ID)] = cellDocumentOf(d.State)
	}
	return shown == s
}

func (s cellState) String() string {
	var b strings.Builder
	for i, d := range s {
		if d.n != 0 {
			fmt.Fprintf(&b, "[%s n=%d m=%d target=%s]", cellDocuments[i], d.n, d.m, cellDocuments[d.target])
		}
	}
	return b.String()
}
