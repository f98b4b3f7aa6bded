package layering

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// asked are the validations that the policies which a revision wrote ask for, and those policies, in the order of their rows; none
// without the profile deckhand.
type asked struct {
	policies []*rendering.Document
	names    []string // sorted
}

func (r *Revisions) asked(ctx context.Context, of *Revision) (*asked, error) {
	a := &asked{}
	if !r.deckhand() {
		return a, nil
	}
	wrote := make(index)
	for id, e := range r.scope(ctx).visible(of).index {
		if id.Schema == rendering.ValidationPolicySchema && e.put == of.Number {
			wrote[id] = e
		}
	}
	documents, err := r.contents(ctx, wrote)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, e := range wrote.created() {
		d := documents[e.content]
		a.policies = append(a.policies, d)
		for _, wanted := range items(d.Data().Get("validations")) {
			names[textOf(wanted.Get("name"))] = true
		}
	}
	a.names = slices.Sorted(maps.Keys(names))
	return a, nil
}

// ignores reports whether there are policies, and none of them asks for a validation: Deckhand ignores it then.
func (a *asked) ignores(name string) bool {
	return len(a.policies) > 0 && !slices.Contains(a.names, name)
}

// because is why a validation is ignored, once for each policy.
func (a *asked) because() (errs []*value.Value) {
	for _, p := range a.policies {
		layer := p.Layer
		if layer == "" {
			layer = "None"
		}
		text := "The result for this validation was externally registered but has been ignored because it is not found in the validations for " +
			"ValidationPolicy [" + p.Schema + ", " + layer + "] " + p.Name + ": "
		for i, wanted := range items(p.Data().Get("validations")) {
			if i > 0 {
				text += ", "
			}
			text += textOf(wanted.Get("name"))
		}
		errs = append(errs, messageValue(text+"."))
	}
	return errs
}

func ignored(status string) string { return "ignored [" + status + "]" }

func messageValue(text string) *value.Value {
	return value.NewMap(value.Member{Name: "message", Value: value.NewString(text)})
}

// neverEntry is what Deckhand shows of all validations that policies ask for and that were not reported.
func neverEntry() *value.Value {
	null := value.NullValue()
	return value.NewMap(value.Member{Name: "name", Value: null}, value.Member{Name: memberStatus, Value: value.NewString(statusFailure)},
		value.Member{Name: "createdAt", Value: null}, value.Member{Name: "expiresAfter", Value: null},
		value.Member{Name: "errors", Value: value.NewList(messageValue(`The result for this validation was never externally registered so its status defaulted to "failure".`))})
}

// deckhandStatuses are the validations of a revision with their statuses as Deckhand lists them. It takes the worst that was
// reported of any revision, and lists a validation only if that was reported of this one; it ignores what no policy asks for,
// and counts what is asked for and not listed as failed.
func (r *Revisions) deckhandStatuses(ctx context.Context, of *Revision, found []validation) (map[string]string, error) {
	a, err := r.asked(ctx, of)
	if err != nil {
		return nil, err
	}
	failed := make(map[string]bool) // of any revision
	if slices.ContainsFunc(found, func(v validation) bool { return v.has(statusSuccess) }) {
		everywhere, err := r.reports(ctx, root)
		if err != nil {
			return nil, err
		}
		for _, v := range everywhere {
			failed[v.name] = v.has(statusFailure)
		}
	}
	statuses := make(map[string]string)
	for _, v := range found {
		switch {
		case v.has(statusFailure):
			statuses[v.name] = statusFailure
		case !failed[v.name]:
			statuses[v.name] = statusSuccess
		}
	}
	for name, status := range statuses {
		if a.ignores(name) {
			statuses[name] = ignored(status)
		}
	}
	for _, name := range a.names {
		if statuses[name] == "" {
			statuses[name] = statusFailure
		}
	}
	return statuses, nil
}

func (v *validation) has(status string) bool {
	return slices.ContainsFunc(v.reports, func(r report) bool { return r.status == status })
}
