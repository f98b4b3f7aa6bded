package store

import (
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// NewOperation returns an operation on data of Go: a struct, a map or anything else that encoding/json writes as an object, a
// json.RawMessage, or a *value.Value, which keeps its positions. Data that cannot be written or read as JSON become one of
// the operation's Faults, so Apply reports them with all else that is wrong. Delete takes nil.
func NewOperation(verb Verb, id dovetail.ID, data any) Operation {
	op := Operation{Verb: verb, ID: id}
	var err error
	switch data := data.(type) {
	case nil:
	case *value.Value:
		op.Data = data
	case json.RawMessage:
		op.Data, err = value.ParseJSON(data, value.Limits{})
	default:
		op.Data, err = value.FromAny(data)
	}
	if err != nil {
		fault := dovetail.AsError(err)
		fault.Key = id
		op.Faults = []*dovetail.Error{fault}
	}
	return op
}

// IfVersion returns the operation with the condition that the document has one of the versions; see IfMatch.
func (o Operation) IfVersion(versions ...dovetail.ETag) Operation {
	o.IfMatch = versions
	return o
}
