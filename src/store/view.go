package store

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// withheld is the status that is shown in place of one that was made from documents that the reader may not read.
var withheld = json.RawMessage(`{"withheld":"made from documents that may not be read"}`)

// view is what one principal sees of the store, during one call of a method. Nil shows everything.
type view struct {
	store *Store
	may   dovetail.Permissions
	whole map[dovetail.ID]bool // of inputs met, whether all of it may be read
	made  map[string]bool      // of kinds met that have inputs, whether all of those may be read
}

// view returns what the principal of the context sees, nil for all.
func (s *Store) view(ctx context.Context) *view { return s.viewOf(s.permissions(ctx)) }

func (s *Store) viewOf(may dovetail.Permissions) *view {
	if may == nil || may.Everywhere(dovetail.RightRead) {
		return nil
	}
	return &view{store: s, may: may}
}

// reads reports whether a document may be read.
func (v *view) reads(kind string, id dovetail.ID) bool {
	return v == nil || v.may.Allows(dovetail.RightRead, kind, id) && v.readsInputs(kind)
}

// readsInputs reports whether all documents that those of a kind are made of may be read.
func (v *view) readsInputs(name string) bool {
	kind, known := v.store.Model().Kind(name)
	if !known || len(kind.Inputs) == 0 {
		return true
	}
	all, met := v.made[name]
	if !met {
		if v.made == nil {
			v.made = make(map[string]bool)
		}
		all = v.may.Below(dovetail.RightRead, kind.Inputs, "")
		v.made[name] = all
	}
	return all
}

// readsBelow reports whether all documents of these kinds below an id may be read, those that may come to be too.
func (v *view) readsBelow(kinds []string, id dovetail.ID) bool {
	return v == nil || v.may.Below(dovetail.RightRead, kinds, id) &&
		!slices.ContainsFunc(kinds, func(kind string) bool { return !v.readsInputs(kind) })
}

// keeps returns Query.Keep: what may not be read need not be looked at. The ID says which kind a document has, unless it is
// of an older ref-schema.
func (v *view) keeps() func(id dovetail.ID) bool {
	if v == nil {
		return nil
	}
	model := v.store.Model()
	return func(id dovetail.ID) bool {
		kind, err := model.KindOf(id)
		return err != nil || v.reads(kind.Name, id)
	}
}

// covers reports whether a document and all that is, or may come to be, below it may be read.
func (v *view) covers(id dovetail.ID) bool {
	if v == nil {
		return true
	}
	all, known := v.whole[id]
	if !known {
		all = v.coversNow(id)
		if v.whole == nil {
			v.whole = make(map[dovetail.ID]bool)
		}
		v.whole[id] = all
	}
	return all
}

func (v *view) coversNow(id dovetail.ID) bool {
	if name, every := id.IsAllOf(); every {
		kind, ok := v.store.Model().Kind(name)
		return ok && v.readsBelow(append(kindsBelow(kind), kind.Name), "")
	}
	kind, err := v.store.Model().KindOf(id)
	return err == nil && v.reads(kind.Name, id) && v.readsBelow(kindsBelow(kind), id)
}

// shows reports whether all of a document that may be read is shown, its status and files too.
func (v *view) shows(doc *dovetail.Document) bool {
	return v == nil || !slices.ContainsFunc(doc.Inputs, func(id dovetail.ID) bool { return !v.covers(id) })
}

// IsWithheld reports whether the status of a document is not shown, since the reader may not read what it was made of.
func IsWithheld(doc *dovetail.Document) bool { return bytes.Equal(doc.Status, withheld) }

// show returns a document that may be read as it is shown: without what was made of documents that may not.
func (v *view) show(doc *dovetail.Document) *dovetail.Document {
	if v.shows(doc) {
		return doc
	}
	shown := *doc
	shown.Status, shown.Content, shown.Inputs = slices.Clone(withheld), nil, nil
	return &shown
}

// Show returns a document, which the principal of the context may read, as that principal may see it: one with a status that was
// made of documents which it may not read has none. The document is not changed.
func (s *Store) Show(ctx context.Context, doc *dovetail.Document) *dovetail.Document {
	return s.view(ctx).show(doc)
}

// selects returns CodeForbidden unless everything that a query may select may be read.
func (v *view) selects(ctx context.Context, under dovetail.ID, kind string) error {
	if v == nil {
		return nil
	}
	kinds := []string{kind}
	if kind == "" {
		within, err := v.store.kindsUnder(under)
		if err != nil {
			return err
		}
		kinds = within
	}
	if !v.readsBelow(kinds, under) {
		return notComplete(ctx)
	}
	return nil
}

// notComplete is the refusal of an answer that would be made of documents that may not be read. It names none.
func notComplete(ctx context.Context) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeForbidden, Message: nameOf(ctx) + " may not read everything that this answer is made from",
		Remedy: "ask for a role that reads all of it; `dovetail auth can-i` shows what is allowed"}
}

// Covers returns CodeForbidden, which names nothing, unless the principal of the context may read these documents
// and everything that is, or may come to be, below them: for answers that a service made of them earlier. The
// documents need not exist.
func (s *Store) Covers(ctx context.Context, ids ...dovetail.ID) error {
	if v := s.view(ctx); slices.ContainsFunc(ids, func(id dovetail.ID) bool { return !v.covers(id) }) {
		return notComplete(ctx)
	}
	return nil
}

// Filter returns a result as the principal of the context may see it; see Options.Unfiltered. The result is not
// changed.
func (s *Store) Filter(ctx context.Context, result *Result) *Result {
	return s.view(ctx).result(result)
}

// result returns what a transaction did as it is shown to who asked for it. Of a document that was there and may
// not be read that is id, kind and version; a new one holds what they wrote. What a cascade took along and may not be read is
// left out: it was not named by who asked.
func (v *view) result(r *Result) *Result {
	if v == nil || r == nil {
		return r
	}
	shown := *r
	readable := slices.DeleteFunc(slices.Clone(r.Cascaded), func(o Outcome) bool { return !v.reads(o.Document.Kind, o.Document.ID) })
	shown.Outcomes, shown.Cascaded = v.outcomes(r.Outcomes), v.outcomes(readable)
	shown.Unreadable = r.Unreadable || len(readable) < len(r.Cascaded)
	return &shown
}

func (v *view) outcomes(outcomes []Outcome) []Outcome {
	shown := slices.Clone(outcomes)
	for i := range shown {
		o := &shown[i]
		switch doc := o.Document; {
		case v.reads(doc.Kind, doc.ID):
			o.Document = v.show(doc)
		case o.Effect != WasCreated:
			o.Document = &dovetail.Document{ID: doc.ID, Kind: doc.Kind, UID: doc.UID, Revision: doc.Revision}
		}
	}
	return shown
}

// kindsUnder returns the names of the kinds of all documents that may be below an id, which need not exist; below the empty one
// it is all kinds.
func (s *Store) kindsUnder(id dovetail.ID) ([]string, error) {
	if id != "" {
		kind, err := s.Model().KindOf(id)
		if err != nil {
			return nil, err
		}
		return kindsBelow(kind), nil
	}
	var names []string
	for _, kind := range s.Model().Kinds() {
		if !kind.Abstract {
			names = append(names, kind.Name)
		}
	}
	return names, nil
}

// kindsBelow returns the names of the kinds below a kind, at any depth, that have documents.
func kindsBelow(kind *schema.Kind) []string {
	var names []string
	for _, child := range kind.Children {
		if !child.Abstract {
			names = append(names, child.Name)
		}
		names = append(names, kindsBelow(child)...)
	}
	return names
}
