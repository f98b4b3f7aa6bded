package rendering

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

// The methods of actions.
const (
	methodMerge   = "merge"
	methodReplace = "replace"
	methodDelete  = "delete"
)

// action is one change that a document makes to what it inherits.
type action struct {
	method string
	text   string // the path as it was written
	path   path
	v      *value.Value // where it stands
}

// layering reads the layering definition.
func (r *reader) layering(d *Document, v *value.Value) {
	at := []string{"metadata", "layeringDefinition"}
	if !r.isMap(v, at, "layeringDefinition") {
		return
	}
	r.known(v, at, "layer", "abstract", "parentSelector", "actions")
	r.text(v, at, "layer")
	d.Abstract = r.flag(v, at, "abstract")
	d.selector = r.labels(v.Get("parentSelector"), below(at, "parentSelector"))
	actions := v.Get("actions")
	if actions != nil {
		at := below(at, "actions")
		for i, item := range r.items(actions, at, "actions") {
			d.actions = append(d.actions, r.action(item, below(at, strconv.Itoa(i))))
		}
	} else if len(d.selector) > 0 {
		r.fail(v.Get("parentSelector"), below(at, "parentSelector"), "add actions, as {method: merge, path: .}",
			"there is a parentSelector, but no actions say what is inherited")
	}
}

func (r *reader) action(v *value.Value, at []string) action {
	a := action{v: v}
	if !r.isMap(v, at, "an action") {
		return a
	}
	r.known(v, at, "method", "path")
	if text, ok := r.text(v, at, "method"); ok {
		switch a.method = text; text {
		case methodMerge, methodReplace, methodDelete:
		default:
			r.fail(v.Get("method"), below(at, "method"), "write merge, replace or delete", "there is no method %s", short(text))
		}
	}
	a.path = r.path(v, at, false)
	a.text, _ = v.Get("path").Str()
	a.path = a.path.withoutData(a.text)
	return a
}

// substitution puts a value of another document into places of this one.
type substitution struct {
	schema, name string
	path         path
	pattern      *pattern // which part of the source's text is taken; nil for the whole value
	group        int
	to           []destination
	v            *value.Value // where it stands
}

// destination is one place that a substitution writes to.
type destination struct {
	text    string // the path as it was written
	path    path
	pattern *pattern // which parts of the text there are replaced; nil to replace the value
	depth   int      // how many levels below the place texts are replaced; -1 for all
	v       *value.Value
}

func (r *reader) substitutions(list *value.Value) []substitution {
	at := []string{"metadata", "substitutions"}
	var all []substitution
	for i, item := range r.items(list, at, "substitutions") {
		at := below(at, strconv.Itoa(i))
		if !r.isMap(item, at, "a substitution") {
			continue
		}
		r.known(item, at, "src", "dest")
		s := substitution{v: item}
		r.source(&s, item.Get("src"), below(at, "src"))
		s.to = r.destinations(item.Get("dest"), below(at, "dest"))
		all = append(all, s)
	}
	return all
}

func (r *reader) source(s *substitution, v *value.Value, at []string) {
	if !r.isMap(v, at, "src") {
		return
	}
	r.known(v, at, "schema", "name", "path", "pattern", "match_group", "deepcopy")
	s.schema, _ = r.text(v, at, "schema")
	s.name, _ = r.text(v, at, "name")
	s.path = r.path(v, at, true)
	r.flag(v, at, "deepcopy") // values are always copied
	s.pattern = r.pattern(v, at)
	if group := v.Get("match_group"); group != nil {
		s.group = r.integer(group, below(at, "match_group"), 0)
		if s.pattern != nil && s.group > s.pattern.groups() {
			r.fail(group, below(at, "match_group"), "count the parentheses of the pattern from 1; 0 is the whole match",
				"the pattern %s has no group %d", short(s.pattern.text), s.group)
		}
	}
}

// destinations reads one destination or a list of them.
func (r *reader) destinations(v *value.Value, at []string) []destination {
	if v == nil || v.Kind != value.List {
		return []destination{r.destination(v, at)}
	}
	var all []destination
	for i, item := range v.Items {
		all = append(all, r.destination(item, below(at, strconv.Itoa(i))))
	}
	return all
}

func (r *reader) destination(v *value.Value, at []string) destination {
	to := destination{v: v}
	if !r.isMap(v, at, "dest") {
		return to
	}
	r.known(v, at, "path", "pattern", "recurse")
	to.path = r.path(v, at, false)
	to.text, _ = v.Get("path").Str()
	to.pattern = r.pattern(v, at)
	if recurse := v.Get("recurse"); recurse != nil && r.isMap(recurse, below(at, "recurse"), "recurse") {
		at := below(at, "recurse")
		r.known(recurse, at, "depth")
		if depth := recurse.Get("depth"); depth != nil {
			to.depth = r.integer(depth, below(at, "depth"), -1)
		} else {
			r.fail(recurse, at, "add depth; -1 is all levels", "the member depth is missing")
		}
	}
	return to
}

// integer reads a number that is at least least.
func (r *reader) integer(v *value.Value, at []string, least int) int {
	n, err := strconv.Atoi(v.Text)
	if v.Kind != value.Number || err != nil || n < least {
		r.fail(v, at, "give an integer of at least "+strconv.Itoa(least), "%s is not possible here", show(v))
		return least
	}
	return n
}
