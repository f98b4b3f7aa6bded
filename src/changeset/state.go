package changeset

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The kinds of a change set and of what is staged in it.
const (
	Kind          = "changeSet"
	KindOperation = "changeSetOperation"
)

// Review is what a user says about a change set.
type Review struct {
	By       string       `json:"by"`
	Groups   []string     `json:"groups,omitempty"` // of the reviewer, as they were
	Decision api.Decision `json:"decision"`
	Comment  string       `json:"comment,omitempty"`
	Time     time.Time    `json:"time"`
	Digest   string       `json:"digest"`         // of the operations that it is about
	Seal     string       `json:"seal,omitempty"` // of their content and of the change set; it is not shown
}

// status is the status of a changeSet document.
type status struct {
	State      api.ChangeSetState `json:"state"`
	Author     string             `json:"author"`
	Authors    []string           `json:"authors"` // everyone who staged something, and the author
	Base       store.Cursor       `json:"base"`
	Since      string             `json:"since,omitempty"` // the hash of the ref-schema whose taking effect is the base, which no edit has settled yet
	Created    time.Time          `json:"created"`
	Operations int                `json:"operations"`
	Last       int                `json:"last"`   // the number of the newest operation
	Digest     string             `json:"digest"` // of the operations
	Reviews    []Review           `json:"reviews,omitempty"`
	Reverts    store.Cursor       `json:"reverts,omitempty"` // the transaction that this change set undoes
	Proposal   *Proposal          `json:"proposal,omitempty"`
	Merged     *api.Ending        `json:"merged,omitempty"`
	Closed     *api.Ending        `json:"closed,omitempty"`
}

// changeSet is a change set as it is stored.
type changeSet struct {
	name, title, description string
	doc                      *dovetail.Document
	status
	operations []*operation // in the order of the ids of their documents
	sealed     string       // the seal, where the operations were read and there are reviews
}

// idOf is the id of the document of a change set.
func idOf(name string) (dovetail.ID, error) {
	if why := dovetail.CheckValue(name); why != "" {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the name of a change set " + why, Remedy: "choose another one"}
	}
	return dovetail.Key{{Name: Kind, Value: name}}.ID(), nil
}

func (cs *changeSet) id() dovetail.ID { return dovetail.Key{{Name: Kind, Value: cs.name}}.ID() }

// data is what the document says.
func (cs *changeSet) data() *value.Value {
	spec := value.NewMap(value.Member{Name: "title", Value: value.NewString(cs.title)})
	if cs.description != "" {
		spec.Members = append(spec.Members, value.Member{Name: "description", Value: value.NewString(cs.description)})
	}
	return value.NewMap(named(cs.name), value.Member{Name: "spec", Value: spec})
}

func named(name string) value.Member {
	return value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString(name)})}
}

// read makes a change set of its document. One without a status was not made by this service: it counts as closed.
func read(doc *dovetail.Document) (*changeSet, error) {
	cs := &changeSet{name: doc.Key()[0].Value, doc: doc, status: status{State: api.ChangeSetClosed, Created: doc.Created}}
	var data struct {
		Spec struct{ Title, Description string }
	}
	if err := json.Unmarshal(doc.Data, &data); err != nil {
		return nil, corrupt(doc, err)
	}
	cs.title, cs.description = data.Spec.Title, data.Spec.Description
	if len(doc.Status) > 0 {
		if err := json.Unmarshal(doc.Status, &cs.status); err != nil {
			return nil, corrupt(doc, err)
		}
	}
	return cs, nil
}

func corrupt(doc *dovetail.Document, err error) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Key: doc.ID, Message: "the change set document " + string(doc.ID) + " cannot be read", Err: err}
}

// statusOperation writes the status, over the version that was read.
func (cs *changeSet) statusOperation() (store.Operation, error) {
	data, err := value.FromAny(cs.status)
	op := store.Operation{Verb: store.PutStatus, ID: cs.id(), Data: data}
	if cs.doc != nil {
		op.IfMatch = []dovetail.ETag{cs.doc.ETag()}
	}
	return op, err
}

// edited counts what changed operations change in the status.
func (cs *changeSet) edited(by string) {
	cs.Operations, cs.Digest = len(cs.operations), digest(cs.operations)
	if !slices.Contains(cs.Authors, by) {
		cs.Authors = append(cs.Authors, by)
	}
}

// mustBe returns an error unless the change set is in one of the states.
func (cs *changeSet) mustBe(states ...api.ChangeSetState) error {
	if slices.Contains(states, cs.State) {
		return nil
	}
	remedy := "reopen it first"
	if cs.State == api.ChangeSetMerged {
		remedy = "make a new change set"
	} else if cs.State == api.ChangeSetOpen {
		remedy = "it can be edited, merged or closed"
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: api.ReasonNotOpen, Key: cs.id(),
		Message: fmt.Sprintf("the change set %s is %s", cs.name, cs.State), Remedy: remedy}
}
