package rendering

import (
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
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
	key    string       // by which the items of the list at the path are merged; empty if there is no own one
	v      *value.Value // where it stands
}

// layering reads the layering definition.
func (r *reader) layering(d *Document, f decode.Field) {
	members := []string{"layer", "abstract", "parentSelector", "actions"}
	keys := r.profile != ProfileDeckhand
	if keys {
		members = append(members, "mergeKeys")
	}
	if !f.Map(members...) {
		return
	}
	if keys {
		d.lists = listKeys(f.Get("mergeKeys"), !d.object)
	}
	f.Get("layer").Text()
	d.Abstract = flag(f.Get("abstract"))
	selector := f.Get("parentSelector")
	d.selector = labels(selector)
	if actions := f.Get("actions"); actions.Value != nil {
		for _, item := range actions.List("an action") {
			d.actions = append(d.actions, readAction(item, keys))
		}
	} else if len(d.selector) > 0 {
		selector.Fail("add actions, as {method: merge, path: .}", "there is a parentSelector, but no actions say what is inherited")
	}
	if r.restores {
		return
	}
	switch actions := f.Get("actions"); {
	case selector.Kind() == value.Map && len(d.selector) == 0:
		selector.Fail("give it a label of the parent, or remove it", "the parentSelector is empty, so that the document has no parent")
	case actions.Kind() == value.List && len(actions.Value.Items) == 0:
		actions.Fail("add an action, as {method: merge, path: .}, or remove it", "actions are empty, so that nothing is inherited")
	case actions.Value != nil && selector.Value == nil:
		actions.Fail("add a parentSelector with a label of the parent, or remove them", "there are actions, but no parentSelector says what is inherited")
	}
}

func readAction(f decode.Field, keys bool) action {
	a := action{v: f.Value}
	members := []string{"method", "path"}
	if keys {
		members = append(members, "mergeKey")
	}
	if !f.Map(members...) {
		return a
	}
	method := f.Get("method")
	switch a.method = method.Text(); a.method {
	case methodMerge, methodReplace, methodDelete, "":
	default:
		method.FailChoice([]string{methodMerge, methodReplace, methodDelete}, "write merge, replace or delete", "there is no method %s", short(a.method))
	}
	a.text, _ = f.Value.Get("path").Str()
	a.path = readPath(f, false).withoutData(a.text)
	if key := f.Get("mergeKey"); keys && key.Value != nil {
		switch a.key = key.Text(); {
		case a.method != methodMerge && a.method != "":
			key.Fail("remove it, or merge", "a mergeKey is of merges, not of %s", a.method)
		case len(a.path) > 0 && a.path[len(a.path)-1].item:
			key.Fail("give the path of the list", "a mergeKey is of a whole list, and the path leads to an item")
		}
	}
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

func (r *reader) substitutions(list decode.Field) []substitution {
	var all []substitution
	for _, item := range list.Items("a substitution") {
		if !item.Map("src", "dest") {
			continue
		}
		s := substitution{v: item.Value}
		r.source(&s, item.Get("src"))
		s.to = r.destinations(item.Get("dest"))
		all = append(all, s)
	}
	return all
}

func (r *reader) source(s *substitution, f decode.Field) {
	if !f.Map("schema", "name", "path", "pattern", "match_group", "deepcopy") {
		return
	}
	s.schema, s.name = f.Get("schema").Text(), f.Get("name").Text()
	s.path = readPath(f, true)
	flag(f.Get("deepcopy")) // values are always copied
	s.pattern = r.pattern(f)
	group := f.Get("match_group")
	if s.group = group.Integer(0); s.pattern != nil && s.group > s.pattern.groups() {
		group.Fail("count the parentheses of the pattern from 1; 0 is the whole match",
			"the pattern %s has no group %d", short(s.pattern.text), s.group)
	}
}

// destinations reads one destination or a list of them.
func (r *reader) destinations(f decode.Field) []destination {
	if f.Kind() != value.List {
		return []destination{r.destination(f)}
	}
	list := f.List("a destination")
	if len(list) == 0 && !r.restores {
		f.Fail("add a destination, as {path: .a}", "dest is empty, so that nothing is substituted")
	}
	var all []destination
	for _, item := range list {
		all = append(all, r.destination(item))
	}
	return all
}

func (r *reader) destination(f decode.Field) destination {
	to := destination{v: f.Value}
	if !f.Map("path", "pattern", "recurse") {
		return to
	}
	to.path = readPath(f, false)
	to.text, _ = f.Value.Get("path").Str()
	to.pattern = r.pattern(f)
	if recurse := f.Get("recurse"); recurse.Value != nil && recurse.Map("depth") {
		depth := recurse.Get("depth")
		if to.depth = depth.Integer(-1); depth.Value == nil {
			depth.Fail("add it; -1 is all levels", "depth is missing")
		}
	}
	return to
}
