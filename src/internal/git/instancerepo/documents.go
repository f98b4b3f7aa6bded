package instancerepo

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// Document is what a file, or a part of one, is in the store.
type Document struct {
	ID       dovetail.ID
	Data     *value.Value      // with metadata and spec; a part of it is that of Contents, and is not to be changed
	Position dovetail.Position // where it stands in the repository
}

// Environment returns the environment that the document is, or is of, and false for those of clusters
// and all that is above.
func (d *Document) Environment() (inventory.Environment, bool) {
	key := d.ID.Key()
	cluster, _ := key.Value("cluster")
	name, ok := key.Value("environment")
	return inventory.Environment{Cluster: cluster, Name: name}, ok
}

// FromStored returns a stored document. The error has the code CodeCorrupt.
func FromStored(doc *dovetail.Document) (Document, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return Document{}, err
	}
	return Document{ID: doc.ID, Data: data, Position: dovetail.Position{File: string(doc.ID)}}, nil
}

// The members of documents that files call otherwise, or do not have.
const (
	namespaceMember  = "namespace"  // of a namespace: its name on the cluster
	parametersMember = "parameters" // of a part of an effective set
	unresolvedMember = "unresolved" // of an environment: entries that no association can be
	fileNameMember   = "name"
	domainName       = "bg-domain" // of a domain that has no name
)

// Documents returns all that the contents say, in the order of ids. What Defects tell of is left out, but
// for the entries that no association can be: they stay with their environment.
func (c *Contents) Documents() []Document {
	var all []Document
	for _, cluster := range c.Clusters {
		all = append(all, ClusterDocument(cluster))
	}
	environments := make(map[inventory.Environment]*value.Value)
	for _, e := range c.Environments {
		spec := e.spec()
		environments[e.Environment] = spec
		all = append(all, newDocument(e.ID(), spec, dovetail.Position{File: cmp.Or(e.DefinitionFile, pathOf(e.Environment))}))
		all = append(all, e.associations()...)
		for _, ns := range e.Namespaces {
			if ns.Data == nil {
				all = append(all, newDocument(e.ID().Child("deployPostfix", ns.DeployPostfix), value.NewMap(), dovetail.Position{File: pathOf(e.Environment, "Namespaces", ns.DeployPostfix)}))
			}
		}
	}
	for _, f := range c.files {
		if f.shape == specMember {
			cluster, _ := f.key.Value("cluster")
			environments[inventory.Environment{Cluster: cluster, Name: f.name()}].Set(f.member, f.data)
			continue
		}
		all = append(all, f.documents()...)
	}
	slices.SortFunc(all, func(a, b Document) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// ClusterDocument is the document of a folder of a cluster.
func ClusterDocument(cluster string) Document {
	return newDocument(dovetail.ID("").Child("cluster", cluster), value.NewMap(), dovetail.Position{File: "environments/" + cluster})
}

// newDocument makes a document whose name is the last element of its key.
func newDocument(id dovetail.ID, spec *value.Value, at dovetail.Position) Document {
	key := id.Key()
	name := value.NewMap(value.Member{Name: "name", Value: value.NewString(key[len(key)-1].Value)})
	return Document{ID: id, Position: at, Data: value.NewMap(value.Member{Name: "metadata", Value: name}, value.Member{Name: "spec", Value: spec})}
}

// documents are those of a file that holds nothing of an environment's own document.
func (c *content) documents() []Document {
	spec := c.data
	position := dovetail.Position{File: c.file, Line: int(max(c.data.Line, 1))}
	switch c.shape {
	case inventoryShape, specMember:
		return nil
	case manySpecs:
		var all []Document
		for _, m := range c.data.Members {
			if m.Value.Kind == value.Map && dovetail.CheckValue(m.Name) == "" {
				all = append(all, newDocument(c.key.ID().Child(c.kind, m.Name), m.Value, m.In(c.file)))
			}
		}
		return all
	case namespaceSpec:
		spec = renamed(without(c.data, namespaceMember), fileNameMember, namespaceMember)
	case parameterSpec:
		spec = value.NewMap(value.Member{Name: parametersMember, Value: c.data})
	case domainSpec:
		return []Document{newDocument(c.key.ID().Child(c.kind, nameOfDomain(c.data)), spec, position)}
	case wholeSpec:
		if applications := c.data.Get("applications"); c.kind == "solutionDescriptor" && (applications == nil || applications.Kind != value.List) {
			return nil
		}
	}
	return []Document{newDocument(c.key.ID(), spec, position)}
}

// nameOfDomain is the last element of the key of a blue-green domain.
func nameOfDomain(data *value.Value) string {
	if name, ok := data.Get(fileNameMember).Str(); ok && dovetail.CheckValue(name) == "" {
		return name
	}
	return domainName
}

// spec is that of an environment, with its inventory except the associations that it has.
func (e *EnvironmentContents) spec() *value.Value {
	spec := value.NewMap()
	if definition := e.Definition; definition != nil {
		if template := definition.Get(templateMember); template != nil && template.Kind == value.Map {
			for _, section := range sections {
				template = without(template, section.member)
			}
			definition = without(definition, templateMember)
			if len(template.Members) > 0 {
				definition = replaced(e.Definition, templateMember, template)
			}
		}
		if len(definition.Members) > 0 {
			spec.Set("definition", definition)
		}
	}
	var unresolved []*value.Value
	for _, a := range slices.SortedStableFunc(slices.Values(e.Associations), byObject) {
		if !e.holds(a) {
			unresolved = append(unresolved, value.NewMap(
				value.Member{Name: "context", Value: value.NewString(a.Context.Token())},
				value.Member{Name: "associatedObject", Value: value.NewString(a.Object)},
				value.Member{Name: "order", Value: value.NewNumber(int64(a.Order))},
				value.Member{Name: "name", Value: value.NewString(a.Name)}))
		}
	}
	if unresolved != nil {
		spec.Set(unresolvedMember, value.NewList(unresolved...))
	}
	return spec
}

// byObject orders associations by their context and object, which are members of maps.
func byObject(a, b *Association) int {
	of := func(c parameters.Context) int { return slices.Index(parameters.Contexts(), c) }
	return cmp.Or(cmp.Compare(of(a.Context), of(b.Context)), cmp.Compare(a.Object, b.Object))
}

// associations are the documents of those that there can be, numbered without gaps.
func (e *EnvironmentContents) associations() []Document {
	type list struct {
		context parameters.Context
		object  string
	}
	next := make(map[list]int)
	var all []Document
	for _, a := range e.Associations {
		if !e.holds(a) {
			continue
		}
		location, err := parameters.ParseLocation(a.ParamSet.Location)
		if err != nil {
			continue // there is none that is not one of the three
		}
		in := list{a.Context, a.Object}
		spec := value.NewMap(
			value.Member{Name: "context", Value: value.NewString(a.Context.Token())},
			value.Member{Name: "associatedObject", Value: value.NewString(a.Object)},
			value.Member{Name: "order", Value: value.NewNumber(int64(next[in]))},
			value.Member{Name: paramSetKind(location), Value: value.NewString(a.Name)})
		next[in]++
		if a.Object != parameters.Cloud {
			spec.Set("deployPostfix", value.NewString(e.namespaceOf(a.Object).DeployPostfix))
		}
		id := parameters.AssociationID(e.Environment, a.Context, a.Object, parameters.ParamSetID(location, a.Name))
		all = append(all, newDocument(e.ID().Child(AssociationKind, id), spec, a.Position))
	}
	return all
}

// paramSetKind is the kind of the ParamSets at a location.
func paramSetKind(l parameters.Location) string {
	switch {
	case l.Cluster == "":
		return "siteParamSet"
	case l.Name == "":
		return "clusterParamSet"
	}
	return "environmentParamSet"
}

// without returns the map without a member, itself when it has none.
func without(v *value.Value, name string) *value.Value {
	if v.Get(name) == nil {
		return v
	}
	changed := shallow(v)
	changed.Delete(name)
	return changed
}

// replaced returns the map with another value for a member.
func replaced(v *value.Value, name string, to *value.Value) *value.Value {
	changed := shallow(v)
	changed.Set(name, to)
	return changed
}

// renamed returns the map with another name for a member, itself when it has none.
func renamed(v *value.Value, from, to string) *value.Value {
	at := slices.IndexFunc(v.Members, func(m value.Member) bool { return m.Name == from })
	if at < 0 {
		return v
	}
	changed := shallow(v)
	changed.Members[at].Name = to
	return changed
}

func shallow(v *value.Value) *value.Value {
	changed := *v
	changed.Members = slices.Clone(v.Members)
	return &changed
}
