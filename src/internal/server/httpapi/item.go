package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// getItem answers the document's data, or a view of what is around it.
func getItem(x *requestContext) error {
	key := ""
	if x.r.URL.RawQuery != "" {
		names := []string{"view", "content", "depth", "limit", "continue", "watch", "reveal"}
		if x.api.options.Profile == ProfileEMCO && x.route.kind.Name == "clusterKv" {
			names = append(names, "key")
		}
		p, err := x.parameters(names...)
		if err != nil {
			return err
		}
		if err := x.reveal(p); err != nil {
			return err
		}
		if view := p.text("view"); view != "" {
			return x.view(view, p)
		}
		if err := p.only("a document without a view", "key", "reveal", "view", "watch"); err != nil {
			return err
		}
		key = p.text("key")
	}
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return err
	}
	if key != "" {
		return x.keyOf(doc, key)
	}
	if unchanged, err := x.unchanged(doc); unchanged || err != nil {
		return err
	}
	switch x.format {
	case formatMultipart:
		return x.answerMultipart(doc)
	case formatFile:
		return x.answerFiles(doc)
	}
	return x.answerDocument(http.StatusOK, doc)
}

// reveal has the read recorded as one that shows secrets to a person, where ?reveal=true says so.
func (x *requestContext) reveal(p parameters) error {
	asked, err := p.flag("reveal")
	switch {
	case err != nil || !asked:
		return err
	case !x.route.kind.Sensitive.Any():
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a " + x.route.kind.Name + " has no sensitive values", Remedy: "leave reveal out"}
	case p.text("view") != "":
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "reveal applies to a document, not to a view of it", Remedy: "leave view out"}
	}
	x.ctx = store.Revealing(x.ctx)
	return nil
}

// unchanged is checkRead of a document.
func (x *requestContext) unchanged(doc *dovetail.Document) (bool, error) {
	x.version(doc)
	if x.proposed != nil && x.api.settled(doc.Kind) != nil { // the status has no version there
		return false, x.checkMatch(doc.ETag().String())
	}
	return x.checkRead(doc.ETag().String())
}
