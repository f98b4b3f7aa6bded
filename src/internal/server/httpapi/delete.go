package httpapi

import (
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// deleteItem deletes the document, or shows what would go with it.
func deleteItem(x *requestContext) error {
	p, err := x.writeParameters("cascade")
	if err != nil {
		return err
	}
	op := store.Operation{Verb: store.Delete, ID: x.resource}
	if op.IfMatch, op.IfExists, err = ifMatch(x.r.Header); err != nil {
		return err
	}
	plan, err := x.cascade(p, &op)
	if err != nil {
		return err
	}
	result, err := x.applyOne(op)
	if err != nil {
		return err
	}
	if plan {
		return x.answerPlan(result)
	}
	if x.method.code == http.StatusNoContent {
		return x.answer(x.method.code, nil)
	}
	doc := result.Outcomes[0].Document
	if doc.Data == nil {
		return x.answerUnread(x.method.code, doc)
	}
	return x.answer(x.method.code, x.api.options.Profile.writeData(nil, doc))
}

// cascade reads the parameter: true takes along what holds the document; plan only shows it.
func (x *requestContext) cascade(p parameters, op *store.Operation) (plan bool, err error) {
	if p.text("cascade") == "plan" {
		op.Cascade, x.dryRun = true, true
		x.w.Header().Set("Dovetail-Dry-Run", "true")
		return true, nil
	}
	op.Cascade, err = p.flag("cascade")
	if err != nil {
		dovetail.AsError(err).Remedy = "write cascade=true, or cascade=plan to see what would go"
	}
	return false, err
}

// planned is one document that a cascade would delete.
type planned struct {
	ID      dovetail.ID  `json:"id"`
	Kind    string       `json:"kind"`
	Because *store.Cause `json:"because,omitempty"`
}

// answerPlan shows what a deletion would take along.
func (x *requestContext) answerPlan(result *store.Result) error {
	var plan struct {
		Deleted []planned `json:"deleted"`
		Total   int       `json:"total"`
		// Unreadable says that documents would go along which may not be read, and are not shown.
		Unreadable bool `json:"unreadable,omitempty"`
	}
	for _, outcomes := range [][]store.Outcome{result.Outcomes, result.Cascaded} {
		for _, o := range outcomes {
			plan.Deleted = append(plan.Deleted, planned{o.Document.ID, o.Document.Kind, o.Cause})
		}
	}
	plan.Total, plan.Unreadable = len(plan.Deleted), result.Unreadable
	return x.answer(http.StatusOK, encodeJSON(plan))
}

// maxEmptied is how many documents one request may delete, since it does so in one transaction.
const maxEmptied = 10_000

// emptyCollection deletes all items of the collection that the selectors fit, in one transaction.
func emptyCollection(x *requestContext) error {
	p, err := x.writeParameters(x.withQueries("cascade", "labelSelector", "fieldSelector")...)
	if err != nil {
		return err
	}
	for _, name := range []string{"labelSelector", "fieldSelector"} {
		if p.has(name) && strings.TrimSpace(p.text(name)) == "" {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query parameter " + name + " is empty", Remedy: "leave it out to delete all documents of the collection"}
		}
	}
	var template store.Operation
	plan, err := x.cascade(p, &template)
	if err != nil {
		return err
	}
	selected, err := x.selection(p)
	if err != nil {
		return err
	}
	x.key = "" // what is deleted depends on what is there; doing it twice does no harm
	var result *store.Result
	err = store.Transact(x.ctx, func() error {
		q, err := selected.list(x)
		if err != nil {
			return err
		}
		q.Limit = maxEmptied
		page, err := x.store.List(x.ctx, q)
		if err != nil {
			return err
		}
		if page.Next != "" {
			return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the collection has too many items to be deleted at once",
				Remedy: "select some of them with labelSelector or fieldSelector, and repeat that"}
		}
		ops := make([]store.Operation, len(page.Documents))
		for i, doc := range page.Documents {
			ops[i] = store.Operation{Verb: store.Delete, ID: doc.ID, Cascade: template.Cascade}
		}
		if result, err = x.apply(ops); dovetail.CodeOf(err) == dovetail.CodeNotFound {
			return store.Retry(err) // items may go between the look and the deletion
		}
		return dovetail.WithoutIndex(err)
	})
	switch {
	case err != nil:
		return err
	case plan:
		return x.answerPlan(result)
	case x.method.code == http.StatusNoContent:
		return x.answer(x.method.code, nil)
	}
	return x.answer(x.method.code, []byte("{}"))
}
