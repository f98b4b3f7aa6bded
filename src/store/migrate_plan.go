package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/migration"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// migrating is a migration under way.
type migrating struct {
	store       *Store
	migration   *Migration
	change      *migration.Change
	reader      Reader // of what is stored
	options     MigrateOptions
	protections []dovetail.Protection
	kinds       map[string]*MigratedKind
	ids         map[idDigest]presence
	claims      claimsAfter
	changed     []migrated // unless they are large
	record      *AuditRecord
	errs        dovetail.Errors
	result      Migrated

	bytes int64 // of the documents that change, before and after
	limit int64 // from which on they are large
	large bool

	// What is written in batches.
	marker  *dovetail.Document // migrationID
	state   *storedMigration   // what that says
	swapped dovetail.ID        // an id that one document gives up and another one gets; "" if there is none
	latest  time.Time          // when a document was written last under the next ref-schema
	done    int                // documents that are rewritten
}

// migrated is a document that changes.
type migrated struct{ was, next *dovetail.Document }

// idDigest stands for an id. A migration of a million documents keeps one or two of each.
type idDigest [16]byte

func digestID(id dovetail.ID) idDigest {
	sum := sha256.Sum256([]byte(id))
	return idDigest(sum[:])
}

// presence reports whether there is a document of an id.
type presence uint8

const (
	presentBefore presence = 1 << iota // only known of what may be written in batches
	presentAfter
)

func newMigrating(ctx context.Context, s *Store, m *Migration, reader Reader, options MigrateOptions) *migrating {
	limit := int64(maxMigration)
	if s.config.MaxMigration > 0 {
		limit = s.config.MaxMigration
	}
	return &migrating{store: s, migration: m, change: m.change, reader: reader, options: options, limit: limit, protections: s.protections(ctx),
		kinds: make(map[string]*MigratedKind), ids: make(map[idDigest]presence), claims: newClaimsAfter(m), record: newRecord(ctx, s.now())}
}

// plan computes the documents that change, and the claims of all.
func (r *migrating) plan(ctx context.Context) error {
	if err := r.readIDs(ctx); err != nil {
		return err
	}
	for doc, err := range r.documents(ctx) {
		if err != nil {
			return err
		}
		if err := r.take(ctx, doc); err != nil {
			return err
		}
	}
	if err := r.refuseDuplicates(ctx); err != nil {
		return err
	}
	if err := r.refuseFollowed(ctx); err != nil {
		return err
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

// readIDs notes which documents there are.
func (r *migrating) readIDs(ctx context.Context) error {
	missing := make(map[dovetail.ID]bool)
	for _, subtree := range r.change.Subtrees() {
		missing[subtree.From] = r.state == nil
	}
	for doc, err := range r.documents(ctx) {
		if err != nil {
			return err
		}
		if r.isRewritten(doc) {
			r.written(1)
			r.ids[digestID(doc.ID)] |= presentAfter
			continue
		}
		id := r.change.Of(doc.ID)
		if r.exists(id) {
			r.errs.Add(&dovetail.Error{Code: dovetail.CodeExists, Key: id, Message: "two documents would become " + string(id), Remedy: "rename or delete one of them first"})
		}
		r.ids[digestID(id)] |= presentAfter
		delete(missing, doc.ID)
		if r.migration.offline {
			r.ids[digestID(doc.ID)] |= presentBefore
		}
		if doc.Schema == r.change.Next.Hash() && doc.Updated.After(r.latest) {
			r.latest = doc.Updated
		}
	}
	for id, never := range missing {
		if never {
			r.errs.Add(&dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: "the subtree " + string(id) + " does not exist", Remedy: "leave its step out"})
		}
	}
	return nil
}

// exists reports whether there is a document afterwards.
func (r *migrating) exists(id dovetail.ID) bool {
	return r.ids[digestID(id)]&presentAfter != 0
}

// documents yields those that are not the store's own.
func (r *migrating) documents(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range r.reader.List(ctx, Query{}) {
			if err == nil && isInternal(doc.ID) {
				continue
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// becoming is what a document becomes.
type becoming struct {
	*dovetail.Document
	kind *schema.Kind
	data *value.Value
	made *migration.Rewritten
}

// rewriteData computes what the data of a document become. Of two errors the first is a refusal.
func (r *migrating) rewriteData(doc *dovetail.Document) (made *migration.Rewritten, refusal, err error) {
	kind, err := r.migration.from.KindOf(doc.ID)
	if err != nil {
		return nil, nil, err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, nil, dovetail.AsError(err)
	}
	made, refusal = migration.Rewrite(migration.Document{ID: doc.ID, Kind: kind, Data: data, References: doc.References, Change: r.change}, r.change.Of)
	return made, refusal, nil
}

// rewrite computes what a document becomes; nil where that is refused.
func (r *migrating) rewrite(ctx context.Context, doc *dovetail.Document) (*becoming, error) {
	made, refusal, err := r.rewriteData(doc)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		r.errs.Add(dovetail.AsError(refusal))
		return nil, nil
	}
	nextKind, err := r.change.Next.KindOf(made.ID)
	if err != nil {
		r.refuse(made.ID, dovetail.AsError(err))
		return nil, nil
	}
	next := &becoming{r.become(doc, nextKind, made), nextKind, made.Data, made}
	next.References = r.references(nextKind, made)
	if holder := r.store.config.Holders[doc.Kind]; holder != nil {
		switch status, err := holder(doc, r.holding(ctx)); {
		case dovetail.CodeOf(err) == dovetail.CodeUnprocessable:
			r.refuse(doc.ID, dovetail.AsError(err))
			return nil, nil
		case err != nil:
			return nil, err
		case status != nil:
			next.Status = status
		}
	}
	return next, nil
}

// changes reports whether a document becomes another one.
func (b *becoming) changes(doc *dovetail.Document) bool {
	return b.ID != doc.ID || b.Kind != doc.Kind || !bytes.Equal(b.Data, doc.Data) || !bytes.Equal(b.Status, doc.Status) || !slices.Equal(b.References, doc.References) || !slices.Equal(b.Inputs, doc.Inputs)
}

// take checks what a document becomes, and counts it.
func (r *migrating) take(ctx context.Context, doc *dovetail.Document) error {
	if r.claims.number++; r.options.Checked != nil {
		r.options.Checked(1)
	}
	next, err := r.rewrite(ctx, doc)
	if err != nil || next == nil || !r.fits(next.kind, next.Document, next.data) {
		return err
	}
	if err := r.checkRules(ctx, doc, next); err != nil {
		return err
	}
	changes := next.changes(doc)
	claims, err := r.store.claims(ctx, next.kind, next.ID, next.data, next.References)
	if err != nil {
		return err
	}
	r.claims.take(next.ID, claims, changes)
	r.result.References += next.made.References
	r.result.Lost += next.made.Lost
	if !changes {
		return nil
	}
	for _, rule := range r.protections {
		if rule.Covers(doc.ID) || rule.Covers(next.ID) {
			r.refuse(doc.ID, protected(doc.ID, &rule))
			return nil
		}
	}
	if !bytes.Equal(next.Status, doc.Status) {
		r.countHeld(doc)
	}
	r.count(doc, next.Document)
	return r.keep(ctx, migrated{doc, next.Document})
}

// count counts a document that changes.
func (r *migrating) count(was, next *dovetail.Document) {
	k := r.kinds[was.Kind]
	if k == nil {
		k = &MigratedKind{Kind: was.Kind, To: next.Kind}
		r.kinds[was.Kind] = k
	}
	if next.ID == was.ID {
		k.Rewritten++
	} else {
		k.Renamed++
		if r.ids[digestID(next.ID)]&presentBefore != 0 {
			r.swapped = next.ID
		}
	}
	after := r.identity(was, next)
	if next.ID == was.ID {
		r.audit(AuditEntry{Effect: WasUpdated, ID: next.ID, Kind: next.Kind, Before: was.ETag().Version(), After: after.Version()})
	} else {
		r.audit(AuditEntry{Effect: WasCreated, ID: next.ID, Kind: next.Kind, After: after.Version()})
		r.audit(AuditEntry{Effect: WasDeleted, ID: was.ID, Kind: was.Kind, Before: was.ETag().Version()})
	}
}

// audit adds an entry to the audit record of the migration, if there is room.
func (r *migrating) audit(entry AuditEntry) {
	if r.record.Total++; len(r.record.Operations) < maxAudited {
		r.record.Operations = append(r.record.Operations, entry)
	}
}

// identity returns the version that a document becomes.
func (r *migrating) identity(was, next *dovetail.Document) dovetail.ETag {
	if next.ID != was.ID {
		return dovetail.ETag{UID: renewedUID(was.UID, r.change.Next), Revision: 1}
	}
	return dovetail.ETag{UID: was.UID, Revision: was.Revision + 1}
}

// keep keeps a document that changes for the transaction, unless they are too large, or it is not to be committed.
func (r *migrating) keep(ctx context.Context, m migrated) error {
	size := SizeOf(m.was) + SizeOf(m.next)
	r.bytes += size
	switch {
	case r.large:
	case r.bytes+r.claims.bytes > r.limit:
		for _, kept := range r.changed {
			_ = HoldMemory(ctx, -SizeOf(kept.was)-SizeOf(kept.next)) // never refused
		}
		r.large, r.changed, r.claims.added = true, nil, nil
	case !r.options.DryRun:
		r.changed = append(r.changed, m)
		return HoldMemory(ctx, size)
	}
	return nil
}

func (r *migrating) refuse(id dovetail.ID, err *dovetail.Error) {
	if err.Key == "" {
		err.Key = id
	}
	r.errs.Add(err)
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
			exist := make(map[dovetail.ID]bool, len(c.Targets))
			for _, target := range c.Targets {
				exist[target.ID] = r.exists(target.ID)
			}
			chosen, err := choose(made.ID, c, exist)
			if err != nil && !ref.Weak {
				r.refuse(made.ID, err)
			}
			ref.ID, ref.Kind = chosen.ID, chosen.Kind
		} else if !ref.Weak && !r.exists(ref.ID) {
			r.refuse(made.ID, &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{ref.ID},
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
		r.refuse(doc.ID, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the kind " + kind.Name + " has no documents of its own"})
	}
	if parent := kind.ParentID(doc.ID); parent != "" && !r.exists(parent) {
		r.refuse(doc.ID, &dovetail.Error{Code: dovetail.CodeMissing, Missing: []dovetail.ID{parent}, Message: string(doc.ID) + " would have no parent: " + string(parent) + " would not exist",
			Remedy: "create it first, or change the migration"})
	}
	violations := kind.Validate(data)
	for _, err := range violations.Kept() {
		if err.Key == "" {
			err.Message = string(doc.ID) + ": " + err.Message
		}
		r.refuse(doc.ID, err)
	}
	r.errs.Count(violations.Omitted())
	for _, err := range kind.CheckContent(doc.Content) {
		r.refuse(doc.ID, err)
	}
	return r.errs.Total() == before
}
