package faults

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// cellModel says which answers are right in which state of a cell.
var cellModel = porcupine.Model{
	Init: func() any { return cellState{} },
	Step: func(state, input, _ any) (bool, any) {
		now, o := state.(cellState), input.(*Operation)
		switch o.Kind {
		case "get":
			i := cellIndex(o.Read)
			if len(o.Seen) == 0 {
				return now[i].n == 0, now
			}
			return now[i] == cellDocumentOf(o.Seen[0].State), now
		case "snapshot":
			return now.shows(o.Seen), now
		}
		next, reasons := now.apply(o.Writes)
		if o.Outcome == Done {
			return len(reasons) == 0, next
		}
		return slices.Contains(reasons, o.Code), now
	},
	DescribeOperation: func(input, _ any) string { return input.(*Operation).String() },
	DescribeState:     func(state any) string { return state.(cellState).String() },
}

// String shows what was asked and answered.
func (o *Operation) String() string {
	text := fmt.Sprintf("op %d %s", o.Number, o.Kind)
	for _, w := range o.Writes {
		text += fmt.Sprintf(" %s %s %+v", w.Do, w.ID, w.State)
		if w.Expect != nil {
			text += fmt.Sprintf(" if %+v", *w.Expect)
		}
	}
	if o.Read != "" {
		text += " " + o.Read
	}
	text += fmt.Sprintf(" -> %s %s", o.Outcome, o.Code)
	for _, d := range o.Seen {
		text += fmt.Sprintf(" [%s %s n=%d m=%d target=%s]", d.ID, d.Version, d.N, d.M, d.Target)
	}
	return text + fmt.Sprintf(" (%v to %v)", o.Call.Round(time.Millisecond), o.Return.Round(time.Millisecond))
}

// searchTime limits the search for an order; it takes milliseconds for a cell.
const searchTime = time.Minute

// checkLinearizable looks for an order of the operations on each cell, each at an instant between its call and its return, that
// explains all answers. An operation whose outcome is unknown to its client has happened, at any time after its call, if the
// history of the store shows it.
func checkLinearizable(h *History) (findings []string) {
	committed := make(map[string]bool)
	for _, t := range h.Transactions {
		committed[t.Message] = true
	}
	cells := make(map[string][]porcupine.Operation)
	for i := range h.Operations {
		o := &h.Operations[i]
		entry := porcupine.Operation{ClientId: o.Number, Input: o, Call: int64(o.Call), Return: int64(o.Return)}
		switch {
		case o.Cell == "" || o.Kind == "past" || o.Outcome == Refused && !explains(o.Code):
			continue
		case o.Outcome == Unknown && !committed[messageOf(o.Number)]:
			continue // never happened, or was a read
		case o.Outcome == Unknown:
			happened := *o
			happened.Outcome = Done
			entry.Input, entry.Return = &happened, math.MaxInt64
		}
		cells[o.Cell] = append(cells[o.Cell], entry)
	}
	for _, cell := range slices.Sorted(maps.Keys(cells)) {
		switch porcupine.CheckOperationsTimeout(cellModel, cells[cell], searchTime) {
		case porcupine.Ok:
		case porcupine.Unknown:
			findings = append(findings, fmt.Sprintf("cell %s: no order was found in %v, nor that there is none", cell, searchTime))
		default:
			findings = append(findings, fmt.Sprintf("cell %s: no order of its %d operations explains the answers%s", cell, len(cells[cell]), stuckAt(cells[cell])))
		}
	}
	return findings
}

// explains reports whether a refusal tells something of the documents. The others may come at any time.
func explains(code string) bool {
	return slices.Contains([]string{"exists", "missing", "in-use", "stale", "not-found"}, code)
}

// stuckAt shows the operations around the first answer that no order explains: the last one of the shortest beginning of the
// history that has none.
func stuckAt(operations []porcupine.Operation) (text string) {
	slices.SortFunc(operations, func(a, b porcupine.Operation) int { return int(a.Return - b.Return) })
	// A beginning is what returned by then, and all that was under way, which may have happened or not: for the message it is enough to
	// let writes under way count as done at any time.
	stuck := func(n int) bool {
		end := operations[n-1].Return
		var part []porcupine.Operation
		for i, o := range operations {
			if i < n {
				part = append(part, o)
			} else if in := o.Input.(*Operation); o.Call < end && in.Outcome == Done && len(in.Writes) > 0 {
				o.Return = math.MaxInt64
				part = append(part, o)
			}
		}
		return porcupine.CheckOperationsTimeout(cellModel, part, searchTime) == porcupine.Illegal
	}
	first := 1
	for first < len(operations) && !stuck(first) {
		first++
	}
	const shown = 25
	for _, o := range operations[max(0, first-shown):first] {
		text += "\n    " + o.Input.(*Operation).String()
	}
	return text
}
