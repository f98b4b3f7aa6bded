package httpapi

import (
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

// listDocuments answers a page of the envelopes of all documents, or of those of a kind, or of those
// below an id, or of those in which a text occurs, in the order of ids: what tools need to copy a store or to look it over. With
// view=tree it answers the forest of all documents.
func listDocuments(x *requestContext) error {
	p, err := x.parameters("kind", "under", "labelSelector", "fieldSelector", "contains", "limit", "continue", "content", "view", "depth", "sealed")
	if err != nil {
		return err
	}
	switch view := p.text("view"); {
	case view == viewTree:
		if err := p.only("view=tree", "view", "depth", "limit"); err != nil {
			return err
		}
		return x.viewTree(p)
	case view != "" && view != viewDocument:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the list of all documents has no view \"" + view + "\"", Remedy: "use view=tree, or none"}
	case p.has("depth"):
		return p.only("a list", "kind", "under", "labelSelector", "fieldSelector", "contains", "limit", "continue", "content", "view", "sealed")
	}
	content, err := p.flag("content")
	if err != nil {
		return err
	}
	if err := x.checkKind(p.text("kind")); err != nil && !x.r.URL.Query().Has(atParameter) { // there may have been others
		return err
	}
	under := dovetail.ID(p.text("under"))
	if under != "" {
		if under, err = dovetail.ParseID(string(under)); err != nil {
			return err
		}
	}
	q, err := listQuery(p, under, p.text("kind"))
	if err != nil {
		return err
	}
	if q.Text, err = selector.ParseText(p.text("contains")); err != nil {
		return err
	}
	if q.Sealed, err = p.flag("sealed"); err != nil {
		return err
	}
	return x.listPage(p, &selection{ListQuery: q}, func(dst []byte, doc *dovetail.Document) []byte { return appendEnvelope(dst, doc, content) })
}

// importDocuments stores the documents of a list of envelopes as they are, with uid, revision and times,
// in one transaction.
func importDocuments(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	values, err := x.bodyValues(x.api.limits.Batch)
	if err != nil {
		return err
	}
	var documents []*dovetail.Document
	var errs dovetail.Errors
	for _, v := range values {
		items := v.Items
		if v.Kind != value.List {
			items = []*value.Value{v}
		}
		for _, item := range items {
			doc := new(dovetail.Document)
			if err := json.Unmarshal(item.JSON(), doc); err != nil {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Index: len(documents) + 1, Position: item.Position(),
					Message: "this is not the envelope of a document", Remedy: "send items of /v2/documents?content=true", Err: err})
			}
			documents = append(documents, doc)
		}
	}
	if err := errs.Err("the import was refused"); err != nil {
		return err
	}
	result, err := x.api.store.Import(x.ctx, documents, x.keyed())
	if err != nil {
		return err
	}
	if result.Repeated {
		x.w.Header().Set(replayedHeader, "true")
	}
	return x.answerResult(result)
}
