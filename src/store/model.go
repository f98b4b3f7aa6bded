package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// The model that the documents were last checked under is stored with them, so that a start under
// the same model need not look at them.
const (
	modelID   = dovetail.ID("_schema/current")
	modelKind = "_schema"
)

// storedModel is the data of the document modelID.
type storedModel struct {
	Hash    string          `json:"hash"`
	Sources []schema.Source `json:"sources"`
	// Next is the hash of the ref-schema that a process is about to put in force; "" while none is.
	Next string `json:"next,omitempty"`

	// Of SchemaVersion; not there in what was written before versions were counted.
	Version   int                 `json:"version,omitempty"`
	Since     time.Time           `json:"since,omitzero"`
	Principal string              `json:"principal,omitempty"`
	Changes   []schema.Difference `json:"changes,omitempty"`
}

// SetModel puts another ref-schema in force, in one step: writes before it are checked under the old
// model, writes after it under the new one. Stored documents whose references change with the
// schema are written again with the new ones.
//
// Errors: CodeSchema, with a part for each of the first documents that the model would orphan or
// forbid; then nothing changes and the old model stays.
//
// Where several processes may have the database open, all of them change over together, and writes in all of them wait for
// Agreement.Lease and Agreement.Margin, and while the documents are checked.
func (s *Store) SetModel(ctx context.Context, next *schema.Model) error {
	if s.agreement != nil {
		return s.agree(ctx, next)
	}
	s.swapping.Lock()
	defer s.swapping.Unlock()
	return Transact(ctx, func() error {
		stored, err := s.storedModel(ctx)
		if err != nil {
			return err
		}
		return s.putInForce(ctx, stored, next)
	})
}

// putInForce checks the stored documents, and commits the model in place of the stored one, while no documents are written.
// What it writes before and after is conditional on the document modelID, so that a process that was taken for dead meanwhile
// does not disturb the next change.
func (s *Store) putInForce(ctx context.Context, stored *dovetail.Document, next *schema.Model) error {
	txn, err := s.activate(ctx, stored, next)
	if err != nil {
		return err
	}
	changes := len(txn.Puts) > 0
	if changes {
		if err := s.prepareClaims(ctx, stored, next, txn.Puts); overtaken(err) {
			return Retry(err)
		} else if err != nil {
			return err
		}
	}
	s.useModel(next)
	if changes {
		if err := s.backend.Commit(ctx, txn); err != nil {
			s.useModel(s.model.Load())
			if failedConditions(err) != nil {
				return Retry(err) // another process wrote first
			}
			return err
		}
	}
	s.model.Store(next)
	if s.agreement != nil {
		s.agreement.held.Store(nil)
	}
	if changes && lacks(next, previousModel(stored)) {
		inForce := versionOf(modelID, txn.Puts[0])
		if err := s.dropClaims(ctx, next, &inForce); !overtaken(err) {
			return err
		}
	}
	return nil
}

// overtaken reports whether a step of a change was not done because another process changes the model.
func overtaken(err error) bool { return err != nil && dovetail.AsError(err).Reason == ReasonFenced }

// Impact returns what stored documents say against a model, and warnings of what it does to them that cannot be undone: at most limit
// findings (0: all), and how many there are in all.
func (s *Store) Impact(ctx context.Context, next *schema.Model, limit int) ([]Finding, int, error) {
	if err := s.mayEverywhere(ctx, dovetail.RightRead, "see what a schema does to all documents"); err != nil {
		return nil, 0, err
	}
	stored, err := s.storedModel(ctx)
	if err != nil {
		return nil, 0, err
	}
	previous := previousModel(stored)
	if next, err = next.Completed(previous); err != nil {
		return nil, 0, err
	}
	findings, total, err := s.impact(ctx, previous, next, limit)
	if err != nil {
		return nil, 0, err
	}
	fits := total == 0
	if err := s.warnings(ctx, previous, next, counter(&findings, &total, limit)); err != nil || !fits || !lacks(previous, next) {
		return findings, total, err
	}
	var txn Txn // of documents that fit it can be said which references they get, and so what they claim
	if err := s.reindex(ctx, previous, next, &txn); err != nil {
		return nil, 0, err
	}
	err = s.duplicates(ctx, previous, next, txn.Puts, counter(&findings, &total, limit))
	return findings, total, err
}

// counter notes findings up to a limit (0: all), and counts all.
func counter(findings *[]Finding, total *int, limit int) func(Finding) {
	return func(f Finding) {
		if *total++; limit == 0 || len(*findings) < limit {
			*findings = append(*findings, f)
		}
	}
}

// StoredModel returns the model that the database was last written under, and nil for a database
// that was never written.
func StoredModel(ctx context.Context, backend Backend) (*schema.Model, error) {
	stored, err := (&Store{backend: backend}).storedModel(ctx)
	if err != nil || stored == nil {
		return nil, err
	}
	if model := previousModel(stored); model != nil {
		return model, nil
	}
	return nil, &dovetail.Error{Code: dovetail.CodeSchema, Message: "the ref-schema stored with the documents does not compile any more",
		Remedy: "name the directory of the ref-schemas with --ref-schemas"}
}

// storedModel returns nil in a database that was never written, and CodeConflict in one that is being restored, or migrated in batches.
func (s *Store) storedModel(ctx context.Context) (*dovetail.Document, error) {
	documents, err := s.fetch(ctx, []dovetail.ID{modelID, restoreID, migrationID})
	if err != nil {
		return nil, err
	}
	if marker := documents[1]; marker != nil {
		return nil, incompleteRestore(marker)
	}
	if marker := documents[2]; marker != nil {
		return nil, incompleteMigration(marker)
	}
	return documents[0], nil
}

// previousModel compiles the stored model. A text that does not compile any more gives none: then
// every document is examined.
func previousModel(stored *dovetail.Document) *schema.Model {
	var was storedModel
	if stored == nil || json.Unmarshal(stored.Data, &was) != nil {
		return nil
	}
	model, err := schema.Compile(was.Sources)
	if err != nil {
		return nil
	}
	return model
}

// activate makes the transaction that puts the model in force; without writes when it is already.
func (s *Store) activate(ctx context.Context, stored *dovetail.Document, next *schema.Model) (Txn, error) {
	previous := previousModel(stored)
	if previous != nil && previous.Hash() == next.Hash() {
		return Txn{}, nil
	}
	const shown = 20
	findings, total, err := s.impact(ctx, previous, next, shown)
	if err != nil {
		return Txn{}, err
	}
	if total > 0 {
		return Txn{}, impactError(findings, total)
	}
	puts, err := s.modelDocuments(ctx, next, stored)
	if err != nil {
		return Txn{}, err
	}
	txn := Txn{Puts: puts, Require: []Condition{versionOf(modelID, stored)}}
	if err := s.indexesUnder(ctx, previous, next, stored == nil, &txn); err != nil {
		return Txn{}, err
	}
	return txn, s.reindex(ctx, previous, next, &txn)
}

// modelDocuments are what is stored when a model takes effect: its own document first, and what keeps the one before.
func (s *Store) modelDocuments(ctx context.Context, next *schema.Model, stored *dovetail.Document) ([]*dovetail.Document, error) {
	doc, err := s.modelDocument(ctx, next, stored)
	if err != nil || stored == nil {
		return []*dovetail.Document{doc}, err
	}
	kept, err := keepVersion(stored)
	return []*dovetail.Document{doc, kept}, err
}

// modelDocument is what is stored of a model in force; stored is what it replaces, nil if there is nothing.
func (s *Store) modelDocument(ctx context.Context, next *schema.Model, stored *dovetail.Document) (*dovetail.Document, error) {
	now := s.now()
	state := storedModel{Hash: next.Hash(), Sources: next.Sources(), Version: 1, Since: now}
	if who := dovetail.PrincipalOf(ctx); who != nil {
		state.Principal = who.Name
	}
	if stored != nil {
		before := stateOf(stored)
		state.Version = before.version(stored).Version + 1
		if previous := previousModel(stored); previous != nil {
			state.Changes = schema.Diff(previous, next)
		}
	}
	data, err := json.Marshal(state)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	doc := &dovetail.Document{ID: modelID, Kind: modelKind, Data: data, UID: s.config.NewUID(), Revision: 1,
		Created: now, Updated: now, Schema: next.Hash()}
	if stored != nil {
		doc.UID, doc.Revision, doc.Created = stored.UID, stored.Revision+1, stored.Created
	}
	return doc, nil
}

// reindex adds to the transaction the documents whose references are others under the next model.
func (s *Store) reindex(ctx context.Context, previous, next *schema.Model, txn *Txn) error {
	p := &plan{store: s, model: next, now: s.now(), stepOf: map[dovetail.ID]int{}, putting: map[dovetail.ID]*dovetail.Document{}}
	for _, kind := range touched(previous, next) {
		for doc, err := range s.backend.List(ctx, Query{Kind: kind}) {
			if err != nil {
				return err
			}
			data, err := value.DataOf(doc, nil)
			if err != nil {
				return err
			}
			now, err := next.KindOf(doc.ID)
			if err != nil {
				return err
			}
			if s.referencesMatch(now.Extract(doc.ID, data), doc.References) {
				continue
			}
			p.stepOf[doc.ID] = len(p.steps)
			copied := *doc
			p.steps = append(p.steps, step{op: &Operation{Verb: Put, ID: doc.ID, Data: data}, kind: now, current: doc, data: data, document: &copied})
			p.putting[doc.ID] = &copied
		}
	}
	if err := p.refer(ctx); err != nil {
		return err
	}
	if err := p.errs.Err("the schema does not fit what is stored"); err != nil {
		return err
	}
	p.require()
	txn.Require = append(txn.Require, p.txn.Require...)
	txn.Puts = append(txn.Puts, p.txn.Puts...)
	return nil
}

// impact holds the documents of all kinds whose rules differ against the next model.
func (s *Store) impact(ctx context.Context, previous, next *schema.Model, limit int) ([]Finding, int, error) {
	var findings []Finding
	total := 0
	count := counter(&findings, &total, limit)
	queries := []Query{{}}
	if previous != nil {
		queries = nil
		for _, kind := range touched(previous, next) {
			queries = append(queries, Query{Kind: kind})
		}
	}
	for _, q := range queries {
		for f, err := range s.inspect(ctx, next, q, (*Store).wouldDangle, changedRules(previous)) {
			if err != nil {
				return nil, 0, err
			}
			count(f)
		}
	}
	err := s.duplicates(ctx, previous, next, nil, count)
	return findings, total, err
}

// wouldDangle is the refCheck of a model that is not in force yet: what its rules find in the data
// must exist.
func (s *Store) wouldDangle(doc *dovetail.Document, candidates []schema.Candidate) (findings []Finding, needs []link) {
	for _, c := range candidates {
		if s.config.WeakReferences || c.Rule.Weak {
			continue
		}
		var targets []dovetail.ID
		for _, t := range c.Targets {
			targets = append(targets, t.ID)
		}
		needs = append(needs, danglingLink(doc.ID, targets...))
	}
	return nil, needs
}

// touched returns the kinds whose stored documents may be affected by the change from previous to
// next: those that went or changed, and those that refer to them. Without a previous model it is all
// kinds.
func touched(previous, next *schema.Model) []string {
	kinds := make(map[string]bool)
	if previous == nil {
		for _, kind := range next.Kinds() {
			kinds[kind.Name] = true
		}
		return slices.Sorted(maps.Keys(kinds))
	}
	for _, difference := range schema.Diff(previous, next) {
		if difference.Change == schema.HistoryChanged || difference.Change == schema.DefaultsChanged || difference.Change == schema.ImmutableChanged {
			continue
		}
		kinds[difference.Kind] = true
		for _, model := range []*schema.Model{previous, next} {
			if kind, known := model.Kind(difference.Kind); known {
				for _, referrer := range kind.ReferencedBy {
					kinds[referrer.Name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

func impactError(findings []Finding, total int) error {
	failure := &dovetail.Error{Code: dovetail.CodeSchema,
		Message: fmt.Sprintf("the schema does not fit %d stored documents", total),
		Remedy:  "change or delete those documents first, or keep their kinds and rules as they are"}
	for _, f := range findings {
		part := &dovetail.Error{Code: dovetail.CodeSchema, Key: f.ID, Message: f.Message}
		if f.Other != "" {
			part.Missing = []dovetail.ID{f.Other}
		}
		failure.Errors = append(failure.Errors, part)
	}
	return failure
}
