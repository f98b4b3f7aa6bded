package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// A transaction with an idempotency key leaves a record of itself, an internal document that is
// written in the same transaction: a client that sends it again, because the first answer was lost, gets that
// answer and changes nothing. A refused transaction leaves none, so that it may be tried again.
const (
	idempotencyKind   = IdempotencyKind
	idempotencyPrefix = dovetail.ID(idempotencyKind + "/")
)

// IdempotencyKind is the kind of the store's own documents that hold the results of transactions with an idempotency
// key, and with them the data of other documents.
const IdempotencyKind = "_once"

// MaxKey is how long an idempotency key may be, in bytes.
const MaxKey = 255

// idempotencyRecord is the data of a record.
type idempotencyRecord struct {
	Request  string            `json:"request"` // digest of the operations
	Outcomes []recordedOutcome `json:"outcomes"`
	Cascaded []recordedOutcome `json:"cascaded,omitempty"`
	Rewrote  int               `json:"references,omitempty"` // the references that a Rename rewrote
	Packed   []byte            `json:"packed,omitempty"`     // both, compressed
	Answer   []byte            `json:"answer,omitempty"`     // see Options.Answer; compressed
	Aborted  bool              `json:"aborted,omitempty"`    // there is no transaction with this key, and will be none
}

// recordedOutcome is an Outcome. Of a transaction of several operations documents are kept without their
// data, which no answer contains. Data and Status are texts, so that not a byte of them changes.
type recordedOutcome struct {
	Effect   Effect             `json:"effect"`
	Document *dovetail.Document `json:"document"`
	Data     string             `json:"data,omitempty"`
	Status   string             `json:"status,omitempty"`
	Because  *Cause             `json:"because,omitempty"`
	Warnings []string           `json:"warnings,omitempty"`
}

// idempotencyID is the id of the record of a key. Each principal has keys of its own: nothing shows which ones others used.
func idempotencyID(owner, key string) dovetail.ID {
	if owner != "" {
		key = fmt.Sprintf("%d:%s%s", len(owner), owner, key)
	}
	sum := sha256.Sum256([]byte(key))
	return idempotencyPrefix + dovetail.ID(hex.EncodeToString(sum[:]))
}

// ownerOf is whose idempotency keys count; "" if there is no access policy.
func ownerOf(may dovetail.Permissions, who string) string {
	if may == nil {
		return ""
	}
	return who
}

// digest tells apart what transactions ask for.
func digest(operations []Operation) string {
	hash := sha256.New()
	field := func(data string) { fmt.Fprintf(hash, "%d:%s", len(data), data) }
	for _, op := range operations {
		field(string(op.Verb))
		field(string(op.ID))
		if op.Data != nil {
			field(string(op.Data.JSON()))
		}
		if op.Action != "" {
			field("action:" + op.Action)
		}
		if op.FieldManagers != nil {
			field("managers:" + string(op.FieldManagers.JSON()))
		}
		if op.Verb == ApplyFields {
			field("by:" + op.FieldManager)
			field("force:" + string(op.Force))
		}
		for _, tag := range op.IfMatch {
			field(tag.Version())
		}
		if op.restore != nil {
			field(op.restore.ETag().Version())
		}
		fmt.Fprintf(hash, "%t %t %t %d", op.IfExists, op.Cascade, op.Content == nil, len(op.Content))
		for _, file := range op.Content {
			field(file.Name)
			field(file.Filename)
			field(file.MediaType)
			field(string(file.Data))
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// digest tells apart what transactions with an idempotency key ask for: the operations, or what they are computed from, to be
// done or to be staged.
func (s *Store) digest(o Options, operations []Operation) string {
	text := digest(operations)
	if o.Request != "" {
		sum := sha256.Sum256([]byte("request:" + o.Request))
		text = hex.EncodeToString(sum[:])
	}
	if s.overlay() != nil {
		text = "staged:" + text
	}
	return text
}

// Replay returns what the transaction of these operations with Options.Key did, nil if there was none; see
// there for the errors.
func (s *Store) Replay(ctx context.Context, operations []Operation, options Options) (*Result, error) {
	may := s.permissions(ctx)
	return s.replay(ctx, s.viewOf(may), ownerOf(may, nameOf(ctx)), s.digest(options, operations), options)
}

// replay returns what the transaction with the key of the options did, as far as it is shown, nil if there was none.
func (s *Store) replay(ctx context.Context, shown *view, owner, request string, options Options) (*Result, error) {
	done, err := s.recordedResult(ctx, owner, options.Key, request)
	if done = shown.result(done); done != nil && options.Answer != nil {
		return nil, &AnsweredError{done}
	}
	return done, err
}

func (s *Store) recordedResult(ctx context.Context, owner, key, request string) (*Result, error) {
	record, err := s.idempotencyRecord(ctx, owner, key)
	switch {
	case record == nil || err != nil:
		return nil, err
	case record.Request != request && !record.Aborted:
		return nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "the idempotency key was used for another request",
			Remedy: "use a new key for each request, and the same only to repeat one"}
	}
	return record.result()
}

// checkKey refuses a key that is too long.
func checkKey(key string) error {
	if len(key) <= MaxKey {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("the idempotency key has %d bytes", len(key)),
		Remedy: fmt.Sprintf("use at most %d, a random UUID for instance", MaxKey)}
}

// idempotencyRecord reads the record of a key, nil if there is none.
func (s *Store) idempotencyRecord(ctx context.Context, owner, key string) (*idempotencyRecord, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	documents, err := s.fetch(ctx, []dovetail.ID{idempotencyID(owner, key)})
	if err != nil || documents[0] == nil {
		return nil, err
	}
	record := new(idempotencyRecord)
	if err := json.Unmarshal(documents[0].Data, record); err != nil {
		return nil, unreadableRecord(err)
	}
	return record, nil
}

func replayed(outcomes []recordedOutcome) []Outcome {
	var all []Outcome
	for _, o := range outcomes {
		if o.Data != "" {
			o.Document.Data = json.RawMessage(o.Data)
		}
		o.Document.Status = json.RawMessage(o.Status)
		outcome := Outcome{Effect: o.Effect, Document: o.Document, Cause: o.Because}
		for _, message := range o.Warnings {
			outcome.Warnings = append(outcome.Warnings, &dovetail.Error{Code: dovetail.CodeMissing, Key: o.Document.ID, Message: message})
		}
		all = append(all, outcome)
	}
	return all
}

// recordIdempotency adds the record of a transaction to it.
func (s *Store) recordIdempotency(txn *Txn, result *Result, options Options, owner, request string, now time.Time, model *schema.Model) error {
	if options.Requested != nil {
		result.Outcomes = result.Outcomes[:len(options.Requested)]
	}
	whole := len(result.Outcomes) == 1
	record := idempotencyRecord{Request: request, Outcomes: recorded(result.Outcomes, whole), Cascaded: recorded(result.Cascaded, false), Rewrote: options.References}
	if err := record.pack(); err != nil {
		return dovetail.AsError(err)
	}
	if options.Answer != nil {
		answer, err := options.Answer(result)
		if err != nil {
			return err
		}
		if record.Answer, err = compress(answer); err != nil {
			return dovetail.AsError(err)
		}
	}
	data, err := json.Marshal(record)
	if err != nil {
		return dovetail.AsError(err)
	}
	id := idempotencyID(owner, options.Key)
	txn.Require = append(txn.Require, Condition{Test: Absent, ID: id})
	txn.Puts = append(txn.Puts, s.idempotencyDocument(id, data, now, model))
	return nil
}

// idempotencyDocument returns the document that holds a record.
func (s *Store) idempotencyDocument(id dovetail.ID, data []byte, now time.Time, model *schema.Model) *dovetail.Document {
	return &dovetail.Document{ID: id, Kind: idempotencyKind, Data: data, UID: s.config.NewUID(), Revision: 1,
		Created: now, Updated: now, Schema: model.Hash(), Terms: []string{hourTerm(now)}}
}

// hourTerm is the term of the records of an hour.
func hourTerm(at time.Time) string {
	return termDigest(idempotencyKind + at.UTC().Format("2006-01-02T15"))
}

func recorded(outcomes []Outcome, whole bool) []recordedOutcome {
	var all []recordedOutcome
	for _, o := range outcomes {
		head := *o.Document
		head.Data, head.Status, head.Inputs, head.Content, head.References = json.RawMessage("{}"), nil, nil, nil, nil
		kept := recordedOutcome{Effect: o.Effect, Document: &head, Because: o.Cause}
		if whole {
			kept.Data, kept.Status, head.References = string(o.Document.Data), string(o.Document.Status), o.Document.References
			head.Inputs = o.Document.Inputs
		}
		for _, warning := range o.Warnings {
			kept.Warnings = append(kept.Warnings, warning.Message)
		}
		all = append(all, kept)
	}
	return all
}

// alreadyDone reports whether a commit failed because another one with the same key came first.
func alreadyDone(failed []*dovetail.Error, owner, key string) bool {
	return key != "" && slices.ContainsFunc(failed, func(e *dovetail.Error) bool { return e.Key == idempotencyID(owner, key) })
}

// PurgeIdempotencyRecords deletes the records of idempotency keys of transactions before a time: repeating one of those
// is a new transaction. Where fence is not nil, nothing is deleted once it does not hold: CodeConflict with
// ReasonFenced.
//
// The first call looks at all records, later ones at those of the hours since the call before and of a day more: as far as clocks of
// processes may be wrong.
func (s *Store) PurgeIdempotencyRecords(ctx context.Context, before time.Time, fence *Condition) error {
	const margin, longest = 24 * time.Hour, 1000 * time.Hour
	q := Query{Kind: idempotencyKind}
	if last := s.keysPurged.Load(); last != nil && before.Sub(*last) < longest {
		var hours []string
		for hour := last.Add(-margin); hour.Before(before.Add(time.Hour)); hour = hour.Add(time.Hour) {
			hours = append(hours, hourTerm(hour))
		}
		q.Terms = [][]string{hours}
	}
	err := s.purge(ctx, q, before, fence)
	if err == nil {
		s.keysPurged.Store(&before)
	}
	return err
}

// purge deletes those of the store's own documents that a query selects which were made before a time.
func (s *Store) purge(ctx context.Context, q Query, before time.Time, fence *Condition) error {
	const maxDeletes = 500
	var old []dovetail.ID
	for doc, err := range s.backend.List(ctx, q) {
		if err != nil && doc == nil { // a record that cannot be opened can be forgotten
			return err
		}
		if doc.Created.Before(before) {
			old = append(old, doc.ID)
		} else if q.Kind == auditKind {
			break // those that follow are newer: their ids begin with their times
		}
	}
	for chunk := range slices.Chunk(old, maxDeletes) {
		txn := Txn{Deletes: chunk}
		if fence != nil {
			txn.Require = []Condition{*fence}
		}
		if err := s.backend.Commit(ctx, txn); err != nil {
			return cmp.Or(fenced(failedConditions(err), fence), err)
		}
	}
	return nil
}
