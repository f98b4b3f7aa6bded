package httpapi

import (
	"bytes"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// keptActions is how many actions a status remembers.
const keptActions = 50

// postAction records in the document's status that the action was asked for: a member of the list
// "actions" with its name, its time and what the body says, if anything. Who carries it out reads it there.
func postAction(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	x.key = "" // the record of an action is laid over what is there, again and again until it fits
	body, err := x.readAction()
	if err != nil {
		return err
	}
	entry := value.NewMap()
	entry.Set("action", value.NewString(x.method.action.Path))
	entry.Set("at", value.NewString(x.api.options.Now().UTC().Format(time.RFC3339Nano)))
	if !isBlank(body) {
		entry.Set("body", body)
	}
	var doc *dovetail.Document
	err = store.Transact(x.ctx, func() (err error) {
		if doc, err = x.record(entry); dovetail.CodeOf(err) == dovetail.CodeStale {
			return store.Retry(err)
		}
		return err
	})
	if err != nil {
		return err
	}
	return x.answerStatus(x.method.code, doc)
}

// record adds the entry to the status of the document as it is now.
func (x *requestContext) record(entry *value.Value) (*dovetail.Document, error) {
	doc, err := x.api.store.Get(x.ctx, x.resource)
	if err != nil {
		return nil, err
	}
	status := value.NewMap()
	if len(doc.Status) > 0 {
		if status, err = value.ParseStored(doc.Status, x.holdParsed); err != nil {
			return nil, err
		}
	}
	actions := value.NewList()
	if have := status.Get("actions"); have != nil && have.Kind == value.List {
		actions = have
	}
	actions.Items = append(actions.Items, entry)
	actions.Items = slices.Clone(actions.Items[max(0, len(actions.Items)-keptActions):])
	status.Set("actions", actions)
	result, err := x.applyOne(store.Operation{Verb: store.PutStatus, ID: x.resource, Data: status, IfMatch: []dovetail.ETag{doc.ETag()}})
	if err != nil {
		return nil, err
	}
	return result.Outcomes[0].Document, nil
}

// readAction reads the body of an action: nothing, or any value.
func (x *requestContext) readAction() (*value.Value, error) {
	limit := x.api.limits.Action
	data, err := x.readBody(limit)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return nil, err
	}
	f, _, err := x.bodyType()
	if err != nil {
		return nil, err
	}
	values, err := parse(f, data, x.parsing(limit))
	if err != nil || len(values) == 0 {
		return nil, err
	}
	return values[0], nil
}

// isBlank says whether a value says nothing, as the {"metadata":{"name":""}} that an older client
// sends with every action.
func isBlank(v *value.Value) bool {
	if v == nil {
		return true
	}
	switch v.Kind {
	case value.Null:
		return true
	case value.String:
		return v.Text == ""
	case value.List:
		return !slices.ContainsFunc(v.Items, func(item *value.Value) bool { return !isBlank(item) })
	case value.Map:
		return !slices.ContainsFunc(v.Members, func(m value.Member) bool { return !isBlank(m.Value) })
	}
	return false
}
