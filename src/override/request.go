package override

import (
	"cmp"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// The names of what requests say, in the query and in bodies.
const (
	sayEnvironment = "environmentId"
	sayContext     = "context"
	sayNamespace   = "namespaceName"
	sayApplication = "applicationName"
	sayMessage     = "commitMessage"
	sayUser        = "commitUser"
	sayEmail       = "commitUserEmail"
	sayView        = "view"
	sayLevel       = "level"
	sayOnOverlap   = "onOverlap"
	sayLocation    = "location"
	sayUses        = "associations"
	sayCascade     = "cascade"
	saySession     = "session"
)

// authorMembers are those of every body that changes something.
var authorMembers = []string{sayMessage, sayUser, sayEmail}

// request reads what a call says, from its query and its body, and collects what is wrong with it.
type request struct {
	call *httpapi.Request
	path string // of the body, where it is a part of another one
	errs dovetail.Errors
}

// body is the body as a field.
func (r *request) body() decode.Field {
	d := &decode.Decoder{Errors: &r.errs, Complete: func(e *dovetail.Error) { e.Reason = ReasonRequestInvalid }}
	return d.Root(r.call.Body, "the body", r.path)
}

func (r *request) err() error { return r.errs.Err("the request is refused") }

// only refuses unknown members of the body. A body that is not a map is refused, too.
func (r *request) only(names ...string) bool {
	return r.body().Map(append(names, authorMembers...)...)
}

// text returns what the query or the body has under a name, or "". They must not disagree.
func (r *request) text(name string, required bool) string {
	given := r.call.Query.Get(name)
	f := r.body().Get(name)
	if !f.IsMissing() {
		text, ok := f.AnyText()
		if !ok {
			return ""
		}
		if given != "" && text != given {
			f.Fail("give it once", "%s is %q in the body and %q in the query", name, text, given)
		}
		given = cmp.Or(given, text)
	}
	if given == "" && required {
		f.Fail("name it", "%s is missing", name)
	}
	return given
}

func (r *request) environment() inventory.Environment {
	text := r.text(sayEnvironment, true)
	if text == "" {
		return inventory.Environment{}
	}
	e, err := inventory.ParseEnvironment(text)
	r.add(err)
	return e
}

func (r *request) context() parameters.Context {
	text := r.text(sayContext, true)
	if text == "" {
		return ""
	}
	c, err := parameters.ParseContext(text)
	r.add(err)
	return c
}

func (r *request) add(err error) {
	r.errs.Join(err)
}

// write reads by whom the change is made, and how.
func (r *request) write() write {
	return write{Author{Name: r.text(sayUser, false), Email: r.text(sayEmail, false), Message: cmp.Or(r.text(sayMessage, false), r.call.Message)}, r.call.Options(nil)}
}

// where is a place as a request names it.
type where struct {
	environment            inventory.Environment
	context                parameters.Context
	namespace, application string
}

// where reads which place the request is about. See err for what is wrong.
func (r *request) where() where {
	w := where{r.environment(), r.context(), r.text(sayNamespace, false), r.text(sayApplication, false)}
	if w.application != "" && w.namespace == "" {
		r.body().Get(sayNamespace).Fail("name its namespace, too", "an application is named, but no namespace")
	}
	if w.application != "" && w.context == parameters.Pipeline && r.call.Body != nil {
		r.add(parameters.Target{Context: w.context, DeployPostfix: w.namespace, Application: w.application}.Check())
	}
	return w
}

// checkParamSet reports what is wrong with the body as a ParamSet.
func (r *request) checkParamSet() {
	var errs dovetail.Errors
	parameters.CheckParamSet(r.call.Body, &errs)
	for _, e := range errs.Kept() {
		e.Position.Path = r.path + e.Position.Path
	}
	r.errs.Merge(&errs)
}

// values reads the parameters that a body gives an override: as parameters or, for an application, also as
// the one entry of applications that a ParamSet of it has.
func (r *request) values(w where) *value.Value {
	body := r.call.Body
	before := r.errs.Total()
	r.checkParamSet()
	if r.errs.Total() > before {
		return nil
	}
	t := parameters.Target{Environment: w.environment, Context: w.context, DeployPostfix: w.namespace, Application: w.application}
	given, applications := body.Get(memberParameters), body.Get(memberApplications)
	entries := 0
	if applications != nil {
		entries = len(applications.Items)
	}
	switch {
	case isNull(given) && (entries == 0 || t.Level() != parameters.LevelApplication):
		r.body().Get(memberParameters).Fail("give a map, which may be empty", "the parameters are missing")
		return nil
	case entries == 0:
		return given
	case r.errs.Total() > 0: // all else is about content
		return nil
	}
	r.errs.Add(parameters.CheckLevel(t, body)...)
	if t.Level() != parameters.LevelApplication || r.errs.Total() > before {
		return nil
	}
	if own := parameters.Of(body, t.Application); own != nil && entries == 1 {
		return own
	}
	position := applications.Position()
	position.Path = value.Pointer(memberApplications)
	r.errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: parameters.ReasonLevel, Position: position,
		Message: "the override of " + t.Application + " holds " + t.Application + " with its parameters, and no other application", Remedy: "send it alone"})
	return nil
}

func isNull(v *value.Value) bool { return v == nil || v.Kind == value.Null }
