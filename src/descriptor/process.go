package descriptor

import (
	"context"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
)

// Report is what a request did, or would do.
type Report struct {
	Environment inventory.Environment
	Full        *Written // nil when it was not written
	Delta       *Written // the same
	Warnings    []*dovetail.Error
}

// Written is what happened to one SD.
type Written struct {
	Effect   store.Effect
	SD       *sd.Descriptor
	Changes  []sd.Difference    // from what was stored
	Document *dovetail.Document // as it is now; of a dry run see store.Outcome
}

// write is an SD and where it shall be.
type write struct {
	part   Part
	stored *stored
	sd     *sd.Descriptor
}

// Process carries a request out for an environment: all that it changes changes in one transaction,
// against the state that it was computed from; when another writer came first it is computed again.
// In a dry run nothing is written. The message of the options is kept with the transaction. A refused request changes nothing.
//
// Errors are those of package sd and of the artifacts; CodeNotFound for the environment; CodeConflict
// when other writers kept coming first; and those of the store.
func (s *Solutions) Process(ctx context.Context, e inventory.Environment, request *sd.Request, options store.Options) (report *Report, err error) {
	_, err = s.process(ctx, e, request, options, func(made *Report) *httpapi.Response {
		report = made
		return &httpapi.Response{}
	})
	return report, err
}

// answer returns the response to a write with a report.
type answer func(*Report) *httpapi.Response

// process is Process for a request.
func (s *Solutions) process(ctx context.Context, e inventory.Environment, request *sd.Request, options store.Options, answer answer) (*httpapi.Response, error) {
	if err := s.exists(ctx, e); err != nil {
		return nil, err
	}
	incoming, err := request.Fetch(ctx, s.options.Artifacts)
	if err != nil {
		return nil, err
	}
	return s.transact(ctx, e, options, answer, func(full, delta *stored, state sd.State) ([]write, []*dovetail.Error, error) {
		outcome, err := s.merge(request, incoming, full, state)
		if err != nil {
			return nil, nil, err
		}
		writes := []write{{Full, full, outcome.Full}}
		if outcome.Delta != nil {
			writes = append(writes, write{Delta, delta, outcome.Delta})
		}
		return writes, outcome.Warnings, nil
	})
}

func (s *Solutions) merge(request *sd.Request, incoming []*sd.Descriptor, full *stored, state sd.State) (*sd.Outcome, error) {
	if full.err != nil && !request.Replaces() {
		return nil, full.err
	}
	r := *request
	r.EnforceNamespaces = r.EnforceNamespaces || s.options.EnforceNamespaces
	return r.Process(incoming, state)
}

// transact reads the state of an environment, has the writes computed from it, and does them, again
// until no other writer comes between.
func (s *Solutions) transact(ctx context.Context, e inventory.Environment, options store.Options, answer answer,
	compute func(full, delta *stored, state sd.State) ([]write, []*dovetail.Error, error)) (response *httpapi.Response, err error) {
	err = store.Transact(ctx, func() error {
		full, err := s.read(ctx, e, Full)
		if err != nil {
			return err
		}
		delta, err := s.read(ctx, e, Delta)
		if err != nil {
			return err
		}
		state := sd.State{Environment: e.String(), Full: full.sd}
		if state.Namespaces, err = s.namespaces(ctx, e); err != nil {
			return err
		}
		if state.Namespaces != nil {
			if state.Domain, err = s.domain(ctx, e); err != nil {
				return err
			}
		}
		writes, warnings, err := compute(full, delta, state)
		if err != nil {
			return err
		}
		reply := func(result *store.Result) (*httpapi.Response, error) {
			report := reportOf(writes, result)
			report.Environment, report.Warnings = e, warnings
			return answer(report), nil
		}
		if response, err = s.commit(ctx, writes, options, reply); store.IsConflict(err) {
			return store.Retry(err)
		}
		return err
	})
	return response, err
}

// commit does the writes in one transaction.
func (s *Solutions) commit(ctx context.Context, writes []write, options store.Options, reply func(*store.Result) (*httpapi.Response, error)) (*httpapi.Response, error) {
	operations := make([]store.Operation, len(writes))
	for i, w := range writes {
		operations[i] = w.stored.put(w.part, w.sd)
	}
	options.Answer = httpapi.Kept(reply)
	result, err := s.store.Apply(ctx, operations, options)
	if err != nil {
		return nil, dovetail.WithoutIndex(err)
	}
	return reply(result)
}

func reportOf(writes []write, result *store.Result) *Report {
	report := &Report{}
	for i, w := range writes {
		written := &Written{Effect: result.Outcomes[i].Effect, SD: w.sd, Changes: changes(w.stored.sd, w.sd), Document: result.Outcomes[i].Document}
		if w.part == Full {
			report.Full = written
		} else {
			report.Delta = written
		}
	}
	return report
}
