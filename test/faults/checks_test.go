package faults

import (
	"slices"
	"testing"
)

// TestChecksFind alters a good history in every way that a broken store would, and makes sure that a check finds it.
func TestChecksFind(t *testing.T) {
	write := func(o Operation) bool { return len(o.Writes) > 0 }
	done := func(o Operation) bool { return write(o) && o.Outcome == Done }
	operation := func(t *testing.T, h *History, fits func(Operation) bool) *Operation {
		t.Helper()
		return &h.Operations[first(t, h.Operations, fits)]
	}
	tests := []struct {
		name, found string
		alter       func(*testing.T, *History)
	}{
		{"fsck finds something", "seen", func(_ *testing.T, h *History) { h.Findings = []string{"fsck: one finding"} }},
		{"an error that is no fault's", "answers", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Kind == "get" })
			o.Outcome, o.Code, o.Seen = Unknown, "internal", nil
		}},
		{"a repeated answer differs", "answers", func(t *testing.T, h *History) {
			operation(t, h, func(o Operation) bool { return len(o.Versions) > 0 }).Versions[1] = "other"
		}},
		{"an acknowledged write is lost", "exactly once", func(t *testing.T, h *History) {
			o := operation(t, h, done)
			h.Transactions = slices.DeleteFunc(h.Transactions, func(tr Transaction) bool { return tr.Message == messageOf(o.Number) })
		}},
		{"a write happens twice", "exactly once", func(_ *testing.T, h *History) {
			h.Transactions = append(h.Transactions, h.Transactions[len(h.Transactions)-1])
		}},
		{"a refused write happens", "exactly once", func(t *testing.T, h *History) {
			o := operation(t, h, done)
			o.Outcome, o.Code = Refused, "conflict"
		}},
		{"a transaction happens in part", "exactly once", func(t *testing.T, h *History) {
			tr := &h.Transactions[first(t, h.Transactions, func(tr Transaction) bool { return len(tr.Changes) > 1 })]
			tr.Changes = tr.Changes[1:]
		}},
		{"an unknown write happens twice", "exactly once", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Outcome == Unknown })
			for _, tr := range h.Transactions {
				if tr.Message == messageOf(o.Number) {
					h.Transactions = append(h.Transactions, tr)
				}
			}
		}},
		{"a revision is left out", "revisions", func(t *testing.T, h *History) {
			tr := &h.Transactions[first(t, h.Transactions, func(tr Transaction) bool { return tr.Changes[0].Op == "created" })]
			tr.Changes[0].Version = tr.Changes[0].Version[:len(tr.Changes[0].Version)-1] + "2"
		}},
		{"a document lives twice", "revisions", func(t *testing.T, h *History) {
			i := slices.IndexFunc(h.Transactions, func(tr Transaction) bool { return tr.Changes[0].Op == "deleted" })
			h.Transactions[i].Changes[0].Op = "updated"
		}},
		{"a snapshot without a parent", "dangling", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Kind == "snapshot" && len(o.Seen) > 1 })
			o.Seen = o.Seen[1:]
		}},
		{"a snapshot without a target", "dangling", func(t *testing.T, h *History) {
			referenced := func(o Operation, d Document) bool {
				return slices.ContainsFunc(o.Seen, func(other Document) bool { return other.Target == d.ID })
			}
			o := operation(t, h, func(o Operation) bool {
				return o.Kind == "snapshot" && slices.ContainsFunc(o.Seen, func(d Document) bool { return referenced(o, d) })
			})
			o.Seen = slices.DeleteFunc(o.Seen, func(d Document) bool { return referenced(*o, d) })
		}},
		{"a position shows something else later", "repeatable", func(t *testing.T, h *History) {
			again := *operation(t, h, func(o Operation) bool { return o.Kind == "snapshot" && len(o.Seen) > 0 })
			again.Kind, again.Seen = "past", nil
			h.Operations = append(h.Operations, again)
		}},
		{"a read of what was before an acknowledged write", "linearizable", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Kind == "get" && len(o.Seen) > 0 })
			o.Seen = nil
		}},
		{"a read of what was not written", "linearizable", func(t *testing.T, h *History) {
			operation(t, h, func(o Operation) bool { return o.Kind == "get" && len(o.Seen) > 0 }).Seen[0].M++
		}},
		{"a snapshot with half a transaction", "linearizable", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Kind == "snapshot" && len(o.Seen) > 2 })
			o.Seen[len(o.Seen)-1].N++
		}},
		{"a refusal for no reason", "linearizable", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Kind == "put" && o.Outcome == Done })
			o.Outcome, o.Code = Refused, "exists"
		}},
		{"a write that must be refused", "linearizable", func(t *testing.T, h *History) {
			o := operation(t, h, func(o Operation) bool { return o.Kind == "delete" && o.Code == "in-use" })
			o.Outcome, o.Code = Done, ""
		}},
		{"an event goes back", "watch order", func(t *testing.T, h *History) {
			i := first(t, h.Events, func(e Event) bool { return e.Op == "updated" })
			back := h.Events[i]
			back.Version = back.Version[:len(back.Version)-1] + "1"
			h.Events = append(h.Events[:i+1:i+1], append([]Event{back}, h.Events[i+1:]...)...)
		}},
		{"updated after deleted", "watch order", func(t *testing.T, h *History) {
			i := first(t, h.Events, func(e Event) bool { return e.Op == "deleted" })
			back := h.Events[i]
			back.Op = "updated"
			h.Events = append(h.Events[:i+1:i+1], append([]Event{back}, h.Events[i+1:]...)...)
		}},
		{"an event of nothing", "watch order", func(_ *testing.T, h *History) {
			h.Events[len(h.Events)/2].Version = "other-1"
		}},
		{"a watcher misses the end", "watch completeness", func(_ *testing.T, h *History) {
			h.Events = h.Events[:len(h.Events)-1]
		}},
		{"a process shows an old version", "convergence", func(_ *testing.T, h *History) {
			h.Listings[1].Documents[0].Version = "other-1"
		}},
		{"a process shows what is not there", "convergence", func(_ *testing.T, h *History) {
			h.Listings[1].Documents = append(h.Listings[1].Documents, Document{ID: "cell/none", Version: "other-1"})
		}},
	}
	found := make(map[string]bool)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := sample(t, 1, 1500)
			test.alter(t, h)
			i := slices.IndexFunc(Checks, func(c Check) bool { return c.Name == test.found })
			if len(Checks[i].Find(h)) == 0 {
				t.Errorf("%s finds nothing", test.found)
			}
			found[test.found] = true
		})
	}
	for _, check := range Checks {
		if !found[check.Name] {
			t.Errorf("no altered history is for %q", check.Name)
		}
	}
}
