package httpapi

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// keptActions is how many actions a status holds: the last ones. The member actionsTotal counts them all where it holds fewer.
const keptActions = 50

const actionsTotal = "actionsTotal"

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
	var total int
	err = store.Transact(x.ctx, func() (err error) {
		if doc, total, err = x.record(entry); dovetail.CodeOf(err) == dovetail.CodeStale {
			return store.Retry(err)
		}
		return err
	})
	if err != nil {
		return err
	}
	if total > keptActions {
		x.warn(fmt.Sprintf("the status holds the last %d of %d actions; audit records, where they are kept, have all of them", keptActions, total))
	}
	return x.answerStatus(x.method.code, doc)
}

// record adds the entry to the status of the document as it is now. It also returns how many actions were recorded in all.
func (x *requestContext) record(entry *value.Value) (*dovetail.Document, int, error) {
	doc, err := x.store.Get(x.ctx, x.resource)
	if err != nil {
		return nil, 0, err
	}
	status := value.NewMap()
	if len(doc.Status) > 0 {
		if status, err = value.ParseStored(doc.Status, x.holdParsed); err != nil {
			return nil, 0, err
		}
	}
	actions := value.NewList()
	if have := status.Get("actions"); have != nil && have.Kind == value.List {
		actions = have
	}
	total := len(actions.Items)
	if before := status.Get(actionsTotal); before != nil && before.Kind == value.Number {
		if n, err := strconv.Atoi(before.Text); err == nil && n < math.MaxInt {
			total = max(total, n)
		}
	}
	total++
	actions.Items = append(actions.Items, entry)
	actions.Items = slices.Clone(actions.Items[max(0, len(actions.Items)-keptActions):])
	status.Set("actions", actions)
	if total > len(actions.Items) {
		status.Set(actionsTotal, value.NewNumber(int64(total)))
	}
	result, err := x.applyOne(store.Operation{Verb: store.PutStatus, ID: x.resource, Data: status, IfMatch: []dovetail.ETag{doc.ETag()}})
	if err != nil {
		return nil, 0, err
	}
	return result.Outcomes[0].Document, total, nil
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
