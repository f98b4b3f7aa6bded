package override

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// draft is an override that has not been stored: the parameters of one level of a place.
type draft struct {
	level  parameters.Level
	values *value.Value
}

// readDraft reads a body {level, parameters} about a place.
func (r *request) readDraft(w where) *draft {
	if !r.only(sayLevel, memberParameters) {
		return nil
	}
	d := &draft{level: parameters.Level(r.text(sayLevel, true))}
	of := w
	switch d.level {
	case parameters.LevelEnvironment:
		of.namespace, of.application = "", ""
	case parameters.LevelNamespace:
		of.application = ""
	case parameters.LevelApplication, "":
	default:
		r.body().Get(sayLevel).Fail("give environment, namespace or application", "%q is no level", d.level)
	}
	d.values = r.values(of)
	return d
}

// instead puts the draft in the place of the override that is stored at its level. It does not change all.
func (d *draft) instead(t parameters.Target, all []parameters.Associated) ([]parameters.Associated, error) {
	above := t.Above()
	at := slices.IndexFunc(above, func(t parameters.Target) bool { return t.Level() == d.level })
	if at < 0 {
		message := "the effective set of " + t.String() + " has no override of the level " + string(d.level)
		if t.Context == parameters.Pipeline {
			message = pipelineOfNamespace
		}
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: "give the level of an override that applies to it"}
	}
	of := above[at]
	drafted := parameters.Associated{Context: of.Context, Object: of.Object(), Name: of.Name(), Location: of.Location(), ParamSet: parameters.With(nil, of, d.values)}
	var others []parameters.Associated
	for _, a := range all {
		if a.Object == drafted.Object {
			drafted.Order = max(drafted.Order, a.Order+1)
		}
		if a.Name != drafted.Name || a.Location != drafted.Location {
			others = append(others, a)
		}
	}
	return append(others, drafted), nil
}
