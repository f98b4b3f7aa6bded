package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/migration"
	"github.com/dovetail-store/dovetail/src/value"
)

// Follow returns the documents of a service that follow a document that gets another id: those whose ids or data repeat names of other documents
// where no rule of the ref-schema finds them. It reads everything, so that its result must depend on the documents only, and its errors are
// those of reading.
type Follow func(ctx context.Context, from Reader, moved dovetail.Move) ([]Followed, error)

// Followed is a document that follows a document that gets another id.
type Followed struct {
	ID dovetail.ID
	// To is the id that the document gets; "" is the one that it has anyway: its own, or the one that it gets with its ancestor.
	To dovetail.ID
	// Keeps, if not empty, says which name the document keeps, because it does not mean the document: it does not follow, and the answer of
	// the rename says so.
	Keeps string
	// Data replaces the stored data, and has the names that follow; nil if only references change, and members that repeat the document's own name.
	Data *value.Value
}

// follow finds the documents that follow, and what becomes of their ids.
func (r *renaming) follow(ctx context.Context) error {
	r.followed = make(map[dovetail.ID]Followed)
	for _, follow := range r.store.config.Follow {
		found, err := follow(ctx, r.store.backend, r.move)
		if err != nil {
			return err
		}
		for _, f := range found {
			if f.Keeps != "" {
				r.keep(ctx, f)
				continue
			}
			if f.To == "" {
				f.To = r.move.Of(f.ID)
			}
			r.followed[f.ID] = f
		}
	}
	return nil
}

// keep notes a document that does not follow, if the principal may read it.
func (r *renaming) keep(ctx context.Context, f Followed) {
	if !r.store.view(ctx).readsID(f.ID) {
		return
	}
	if r.kept++; r.kept > maxWarnings {
		return
	}
	r.keeps = append(r.keeps, &dovetail.Error{Code: dovetail.CodeMissing, Key: r.move.To,
		Message: string(f.ID) + " " + f.Keeps + ", and does not follow: change it, if it means " + string(r.move.To)})
}

// warnings are about the documents that do not follow.
func (r *renaming) warnings() []*dovetail.Error {
	if more := r.kept - len(r.keeps); more > 0 {
		return append(r.keeps, &dovetail.Error{Code: dovetail.CodeMissing, Key: r.move.To, Message: strconv.Itoa(more) + " more documents do not follow"})
	}
	return r.keeps
}

// of returns what an id becomes.
func (r *renaming) of(id dovetail.ID) dovetail.ID {
	for end := len(id); end > 0; end = strings.LastIndexByte(string(id[:end]), '/') {
		if f, ok := r.followed[id[:end]]; ok && f.To != r.move.Of(f.ID) {
			return f.To + id[end:]
		}
	}
	return r.move.Of(id)
}

// rewriteFollowed returns what a document becomes whose data the service has given, and whether it has.
func (r *renaming) rewriteFollowed(doc *dovetail.Document) (*migration.Rewritten, bool) {
	f, ok := r.followed[doc.ID]
	if !ok || f.Data == nil {
		return nil, false
	}
	next := &migration.Rewritten{ID: r.of(doc.ID), Data: f.Data}
	for _, ref := range doc.References {
		if r.of(ref.ID) != ref.ID {
			next.References++
		}
	}
	return next, true
}

// checkFree returns CodeExists if a document that follows gets an id that another document has.
func (r *renaming) checkFree(ctx context.Context) error {
	var ids []dovetail.ID
	for id, f := range r.followed {
		if f.To != id && r.of(f.To) == f.To {
			ids = append(ids, f.To)
		}
	}
	slices.Sort(ids)
	documents, err := r.store.fetch(ctx, ids)
	if err != nil {
		return err
	}
	for i, doc := range documents {
		if doc != nil {
			return taken(ids[i])
		}
	}
	return nil
}

func taken(id dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeExists, Key: id, Message: string(id) + " exists already", Remedy: "use another name"}
}

// refuseFollowed refuses to move a subtree to a place of the same kind where documents of services would follow a rename: a migration changes what
// the rules of the ref-schemas find.
func (r *migrating) refuseFollowed(ctx context.Context) error {
	sameName := func(a, b dovetail.Element) bool { return a.Name == b.Name }
	for _, subtree := range r.change.Subtrees() {
		if !slices.EqualFunc(subtree.From.Key(), subtree.To.Key(), sameName) {
			continue
		}
		for _, follow := range r.store.config.Follow {
			found, err := follow(ctx, r.reader, subtree)
			if err != nil {
				return err
			}
			for _, f := range found {
				if f.Keeps != "" {
					continue
				}
				r.errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonNotRewritable, Key: f.ID,
					Message: string(f.ID) + " has names of " + string(subtree.From) + ", which a migration does not change", Remedy: "leave the step out, and rename the document instead"})
			}
		}
	}
	return nil
}
