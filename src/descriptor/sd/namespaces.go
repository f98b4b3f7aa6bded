package sd

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// namespaceFlag is the member of userData that says that deployPostfix holds names of namespaces.
const namespaceFlag = "useDeployPostfixAsNamespace"

// namesNamespaces says whether the SD has names of namespaces instead of deploy postfixes.
func (d *Descriptor) namesNamespaces() bool {
	flag := d.value.At("userData", namespaceFlag)
	return kindOf(flag) == value.Bool && flag.Text == "true"
}

// withDeployPostfixes returns the SD with deploy postfixes instead of names of namespaces, if it
// has such names. Names that are not known stay; they are reported with the deploy postfixes that are
// not known. Where no namespaces are known, nothing is changed.
func (d *Descriptor) withDeployPostfixes(byNamespace map[string]string) *Descriptor {
	if byNamespace == nil || !d.namesNamespaces() {
		return d
	}
	entries := make([]entry, len(d.entries))
	aliases := make(map[string]string) // of applications without one of their own, before and after
	for i, e := range d.entries {
		entries[i] = e
		postfix, ok := byNamespace[e.DeployPostfix]
		if e.model == modelNone || e.model == modelText || !ok {
			continue
		}
		was := e.EffectiveAlias()
		e.DeployPostfix = postfix
		e.value = withMember(e.value, "deployPostfix", textAt(postfix, e.value.Get("deployPostfix")))
		aliases[was] = e.EffectiveAlias()
		entries[i] = e
	}
	v := withMember(d.value, "applications", d.applicationList(entries))
	rest := withMember(d.value.Get("userData"), namespaceFlag, value.NullValue())
	rest.Delete(namespaceFlag) // what is kept has deploy postfixes
	v.Set("userData", rest)
	if len(rest.Members) == 0 {
		v.Delete("userData")
	}
	if graph := d.value.Get("deployGraph"); kindOf(graph) == value.List {
		v.Set("deployGraph", renamed(graph, aliases))
	}
	return &Descriptor{origin: d.origin, value: v, entries: entries}
}

// renamed returns the deployGraph with other aliases.
func renamed(graph *value.Value, aliases map[string]string) *value.Value {
	v := *graph
	v.Items = make([]*value.Value, len(graph.Items))
	for i, c := range graph.Items {
		v.Items[i] = c
		apps := c.Get("apps")
		if kindOf(apps) != value.List {
			continue
		}
		list := *apps
		list.Items = make([]*value.Value, len(apps.Items))
		for k, app := range apps.Items {
			list.Items[k] = app
			if text, ok := app.Str(); ok && aliases[text] != "" {
				list.Items[k] = textAt(aliases[text], app)
			}
		}
		v.Items[i] = withMember(c, "apps", &list)
	}
	return &v
}

// unknownPostfixes reports each deploy postfix that no namespace has, at its first application.
func (d *Descriptor) unknownPostfixes(byNamespace map[string]string) []*dovetail.Error {
	known := make(map[string]bool, len(byNamespace))
	for _, postfix := range byNamespace {
		known[postfix] = true
	}
	var found []*dovetail.Error
	for i := range d.entries {
		e := &d.entries[i]
		if e.model == modelNone || e.DeployPostfix == "" || known[e.DeployPostfix] {
			continue
		}
		known[e.DeployPostfix] = true
		found = append(found, newFault(ReasonUnknownNamespace, e.memberPosition("deployPostfix"), "add the namespace, or correct the deployPostfix",
			"the environment has no namespace for the deployPostfix "+strconv.Quote(e.DeployPostfix)))
	}
	return found
}
