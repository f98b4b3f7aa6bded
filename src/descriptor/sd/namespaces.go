package sd

import (
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// namespaceFlag is the member of userData that says that deployPostfix holds names of namespaces.
const namespaceFlag = "useDeployPostfixAsNamespace"

// namesNamespaces reports whether the SD has names of namespaces instead of deploy postfixes.
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

// Domain is a blue-green domain: the names of the two namespaces that take turns.
type Domain struct{ Origin, Peer string }

// DomainOf reads what a blue-green domain says; nil if there is none.
func DomainOf(domain *value.Value) *Domain {
	if domain == nil {
		return nil
	}
	origin, _ := domain.At("originNamespace", "name").Str()
	peer, _ := domain.At("peerNamespace", "name").Str()
	return &Domain{Origin: origin, Peer: peer}
}

// Shared returns the deploy postfix that a namespace of the domain shares with the other one: its own without the role
// at its end, if its name is that of the role. It returns false for namespaces outside of the domain.
func (d *Domain) Shared(name, postfix string) (string, bool) {
	if d == nil {
		return "", false
	}
	for _, role := range []struct{ suffix, name string }{{"-origin", d.Origin}, {"-peer", d.Peer}} {
		if shared, ok := strings.CutSuffix(postfix, role.suffix); ok && shared != "" && strings.EqualFold(name, role.name) {
			return shared, true
		}
	}
	return "", false
}

// unknownPostfixes reports each deploy postfix that no namespace has, at its first application.
func (d *Descriptor) unknownPostfixes(state State) []*dovetail.Error {
	known := make(map[string]bool, len(state.Namespaces))
	for name, postfix := range state.Namespaces {
		known[postfix] = true
		if shared, ok := state.Domain.Shared(name, postfix); ok {
			known[shared] = true
		}
	}
	var found []*dovetail.Error
	for i := range d.entries {
		e := &d.entries[i]
		if e.model == modelNone || e.DeployPostfix == "" || known[e.DeployPostfix] {
			continue
		}
		known[e.DeployPostfix] = true
		found = append(found, newFault(ReasonUnknownNamespace, e.memberPosition("deployPostfix"), "add the namespace, or correct the deployPostfix",
			strings.TrimSpace("the environment "+state.Environment)+" has no namespace for the deployPostfix "+strconv.Quote(e.DeployPostfix)))
	}
	return found
}
