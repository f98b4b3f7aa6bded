package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// postAction does an action on the document: its status gets one more entry in the list "actions" with the action's name, its
// time and what the body says, if anything. Who carries it out reads it there. With a lifecycle the state changes, too.
func postAction(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	op := store.Operation{Verb: store.PutStatus, ID: x.resource, Action: x.method.action.Path}
	var err error
	if op.IfMatch, op.IfExists, err = ifMatch(x.r.Header); err != nil {
		return err
	}
	body, err := x.readOptional(x.api.limits.Action)
	if err != nil {
		return err
	}
	if !isBlank(body) {
		op.Data = body
	}
	result, err := x.applyOne(op)
	if err != nil {
		return err
	}
	doc := result.Outcomes[0].Document
	if total, kept := countActions(doc.Status); total > kept {
		x.warn(fmt.Sprintf("the status holds the last %d of %d actions; audit records, where they are kept, have all of them", kept, total))
	}
	return x.answerStatus(x.method.code, doc)
}

// countActions returns how many actions were recorded in all, and how many of them the status holds.
func countActions(text []byte) (total, kept int) {
	var status struct {
		Actions []struct{} `json:"actions"`
		Total   int        `json:"actionsTotal"`
	}
	if json.Unmarshal(text, &status) != nil {
		return 0, 0
	}
	return status.Total, len(status.Actions)
}

// isBlank reports whether a value says nothing, as the {"metadata":{"name":""}} that an older client
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
