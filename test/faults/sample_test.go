package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// sample is the history of a run with a store that makes no mistakes, which is the model itself. The operations of clients overlap.
func sample(t *testing.T, seed uint64, operations int) *History {
	t.Helper()
	s := &sampler{load: &load{seed: seed}, cells: make(map[string]cellState), versions: make(map[string]life), watched: 2}
	s.history.Run = Run{Seed: seed, Watchers: s.watched}
	c := s.client(1)
	for i := range operations {
		s.do(c, c.next(), time.Duration(i)*10*time.Millisecond)
	}
	for process := range 2 {
		l := Listing{Process: process}
		for name := range s.cells {
			l.Documents = append(l.Documents, s.documents(name)...)
		}
		s.history.Listings = append(s.history.Listings, l)
	}
	for _, check := range Checks {
		for _, finding := range check.Find(&s.history) {
			t.Fatalf("the sample itself: %s: %s", check.Name, finding)
		}
	}
	return &s.history
}

type sampler struct {
	*load
	cells    map[string]cellState
	versions map[string]life // of each document, the current one
	watched  int
	uids     int
}

func (s *sampler) do(c *client, o *Operation, at time.Duration) {
	before := s.cells[o.Cell]
	o.Attempts, o.Outcome = 1, Done
	o.Call, o.Return = at-time.Duration(c.random.IntN(15))*time.Millisecond, at+time.Duration(1+c.random.IntN(15))*time.Millisecond
	switch {
	case o.Kind == "get":
		for _, d := range s.documents(o.Cell) {
			if d.ID == o.Read {
				o.Seen = []Document{d}
			}
		}
	case len(o.Writes) == 0:
		o.Kind, o.Seen, o.Position = "snapshot", s.documents(o.Cell), fmt.Sprintf("position-%d", len(s.history.Transactions))
	default:
		next, reasons := before.apply(o.Writes)
		if len(reasons) > 0 {
			o.Outcome, o.Code = Refused, reasons[0]
			break
		}
		if c.random.IntN(10) == 0 {
			o.Outcome, o.Code = Unknown, "no-answer"
		} else if len(o.Writes) == 1 {
			o.Key, o.Versions = "key", []string{"tag", "tag"}
		}
		s.commit(o, before, next)
	}
	for _, d := range o.Seen {
		c.versions[d.ID] = d
	}
	s.history.Operations = append(s.history.Operations, *o)
}

// commit stores what a write leads to, and tells the watchers.
func (s *sampler) commit(o *Operation, before, next cellState) {
	s.cells[o.Cell] = next
	transaction := Transaction{Position: fmt.Sprintf("position-%d", len(s.history.Transactions)+1), Message: messageOf(o.Number)}
	for i, path := range cellDocuments {
		if before[i] == next[i] {
			continue
		}
		id := "cell/" + o.Cell + path
		l, op := s.versions[id], "updated"
		switch {
		case next[i].n == 0:
			op = "deleted"
		case before[i].n == 0:
			s.uids++
			l, op = life{uid: fmt.Sprintf("uid%d", s.uids), revisions: []uint64{1}}, "created"
		default:
			l.revisions = append(l.revisions, l.revisions[len(l.revisions)-1]+1)
		}
		s.versions[id] = l
		change := Change{op, id, l.version()}
		transaction.Changes = append(transaction.Changes, change)
		for watcher := range s.watched {
			s.history.Events = append(s.history.Events, Event{Watcher: watcher, Op: change.Op, ID: change.ID, Version: change.Version})
		}
	}
	s.history.Transactions = append(s.history.Transactions, transaction)
}

func (l life) version() string {
	return fmt.Sprintf("%s-%d", l.uid, l.revisions[len(l.revisions)-1])
}

func (s *sampler) documents(name string) (documents []Document) {
	for i, d := range s.cells[name] {
		if d.n == 0 {
			continue
		}
		id := "cell/" + name + cellDocuments[i]
		shown := Document{ID: id, Version: s.versions[id].version(), State: State{N: d.n, M: d.m}}
		if d.target != 0 {
			shown.Target = "cell/" + name + cellDocuments[d.target]
		}
		documents = append(documents, shown)
	}
	return documents
}

// first is the place of the first element that fits, from the middle of the list on.
func first[T any](t *testing.T, list []T, fits func(T) bool) int {
	t.Helper()
	for i := len(list) / 2; i < len(list); i++ {
		if fits(list[i]) {
			return i
		}
	}
	t.Fatal("the sample has no such element")
	return 0
}

// TestHistoryFile writes and reads a history.
func TestHistoryFile(t *testing.T) {
	want := sample(t, 3, 300)
	want.Findings = []string{"something"}
	path := t.TempDir() + "/history.jsonl"
	if err := want.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprintf("%+v", flat(got)), fmt.Sprintf("%+v", flat(want)); a != b {
		t.Errorf("read:\n%s\nwritten:\n%s", a, b)
	}
	if _, err := ReadFile("sample_test.go"); err == nil || !strings.Contains(err.Error(), "at byte") {
		t.Errorf("a file that is no history: %v", err)
	}
}

func flat(h *History) []string {
	var lines []string
	for i := range h.Operations {
		lines = append(lines, h.Operations[i].String())
	}
	return append(lines, fmt.Sprint(h.Run, h.Events, h.Transactions, h.Listings, h.Findings))
}
