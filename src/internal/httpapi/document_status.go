package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// getStatus answers the document's status, an empty object where none was written. Actions that only
// report answer it too; they may have parameters of their own.
func getStatus(x *requestContext) error {
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return err
	}
	if x.unchanged(doc) {
		return nil
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
	if len(doc.Status) == 0 {
		return x.answer(code, []byte("{}"))
	}
	return x.answer(code, doc.Status)
}
