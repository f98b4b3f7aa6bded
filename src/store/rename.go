package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/migration"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// ReasonNotRewritable is the reason of CodeUnprocessable where no change of a document's data makes it refer to a renamed
// document under its new id. The Key names the document.
const ReasonNotRewritable = migration.ReasonNotRewritable

const (
	// renameOrigin begins the origin of transactions of Rename: the two ids follow, and then those of the documents that follow the document
	// under other ids.
	renameOrigin = "rename:"
	// maxFollowing is how much of an origin is about the documents that follow: databases keep it with each document of the transaction.
	// The histories of others do not name each other.
	maxFollowing = 8 << 10
)

// Rename gives a document another id of the same kind, with all below it: another name, another parent, or both. References to
// any of them, in whatever documents, are rewritten in the data where the rules find them. It is one transaction: the
// documents are deleted and created again under their new ids, with data, files and status, and the histories of both
// ids name each other.
//
// The principal needs the rights to read and delete what is moved, to create it under its new id, and to read and update what
// refers to it. They are checked before the data are used: an error about data is returned only to a principal that has
// all of them. Errors besides those of Apply: CodeUnprocessable with ReasonNotRewritable.
func (s *Store) Rename(ctx context.Context, id, to dovetail.ID, options Options) (*Result, error) {
	return s.RenameBy(ctx, s, id, to, options)
}

// RenameBy is Rename with the writes of another one.
func (s *Store) RenameBy(ctx context.Context, by Applier, id, to dovetail.ID, options Options) (*Result, error) {
	if err := s.checkRename(ctx, id, to, options); err != nil {
		return nil, err
	}
	if options.Message == "" {
		options.Message = "Rename " + string(id) + " to " + string(to)
	}
	options.Request = "rename " + string(id) + " " + string(to)
	if options.Key != "" && !options.DryRun { // nothing is left under the old id
		if done, err := s.Replay(ctx, nil, options); done != nil || err != nil {
			return done, err
		}
	}
	var result *Result
	err := Transact(ctx, func() error {
		r := renaming{store: s, model: s.Model(), move: dovetail.Move{From: id, To: to}, kinds: make(map[dovetail.ID]string)}
		if err := r.plan(ctx, options); err != nil {
			return err
		}
		made := options
		made.References, made.Origin = r.references, r.origin()
		if s.permissions(ctx) != nil {
			made.Needs = r.needs
		}
		done, err := by.Apply(ctx, r.operations(), made)
		if err != nil {
			if IsConflict(err) || isInUse(err) {
				return Retry(err) // another writer came first
			}
			return err
		}
		result = s.Filter(ctx, done)
		result.References = r.references
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// checkRename refuses what needs no reading to be refused: ids that do not fit, and missing rights on the two documents.
func (s *Store) checkRename(ctx context.Context, id, to dovetail.ID, options Options) error {
	model := s.Model()
	kind, err := model.KindOf(id)
	if err != nil {
		return err
	}
	if err := s.view(ctx).mayRead(ctx, id); err != nil {
		return err
	}
	next, err := model.KindOf(to)
	switch {
	case err != nil:
		return err
	case next != kind:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Key: to, Message: string(id) + " is a " + kind.Name + ", and " + string(to) + " is the id of a " + next.Name,
			Remedy: "give the id of a " + kind.Name}
	case to == id:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Key: id, Message: string(id) + " has that id already", Remedy: "give another one"}
	}
	options.Needs = []Need{{dovetail.RightDelete, id}, {dovetail.RightCreate, to}}
	return s.needed(ctx, s.permissions(ctx), nameOf(ctx), options)
}

// renaming is one attempt of a rename.
type renaming struct {
	store      *Store
	model      *schema.Model
	move       dovetail.Move
	followed   map[dovetail.ID]Followed
	keeps      []*dovetail.Error // about documents that do not follow
	kept       int               // how many those are
	moved      []Operation       // that create the documents under their new ids
	rewritten  []Operation       // that change what refers to them
	deletions  []Operation
	references int
	needs      []Need
	kinds      map[dovetail.ID]string // of the documents that needs are about
}

func (r *renaming) operations() []Operation { return slices.Concat(r.moved, r.rewritten, r.deletions) }

// plan reads what is to be moved and what refers to it, checks the rights on all of it, and then makes the operations.
func (r *renaming) plan(ctx context.Context, options Options) error {
	s, from := r.store, r.move.From
	documents, err := s.fetch(ctx, []dovetail.ID{from, r.move.To})
	switch {
	case err != nil:
		return err
	case documents[0] == nil:
		return notFound(from)
	case documents[1] != nil:
		return taken(r.move.To)
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	moved, err := r.subtrees(ctx, documents[0])
	if err != nil {
		return err
	}
	referrers, err := r.referrers(ctx, moved)
	if err != nil {
		return err
	}
	if err := r.mayRename(ctx, options); err != nil {
		return err
	}
	if err := r.checkFree(ctx); err != nil {
		return err
	}
	for _, doc := range moved {
		if err := r.take(doc); err != nil {
			return err
		}
	}
	r.moved[0].warnings = r.warnings()
	for _, doc := range referrers {
		if err := r.rewriteReferrer(doc); err != nil {
			return err
		}
	}
	return nil
}

// subtrees returns the document, those that follow it under other ids, and all below them, and adds the rights that moving them needs.
func (r *renaming) subtrees(ctx context.Context, top *dovetail.Document) ([]*dovetail.Document, error) {
	tops := []*dovetail.Document{top}
	var following []dovetail.ID
	for _, id := range slices.Sorted(maps.Keys(r.followed)) {
		if r.move.Of(id) == id && r.of(id) != id {
			following = append(following, id)
		}
	}
	documents, err := r.store.fetch(ctx, following)
	if err != nil {
		return nil, err
	}
	for _, doc := range documents {
		if doc != nil { // else another writer deleted it
			tops = append(tops, doc)
		}
	}
	var all []*dovetail.Document
	for _, top := range tops {
		all = append(all, top)
		for doc, err := range r.store.backend.List(ctx, Query{Under: top.ID}) {
			if err != nil {
				return nil, err
			}
			if err := HoldMemory(ctx, SizeOf(doc)); err != nil {
				return nil, err
			}
			all = append(all, doc)
		}
	}
	for _, doc := range all {
		r.need(doc.Kind, doc.ID, dovetail.RightRead, dovetail.RightDelete)
		r.need(doc.Kind, r.of(doc.ID), dovetail.RightCreate)
	}
	return all, nil
}

// referrers returns the remaining documents that refer to those that are moved or follow where they are, and adds the rights that changing
// them needs: those of a patch, since the new data depend on the stored data.
func (r *renaming) referrers(ctx context.Context, moved []*dovetail.Document) ([]*dovetail.Document, error) {
	ids := make([]dovetail.ID, len(moved))
	for i, doc := range moved {
		ids[i] = doc.ID
	}
	referrers, err := r.store.backend.Referrers(ctx, ids, "", 0)
	if err != nil {
		return nil, err
	}
	referrers = append(referrers, slices.Collect(maps.Keys(r.followed))...)
	slices.Sort(referrers)
	referrers = slices.DeleteFunc(slices.Compact(referrers), func(id dovetail.ID) bool { return r.of(id) != id })
	documents, err := r.store.fetch(ctx, referrers)
	if err != nil {
		return nil, err
	}
	documents = slices.DeleteFunc(documents, func(doc *dovetail.Document) bool { return doc == nil }) // another writer deleted it
	for _, doc := range documents {
		r.need(doc.Kind, doc.ID, dovetail.RightRead, dovetail.RightUpdate)
	}
	return documents, nil
}

func (r *renaming) need(kind string, id dovetail.ID, rights ...dovetail.Right) {
	r.kinds[id] = kind
	for _, right := range rights {
		r.needs = append(r.needs, Need{right, id})
	}
}

// take moves a document.
func (r *renaming) take(doc *dovetail.Document) error {
	next, err := r.rewrite(doc)
	if err != nil {
		return err
	}
	op := Operation{Verb: Create, ID: next.ID, Data: next.Data, Content: doc.Content, renamed: true}
	if len(doc.Status) > 0 {
		if op.Status, err = value.StatusOf(doc); err != nil {
			return dovetail.AsError(err)
		}
	}
	for _, id := range doc.Inputs {
		op.Inputs = append(op.Inputs, r.of(id))
	}
	r.moved = append(r.moved, op)
	r.deletions = append(r.deletions, Operation{Verb: Delete, ID: doc.ID, IfMatch: []dovetail.ETag{doc.ETag()}, exact: true})
	return nil
}

// rewriteReferrer changes a document that stays where it is.
func (r *renaming) rewriteReferrer(doc *dovetail.Document) error {
	next, err := r.rewrite(doc)
	if err != nil {
		return err
	}
	r.rewritten = append(r.rewritten, Operation{Verb: Put, ID: doc.ID, Data: next.Data, IfMatch: []dovetail.ETag{doc.ETag()}, renamed: true})
	return nil
}

func (r *renaming) rewrite(doc *dovetail.Document) (*migration.Rewritten, error) {
	if next, ok := r.rewriteFollowed(doc); ok {
		r.references += next.References
		return next, nil
	}
	kind, err := r.model.KindOf(doc.ID)
	if err != nil {
		return nil, err
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, dovetail.AsError(err)
	}
	next, err := migration.Rewrite(migration.Document{ID: doc.ID, Kind: kind, Data: data, References: doc.References}, r.of)
	if err != nil {
		return nil, err
	}
	r.references += next.References
	return next, nil
}

// mayRename returns CodeForbidden unless the principal has all rights that the rename needs. Documents that the principal may not
// read are neither named nor counted, as in the refusal of a cascade.
func (r *renaming) mayRename(ctx context.Context, options Options) error {
	v, may := r.store.view(ctx), r.store.permissions(ctx)
	if may == nil {
		return nil
	}
	for _, need := range r.needs {
		kind := r.kinds[need.ID]
		if !v.reads(kind, need.ID) && (need.Right == dovetail.RightRead || !may.Allows(need.Right, kind, need.ID)) {
			return &dovetail.Error{Code: dovetail.CodeForbidden, Key: r.move.From,
				Message: nameOf(ctx) + " may not change everything that lies below " + string(r.move.From) + " or refers to it",
				Remedy:  "ask for a role that reads and changes what depends on it"}
		}
	}
	options.Needs = r.needs
	return r.store.needed(ctx, may, nameOf(ctx), options)
}

// isInUse reports whether a write was refused because of a document that came since it was computed.
func isInUse(err error) bool {
	e := dovetail.AsError(err)
	return e.Code == dovetail.CodeInUse || slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return part.Code == dovetail.CodeInUse })
}

// origin is that of the transaction.
func (r *renaming) origin() string {
	moves := renames{r.move}
	for _, id := range slices.Sorted(maps.Keys(r.followed)) {
		if f := r.followed[id]; f.To != r.move.Of(id) {
			moves = append(moves, dovetail.Move{From: id, To: f.To})
		}
		if len(moves.origin()) > len(moves[:1].origin())+maxFollowing {
			moves = moves[:len(moves)-1]
			break
		}
	}
	return moves.origin()
}

// renames are the moves of a transaction of Rename: that of the document, and those of the documents that follow it.
type renames []dovetail.Move

// renamesOf reads the origin of a transaction; nil for one of another kind.
func renamesOf(origin string) (moves renames) {
	text, ok := strings.CutPrefix(origin, renameOrigin)
	if !ok {
		return nil
	}
	for ids := strings.Split(text, " "); len(ids) > 1; ids = ids[2:] { // no id has a space
		moves = append(moves, dovetail.Move{From: dovetail.ID(ids[0]), To: dovetail.ID(ids[1])})
	}
	return moves
}

func (m renames) origin() string {
	var ids []string
	for _, move := range m {
		ids = append(ids, string(move.From), string(move.To))
	}
	return renameOrigin + strings.Join(ids, " ")
}

// of returns what an id became, and with inverse what it was. Of the moves, that of the nearest ancestor counts.
func (m renames) of(id dovetail.ID, inverse bool) dovetail.ID {
	nearest, other := dovetail.ID(""), id
	for _, move := range m {
		if inverse {
			move = move.Inverse()
		}
		if next := move.Of(id); next != id && len(move.From) > len(nearest) {
			nearest, other = move.From, next
		}
	}
	return other
}
