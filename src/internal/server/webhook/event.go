package webhook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The types of events.
const (
	TransactionCommitted = "transaction.committed"
	ChangeSetOpened      = "change-set.opened" // or reopened
	ChangeSetEdited      = "change-set.edited"
	ChangeSetApproved    = "change-set.approved"
	ChangeSetRejected    = "change-set.rejected"
	ChangeSetProposed    = "change-set.proposed" // as a branch, or as another commit of it
	ChangeSetMerged      = "change-set.merged"
	ChangeSetClosed      = "change-set.closed" // or deleted while it was open
	// EventsLost means that the history of the store no longer has what the events after one position, up to another one, are made of.
	// Every subscription gets it: what happened in between is for the receiver to read.
	EventsLost = "events.lost"
)

// Types are those of events that a subscription may choose.
func Types() []string {
	return []string{TransactionCommitted, ChangeSetOpened, ChangeSetEdited, ChangeSetApproved, ChangeSetRejected, ChangeSetProposed, ChangeSetMerged, ChangeSetClosed}
}

// Event is the body of a request.
type Event struct {
	Type string    `json:"type"`
	Time time.Time `json:"timestamp"` // of the transaction
	Data Data      `json:"data"`

	id string
}

// Data is what an event says.
type Data struct {
	Position  store.Cursor `json:"position"` // of the transaction
	Principal string       `json:"principal,omitempty"`
	// Message is that of the transaction, where all of it may be read.
	Message string   `json:"message,omitempty"`
	Origin  string   `json:"origin,omitempty"`
	Changes []Change `json:"changes,omitempty"` // of a transaction: the first maxChanges
	Total   int      `json:"total,omitempty"`   // how many there are
	// ChangeSet is the one that an event is about.
	ChangeSet *ChangeSet `json:"changeSet,omitempty"`
	Review    *Review    `json:"review,omitempty"` // of approved and rejected
	After     string     `json:"after,omitempty"`  // of lost events: the position of the last commit before them
}

// Change is one document of a transaction.
type Change struct {
	Op      store.Op    `json:"op"`
	ID      dovetail.ID `json:"id"`
	Kind    string      `json:"kind"`
	Version string      `json:"version"`
}

// ChangeSet is what an event says about a change set.
type ChangeSet struct {
	Name       string `json:"name"`
	Title      string `json:"title,omitempty"`
	State      string `json:"state"`
	Author     string `json:"author,omitempty"`
	Operations int    `json:"operations"`
	// Branch is the one that it is proposed as, and Commit the last one of that, or the one that merged it.
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// Review is a review of a change set.
type Review struct {
	By       string    `json:"by"`
	Decision string    `json:"decision"`
	Comment  string    `json:"comment,omitempty"`
	Time     time.Time `json:"time"`
}

// maxChanges bounds those that an event lists, so that the size of a request is bounded.
const maxChanges = 1000

// identify gives an event its id, which is the same whenever it is made.
func (e *Event) identify(subscription, detail string) {
	sum := sha256.New()
	for _, part := range []string{subscription, e.Type, string(e.Data.Position), detail} {
		sum.Write([]byte(part + "\x00"))
	}
	e.id = "msg_" + hex.EncodeToString(sum.Sum(nil)[:16])
}

// lostEvent is the event that those up to a position were lost. The detail is part of its id.
func (s *Subscription) lostEvent(position store.Cursor, at time.Time, detail string) *Event {
	e := &Event{Type: EventsLost, Time: at, Data: Data{Position: position}}
	e.identify(s.Name, detail)
	return e
}

// versionOf identifies a change among the changes of all commits of an instant.
func versionOf(c store.Change) string {
	return dovetail.ETag{UID: c.UID, Revision: c.Revision}.Version()
}

// transactionEvent is the event of a transaction as it is shown; nil where it has nothing that the subscription is for. The detail is
// part of its id, since commits of one instant have the same position.
func (s *Subscription) transactionEvent(shown store.Transaction, detail string) *Event {
	if !s.wants(TransactionCommitted) {
		return nil
	}
	e := &Event{Type: TransactionCommitted, Time: shown.Time,
		Data: Data{Position: shown.Cursor, Principal: shown.Principal, Message: shown.Message, Origin: shown.Origin}}
	for _, c := range shown.Changes {
		if !s.selects(c.Kind, c.ID) {
			continue
		}
		if e.Data.Total++; e.Data.Total <= maxChanges {
			e.Data.Changes = append(e.Data.Changes, Change{Op: c.Op, ID: c.ID, Kind: c.Kind, Version: versionOf(c)})
		}
	}
	if e.Data.Total == 0 {
		return nil
	}
	e.identify(s.Name, detail)
	return e
}

// changeSetKind is the kind of change sets, whose documents say in their status where they stand.
const changeSetKind = "changeSet"

// changeSetState is what a document of a change set says, as far as events tell of it.
type changeSetState struct {
	title, description string
	State              string   `json:"state"`
	Author             string   `json:"author"`
	Base               string   `json:"base"`
	Operations         int      `json:"operations"`
	Digest             string   `json:"digest"`
	Reviews            []Review `json:"reviews"`
	Proposal           struct {
		Branch string `json:"branch"`
		Commit string `json:"commit"`
	} `json:"proposal"`
	Merged struct {
		Commit string `json:"commit"`
	} `json:"merged"`
}

// stateOf reads a document of a change set. That of none, and of one without a status, counts as closed.
func stateOf(doc *dovetail.Document) (changeSetState, error) {
	state := changeSetState{State: "closed"}
	if doc == nil {
		return state, nil
	}
	var data struct {
		Spec struct{ Title, Description string } `json:"spec"`
	}
	err := json.Unmarshal(doc.Data, &data)
	if err == nil && len(doc.Status) > 0 {
		err = json.Unmarshal(doc.Status, &state)
	}
	state.title, state.description = data.Spec.Title, data.Spec.Description
	return state, err
}

// happened lists what led from one state of a change set to the next.
func happened(before, after changeSetState) []Event {
	var events []Event
	add := func(kind string) { events = append(events, Event{Type: kind}) }
	if before.State != "open" && after.State == "open" {
		add(ChangeSetOpened)
	}
	if before.State == "open" && (before.Digest != after.Digest || before.Base != after.Base || before.title != after.title || before.description != after.description) {
		add(ChangeSetEdited)
	}
	for _, review := range after.Reviews[min(len(before.Reviews), len(after.Reviews)):] {
		switch review.Decision {
		case "approve":
			events = append(events, Event{Type: ChangeSetApproved, Data: Data{Review: &review}})
		case "reject":
			events = append(events, Event{Type: ChangeSetRejected, Data: Data{Review: &review}})
		}
	}
	if commit := after.Proposal.Commit; commit != "" && commit != before.Proposal.Commit {
		add(ChangeSetProposed)
	}
	switch {
	case before.State != "merged" && after.State == "merged":
		add(ChangeSetMerged)
	case before.State == "open" && after.State == "closed":
		add(ChangeSetClosed)
	}
	return events
}

// changeSetEvents are the events of a change of a change set by a transaction, that the subscription is for.
func (s *Subscription) changeSetEvents(shown store.Transaction, id dovetail.ID, before, after *dovetail.Document) ([]*Event, error) {
	was, err := stateOf(before)
	if err != nil {
		return nil, err
	}
	is, err := stateOf(after)
	if err != nil {
		return nil, err
	}
	about := is
	if after == nil {
		about = was
		about.State = "deleted"
		is.title, is.description, is.Digest, is.Base = was.title, was.description, was.Digest, was.Base // deleting is no edit
	}
	var events []*Event
	for n, e := range happened(was, is) {
		if !s.wants(e.Type) {
			continue
		}
		e.Time = shown.Time
		e.Data.Position, e.Data.Principal, e.Data.Message, e.Data.Origin = shown.Cursor, shown.Principal, shown.Message, shown.Origin
		e.Data.ChangeSet = &ChangeSet{Name: id.Key()[0].Value, Title: about.title, State: about.State, Author: about.Author, Operations: about.Operations,
			Branch: about.Proposal.Branch, Commit: cmp.Or(about.Merged.Commit, about.Proposal.Commit)}
		e.identify(s.Name, string(id)+"#"+strconv.Itoa(n))
		events = append(events, &e)
	}
	return events, nil
}
