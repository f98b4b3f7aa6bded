package resolution

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Authors finds the authors of what documents of the service ask for (store.Config.Author), who may not approve it.
func Authors() map[string]store.AuthorOf {
	return map[string]store.AuthorOf{state.Kind: state.Author(dovetail.SystemPrefix + ServiceName), fleet.Kind: fleet.Author}
}

// Service returns the HTTP API beside the documents themselves.
func (r *Resolutions) Service() httpapi.Service {
	const whole = "/api/sources/{source}"
	ref := httpapi.SchemaRef
	views := r.views()
	sourceChanges := httpapi.Requires([]string{"source", "package", "packageVersion"}, dovetail.RightCreate, dovetail.RightDelete, dovetail.RightUpdate)
	return httpapi.Service{Name: ServiceName, Kinds: []string{"source", "package", "packageVersion", state.Kind, fleet.Kind}, Later: []string{fleet.Kind}, Schemas: schemas(),
		Settled: map[string]func(*dovetail.Document) bool{state.Kind: state.Settled, fleet.Kind: fleet.Settled},
		Shown:   map[string]httpapi.Show{state.Kind: views.resolution, fleet.Kind: views.set},
		Endpoints: []httpapi.Endpoint{
			{Method: http.MethodPost, Path: "/api/resolve", Summary: "resolve constraints with the stored or with given sources, without storing the result",
				Query: []httpapi.Parameter{{Name: "explain", Description: "true also returns the reasons why newer versions were excluded", Values: []string{"true", "false"}}},
				Needs: httpapi.Requires([]string{"source"}, dovetail.RightRead),
				Body:  ref("ResolutionRequest"), Answer: ref("ResolutionAnswer"), Hard: true, ReadOnly: true, Handle: r.postResolve},
			{Method: http.MethodPost, Path: "/api/active-resolutions/{activeResolution}/approve", Summary: "approve the plan of an ActiveResolution of another principal",
				Needs: httpapi.Requires([]string{state.Kind}, dovetail.RightAct),
				Body:  ref("ResolutionApprovalRequest"), Answer: ref("ResolutionApproval"), Handle: r.postApprove},
			{Method: http.MethodPost, Path: whole + "/refresh", Summary: "refresh a source that follows another one now",
				Needs: httpapi.Requires([]string{sourcedoc.KindSource}, dovetail.RightAct), Code: http.StatusAccepted, Answer: ref("ResolutionRefresh"), Handle: r.postRefresh},
			{Method: http.MethodGet, Path: whole, Summary: "read a source with all its packages and versions", Long: true, Answer: ref("ResolutionSource"), Handle: r.getSource},
			{Method: http.MethodGet, Path: whole + "/packages/{package}", Summary: "read a package of a source with its versions, newest first, and their upgrades", Long: true,
				Answer: ref("ResolutionPackage"), Handle: r.getPackage},
			{Method: http.MethodPut, Path: whole, Summary: "replace a whole source, in one transaction", DryRun: true, HardDryRun: true,
				Needs: sourceChanges,
				Body:  ref("ResolutionSource"), Answer: ref("ResolutionLoaded"), Code: http.StatusOK, Handle: r.putSource},
			{Method: http.MethodPut, Path: whole + "/catalog", Summary: "replace the packages of a source with a file-based catalog, in one transaction", DryRun: true, HardDryRun: true,
				Needs: sourceChanges,
				Body:  ref("ResolutionCatalog"), Answer: ref("ResolutionLoaded"), Code: http.StatusOK, Handle: r.putCatalog},
		}}
}

// postResolve answers a request with a spec, and optionally with sources that replace the stored ones.
func (r *Resolutions) postResolve(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	if call.Body.Kind != value.Map {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: call.Body.Position(),
			Message: "the request must be an object, not a " + call.Body.Kind.String(), Remedy: "send spec, and perhaps sources"}
	}
	if call.Body.At("spec", "constraints") == nil {
		position := call.Body.Position()
		position.Path = "/spec/constraints"
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: position, Message: "the request has no constraints",
			Remedy: "send {\"spec\": {\"constraints\": [...]}}"}
	}
	if err := call.Charge(constraintCost * weight(call.Body.Get("spec"))); err != nil {
		return nil, err
	}
	spec, err := solver.ParseSpec(state.SpecOf(call.Body))
	if err != nil {
		return nil, refusal(err)
	}
	from, err := r.sourcesOf(ctx, call, spec)
	if err != nil {
		return nil, err
	}
	problem, err := solver.NewProblemUntil(call.Stop(ctx), spec, from)
	if err != nil {
		return nil, refusal(err)
	}
	explain := call.Query.Get("explain") == "true"
	outcome, err := solver.Resolve(ctx, problem, solver.Options{Timeout: within(ctx, spec), Deadline: r.deadline(ctx), Pause: call.Pause, Now: r.options.Timer.Now, Explain: explain})
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: show(problem, outcome, explain)}, nil
}

// constraintCost is how many values a value of a constraint counts as while it is read and solved, beside itself.
const constraintCost = 3

// weight counts the values of a spec. Constraints may be written as text, of which one takes some sixteen bytes at least.
func weight(v *value.Value) int {
	if v == nil {
		return 0
	}
	n := 1 + len(v.Text)/16
	for _, item := range v.Items {
		n += weight(item)
	}
	for _, m := range v.Members {
		n += weight(m.Value)
	}
	return n
}

// within is the time limit of a spec, but less than the request may take: there is to be an answer, too, that the time was
// too short.
func within(ctx context.Context, spec *solver.Spec) time.Duration {
	limit := cmp.Or(spec.Timeout, solver.DefaultTimeout)
	if end, ends := ctx.Deadline(); ends {
		limit = min(limit, max(time.Millisecond, (time.Until(end)*9/10).Round(time.Millisecond)))
	}
	return limit
}

// deadline returns when an answer must be there, so that there is time to send it; zero if the request may take any time.
func (r *Resolutions) deadline(ctx context.Context) time.Time {
	end, ends := ctx.Deadline()
	if !ends {
		return time.Time{}
	}
	return r.options.Timer.Now().Add(time.Until(end) * 9 / 10) // deadlines of contexts know one clock only
}

// sourcesOf are those of the request, or the stored ones that the spec uses.
func (r *Resolutions) sourcesOf(ctx context.Context, call *httpapi.Request, spec *solver.Spec) ([]*solver.Source, error) {
	given := call.Body.Get("sources")
	if given == nil {
		var names []string
		if spec.Listed() {
			names = append([]string{}, spec.Sources...)
		}
		return r.cache.get(ctx, names)
	}
	if given.Kind != value.List {
		position := given.Position()
		position.Path = "/sources"
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: position,
			Message: "sources must be a list, not a " + given.Kind.String(), Remedy: "send a list, or leave it out for the stored ones"}
	}
	if err := call.Charge(len(given.Items) * sourceCost); err != nil {
		return nil, err
	}
	parser := solver.NewParser()
	parser.Stop = call.Stop(ctx)
	var from []*solver.Source
	for _, item := range given.Items {
		from = append(from, parser.Source(item))
		if err := parser.Stopped(); err != nil {
			return nil, err
		}
	}
	return from, nil
}

// sourceCost is how many values a source counts as during a resolution, in addition to its own values.
const sourceCost = 8

func (r *Resolutions) getSource(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	id := sourcedoc.ID(call.Path["source"])
	documents, err := r.stored(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 || documents[0].ID != id {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
	}
	document, err := sourcedoc.Document(documents)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: document}, nil
}

func (r *Resolutions) putSource(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	priority := call.Body.Get("priority")
	if priority == nil {
		priority = value.NewNumber(0)
	}
	return r.replace(ctx, call, call.Body, priority, nil, func(name string, stored []dovetail.ID) ([]store.Operation, error) {
		return sourcedoc.Operations(call.Stop(ctx), name, call.Body, stored)
	})
}

// putCatalog takes {priority, files: [{name, text}]}. A source that exists keeps its priority unless one is given.
func (r *Resolutions) putCatalog(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	files, priority, err := catalogRequest(call.Body)
	if err != nil {
		return nil, err
	}
	source, warnings, err := catalog.ImportWithin(call.Limits, call.Path["source"], files...)
	if err != nil {
		return nil, err
	}
	return r.replace(ctx, call, source, priority, warnings, func(name string, stored []dovetail.ID) ([]store.Operation, error) {
		return sourcedoc.Refresh(call.Stop(ctx), name, source, priority, stored)
	})
}

// replace makes what is stored of a source again by the operations, given its name and the ids that are stored. A dry run says what of the
// ActiveResolutions would change with that content and priority.
func (r *Resolutions) replace(ctx context.Context, call *httpapi.Request, content, priority *value.Value, warnings []*dovetail.Error, by func(string, []dovetail.ID) ([]store.Operation, error)) (*httpapi.Response, error) {
	name := call.Path["source"]
	documents, err := r.stored(ctx, sourcedoc.ID(name))
	if err != nil {
		return nil, err
	}
	ids := make([]dovetail.ID, len(documents))
	for i, doc := range documents {
		ids[i] = doc.ID
	}
	operations, err := by(name, ids)
	if err != nil {
		return nil, err
	}
	answer := func(result *store.Result) (*httpapi.Response, error) {
		loaded := shownLoaded{Source: name, DryRun: call.DryRun}
		for _, outcome := range result.Outcomes {
			loaded.add(outcome.Effect)
		}
		for _, w := range warnings {
			loaded.Warnings = append(loaded.Warnings, w.Position.String()+": "+w.Message)
		}
		var err error
		if call.DryRun {
			loaded.Impact, err = r.forecast(ctx, call, name, content, priority)
		}
		return &httpapi.Response{Body: loaded}, err
	}
	result, err := r.store.Apply(ctx, operations, call.Options(answer))
	if err != nil {
		return nil, err
	}
	return answer(result)
}

// stored returns the documents of a source in the order of ids. It is refused where one of them may not be read: a part
// of a source is none, and does not replace it.
func (r *Resolutions) stored(ctx context.Context, id dovetail.ID) ([]*dovetail.Document, error) {
	var documents []*dovetail.Document
	doc, err := r.store.Get(ctx, id)
	switch dovetail.CodeOf(err) {
	case "":
		documents = append(documents, doc)
	case dovetail.CodeNotFound:
		return nil, nil
	default:
		return nil, err
	}
	for doc, err := range r.store.Documents(ctx, store.ListQuery{Under: id, Complete: true}) {
		if err != nil {
			return nil, err
		}
		documents = append(documents, doc)
	}
	return documents, nil
}
