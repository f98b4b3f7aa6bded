package rendering

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// reader reads documents. Where something is wrong it notes the error and goes on.
type reader struct {
	file     string
	of       *Document // the one that is being read
	patterns map[string]*pattern
	schemas  schema.JSONSchemas
	faults   dovetail.Errors
}

// fail notes what is wrong with the value at a path, or, when it is nil, with the document.
func (r *reader) fail(v *value.Value, at []string, remedy, format string, args ...any) {
	if r.faults.Full() {
		r.faults.Count(1)
		return
	}
	r.faults.Add(newFault(ClassInvalidDocumentFormat, r.of.ID, r.of.place(v, at...), remedy, format, args...))
}

// below is the path of a member.
func below(at []string, name string) []string { return append(slices.Clip(at), name) }

// show shows a scalar in a message, and of others the kind.
func show(v *value.Value) string {
	switch {
	case v == nil:
		return "nothing"
	case v.Kind == value.List || v.Kind == value.Map:
		return "of the kind " + v.Kind.String()
	case v.Kind == value.String:
		return short(v.Text)
	case v.Kind == value.Null:
		return "null"
	}
	return v.Text
}

// isMap says whether the value is a map, and complains if not.
func (r *reader) isMap(v *value.Value, at []string, what string) bool {
	if v != nil && v.Kind == value.Map {
		return true
	}
	if v == nil {
		r.fail(nil, at, "give a map", "%s is missing", what)
	} else {
		r.fail(v, at, "give a map", "%s is a map, not a %s", what, v.Kind)
	}
	return false
}

// known complains about members that are not known.
func (r *reader) known(v *value.Value, at []string, names ...string) {
	for _, m := range v.Members {
		if !slices.Contains(names, m.Name) {
			here := &value.Value{Place: m.Place}
			r.fail(here, below(at, m.Name), "use one of "+strings.Join(names, ", "), "there is no member %s here", short(m.Name))
		}
	}
}

// text reads a member that must be a text with something in it.
func (r *reader) text(v *value.Value, at []string, name string) (string, bool) {
	member := v.Get(name)
	text, ok := member.Str()
	switch {
	case member == nil:
		r.fail(v, at, "add it", "the member %s is missing", name)
	case !ok:
		r.fail(member, below(at, name), "put it in quotes if it is meant as text", "%s must be a text, not a %s", name, member.Kind)
	case text == "":
		ok = false
		r.fail(member, below(at, name), "give it", "%s is empty", name)
	}
	return text, ok
}

// flag reads a boolean member, false when it is not there.
func (r *reader) flag(v *value.Value, at []string, name string) bool {
	member := v.Get(name)
	if member == nil || member.Kind == value.Null {
		return false
	}
	if member.Kind != value.Bool {
		r.fail(member, below(at, name), "write true or false", "%s must be a boolean, not %s", name, show(member))
	}
	return member.Text == "true"
}

// items returns the items of a list, and complains if it is none.
func (r *reader) items(v *value.Value, at []string, what string) []*value.Value {
	if v.Kind != value.List {
		r.fail(v, at, "give a list", "%s must be a list, not a %s", what, v.Kind)
		return nil
	}
	return v.Items
}

// path reads a member that is a path to one place; with several it may be ambiguous.
func (r *reader) path(v *value.Value, at []string, several bool) path {
	text, ok := r.text(v, at, "path")
	if !ok {
		return nil
	}
	parsed, problem := parsePath(text)
	if problem == "" && !several && parsed.isAmbiguous() {
		problem = "a wildcard leads to more than one place"
	}
	if problem != "" {
		r.fail(v.Get("path"), below(at, "path"), "write it as .a.b, .a[0] or .'a member'", "%s is not a path that can be used here: %s", short(text), problem)
	}
	return parsed
}
