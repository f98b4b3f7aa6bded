package store

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// AuditRecord says who did what, when: one transaction, committed, dry-run or refused; what one call read; or a
// refused login. Unless the policy asks for requests, it holds versions of documents, not what they say.
type AuditRecord struct {
	// ID orders records by time: "20261121T073137.123Z-k3n5...". Records that are not kept have none.
	ID         string       `json:"id,omitempty"`
	At         time.Time    `json:"at"`
	Event      AuditVerb    `json:"event,omitempty"` // AuditRead, AuditReveal or AuditLogin; "" of a write
	Principal  string       `json:"principal"`       // "" where no principal is known
	Groups     []string     `json:"groups,omitempty"`
	Operations []AuditEntry `json:"operations"` // at most maxAudited
	Total      int          `json:"total"`      // how many there were; of refused logins how many since the last record
	DryRun     bool         `json:"dryRun,omitempty"`
	Refused    string       `json:"refused,omitempty"`
	Address    string       `json:"address,omitempty"` // of a refused login
}

// AuditEntry is what happened to one document.
type AuditEntry struct {
	Effect Effect      `json:"effect,omitempty"`
	Verb   Verb        `json:"verb,omitempty"` // of a refused operation
	ID     dovetail.ID `json:"id"`
	Kind   string      `json:"kind,omitempty"`
	Before string      `json:"before,omitempty"` // version, "" if there is none
	After  string      `json:"after,omitempty"`
	// Data is what the operation wrote, where the policy asks for requests and the kind is not sensitive.
	Data json.RawMessage `json:"data,omitempty"`
	// DataOmitted says why Data is not there although the policy asks for requests.
	DataOmitted string `json:"dataOmitted,omitempty"`
}

// AuditLevel is how much of an event is recorded.
type AuditLevel uint8

// The levels.
const (
	AuditNone     AuditLevel = iota
	AuditMetadata            // who, what, when, with which versions
	AuditRequest             // besides, what an operation wrote, unless its kind is sensitive
)

// AuditVerb is what an event is about: a right that was used, or a login.
type AuditVerb string

// The verbs of events beside those of rights.
const (
	AuditRead  AuditVerb = AuditVerb(dovetail.RightRead)
	AuditLogin AuditVerb = "login" // one that was refused
	// AuditReveal is the event of a read whose secrets are shown to a person. Policies know it as a read.
	AuditReveal AuditVerb = "reveal"
)

// AuditEvent is one use of a right on one document, or a refused login.
type AuditEvent struct {
	Principal *dovetail.Principal // nil where none is known
	Verb      AuditVerb
	Kind      string // "" of a login
	Sensitive bool   // whether the ref-schema marks the kind so
	ID        dovetail.ID
}

// Audit is what becomes of records.
type Audit struct {
	// Keep stores the record of a transaction with it, in the same commit, and others in one of their own before
	// what they are about is answered.
	Keep bool
	// Report is called with each record once it is certain; nil for not at all.
	Report func(ctx context.Context, record AuditRecord)
	// Level says how much of an event is recorded; nil is AuditMetadata for writes, and AuditNone for reads. It must
	// be quick, and safe for concurrent use.
	Level func(AuditEvent) AuditLevel
}

// on reports whether records are made.
func (a *Audit) on() bool { return a.Keep || a.Report != nil }

// level is how much of an event on a document is recorded.
func (s *Store) level(who *dovetail.Principal, verb AuditVerb, kind string, id dovetail.ID) AuditLevel {
	if s.config.Audit.Level == nil {
		if verb == AuditRead {
			return AuditNone
		}
		return AuditMetadata
	}
	return s.config.Audit.Level(AuditEvent{Principal: who, Verb: verb, Kind: kind, Sensitive: s.sensitive(kind), ID: id})
}

func (s *Store) sensitive(kind string) bool {
	k, known := s.Model().Kind(kind)
	return known && k.Sensitive.Any()
}

// maxAudited bounds the entries of a record, and maxAuditedData the bytes of their data, so that a large batch still
// fits into a document.
const (
	maxAudited     = 1000
	maxAuditedData = 256 << 10
)

// Records are documents of a kind of the store's own. Their ids begin with their time.
const (
	auditKind   = "_audit"
	auditPrefix = dovetail.ID(auditKind + "/")
	auditFormat = "20060102T150405.000Z"
)

// record makes the record of a plan that is about to be committed, or that was dry-run; nil where none is wanted.
func (p *plan) record(ctx context.Context, dryRun bool) *AuditRecord {
	if !p.store.config.Audit.on() || !p.writes() {
		return nil
	}
	r := newRecord(ctx, p.now)
	r.DryRun = dryRun
	who, room := dovetail.PrincipalOf(ctx), maxAuditedData
	add := func(effect Effect, verb AuditVerb, before, after *dovetail.Document) {
		entry := AuditEntry{Effect: effect}
		if before != nil {
			entry.ID, entry.Kind, entry.Before = before.ID, before.Kind, before.ETag().Version()
		}
		if after != nil {
			entry.ID, entry.Kind, entry.After = after.ID, after.Kind, after.ETag().Version()
		}
		level := p.store.level(who, verb, entry.Kind, entry.ID)
		if level == AuditNone {
			return
		}
		if r.Total++; len(r.Operations) == maxAudited {
			return
		}
		if level == AuditRequest && after != nil {
			entry.addData(after, verb, p.store.sensitive(entry.Kind), &room)
		}
		r.Operations = append(r.Operations, entry)
	}
	for i := range p.steps {
		st := &p.steps[i]
		switch verb := AuditVerb(st.right()); st.effect {
		case WasUnchanged:
		case WasDeleted:
			add(st.effect, verb, st.current, nil)
		default:
			add(st.effect, verb, st.current, st.document)
		}
	}
	for _, outcome := range p.cascaded {
		add(outcome.Effect, AuditVerb(dovetail.RightDelete), outcome.Document, nil)
	}
	if r.Total == 0 {
		return nil
	}
	return r
}

// addData adds what was written, as far as it may be kept and there is room.
func (e *AuditEntry) addData(written *dovetail.Document, verb AuditVerb, sensitive bool, room *int) {
	data := written.Data
	if verb == AuditVerb(dovetail.RightAct) {
		data = written.Status
	}
	switch {
	case sensitive:
		e.DataOmitted = "the kind is sensitive"
	case len(data) > *room:
		e.DataOmitted = "it is too large"
	default:
		*room -= len(data)
		e.Data = data
	}
}

// right is the right that the step used, or, as long as its effect is not known, would use.
func (st *step) right() dovetail.Right {
	switch {
	case st.op.Verb == PutStatus:
		return dovetail.RightAct
	case st.op.Verb == Delete:
		return dovetail.RightDelete
	case st.op.Verb == Create || st.effect == WasCreated:
		return dovetail.RightCreate
	}
	return dovetail.RightUpdate
}

func newRecord(ctx context.Context, at time.Time) *AuditRecord {
	r := &AuditRecord{At: at, Operations: []AuditEntry{}}
	if who := dovetail.PrincipalOf(ctx); who != nil {
		r.Principal, r.Groups = who.Name, who.Groups
	}
	return r
}

// keep adds the record to the transaction, if records are kept.
func (p *plan) keep(r *AuditRecord) error {
	if r == nil || !p.store.config.Audit.Keep {
		return nil
	}
	doc, err := p.store.stored(r)
	if err == nil {
		p.txn.Puts = append(p.txn.Puts, doc)
	}
	return err
}

// stored makes the document of a record, which gets its id.
func (s *Store) stored(r *AuditRecord) (*dovetail.Document, error) {
	r.ID = r.At.Format(auditFormat) + "-" + s.config.NewUID()
	data, err := json.Marshal(r)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	return s.internal(auditPrefix+dovetail.ID(r.ID), auditKind, data, r.At), nil
}

// internal is a new document of the store's own.
func (s *Store) internal(id dovetail.ID, kind string, data []byte, at time.Time) *dovetail.Document {
	return &dovetail.Document{ID: id, Kind: kind, Data: data, UID: s.config.NewUID(), Revision: 1, Created: at, Updated: at, Schema: s.Model().Hash()}
}

// emit stores and reports a record that belongs to no transaction. Its error means that it could not be kept.
func (s *Store) emit(ctx context.Context, r *AuditRecord) error {
	if r == nil {
		return nil
	}
	if s.config.Audit.Keep {
		doc, err := s.stored(r)
		if err != nil {
			return err
		}
		if err := s.backend.Commit(ctx, Txn{Puts: []*dovetail.Document{doc}}); err != nil {
			return err
		}
	}
	s.report(ctx, r)
	return nil
}

// RecordLogin records logins that were refused, as many as count, from an address; the last one for the reason.
func (s *Store) RecordLogin(ctx context.Context, address, reason string, count int) error {
	if !s.config.Audit.on() || s.level(nil, AuditLogin, "", "") == AuditNone {
		return nil
	}
	return s.emit(ctx, &AuditRecord{At: s.now(), Event: AuditLogin, Address: address, Refused: reason, Total: count, Operations: []AuditEntry{}})
}

// recordRefusal records a transaction that the guard refused. Its error means that the record could not be kept.
func (p *plan) recordRefusal(ctx context.Context, err error) error {
	if dovetail.CodeOf(err) != dovetail.CodeForbidden || !p.store.config.Audit.on() {
		return nil
	}
	r := newRecord(ctx, p.now)
	r.Refused, _, _ = strings.Cut(forbiddenPart(err).Error(), "\n")
	who := dovetail.PrincipalOf(ctx)
	for i := range p.steps {
		st, kind := &p.steps[i], ""
		if st.kind != nil {
			kind = st.kind.Name
		}
		if p.store.level(who, AuditVerb(st.right()), kind, st.op.ID) == AuditNone {
			continue
		}
		if r.Total++; len(r.Operations) < maxAudited {
			r.Operations = append(r.Operations, AuditEntry{Verb: st.op.Verb, ID: st.op.ID, Kind: kind})
		}
	}
	if r.Total == 0 {
		return nil
	}
	return p.store.emit(ctx, r)
}

// forbiddenPart is the first part of a refusal that is about rights.
func forbiddenPart(err error) error {
	for _, part := range dovetail.AsError(err).Errors {
		if part.Code == dovetail.CodeForbidden {
			return part
		}
	}
	return err
}

func (s *Store) report(ctx context.Context, r *AuditRecord) {
	if r != nil && s.config.Audit.Report != nil {
		s.config.Audit.Report(ctx, *r)
	}
}

// AuditQuery selects records. All conditions must hold.
type AuditQuery struct {
	Principal string      // whose
	Under     dovetail.ID // of a document, or of any below it
	Kind      string      // of a document of this kind
	Action    AuditAction // which happened to one of those documents, or of which the record is
	From, To  time.Time   // not before, and before; zero if there is no bound
	After     string      // the ID of the record that came last
	Newest    bool        // newest first, from the record before After
}

// AuditAction is what records can be selected by: the event, the effect on a document, or the refusal.
type AuditAction string

// AuditRefused is the action of all that was refused. The others are AuditRead, AuditReveal, AuditLogin and the effects.
const AuditRefused AuditAction = "refused"

// AuditActions are all actions.
func AuditActions() []AuditAction {
	return []AuditAction{AuditAction(WasCreated), AuditAction(WasUpdated), AuditAction(WasDeleted), AuditAction(AuditRead), AuditAction(AuditReveal), AuditAction(AuditLogin), AuditRefused}
}

// isRecordID reports whether a text has the form of a record's id: others would select all records, or none.
func isRecordID(text string) bool {
	at, uid, found := strings.Cut(text, "-")
	_, err := time.Parse(auditFormat, at)
	return found && err == nil && uid != ""
}

// Records yields the records that were kept, in the order of time, or in the reverse. The principal needs the right to read everything.
func (s *Store) Records(ctx context.Context, q AuditQuery) iter.Seq2[AuditRecord, error] {
	return func(yield func(AuditRecord, error) bool) {
		if err := s.mayEverywhere(ctx, dovetail.RightRead, "see who did what"); err != nil {
			yield(AuditRecord{}, err)
			return
		}
		if q.After != "" && !isRecordID(q.After) {
			yield(AuditRecord{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: strconv.Quote(q.After) + " is not the id of an audit record", Remedy: "give after as the page before has it"})
			return
		}
		after, before := q.After, ""
		if q.Newest {
			after, before = "", q.After
		}
		if from := q.From.UTC().Format(auditFormat); !q.From.IsZero() && after < from {
			after = from // no record's id is the bare time
		}
		if to := q.To.Add(time.Millisecond - 1).UTC().Format(auditFormat); !q.To.IsZero() && (before == "" || to < before) {
			before = to // whole milliseconds, as ids have them
		}
		records := s.recordsBetween(ctx, after, before)
		if q.Newest {
			records = s.recordsBackwards(ctx, after, before)
		}
		for doc, err := range records {
			var r AuditRecord
			if err == nil {
				if !q.To.IsZero() && !doc.Created.Before(q.To) {
					continue
				}
				if err = json.Unmarshal(doc.Data, &r); err != nil {
					err = &dovetail.Error{Code: dovetail.CodeCorrupt, Message: "the record " + string(doc.ID) + " cannot be read", Err: err}
				}
			}
			if err == nil && !q.selects(r) {
				continue
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (q AuditQuery) selects(r AuditRecord) bool {
	if q.Principal != "" && r.Principal != q.Principal {
		return false
	}
	effect := "" // that one of the documents must have
	switch q.Action {
	case "":
	case AuditRefused:
		if r.Refused == "" {
			return false
		}
	case AuditAction(AuditRead), AuditAction(AuditReveal), AuditAction(AuditLogin):
		if r.Event != AuditVerb(q.Action) {
			return false
		}
	default:
		effect = string(q.Action)
	}
	if q.Under == "" && q.Kind == "" && effect == "" {
		return true
	}
	return slices.ContainsFunc(r.Operations, func(entry AuditEntry) bool {
		return (q.Under == "" || entry.ID == q.Under || entry.ID.IsDescendantOf(q.Under)) && (q.Kind == "" || entry.Kind == q.Kind) && (effect == "" || string(entry.Effect) == effect)
	})
}
