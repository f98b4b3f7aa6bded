package descriptor

import (
	"context"
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
)

// ServiceName is what the service is called where services are chosen.
const ServiceName = "descriptor"

// Service returns the HTTP API of the solutions.
func (s *Solutions) Service() httpapi.Service {
	const (
		base    = "/api/sd"
		process = base + "/process"
		merge   = base + "/merge"
	)
	environment := httpapi.Parameter{Name: "environmentId", Description: "the environment, as <cluster>/<environment>", Required: true}
	kind := httpapi.Parameter{Name: "kind", Description: "the full or the delta descriptor", Required: true, Values: []string{string(Full), string(Delta)}}
	both := []httpapi.Parameter{environment, kind}
	ref := httpapi.SchemaRef
	kinds := []string{kindDescriptor}
	changes := httpapi.Requires(kinds, dovetail.RightCreate, dovetail.RightUpdate)
	return httpapi.Service{Name: ServiceName, Kinds: kinds, Schemas: schemas(), Endpoints: []httpapi.Endpoint{
		{Method: http.MethodPost, Path: process, Summary: "merge solution descriptors into those of an environment", Query: []httpapi.Parameter{environment}, DryRun: true,
			Needs: changes, Body: ref("SolutionParameters"), Answer: ref("SolutionReport"), Handle: s.postProcess},
		{Method: http.MethodPost, Path: merge, Summary: "merge solution descriptors without storing the result",
			Needs: httpapi.Requires(kinds, dovetail.RightRead), Long: true, Body: ref("SolutionMerge"), Answer: ref("SolutionMerged"), Handle: postMerge},
		{Method: http.MethodGet, Path: base, Summary: "read a solution descriptor of an environment", Query: both, Versioned: true, Long: true,
			Answer: ref("SolutionDescriptor"), Handle: s.get},
		{Method: http.MethodPut, Path: base, Summary: "create or replace a solution descriptor of an environment", Query: both, Versioned: true, DryRun: true,
			Needs: changes, Body: ref("SolutionDescriptor"), Answer: ref("SolutionReport"), Handle: s.putOne},
		{Method: http.MethodDelete, Path: base, Summary: "delete a solution descriptor of an environment", Query: both, Versioned: true, DryRun: true, Handle: s.delete},
	}}
}

func environmentOf(call *httpapi.Request) (inventory.Environment, error) {
	return inventory.ParseEnvironment(call.Query.Get("environmentId"))
}

func conditionsOf(call *httpapi.Request) Conditions {
	return Conditions{IfMatch: call.IfMatch, IfExists: call.IfExists, IfNew: call.IfNew}
}

func partOf(call *httpapi.Request) Part { return Part(call.Query.Get("kind")) }

func (s *Solutions) postProcess(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	environment, err := environmentOf(call)
	if err != nil {
		return nil, err
	}
	params, err := parameters(call.Body)
	if err != nil {
		return nil, err
	}
	request, err := sd.ParseRequestWithin(call.Limits, params)
	if err != nil {
		return nil, err
	}
	return s.process(ctx, environment, request, call.Options(nil), func(report *Report) *httpapi.Response {
		return &httpapi.Response{Body: show(report, call.DryRun)}
	})
}

func postMerge(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	mode, sds, err := mergeRequest(call.Body)
	if err != nil {
		return nil, err
	}
	merged, err := sd.FoldUntil(call.Stop(ctx), mode, sds...)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: shownMerge{Result: merged.Descriptor.Value(),
		Changes: showChanges(sd.Diff(sds[0], merged.Descriptor)), Warnings: api.NewMessages(merged.Warnings)}}, nil
}

func (s *Solutions) get(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	environment, err := environmentOf(call)
	if err != nil {
		return nil, err
	}
	doc, err := s.Get(ctx, environment, partOf(call))
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: spec(doc), Document: doc}, nil
}

func (s *Solutions) putOne(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	environment, err := environmentOf(call)
	if err != nil {
		return nil, err
	}
	descr, err := sd.New(dovetail.Position{}, call.Body)
	if err != nil {
		return nil, err
	}
	return s.put(ctx, environment, partOf(call), descr, conditionsOf(call), call.Options(nil), func(report *Report) *httpapi.Response {
		reply := &httpapi.Response{Body: show(report, call.DryRun)}
		for _, written := range []*Written{report.Full, report.Delta} {
			if written == nil {
				continue
			}
			reply.Document = written.Document
			reply.Status = statusOf(written)
		}
		return reply
	})
}

func (s *Solutions) delete(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	environment, err := environmentOf(call)
	if err != nil {
		return nil, err
	}
	reply := &httpapi.Response{}
	return reply, s.Delete(ctx, environment, partOf(call), conditionsOf(call), call.Options(httpapi.Replies(reply)))
}
