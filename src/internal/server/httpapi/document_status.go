package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// getStatus answers the document's status, an empty object where none was written. Actions that only
// report answer it too; they may have parameters of their own.
func getStatus(x *requestContext) error {
	p, err := x.parameters(emcoStatusParameters...)
	if err != nil {
		return err
	}
	for _, name := range emcoStatusParameters { // older clients send them always
		if p.has(name) && x.api.options.Profile != ProfileEMCO {
			x.warn("the query parameter " + name + " has no effect here: it needs --api-profile emco")
		}
	}
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return err
	}
	if unchanged, err := x.unchanged(doc); unchanged || err != nil {
		return err
	}
	if kind := x.route.kind; kind != nil && doc.Data != nil {
		status, err := x.api.options.Profile.emcoStatus(kind, doc, x.holdParsed)
		if err != nil {
			return err
		}
		if status != nil {
			x.version(doc)
			return x.answer(x.method.code, status.JSON())
		}
	}
	return x.answerStatus(x.method.code, doc)
}

// putStatus replaces the status. Services write it, and nothing else does but actions.
func putStatus(x *requestContext) error {
	op, err := x.readOperation(store.PutStatus)
	if err != nil {
		return err
	}
	result, err := x.applyOne(op)
	if err != nil {
		return err
	}
	return x.answerStatus(http.StatusOK, result.Outcomes[0].Document)
}

func (x *requestContext) answerStatus(code int, doc *dovetail.Document) error {
	x.version(doc)
	if doc.Data == nil {
		return x.answerUnread(code, doc)
	}
	status := shownStatus(doc)
	if len(status) == 0 {
		status = []byte("{}")
	}
	if kind := x.route.kind; kind != nil && kind.Lifecycle != nil {
		var err error
		if status, err = withAllowed(kind, doc, x.holdParsed); err != nil {
			return err
		}
	}
	return x.answer(code, status)
}

// withAllowed returns the status of a document with the actions that are possible in its state. A document that was stored before
// its kind had a lifecycle is in the initial state.
func withAllowed(kind *schema.Kind, doc *dovetail.Document, charge func(values int) error) ([]byte, error) {
	status := value.NewMap()
	if len(doc.Status) > 0 {
		var err error
		if status, err = value.ParseStored(doc.Status, charge); err != nil {
			return nil, err
		}
	}
	status.Delete(store.ManagedFieldsMember)
	at := store.StandingOf(kind, doc)
	is := status.Get(store.LifecycleMember)
	if is == nil || is.Kind != value.Map {
		is = value.NewMap()
	}
	is.Set("state", value.NewString(at.State))
	allowed := value.NewList()
	for _, action := range kind.Lifecycle.Allowed(at) {
		allowed.Items = append(allowed.Items, value.NewString(action))
	}
	is.Set("allowed", allowed)
	status.Set(store.LifecycleMember, is)
	return status.JSON(), nil
}
