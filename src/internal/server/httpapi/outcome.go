package httpapi

import (
	"context"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// The states of the transaction that an idempotency key belongs to.
const (
	stateCommitted = "committed"
	stateAborted   = "aborted"
)

// transactionOutcome is what became of the transaction of an idempotency key.
type transactionOutcome struct {
	State string `json:"state"`
	batchResults
}

// getOutcome answers what the caller's transaction with an idempotency key did; 404 while there is none.
func getOutcome(x *requestContext) error {
	return x.answerOutcome(x.api.store.ResultByIdempotencyKey)
}

// abortTransaction makes sure that the caller's transaction with an idempotency key is not committed from now on, and answers
// what became of it.
func abortTransaction(x *requestContext) error {
	if err := x.api.store.Admit(x.ctx, x.scopes()...); err != nil {
		return err
	}
	return x.answerOutcome(x.api.store.Abort)
}

func (x *requestContext) answerOutcome(ask func(context.Context, string) (*store.Result, error)) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	values, err := x.variables()
	if err != nil {
		return err
	}
	result, err := ask(x.ctx, x.keyInView(values["key"]))
	if err != nil && dovetail.AsError(err).Reason != store.ReasonAborted {
		return err
	}
	answer := transactionOutcome{State: stateAborted}
	if result != nil {
		answer.State, answer.batchResults = stateCommitted, x.batchResults(result)
	}
	return x.answer(http.StatusOK, encodeJSON(answer))
}
