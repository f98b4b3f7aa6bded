package override

import (
	"context"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// The names of what requests about common parameters say.
const (
	sayMinimum      = "minimum"
	sayNames        = "names"
	sayEnvironments = "environments"
	sayTo           = "to"
	sayDifferences  = "differences"
	acceptThem      = "accept"
	refuseThem      = "refuse"
)

func (o *Overrides) handleGetCommon(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	c := r.context()
	least := 2
	if text := call.Query.Get(sayMinimum); text != "" {
		var err error
		if least, err = strconv.Atoi(text); err != nil || least < 1 {
			r.body().Get(sayMinimum).Fail("give a number from 1", "the minimum %q is none", text)
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	all, err := o.commonParameters(ctx, c, least)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: map[string][]common{"items": all}}, nil
}

func (o *Overrides) handlePostMove(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r := &request{call: call}
	m := r.move()
	w := r.write()
	if err := r.err(); err != nil {
		return nil, err
	}
	return o.moveParameters(ctx, m, w)
}

// move reads what is to be moved.
func (r *request) move() *move {
	if !r.only(memberContext, memberAssociatedObject, sayApplication, sayNames, sayEnvironments, sayTo, sayDifferences) {
		return nil
	}
	body := r.body()
	m := &move{context: r.context(), object: r.text(memberAssociatedObject, true), application: r.text(sayApplication, false)}
	for _, item := range body.Get(sayNames).NonEmptyList("the name of a parameter") {
		if name := item.Text(); slices.Contains(m.parameters, name) {
			item.Fail("name it once", "%s is named twice", name)
		} else {
			m.parameters = append(m.parameters, name)
		}
	}
	for _, item := range body.Get(sayEnvironments).NonEmptyList("an environment, as <cluster>/<environment>") {
		e, err := inventory.ParseEnvironment(item.Text())
		r.add(err)
		if slices.Contains(m.environments, e) {
			item.Fail("name it once", "%s is named twice", e)
		}
		m.environments = append(m.environments, e)
	}
	switch word := r.text(sayDifferences, false); word {
	case "", refuseThem:
	case acceptThem:
		m.accept = true
	default:
		body.Get(sayDifferences).Fail("give refuse or accept", "%q is neither", word)
	}
	to := body.Get(sayTo)
	if to.IsMissing() {
		to.Fail("name the ParamSet that has the parameters afterwards", "%s is missing", sayTo)
		return m
	}
	r.destination(m, to.Path())
	r.add(m.target(inventory.Environment{Cluster: "c", Name: "e"}).Check())
	return m
}

// destination reads the ParamSet that has the parameters afterwards, and what it is associated with.
func (r *request) destination(m *move, path string) {
	inner := &request{call: &httpapi.Request{Body: r.call.Body.Get(sayTo)}, path: path}
	if inner.body().Map(memberName, sayLocation, memberAssociatedObject) {
		m.name = inner.text(memberName, true)
		if at := inner.text(sayLocation, true); at != "" {
			var err error
			m.location, err = parameters.ParseLocation(at)
			inner.add(err)
		}
		if m.into = inner.text(memberAssociatedObject, false); m.into == "" {
			m.into = m.object
		}
		switch {
		case m.name != "" && !parameters.IsName(m.name):
			inner.body().Get(memberName).Fail("leave out slashes", "%q cannot be the name of a file", m.name)
		case parameters.IsOverride(m.name):
			inner.body().Get(memberName).Fail("name another ParamSet", "%s is the name of an override", m.name)
		case m.into != m.object && m.into != parameters.Cloud:
			inner.body().Get(memberAssociatedObject).Fail("give "+m.object+" or "+parameters.Cloud, "%s is neither what the overrides are of nor the environment", m.into)
		case m.into != m.object && m.application != "":
			inner.body().Get(memberAssociatedObject).Fail("give "+m.object, "the parameters of an application stay at its namespace")
		}
	}
	r.errs.Merge(&inner.errs)
}
