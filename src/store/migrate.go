package store

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/migration"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Migration is a change of the ref-schema together with what becomes of the stored documents.
type Migration struct {
	change *migration.Change
	from   *schema.Model
}

// ParseMigration reads the file of a migration from the ref-schema in force to the next one. The errors, all that there are, have
// positions in the file of this name.
func ParseMigration(name string, text []byte, from, next *schema.Model) (*Migration, error) {
	change, err := migration.Parse(name, text, from, next)
	if err != nil {
		return nil, err
	}
	return &Migration{change, from}, nil
}

// Migrated is what a migration does or did.
type Migrated struct {
	Kinds      []MigratedKind `json:"kinds"`      // in the order of names; those of which no document changes are left out
	Documents  int            `json:"documents"`  // that change
	References int            `json:"references"` // that have another target
	Lost       int            `json:"lost"`       // references that the new data no longer have
	DryRun     bool           `json:"dryRun,omitempty"`
}

// MigratedKind is what a migration does to the documents of a kind.
type MigratedKind struct {
	Kind      string `json:"kind"`      // under the ref-schema before
	To        string `json:"to"`        // under the next one
	Renamed   int    `json:"renamed"`   // documents that get another id
	Rewritten int    `json:"rewritten"` // documents that change under their id
}

// Migrate changes the stored documents and the ref-schema in one transaction: it is checked that every document fits the next
// ref-schema, that all parents and references exist, and that unique values are. Where anything is wrong, all of it up to a limit
// is reported, by document, and nothing changes. It reads every document, and keeps those that change in memory. Writes of this
// process wait meanwhile; a database that several processes may have open is refused with CodeConflict.
//
// The principal needs the rights to read, create, update and delete everything. Of the options DryRun and Message count.
func (s *Store) Migrate(ctx context.Context, m *Migration, options Options) (*Migrated, error) {
	for _, right := range []dovetail.Right{dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete} {
		if err := s.mayEverywhere(ctx, right, "migrate what is stored"); err != nil {
			return nil, err
		}
	}
	if err := options.checkMessage(); err != nil {
		return nil, err
	}
	if !s.backend.Capabilities().Exclusive {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "other processes may write to this database during a migration",
			Remedy: "migrate an embedded store; a backup moves documents between databases"}
	}
	s.swapping.Lock()
	defer s.swapping.Unlock()
	if s.Model().Hash() != m.from.Hash() {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "the ref-schema in force is no longer the one that the migration starts from",
			Remedy: "plan the migration again"}
	}
	run := &migrating{store: s, change: m.change, protections: s.protections(ctx, options), kinds: make(map[string]*MigratedKind),
		after: make(map[dovetail.ID]bool), before: make(map[dovetail.ID]dovetail.ID), claims: make(map[dovetail.ID]dovetail.ID), constraints: make(map[dovetail.ID]string)}
	if err := run.plan(ctx); err != nil {
		return nil, err
	}
	if options.DryRun {
		run.result.DryRun = true
		return &run.result, nil
	}
	if err := run.commit(ctx, options); err != nil {
		return nil, err
	}
	return &run.result, nil
}

// migrating is a migration under way.
type migrating struct {
	store       *Store
	change      *migration.Change
	protections []dovetail.Protection
	kinds       map[string]*MigratedKind
	after       map[dovetail.ID]bool        // the documents that there are afterwards
	before      map[dovetail.ID]dovetail.ID // where those that move were
	claims      map[dovetail.ID]dovetail.ID // by claim the document that has it afterwards
	constraints map[dovetail.ID]string      // by claim
	changed     []migrated
	errs        dovetail.Errors
	result      Migrated
}

// migrated is a document that changes.
type migrated struct{ was, next *dovetail.Document }

// plan computes the documents that change, and the claims of all.
func (r *migrating) plan(ctx context.Context) error {
	for doc, err := range r.documents(ctx) {
		if err != nil {
			return err
		}
		id := r.change.Of(doc.ID)
		if r.after[id] {
			r.errs.Add(&dovetail.Error{Code: dovetail.CodeExists, Key: id, Message: "two documents would become " + string(id), Remedy: "rename or delete one of them first"})
		}
		r.after[id] = true
		if id != doc.ID {
			r.before[id] = doc.ID
		}
	}
	for doc, err := range r.documents(ctx) {
		if err != nil {
			return err
		}
		if err := r.take(ctx, doc); err != nil {
			return err
		}
	}
	if err := r.errs.Err("the migration was refused"); err != nil {
		return err
	}
	r.result.Kinds = []MigratedKind{}
	for _, name := range slices.Sorted(maps.Keys(r.kinds)) {
		k := r.kinds[name]
		r.result.Kinds = append(r.result.Kinds, *k)
		r.result.Documents += k.Renamed + k.Rewritten
	}
	return nil
}

// documents yields those that are not the store's own.
func (r *migrating) documents(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range r.store.backend.List(ctx, Query{}) {
			if err == nil && isInternal(doc.ID) {
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// take computes what a document becomes.
func (r *migrating) take(ctx context.Context, doc *dovetail.Document) error {
	kind, err := r.store.Model().KindOf(doc.ID)
	if err != nil {
		return err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return dovetail.AsError(err)
	}
	made, err := migration.Rewrite(migration.Document{ID: doc.ID, Kind: kind, Data: data, References: doc.References, Change: r.change}, r.change.Of)
	if err != nil {
		r.errs.Add(dovetail.AsError(err))
		return nil
	}
	nextKind, err := r.change.Next.KindOf(made.ID)
	if err != nil {
		return r.refuse(made.ID, dovetail.AsError(err))
	}
	next := *doc
	next.ID, next.Kind, next.Data, next.Inputs = made.ID, nextKind.Name, made.Data.JSON(), nil
	for _, id := range doc.Inputs {
		next.Inputs = append(next.Inputs, r.change.Of(id))
	}
	if next.References = r.references(nextKind, made); !r.fits(nextKind, &next, made.Data) {
		return nil
	}
	if err := r.checkRules(ctx, nextKind, made); err != nil {
		return err
	}
	claims, err := r.store.claims(ctx, nextKind, next.ID, made.Data, next.References)
	if err != nil {
		return err
	}
	for i := range claims {
		if other, taken := r.claims[claims[i].id]; taken {
			r.errs.Add(notUniqueError(&claims[i], next.ID, other))
			continue
		}
		r.claims[claims[i].id] = next.ID
		r.constraints[claims[i].id] = claims[i].constraint
	}
	r.result.References += made.References
	r.result.Lost += made.Lost
	if next.ID == doc.ID && next.Kind == doc.Kind && bytes.Equal(next.Data, doc.Data) && slices.Equal(next.References, doc.References) && slices.Equal(next.Inputs, doc.Inputs) {
		return nil
	}
	for _, rule := range r.protections {
		if rule.Covers(doc.ID) || rule.Covers(next.ID) {
			return r.refuse(doc.ID, protected(doc.ID, &rule))
		}
	}
	k := r.kinds[doc.Kind]
	if k == nil {
		k = &MigratedKind{Kind: doc.Kind, To: next.Kind}
		r.kinds[doc.Kind] = k
	}
	if next.ID == doc.ID {
		k.Rewritten++
	} else {
		k.Renamed++
	}
	r.changed = append(r.changed, migrated{doc, &next})
	return HoldMemory(ctx, SizeOf(doc)+SizeOf(&next))
}

func (r *migrating) refuse(id dovetail.ID, err *dovetail.Error) error {
	if err.Key == "" {
		err.Key = id
	}
	r.errs.Add(err)
	return nil
}

// references resolves those of a document among what there is afterwards.
func (r *migrating) references(kind *schema.Kind, made *migration.Rewritten) []dovetail.Reference {
	var refs []dovetail.Reference
	candidates := kind.Extract(made.ID, made.Data)
	at := positionsOf(len(candidates))
	for _, c := range candidates {
		ref := c.Targets[0]
		ref.Weak = r.store.config.WeakReferences || c.Rule.Weak
		if len(c.Targets) > 1 {
			chosen, err := choose(made.ID, c, r.after)
			if err != nil && !ref.Weak {
				_ = r.refuse(made.ID, err)
			}
			ref.ID, ref.Kind = chosen.ID, chosen.Kind
		} else if !ref.Weak && !r.after[ref.ID] {
			_ = r.refuse(made.ID, &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{ref.ID},
				Message: string(made.ID) + " would refer to " + string(ref.ID) + ", which would not exist", Remedy: "create it first, or change the migration"})
		}
		refs = addReference(refs, at, ref)
	}
	return refs
}

// fits checks a document against its kind, and that its parent is there.
func (r *migrating) fits(kind *schema.Kind, doc *dovetail.Document, data *value.Value) bool {
	before := r.errs.Total()
	if kind.Abstract {
		_ = r.refuse(doc.ID, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the kind " + kind.Name + " has no documents of its own"})
	}
	if parent := kind.ParentID(doc.ID); parent != "" && !r.after[parent] {
		_ = r.refuse(doc.ID, &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{parent}, Message: string(doc.ID) + " would have no parent: " + string(parent) + " would not exist",
			Remedy: "create it first, or change the migration"})
	}
	violations := kind.Validate(data)
	for _, err := range violations.Kept() {
		if err.Key == "" {
			err.Message = string(doc.ID) + ": " + err.Message
		}
		_ = r.refuse(doc.ID, err)
	}
	r.errs.Count(violations.Omitted())
	for _, err := range kind.CheckContent(doc.Content) {
		_ = r.refuse(doc.ID, err)
	}
	return r.errs.Total() == before
}

func notUniqueError(c *claim, id, other dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNotUnique, Key: id, Position: dovetail.Position{Path: c.path},
		Message: string(id) + " and " + string(other) + " would have the same value of " + c.constraint, Remedy: "change one of them first"}
}

// commit writes all of it in one transaction.
func (r *migrating) commit(ctx context.Context, options Options) error {
	s, now := r.store, r.store.now()
	stored, err := s.storedModel(ctx)
	if err != nil {
		return err
	}
	if options.Message == "" {
		options.Message = "Migrate to the ref-schema " + r.change.Next.Hash()
	}
	options.Origin = r.change.Origin()
	models, err := s.modelDocuments(ctx, r.change.Next, stored)
	if err != nil {
		return err
	}
	txn := Txn{Puts: models, Require: []Condition{versionOf(modelID, stored)}, Provenance: provenance(ctx, options)}
	put := make(map[dovetail.ID]bool, len(r.changed))
	record := newRecord(ctx, now)
	for _, m := range r.changed {
		next := m.next
		if next.Revision++; next.ID != m.was.ID {
			next.UID, next.Revision, next.Created = s.config.NewUID(), 1, now
		}
		next.Updated, next.Schema, next.Terms = now, r.change.Next.Hash(), nil
		txn.Puts = append(txn.Puts, next)
		put[next.ID] = true
		if record.Total++; len(record.Operations) < maxAudited {
			record.Operations = append(record.Operations, AuditEntry{Verb: Put, ID: next.ID, Kind: next.Kind})
		}
	}
	for _, m := range r.changed {
		if !put[m.was.ID] {
			txn.Deletes = append(txn.Deletes, m.was.ID)
		}
	}
	if err := r.writeClaims(ctx, &txn); err != nil {
		return err
	}
	if err := s.rebuildIndexes(ctx, r.change.Next, &txn); err != nil {
		return err
	}
	if s.config.Audit.on() && s.config.Audit.Keep {
		doc, err := s.stored(record)
		if err != nil {
			return err
		}
		txn.Puts = append(txn.Puts, doc)
	}
	s.useModel(r.change.Next)
	if err := s.backend.Commit(ctx, txn); err != nil {
		s.useModel(s.Model())
		return err
	}
	s.model.Store(r.change.Next)
	if s.config.Audit.on() {
		s.report(ctx, record)
	}
	return nil
}

// writeClaims adds to the transaction what makes the claims those of the documents afterwards.
func (r *migrating) writeClaims(ctx context.Context, txn *Txn) error {
	s := r.store
	have := make(map[dovetail.ID]bool)
	for doc, err := range s.backend.List(ctx, Query{Kind: claimKind}) {
		if err != nil {
			return err
		}
		held, ok := claimOf(doc)
		holder, wanted := r.claims[doc.ID]
		switch {
		case !wanted:
			txn.Deletes = append(txn.Deletes, doc.ID)
		case ok && held.Holder == holder && held.Constraint == r.constraints[doc.ID]:
			have[doc.ID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.claims)) {
		if !have[id] {
			txn.Puts = append(txn.Puts, s.claimDocument(&claim{id: id, constraint: r.constraints[id]}, r.claims[id], r.change.Next, s.now()))
		}
	}
	return nil
}
