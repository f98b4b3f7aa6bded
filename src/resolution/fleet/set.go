package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Kind is that of ActiveResolutionSets, and the name of their key element.
const Kind = "activeResolutionSet"

// KindCluster is that of the documents that a selector selects.
const KindCluster = "cluster"

// The labels of the ActiveResolutions that are kept.
const (
	labelSet     = "resolution.dovetail.dev/set"
	labelCluster = "resolution.dovetail.dev/cluster"
)

// ReasonInvalidSet says that a set cannot be understood beside its template.
const ReasonInvalidSet = "InvalidSpec"

// Set is what an ActiveResolutionSet asks for. It is not changed after it was read.
type Set struct {
	Name   string
	Digest string // of all that is asked for

	approval bool
	selects  bool // clusters by their labels
	selector selector.Labels
	clusters []cluster // by name, as written

	labels, annotations, spec *value.Value // of the template; the first two may be nil
	size                      int          // of what is written for each cluster, in bytes, about
	sources                   []dovetail.ID
	err                       error
}

// cluster is what is said of one cluster beside the template.
type cluster struct {
	name                                     string
	facts, annotations, constraints, windows *value.Value // nil where nothing is said
}

// Cluster is a stored document of a cluster, as far as sets look at it.
type Cluster struct {
	Data  *value.Value
	Facts *value.Value // nil if there is none
}

// Member is the ActiveResolution that a set asks for for one cluster.
type Member struct {
	Cluster string
	ID      dovetail.ID
	Data    *value.Value
	digest  string
}

// ID is that of the set with a name.
func ID(name string) dovetail.ID { return dovetail.ID("").Child(Kind, name) }

// Read reads a set. What is wrong with it, Members tells; the error is of CodeCorrupt.
func Read(doc *dovetail.Document) (*Set, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	key := doc.Key()
	s := readData(data)
	s.Name = key[len(key)-1].Value
	return s, nil
}

// readData reads what the data of a set ask for.
func readData(data *value.Value) *Set {
	s := &Set{}
	spec := data.Get("spec")
	sum := sha256.Sum256(spec.AppendJSON(nil))
	s.Digest = "sha256:" + hex.EncodeToString(sum[:])
	s.err = s.read(spec)
	return s
}

// read reads the spec, whose form the schema of the kind has checked.
func (s *Set) read(spec *value.Value) error {
	var d decode.Decoder
	root := d.Root(spec, "the spec", "/spec")
	if selects := root.Get("clusterSelector"); !selects.IsMissing() {
		var err error
		s.selects = true
		if s.selector, err = selector.ParseLabels(selects.Value.Text); err != nil {
			selects.Join(err)
		}
	}
	seen := make(map[string]bool)
	for _, item := range root.Get("clusters").Items("a cluster") {
		c := cluster{name: item.Get("name").Text(), facts: item.Value.Get("facts"), annotations: item.Value.Get("annotations"),
			constraints: item.Value.Get("constraints"), windows: item.Value.Get("windows")}
		switch why := dovetail.CheckValue(c.name); {
		case why != "":
			item.Get("name").Fail("correct the name", "no cluster can be called %s: %s", decode.Quote(c.name), why)
		case seen[c.name]:
			item.Get("name").Fail("keep one", "duplicate %s", decode.Quote(c.name))
		}
		seen[c.name] = true
		s.clusters = append(s.clusters, c)
	}
	template := spec.Get("template")
	s.labels, s.annotations, s.spec = template.At("metadata", "labels"), template.At("metadata", "annotations"), template.Get("spec")
	if s.spec == nil {
		s.spec = value.NewMap()
	}
	s.size = len(template.AppendJSON(nil))
	asked, err := solver.ParseSpec(s.spec)
	if err != nil {
		root.Get("template").Get("spec").Join(err)
	}
	s.approval, s.sources = asked.Approval, inputsOf(asked)
	return d.Err("the set is refused")
}

// inputsOf are the sources that the answers are made from.
func inputsOf(spec *solver.Spec) []dovetail.ID {
	if !spec.Listed() {
		return []dovetail.ID{dovetail.AllOf(sourcedoc.KindSource)}
	}
	var ids []dovetail.ID
	for _, name := range spec.Sources {
		if id := sourcedoc.ID(name); dovetail.CheckValue(name) == "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Inputs are the documents that the status is made from.
func (s *Set) Inputs() []dovetail.ID {
	if s.selects {
		return append(slices.Clone(s.sources), dovetail.AllOf(KindCluster))
	}
	return s.sources
}

// Needs are the rights that a principal needs to make a set ask for what it does (store.OnBehalf): to read the clusters that a selector chooses from, and to
// create the ActiveResolutions that are kept.
func Needs(id dovetail.ID, before, after *value.Value) []store.Need {
	spec := after.Get("spec")
	if before != nil && value.Equal(before.Get("spec"), spec) {
		return nil
	}
	if spec.Get("clusterSelector") != nil {
		return selectorNeeds()
	}
	var needs []store.Need
	if clusters := spec.Get("clusters"); clusters != nil {
		for _, c := range clusters.Items {
			if name := c.Get("name"); name != nil && dovetail.CheckValue(name.Text) == "" { // a set with another name asks for nothing
				needs = append(needs, store.Need{Right: dovetail.RightCreate, ID: memberID(id.Key()[0].Value, name.Text)})
			}
		}
	}
	return needs
}

// How many clusters a set may have, and how large what is written for all of them may be, in bytes: a short request must not fill a store.
const (
	maxClusters = 20_000
	maxWritten  = 512 << 20
)

// Members are the ActiveResolutions that the set asks for, in the order of the names of clusters; stored are all clusters that there are, by name. The
// error says what is wrong with the set: then it asks for nothing, and what is kept of it stays.
func (s *Set) Members(stored map[string]Cluster) ([]Member, error) {
	if s.err != nil {
		return nil, s.err
	}
	all := make(map[string]cluster)
	if s.selects {
		for name, c := range stored {
			if s.selector.Matches(c.Data) {
				all[name] = cluster{name: name, facts: c.Facts}
			}
		}
	}
	for _, c := range s.clusters {
		c.facts = over(all[c.name].facts, c.facts)
		all[c.name] = c
	}
	switch {
	case len(all) > maxClusters:
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Reason: ReasonInvalidSet, Message: fmt.Sprintf("the set has %d clusters; it may have %d", len(all), maxClusters),
			Remedy: "make several sets of it"}
	case len(all)*s.size > maxWritten:
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Reason: ReasonInvalidSet,
			Message: fmt.Sprintf("what is written for %d clusters has %d MiB; it may have %d", len(all), len(all)*s.size>>20, maxWritten>>20), Remedy: "make the template smaller, or several sets of it"}
	}
	members := make([]Member, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		members = append(members, s.member(all[name]))
	}
	return members, nil
}

// member makes the ActiveResolution of a cluster.
func (s *Set) member(c cluster) Member {
	id := memberID(s.Name, c.name)
	labels := value.NewMap()
	labels.Set(labelSet, value.NewString(s.Name))
	labels.Set(labelCluster, value.NewString(c.name))
	metadata := value.NewMap(value.Member{Name: "name", Value: value.NewString(id.Key()[0].Value)}, value.Member{Name: "labels", Value: over(s.labels, labels)})
	if annotations := over(s.annotations, c.annotations); annotations != nil {
		metadata.Set("annotations", annotations)
	}
	spec := value.NewMap(value.Member{Name: "set", Value: value.NewString(s.Name)})
	spec.Members = append(spec.Members, s.spec.Members...)
	if facts := over(s.spec.Get("facts"), c.facts); facts != nil {
		spec.Set("facts", facts)
	}
	if c.constraints != nil {
		var list []*value.Value
		if shared := s.spec.Get("constraints"); shared != nil {
			list = append(list, shared.Items...)
		}
		spec.Set("constraints", value.NewList(append(list, c.constraints.Items...)...))
	}
	if c.windows != nil {
		spec.Set("windows", c.windows)
	}
	data := value.NewMap(value.Member{Name: "metadata", Value: metadata}, value.Member{Name: "spec", Value: spec})
	return Member{Cluster: c.name, ID: id, Data: data, digest: digestOf(data)}
}

// memberID is that of the ActiveResolution of a cluster.
func memberID(set, cluster string) dovetail.ID {
	return dovetail.ID("").Child(state.Kind, set+"-"+cluster)
}

// over returns the members of a map with those of another in their place; nil for neither.
func over(below, above *value.Value) *value.Value {
	switch {
	case above == nil:
		return below
	case below == nil:
		return above
	}
	both := value.BuilderOf(below.Clone())
	both.SetAll(above)
	return both.Map()
}

// digestOf tells apart what the members of sets say, whatever the order of members, and whoever is noted as their author.
func digestOf(data *value.Value) string {
	hash := sha256.New()
	for _, path := range [][]string{{"spec"}, {"metadata", "labels"}, {"metadata", "annotations"}} {
		if part := data.At(path...); part != nil {
			hash.Write(sorted(part).AppendJSON(nil))
		}
		hash.Write([]byte{'\n'})
	}
	return string(hash.Sum(nil))
}

// sorted returns a value with the members of maps in the order of their names.
func sorted(v *value.Value) *value.Value {
	switch v.Kind {
	case value.Map:
		made := value.NewMap()
		for _, m := range v.Members {
			if m.Name != state.AuthorAnnotation {
				made.Members = append(made.Members, value.Member{Name: m.Name, Value: sorted(m.Value)})
			}
		}
		slices.SortFunc(made.Members, func(a, b value.Member) int { return cmp.Compare(a.Name, b.Name) })
		return made
	case value.List:
		made := value.NewList()
		for _, item := range v.Items {
			made.Items = append(made.Items, sorted(item))
		}
		return made
	default:
		return v
	}
}
