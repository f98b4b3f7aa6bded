package httpapi

import (
	"net/http"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The views of an item.
const (
	viewDocument   = "document"
	viewReferences = "references"
	viewReferrers  = "referrers"
	viewChildren   = "children"
	viewTree       = "tree"
	viewGraph      = "graph"
	viewHistory    = "history"
)

// How deep a tree is when the request does not say, and at most.
const (
	defaultDepth = 10
	maxDepth     = 50
)

// view answers the document with its bookkeeping, or what is around it.
func (x *requestContext) view(name string, p parameters) error {
	used, known := viewParameters[name]
	if !known {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no view \"" + name + "\"",
			Remedy: "use document, references, referrers, children, tree, graph or history"}
	}
	if err := p.only("view="+name, append([]string{"view", "watch"}, used...)...); err != nil {
		return err
	}
	if name == viewHistory { // it outlives the document
		return x.viewHistory(p)
	}
	var after dovetail.ID
	var limit int
	var err error
	if slices.Contains(used, "continue") { // the document may be deleted since the first page
		if after, limit, err = x.pageOf(p, x.scopeOf(name)); err != nil {
			return err
		}
	}
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return err
	}
	switch name {
	case viewDocument:
		return x.viewDocument(doc, p)
	case viewReferences:
		return x.viewReferences(doc)
	case viewReferrers:
		return x.viewReferrers(p, after, limit)
	case viewChildren:
		return x.viewChildren(p, after, limit)
	case viewTree:
		return x.viewTree(p)
	default:
		return x.viewGraph(p)
	}
}

// viewParameters are the parameters that views have, beside their own.
var viewParameters = map[string][]string{
	viewDocument:   {"content"},
	viewReferences: nil,
	viewReferrers:  {"limit", "continue"},
	viewChildren:   {"limit", "continue"},
	viewTree:       {"depth", "limit"},
	viewGraph:      {"depth", "limit"},
	viewHistory:    {"limit", "continue"},
}

func (x *requestContext) viewDocument(doc *dovetail.Document, p parameters) error {
	content, err := p.flag("content")
	if err != nil {
		return err
	}
	if unchanged, err := x.unchanged(doc); unchanged || err != nil {
		return err
	}
	x.version(doc)
	return x.answer(http.StatusOK, appendEnvelope(nil, doc, content))
}

// relative is a document in the neighbourhood of another one.
type relative struct {
	ID      dovetail.ID  `json:"id"`
	Kind    string       `json:"kind"`
	Key     dovetail.Key `json:"key"`
	KeyID   string       `json:"keyId"`
	Path    string       `json:"path,omitempty"` // where it is served
	ETag    string       `json:"etag,omitempty"`
	At      string       `json:"at,omitempty"`      // of a reference: the JSON Pointer of the slot that it stands in
	Weak    bool         `json:"weak,omitempty"`    // of a reference: it holds nothing
	Cascade bool         `json:"cascade,omitempty"` // of a reference: the referrer goes with its target
}

func (x *requestContext) relative(id dovetail.ID) relative {
	key := id.Key()
	r := relative{ID: id, Key: key, KeyID: key.KeyID()}
	if kind, err := x.routing.model.KindOf(id); err == nil {
		r.Kind, r.Path = kind.Name, x.routing.pathOf(kind, id)
	}
	return r
}

// scopeOf describes the list of a view, as scopeOf does that of a collection.
func (x *requestContext) scopeOf(view string) string { return view + "\x00" + string(x.resource) }

func (x *requestContext) answerRelatives(p parameters, scope string, relatives []relative, next dovetail.ID, limit int) error {
	if relatives == nil {
		relatives = []relative{}
	}
	return x.answerPage(p, append([]byte(`{"items":`), encodeJSON(relatives)...), x.tokenOf(scope, next), limit)
}

func (x *requestContext) viewReferences(doc *dovetail.Document) error {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return err
	}
	kind, err := x.routing.model.KindOf(doc.ID)
	if err != nil {
		return err
	}
	places := kind.Places(doc.ID, data)
	var relatives []relative
	for _, ref := range doc.References {
		r := x.relative(ref.ID)
		r.Kind, r.At, r.Weak, r.Cascade = ref.Kind, places[ref.ID], ref.Weak, ref.Cascade
		relatives = append(relatives, r)
	}
	return x.answerRelatives(nil, "", relatives, "", 0)
}

func (x *requestContext) viewReferrers(p parameters, after dovetail.ID, limit int) error {
	ids, err := x.store.Referrers(x.ctx, x.resource, after, limit+1)
	if err != nil {
		return err
	}
	var next dovetail.ID
	if len(ids) > limit {
		ids, next = ids[:limit], ids[limit-1]
	}
	var relatives []relative
	for _, id := range ids {
		relatives = append(relatives, x.relative(id))
	}
	return x.answerRelatives(p, x.scopeOf(viewReferrers), relatives, next, limit)
}

func (x *requestContext) viewChildren(p parameters, after dovetail.ID, limit int) error {
	children, next, err := x.store.Children(x.ctx, x.resource, after, limit)
	if err != nil {
		return err
	}
	var relatives []relative
	for _, doc := range children {
		r := x.relative(doc.ID)
		r.ETag = doc.ETag().String()
		relatives = append(relatives, r)
	}
	return x.answerRelatives(p, x.scopeOf(viewChildren), relatives, next, limit)
}

func (x *requestContext) viewTree(p parameters) error {
	depth, err := p.count("depth", defaultDepth, 0, maxDepth)
	if err != nil {
		return err
	}
	limit, err := p.count("limit", defaultPage, 1, maxPage)
	if err != nil {
		return err
	}
	tree, err := x.store.Tree(x.ctx, x.resource, depth, limit)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(tree))
}
