package instancerepo

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// EffectiveQuery says which effective set to look at, and how.
type EffectiveQuery struct {
	Environment inventory.Environment
	Context     parameters.Context
	Namespace   string // its name on the cluster
	Application string
	View        parameters.View // default parameters.ViewGenerated
	OnOverlap   parameters.OnOverlap
}

// EffectiveSet returns an effective set as the files of its environment say, which must be among the
// contents. Errors: CodeInvalid for a query that there cannot be, CodeNotFound for the environment, the
// namespace, or an effective set that was not generated, and those of parameters.Effective.
func (c *Contents) EffectiveSet(q EffectiveQuery) (*parameters.EffectiveSet, error) {
	e, target, folder, err := c.Target(q)
	if err != nil {
		return nil, err
	}
	files := c.effectiveFiles(target, folder)
	if len(files) == 0 {
		return nil, notFound("no "+string(q.Context)+" effective set was generated for "+target.String(), "generate it, or correct what you ask for")
	}
	var inputs, overrides []parameters.Layer
	if cmp.Or(q.View, parameters.ViewGenerated) != parameters.ViewGenerated {
		inputs, overrides = parameters.Split(target, e.Associated())
	}
	if q.View != parameters.ViewExplain {
		inputs = nil
	}
	return parameters.Effective(inputs, files, overrides, q.OnOverlap)
}

// Target finds what a query is about: the environment, the target in it, and the folder of its namespace. Errors: CodeInvalid for a query that there cannot be,
// CodeNotFound for the environment and the namespace.
func (c *Contents) Target(q EffectiveQuery) (e *EnvironmentContents, t parameters.Target, folder string, err error) {
	i := slices.IndexFunc(c.Environments, func(e *EnvironmentContents) bool { return e.Environment == q.Environment })
	if i < 0 {
		return nil, t, "", notFound("there is no environment "+q.Environment.String(), "name one that has a folder in the repository")
	}
	t, folder, err = c.Environments[i].target(q)
	return c.Environments[i], t, folder, err
}

func notFound(message, remedy string) error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: message, Remedy: remedy}
}

// target finds what a query is about, and the folder of its namespace.
func (e *EnvironmentContents) target(q EffectiveQuery) (t parameters.Target, folder string, err error) {
	t = parameters.Target{Environment: e.Environment, Context: q.Context}
	if q.Context == parameters.Pipeline {
		return t, "", nil // that of the environment, whatever else is named
	}
	if q.Namespace != "" {
		i := slices.IndexFunc(e.Namespaces, func(ns *Namespace) bool { return ns.Name == q.Namespace })
		if i < 0 {
			return t, "", notFound("the environment "+e.String()+" has no namespace "+q.Namespace, "give the name of a namespace on the cluster, not its deploy postfix")
		}
		folder = e.Namespaces[i].DeployPostfix
		t.DeployPostfix = parameters.ForRole(folder, e.role(q.Namespace))
	}
	t.Application = q.Application
	if err := t.Check(); err != nil {
		return t, "", err
	}
	return t, folder, parameters.CheckEffective(t)
}

// role is what a namespace is in the environment's blue-green domain.
func (e *EnvironmentContents) role(namespace string) parameters.Role {
	for role, member := range map[parameters.Role]string{parameters.Origin: "originNamespace", parameters.Peer: "peerNamespace"} {
		if name, _ := e.BGDomain.At(member, "name").Str(); name == namespace {
			return role
		}
	}
	return ""
}

// effectiveFiles are the files of a target's effective set that there are, in their order.
func (c *Contents) effectiveFiles(t parameters.Target, folder string) []parameters.Layer {
	root := pathOf(t.Environment, "effective-set")
	if folder != "" {
		t.DeployPostfix = folder
	}
	var files []parameters.Layer
	for i, name := range parameters.EffectiveFiles(t) {
		stem := strings.TrimSuffix(path.Join(root, name), path.Ext(name))
		for _, f := range c.files {
			if strings.TrimSuffix(f.file, path.Ext(f.file)) == stem {
				source := parameters.Source{Name: strings.TrimPrefix(f.file, root+"/"), File: true, Order: i}
				files = append(files, parameters.Layer{Source: source, Values: f.data})
			}
		}
	}
	return files
}

// Associated are the ParamSets that the environment uses, as package parameters takes them.
func (e *EnvironmentContents) Associated() []parameters.Associated {
	var all []parameters.Associated
	for _, a := range e.Associations {
		if a.ParamSet == nil {
			continue
		}
		location, err := parameters.ParseLocation(a.ParamSet.Location)
		if err != nil {
			continue // no file of such a location is a ParamSet
		}
		all = append(all, parameters.Associated{Context: a.Context, Object: a.Object, Order: a.Order, Name: a.Name, Location: location, ParamSet: a.ParamSet.Data})
	}
	return all
}
