package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/store"
)

// batchResult is what a batch did to one document: one for each manifest, in their order, and then
// those that cascades took along, without index.
type batchResult struct {
	Index    int          `json:"index,omitempty"`
	Effect   store.Effect `json:"effect"`
	ID       dovetail.ID  `json:"id"`
	Kind     string       `json:"kind"`
	ETag     string       `json:"etag,omitempty"`
	Because  *store.Cause `json:"because,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	// Document is what the document would be; in dry runs of writes whose client does not know that.
	Document *dovetail.Document `json:"document,omitempty"`
}

// managedParameter lets a batch change documents of managed kinds.
const managedParameter = "managed"

// postBatch does what a list of manifests asks for in one transaction.
func postBatch(x *requestContext) error {
	p, err := x.writeParameters(managedParameter)
	if err != nil {
		return err
	}
	if x.managed, err = p.flag(managedParameter); err != nil {
		return err
	}
	if x.managed {
		if err := x.api.store.MayRepair(x.ctx); err != nil {
			return err
		}
	}
	f, _, err := x.bodyType()
	if err != nil {
		return err
	}
	values, err := x.readValues(f, x.api.limits.Batch)
	if err != nil {
		return err
	}
	// The store reports their faults with its own.
	ops, _, err := manifest.OperationsUntil(func() error { return x.charge(0) }, x.routing.kinds, "", values)
	if err != nil {
		return err
	}
	if err := x.charge(len(ops) * operationCost); err != nil {
		return err
	}
	result, err := x.apply(ops)
	if err != nil {
		return err
	}
	return x.answerResult(result)
}

// operationCost is how many values an operation counts as while the store plans it, with its conditions and its outcome.
const operationCost = 8

// batchResults is what a transaction did.
type batchResults struct {
	Results    []batchResult `json:"results,omitzero"`
	Unreadable bool          `json:"unreadable,omitempty"` // documents went along that may not be read
	References int           `json:"references,omitempty"` // that a rename gave another target
}

// answerResult answers what a transaction did.
func (x *requestContext) answerResult(result *store.Result) error {
	return x.answer(http.StatusOK, encodeJSON(x.batchResults(result)))
}

func (x *requestContext) batchResults(result *store.Result) batchResults {
	results := make([]batchResult, 0, len(result.Outcomes)+len(result.Cascaded))
	for i, o := range result.Outcomes {
		results = append(results, x.batchResult(o, i+1))
	}
	for _, o := range result.Cascaded {
		results = append(results, x.batchResult(o, 0))
	}
	return batchResults{results, result.Unreadable, result.References}
}

func (x *requestContext) batchResult(o store.Outcome, index int) batchResult {
	r := batchResult{Index: index, Effect: o.Effect, ID: o.Document.ID, Kind: o.Document.Kind, Because: o.Cause}
	if o.Effect != store.WasDeleted && !x.dryRun {
		r.ETag = o.Document.ETag().String()
	}
	for _, w := range o.Warnings {
		r.Warnings = append(r.Warnings, w.Message)
	}
	return r
}
