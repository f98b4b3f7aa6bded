package client

import (
	"cmp"
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Queue is the work queue of a Worker: a Client or a store.Store.
type Queue interface {
	ClaimAnyWork(ctx context.Context, kinds []string, worker string, during time.Duration, options store.Options) (*store.Work, error)
	RenewWork(ctx context.Context, id dovetail.ID, token string, during time.Duration, options store.Options) (*store.Work, error)
	FinishWork(ctx context.Context, id dovetail.ID, token string, result store.WorkResult, options store.Options) (*dovetail.Document, error)
}

// Worker executes actions from a work queue, one after the other. Set the fields before the first call of a method.
type Worker struct {
	Queue Queue
	// Name identifies the worker. It must be unique among the running workers.
	Name string
	// Kinds are those whose actions it executes; empty means all.
	Kinds []string
	// Claim is the duration of a claim; the worker renews it after a third of that time. Default 1 minute.
	Claim time.Duration
	// Poll is the polling interval while there is no work; default 2 s.
	Poll time.Duration
	// Do executes an action. Its context ends when the claim is lost: then another worker may execute the action, and the result of Do
	// is ignored. An error becomes a failed result with its message.
	Do func(ctx context.Context, work *store.Work) (store.WorkResult, error)
	// Failed is called with errors of the queue, after which the worker retries. It may be nil.
	Failed func(err error)
}

// Run executes actions until the context ends, and returns how many were finished. An action may be executed twice, if its worker
// crashed or lost its connection: Do should be idempotent.
func (w *Worker) Run(ctx context.Context) int {
	finished := 0
	for ctx.Err() == nil {
		done, err := w.Once(ctx)
		switch {
		case err != nil && ctx.Err() == nil && w.Failed != nil:
			w.Failed(err)
		case done:
			finished++
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(cmp.Or(w.Poll, 2*time.Second)):
		}
	}
	return finished
}

// Once executes at most one action, and reports whether there was one and its result was stored.
func (w *Worker) Once(ctx context.Context) (finished bool, err error) {
	claim := cmp.Or(w.Claim, time.Minute)
	work, err := w.Queue.ClaimAnyWork(ctx, w.Kinds, w.Name, claim, store.Options{})
	if err != nil || work == nil {
		return false, err
	}
	doing, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		w.renew(doing, work, claim, lose)
	}()
	result, err := w.Do(doing, work)
	lost := doing.Err() != nil
	lose(nil)
	<-renewed
	switch {
	case lost && ctx.Err() == nil:
		return false, context.Cause(doing)
	case lost:
		return false, ctx.Err() // another worker goes on when the claim is over
	case err != nil:
		result = store.WorkResult{Failed: true, Message: err.Error(), Status: result.Status}
	}
	_, err = w.Queue.FinishWork(ctx, work.ID, work.Token, result, store.Options{Key: "finish " + work.Token, Request: "finish " + work.Token})
	return err == nil, err
}

// renew extends the claim until the context ends. Where it is lost, or was not renewed in time, it calls lose.
func (w *Worker) renew(ctx context.Context, work *store.Work, claim time.Duration, lose func(error)) {
	ticker := time.NewTicker(claim / 3)
	defer ticker.Stop()
	until := time.Now().Add(claim)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		asked := time.Now()
		_, err := w.Queue.RenewWork(ctx, work.ID, work.Token, claim, store.Options{})
		code := dovetail.CodeOf(err)
		switch {
		case err == nil:
			until = asked.Add(claim)
		case ctx.Err() != nil:
			return
		case code == dovetail.CodeConflict, code == dovetail.CodeNotFound, !time.Now().Before(until):
			lose(err)
			return
		}
	}
}
