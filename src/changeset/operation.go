package changeset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// operation is the state that a change set gives one document.
type operation struct {
	number  int
	version dovetail.ETag // of its document, as it was read
	Kind    string        `json:"kind"`
	Verb    api.Verb      `json:"verb"`
	By      string        `json:"by"`
	Time    time.Time     `json:"time"`
	Salt    string        `json:"salt,omitempty"` // random, so that the seal does not tell whether a guess at the content is right
	staged
}

// staged is store.Staged as it is stored.
type staged struct {
	ID       dovetail.ID        `json:"id"`
	Base     *dovetail.Document `json:"base,omitempty"`
	Document *dovetail.Document `json:"document,omitempty"`
}

// newOperation is what a user stages; the number is given when it is stored.
func (c *ChangeSets) newOperation(s store.Staged, by string, at time.Time) *operation {
	op := &operation{Verb: api.Update, By: by, Time: at, Salt: c.options.Salt(), staged: staged(s)}
	switch {
	case s.Base == nil:
		op.Verb, op.Kind = api.Create, s.Document.Kind
	case s.Document == nil:
		op.Verb, op.Kind = api.Delete, s.Base.Kind
	default:
		op.Kind = s.Document.Kind
	}
	return op
}

// readOperation makes an operation of its document, nil of one that was not made by this service.
func readOperation(doc *dovetail.Document) (*operation, error) {
	if len(doc.Status) == 0 {
		return nil, nil
	}
	op := new(operation)
	if err := json.Unmarshal(doc.Status, op); err != nil {
		return nil, corrupt(doc, err)
	}
	number, err := strconv.Atoi(doc.Key()[1].Value)
	if err != nil {
		return nil, corrupt(doc, err)
	}
	op.number, op.version = number, doc.ETag()
	return op, nil
}

// StagedKind returns the kind of the document that a document of this service stages a change of; "" of other documents. What the
// former holds is as secret as a document of that kind.
func StagedKind(doc *dovetail.Document) string {
	if doc.Kind != KindOperation {
		return ""
	}
	op, err := readOperation(doc)
	if err != nil || op == nil {
		return ""
	}
	for _, state := range []*dovetail.Document{op.Base, op.Document} {
		if state != nil && state.Kind != op.Kind {
			return ""
		}
	}
	return op.Kind
}

func (op *operation) documentID(of dovetail.ID) dovetail.ID {
	return of.Child(KindOperation, strconv.Itoa(op.number))
}

// create returns what stores the operation in a change set. What its status shows is for readers of its document only.
func (op *operation) create(of dovetail.ID) (store.Operation, error) {
	id := op.documentID(of)
	status, err := value.FromAny(op)
	return store.Operation{Verb: store.Create, ID: id, Data: value.NewMap(named(strconv.Itoa(op.number))), Status: status, Inputs: []dovetail.ID{op.ID}}, err
}

// remove returns what takes the operation out of a change set.
func (op *operation) remove(of dovetail.ID) store.Operation {
	return store.Operation{Verb: store.Delete, ID: op.documentID(of)}
}

// replace returns what takes operations out of the change set and puts others in, which get their numbers.
func (cs *changeSet) replace(removed, added []*operation) ([]store.Operation, error) {
	var operations []store.Operation
	for _, op := range removed {
		operations = append(operations, op.remove(cs.id()))
	}
	for _, op := range added {
		cs.Last++
		op.number = cs.Last
		made, err := op.create(cs.id())
		if err != nil {
			return nil, err
		}
		operations = append(operations, made)
	}
	return operations, nil
}

// shown returns the operation for those who may read its document.
func (op *operation) shown() api.StagedOperation {
	return api.StagedOperation{ID: op.ID, Kind: op.Kind, Verb: op.Verb, By: op.By, Time: op.Time}
}

func sortOperations(operations []*operation) {
	slices.SortFunc(operations, func(a, b *operation) int { return cmp.Compare(a.ID, b.ID) })
}

// digest tells apart what change sets do by the numbers of the operations, of which each edit gives new ones. It says nothing of
// what they stage, not even whether a guess at it is right.
func digest(operations []*operation) string {
	numbers := make([]int, len(operations))
	for i, op := range operations {
		numbers[i] = op.number
	}
	slices.Sort(numbers)
	sum := sha256.Sum256(fmt.Append(nil, numbers))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// seal identifies a stored change set and the content of each of its operations. Another change set of the same name, and operations that were
// dropped and brought back, have another one: their documents have other uids. Readers of the change set who may not read an operation may know these
// uids, but not the salt of the operation.
func (cs *changeSet) seal() (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, cs.doc.UID)
	for _, op := range cs.operations {
		text, err := json.Marshal(op)
		if err != nil {
			return "", dovetail.AsError(err)
		}
		fmt.Fprintf(sum, "%d %q %d %d\n", op.number, op.version.UID, op.version.Revision, len(text))
		_, _ = sum.Write(text) // never fails
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// stagedOf is what operations stage.
func stagedOf(operations []*operation) []store.Staged {
	all := make([]store.Staged, len(operations))
	for i, op := range operations {
		all[i] = store.Staged(op.staged)
	}
	return all
}

// basesOf are what is staged taken back: a store with it is as it was when that was staged, whatever was migrated since.
func basesOf(operations []*operation) []store.Staged {
	all := make([]store.Staged, len(operations))
	for i, op := range operations {
		all[i] = store.Staged{ID: op.ID, Base: op.Base, Document: op.Base}
	}
	return all
}
