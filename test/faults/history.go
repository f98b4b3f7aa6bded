package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Outcome is what a client knows of a write.
type Outcome string

// Outcomes. That of an operation without an answer is unknown.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Unknown Outcome = "unknown"
)

// Operation is what a client asked, and was answered.
type Operation struct {
	Number   int           `json:"number"` // writes carry it to the history of the store, as their message
	Kind     string        `json:"kind"`
	Cell     string        `json:"cell,omitempty"` // the documents that it is about; "" for those of bulk operations
	Writes   []Write       `json:"writes,omitempty"`
	Action   *Action       `json:"action,omitempty"` // how the writes are done, where not one by one
	Read     string        `json:"read,omitempty"`   // the id of the one document that a get reads
	Key      string        `json:"key,omitempty"`    // idempotency key
	Attempts int           `json:"attempts"`         // through different processes
	Call     time.Duration `json:"call"`
	Return   time.Duration `json:"return"`
	Outcome  Outcome       `json:"outcome"`
	Code     string        `json:"code,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Versions []string      `json:"versions,omitempty"` // entity tags of the answers to a write with an idempotency key, first and repeated
	Position string        `json:"position,omitempty"` // of a snapshot
	Seen     []Document    `json:"seen,omitempty"`     // by a read

	settle bool // its outcome must be known
}

// Write is one write of an operation.
type Write struct {
	Do     string `json:"do"` // create, put, patch, delete, cascade
	ID     string `json:"id"`
	State  State  `json:"state,omitzero"`
	Expect *State `json:"expect,omitempty"` // with If-Match: the state whose version is expected
	Tag    string `json:"tag,omitempty"`    // the entity tag of that version
}

// State is the content of a document. No two writes have the same N and M.
type State struct {
	N      int    `json:"n,omitempty"`
	M      int    `json:"m,omitempty"`      // set by patches only, so that a lost update shows
	Target string `json:"target,omitempty"` // the id of the document that it references
}

// Document is a document as a read shows it.
type Document struct {
	ID      string `json:"id"`
	Version string `json:"version"` // uid-revision
	State
}

// Event is a change that a watch delivered.
type Event struct {
	Watcher int    `json:"watcher"`
	Stream  int    `json:"stream"` // the how many-th of the watcher, each a resume of the one before
	Op      string `json:"op"`
	ID      string `json:"id"`
	Version string `json:"version"`
}

// Transaction is one of the history of the store.
type Transaction struct {
	Position string   `json:"position"`
	Message  string   `json:"message"`
	Changes  []Change `json:"changes"`
}

// Change is what a transaction did to a document.
type Change struct {
	Op      string `json:"op"`
	ID      string `json:"id"`
	Version string `json:"version"`
}

// Listing is all documents as a process lists them in the end.
type Listing struct {
	Process   int        `json:"process"`
	Documents []Document `json:"documents"`
}

// Run is how a history came to be.
type Run struct {
	Seed     uint64        `json:"seed"`
	Duration time.Duration `json:"duration"`
	Watchers int           `json:"watchers"` // that were there from the beginning to the end
}

// History is all that was seen of a run. Transactions are the store's history in the order of their positions; findings are what was
// wrong when it was seen, such as what fsck says.
type History struct {
	Run          Run
	Operations   []Operation
	Events       []Event // of each watcher in their order
	Transactions []Transaction
	Listings     []Listing
	Findings     []string
}

// record is a line of the file of a history: one member is set.
type record struct {
	Run         *Run         `json:"run,omitempty"`
	Operation   *Operation   `json:"operation,omitempty"`
	Event       *Event       `json:"event,omitempty"`
	Transaction *Transaction `json:"transaction,omitempty"`
	Listing     *Listing     `json:"listing,omitempty"`
	Finding     string       `json:"finding,omitempty"`
}

// WriteFile writes the history as lines of JSON.
func (h *History) WriteFile(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	buffer := bufio.NewWriter(file)
	lines := json.NewEncoder(buffer)
	var failed error
	write := func(r record) {
		if err := lines.Encode(r); failed == nil {
			failed = err
		}
	}
	write(record{Run: &h.Run})
	for i := range h.Operations {
		write(record{Operation: &h.Operations[i]})
	}
	for i := range h.Events {
		write(record{Event: &h.Events[i]})
	}
	for i := range h.Transactions {
		write(record{Transaction: &h.Transactions[i]})
	}
	for i := range h.Listings {
		write(record{Listing: &h.Listings[i]})
	}
	for _, finding := range h.Findings {
		write(record{Finding: finding})
	}
	if failed != nil {
		return failed
	}
	return buffer.Flush()
}

// ReadFile reads a history that WriteFile has written.
func ReadFile(path string) (*History, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	h := &History{}
	for lines := json.NewDecoder(bufio.NewReader(file)); ; {
		var r record
		if err := lines.Decode(&r); err == io.EOF {
			return h, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s, at byte %d: %w", path, lines.InputOffset(), err)
		}
		h.add(r)
	}
}

func (h *History) add(r record) {
	switch {
	case r.Run != nil:
		h.Run = *r.Run
	case r.Operation != nil:
		h.Operations = append(h.Operations, *r.Operation)
	case r.Event != nil:
		h.Events = append(h.Events, *r.Event)
	case r.Transaction != nil:
		h.Transactions = append(h.Transactions, *r.Transaction)
	case r.Listing != nil:
		h.Listings = append(h.Listings, *r.Listing)
	default:
		h.Findings = append(h.Findings, r.Finding)
	}
}

// recorder collects a history from many goroutines.
type recorder struct {
	mutex   sync.Mutex
	history History
}

func (r *recorder) add(one record) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.history.add(one)
}

func (r *recorder) finding(format string, arguments ...any) {
	r.add(record{Finding: fmt.Sprintf(format, arguments...)})
}
