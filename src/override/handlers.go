package override

import (
	"cmp"
	"context"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// Messages of successful answers.
const (
	messageCreated = "the override was created"
	messageChanged = "the override was changed"
)

// overrideMembers are those of the body that sets an override. Members that only answers have are accepted and
// ignored, so that an override that was read can be sent back.
var overrideMembers = []string{sayEnvironment, sayContext, sayNamespace, sayApplication, memberParameters, memberApplications,
	"id", "version", memberName, sayLocation, "level", "paramSet", "notices", "message"}

// place finds the place that a request without body is about.
func (o *Overrides) place(ctx context.Context, r *request) (place, error) {
	w := r.where()
	if err := r.err(); err != nil {
		return place{}, err
	}
	return o.resolve(ctx, w)
}

func (o *Overrides) handleGetOverride(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	p, err := o.place(ctx, &request{call: call})
	if err != nil {
		return nil, err
	}
	of, err := o.getOverride(ctx, p)
	if err != nil {
		return nil, err
	}
	if of.doc == nil {
		return nil, o.missing(ctx, p)
	}
	return &httpapi.Response{Body: showOverride(of, of.notices()), Version: of.version}, nil
}

// readOverride reads a request that sets an override.
func (o *Overrides) readOverride(ctx context.Context, call *httpapi.Request) (place, *value.Value, write, error) {
	r := &request{call: call}
	if !r.only(overrideMembers...) {
		return place{}, nil, write{}, r.err()
	}
	at, w := r.where(), r.write()
	values := r.values(at)
	if err := r.err(); err != nil {
		return place{}, nil, w, err
	}
	p, err := o.resolve(ctx, at)
	return p, values, w, err
}

func (o *Overrides) handlePostOverride(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	p, values, w, err := o.readOverride(ctx, call)
	if err != nil {
		return nil, err
	}
	return o.create(ctx, p, values, w)
}

func (o *Overrides) handlePutOverride(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	p, values, w, err := o.readOverride(ctx, call)
	if err != nil {
		return nil, err
	}
	return o.update(ctx, p, values, conditionOf(call), w)
}

func conditionOf(call *httpapi.Request) Condition {
	return Condition{Versions: call.Versions, Any: call.IfExists, New: call.IfNew}
}

func (o *Overrides) handleDeleteOverride(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	p, err := o.place(ctx, r)
	if err != nil {
		return nil, err
	}
	return o.remove(ctx, p, conditionOf(call), r.write())
}

func (o *Overrides) handleGetParamSet(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	s, version, err := o.getParamSet(ctx, call.Path["id"])
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: showParamSet(s, version), Version: version}, nil
}

// readParamSet checks the body of a request about a ParamSet.
func readParamSet(r *request) {
	if r.only("id", "version", memberName, sayLocation, memberParameters, memberApplications, sayUses) {
		r.checkParamSet()
		if isNull(r.call.Body.Get(memberParameters)) && isNull(r.call.Body.Get(memberApplications)) {
			r.body().Get(memberParameters).Fail("give one of them, which may be empty", "there are neither parameters nor applications")
		}
	}
}

func (o *Overrides) handlePostParamSet(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	readParamSet(r)
	location, name, uses := r.newParamSet()
	w := r.write()
	if err := r.err(); err != nil {
		return nil, err
	}
	return o.createParamSet(ctx, location, name, call.Body, uses, w)
}

// newParamSet reads where a ParamSet is, and what uses it.
func (r *request) newParamSet() (location parameters.Location, name string, uses []use) {
	name = r.text(memberName, true)
	if at := r.text(sayLocation, true); at != "" {
		var err error
		location, err = parameters.ParseLocation(at)
		r.add(err)
	}
	if name != "" && !parameters.IsName(name) {
		r.body().Get(memberName).Fail("leave out slashes", "%q cannot be the name of a file", name)
	}
	for _, item := range r.body().Get(sayUses).Items("an association") {
		uses = append(uses, r.use(item))
	}
	return location, name, uses
}

// use reads an association from an object of the body.
func (r *request) use(f decode.Field) use {
	inner := &request{call: &httpapi.Request{Body: f.Value}, path: f.Path()}
	var u use
	if inner.only("id", "version", "paramSetId", sayEnvironment, memberContext, memberAssociatedObject, memberOrder, "notices") {
		u = use{environment: inner.environment(), context: inner.context(), object: inner.text(memberAssociatedObject, true), order: -1}
		if order := inner.body().Get(memberOrder); !order.IsMissing() {
			u.order = order.Integer(0)
		}
	}
	r.errs.Merge(&inner.errs)
	u.position = f.Position()
	return u
}

func (o *Overrides) handlePutParamSet(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	readParamSet(r)
	if f := r.body().Get(sayUses); f.Value != nil {
		f.Fail("use the paths of its associations", "associations are not changed with the ParamSet")
	}
	w := r.write()
	if err := r.err(); err != nil {
		return nil, err
	}
	return o.updateParamSet(ctx, call.Path["id"], call.Body, conditionOf(call), w)
}

func (o *Overrides) handleDeleteParamSet(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	return o.removeParamSet(ctx, call.Path["id"], call.Query.Get(sayCascade) == "true", conditionOf(call), r.write())
}

func (o *Overrides) handleGetAssociations(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	s, _, err := o.getParamSet(ctx, call.Path["id"])
	if err != nil {
		return nil, err
	}
	all, err := o.uses(ctx, s.id)
	if err != nil {
		return nil, err
	}
	shown := make([]shownAssociation, 0, len(all))
	for _, a := range all {
		s, version, err := o.readVersioned(ctx, a.id)
		if err != nil {
			return nil, err
		}
		if now, ok := associationOf(s); ok {
			shown = append(shown, showAssociation(now, version))
		}
	}
	return &httpapi.Response{Body: shown}, nil
}

func (o *Overrides) handlePostAssociation(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	w := write{options: call.Options(nil)}
	if call.Body.Kind == value.Map {
		w = r.write()
	}
	u := r.use(r.body())
	if err := r.err(); err != nil {
		return nil, err
	}
	return o.addAssociation(ctx, call.Path["id"], u, w)
}

func (o *Overrides) handleGetAssociation(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	a, version, err := o.getAssociation(ctx, call.Path["id"], call.Path["associationId"])
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: showAssociation(a, version), Version: version}, nil
}

func (o *Overrides) handleDeleteAssociation(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	return o.removeAssociation(ctx, call.Path["id"], call.Path["associationId"], conditionOf(call), r.write())
}

func (o *Overrides) handleGetEffectiveSet(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	w := r.whereEffective()
	if err := r.err(); err != nil {
		return nil, err
	}
	view, err := parameters.ParseView(call.Query.Get(sayView))
	if err != nil {
		return nil, err
	}
	return o.replyEffective(ctx, call, w, view, nil)
}

// handlePostEffectiveSet answers what would be with an override that is not stored.
func (o *Overrides) handlePostEffectiveSet(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	asked := &request{call: &httpapi.Request{Query: call.Query}} // the body says nothing of the place
	w := asked.whereEffective()
	r := &request{call: call, errs: asked.errs}
	instead := r.readDraft(w)
	if err := r.err(); err != nil {
		return nil, err
	}
	view, err := parameters.ParseView(cmp.Or(call.Query.Get(sayView), string(parameters.ViewToBe)))
	if err != nil {
		return nil, err
	}
	return o.replyEffective(ctx, call, w, view, instead)
}

// whereEffective reads which effective set a request is about.
func (r *request) whereEffective() where {
	w := r.where()
	if w.context == parameters.Pipeline {
		w.application = "" // the document names one, but there is one set for the environment
	}
	return w
}

func (o *Overrides) replyEffective(ctx context.Context, call *httpapi.Request, w where, view parameters.View, instead *draft) (*httpapi.Response, error) {
	p, err := o.resolve(ctx, w)
	if err != nil {
		return nil, err
	}
	onOverlap, err := parameters.ParseOnOverlap(call.Query.Get(sayOnOverlap))
	if err != nil {
		return nil, err
	}
	set, err := o.getEffective(ctx, p, view, onOverlap, instead)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: showEffective(set, view), Modified: set.generated}, nil
}

func (o *Overrides) handleGetParameters(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	p, err := o.place(ctx, &request{call: call})
	if err != nil {
		return nil, err
	}
	chain, err := o.chain(ctx, p)
	if err != nil {
		return nil, err
	}
	shown := showEffective(&effective{place: p, EffectiveSet: chain}, parameters.ViewGenerated)
	if call.Query.Get(sayView) != "" {
		shown.Explained = parameters.Explain(&chain.Merged, chain.Layers)
	}
	return &httpapi.Response{Body: shown}, nil
}
