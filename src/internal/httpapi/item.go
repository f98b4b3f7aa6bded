package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// getItem answers the document's data, or a view of what is around it.
func getItem(x *requestContext) error {
	key := ""
	if x.r.URL.RawQuery != "" {
		names := []string{"view", "content", "depth", "limit", "continue", "watch"}
		if x.api.options.Profile == ProfileEMCO && x.route.kind.Name == "clusterKv" {
			names = append(names, "key")
		}
		p, err := x.parameters(names...)
		if err != nil {
			return err
		}
		if view := p.text("view"); view != "" {
			return x.view(view, p)
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
	if x.unchanged(doc) {
		return nil
	}
	switch x.format {
	case formatMultipart:
		return x.answerMultipart(doc)
	case formatFile:
		return x.answerFiles(doc)
	}
	return x.answerDocument(http.StatusOK, doc)
}

// unchanged answers 304 when the client has this version already.
func (x *requestContext) unchanged(doc *dovetail.Document) bool {
	if !notModified(x.r.Header, doc.ETag()) || x.api.settled(doc.Kind) != nil && x.proposed != nil { // the status has no version there
		return false
	}
	x.version(doc)
	x.revalidate()
	x.w.WriteHeader(http.StatusNotModified)
	return true
}
