package solver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// FactsSource is the name of the source that the facts of a cluster are; no other source of a resolution with facts may be called so.
const FactsSource = "facts"

// facts are what a cluster has: what is selected has to fit it, and its versions and APIs meet needs, but are not selections.
type facts struct {
	source                *Source // with the packages kubernetes and openshift
	kubernetes, openShift *semver.Version
	installed             []subject // the packages
}

// readFacts reads {kubernetes?, openshift?, apis?: [{group?, version, kind}]}.
func (s *Spec) readFacts(f decode.Field) {
	of := &facts{}
	packages, apis := value.NewList(), value.NewList()
	for name, m := range f.As("facts").Members("kubernetes", "openshift", "apis") {
		switch name {
		case "kubernetes":
			of.kubernetes = clusterVersion(m)
		case "openshift":
			of.openShift = clusterVersion(m)
		case "apis":
			for _, item := range m.List("an API") {
				for _, member := range item.As("an API").Members("group", "version", "kind") {
					member.Text()
				}
				item.Require("version", "kind")
				for _, api := range spellings(item.Value) {
					apis.Items = append(apis.Items, value.NewMap(value.Member{Name: "type", Value: value.NewString(TypeGVK)}, value.Member{Name: "value", Value: api}))
				}
			}
		}
	}
	if of.kubernetes == nil && len(apis.Items) > 0 {
		f.Fail("add kubernetes: 1.29.3", "a cluster with APIs has a version of Kubernetes")
	}
	for _, p := range []struct {
		name       string
		version    *semver.Version
		properties *value.Value
	}{{"kubernetes", of.kubernetes, apis}, {"openshift", of.openShift, value.NewList()}} {
		if p.version == nil {
			continue
		}
		packages.Items = append(packages.Items, value.NewMap(value.Member{Name: "name", Value: value.NewString(p.name)},
			value.Member{Name: "versions", Value: value.NewList(value.NewMap(value.Member{Name: "version", Value: value.NewString(p.version.String())},
				value.Member{Name: "channels", Value: value.NewList(value.NewString(FactsSource))}, value.Member{Name: "properties", Value: p.properties}))}))
		one := subject{name: p.name, version: semver.MustParse(p.version.String()), source: FactsSource, policy: catalogProvided}
		one.finish()
		of.installed = append(of.installed, one)
	}
	of.source = NewParser().Source(value.NewMap(value.Member{Name: "name", Value: value.NewString(FactsSource)}, value.Member{Name: "packages", Value: packages}))
	s.facts = of
}

// spellings are the ways in which a need may name an API: those of the core group have no group, or an empty one.
func spellings(api *value.Value) []*value.Value {
	if group := member(api, "group"); group != nil && group.Text != "" || api.Kind != value.Map {
		return []*value.Value{api}
	}
	without, empty := api.Clone(), api.Clone()
	without.Delete("group")
	empty.Set("group", value.NewString(""))
	return []*value.Value{without, empty}
}

// member returns a member of what may not be a map.
func member(of *value.Value, name string) *value.Value {
	if of == nil || of.Kind != value.Map {
		return nil
	}
	return of.Get(name)
}

// clusterVersion reads the version of a cluster as it says it, v1.29.3+k3s1 or 1.29 too.
func clusterVersion(f decode.Field) *semver.Version {
	text, ok := f.AnyText()
	if !ok {
		return nil
	}
	version, err := semver.NewVersion(text)
	if err != nil {
		f.Fail("write it as kubectl version shows it: v1.29.3", "%s is not a version", decode.Quote(text))
		return nil
	}
	return version
}

// withFacts is the spec in which what the cluster has is installed, and stays so in a plan.
func (s *Spec) withFacts() *Spec {
	with := *s
	if !s.Planned() {
		return &with
	}
	with.installed = slices.Concat(s.installed, s.facts.installed)
	with.Constraints = slices.Clone(s.Constraints)
	for _, of := range s.facts.installed {
		has := &selector{name: of.name, source: FactsSource, versions: anyVersion, text: of.name, key: "facts " + of.name}
		with.Constraints = append(with.Constraints, &Constraint{kind: isExpression, expression: asExpression(required, has), text: "the cluster has " + of.name + " " + of.version.String()})
	}
	return &with
}

// withoutFacts returns selections without what the cluster has.
func withoutFacts(selections []Selection) []Selection {
	return slices.DeleteFunc(selections, func(s Selection) bool { return s.Source == FactsSource })
}

// clusterNeeds are what a version needs of the cluster, by its properties.
type clusterNeeds struct {
	minKubernetes *semver.Version // olm.csv.metadata of OLM, or minKubeVersion
	kubernetes    *Range          // helm.kubeVersion
	maxOpenShift  *semver.Version // olm.maxOpenShiftVersion: up to this minor version
}

// read takes in a property. What is no version counts as absent, as it does in clusters.
func (n *clusterNeeds) read(kind string, v *value.Value) {
	switch kind {
	case "olm.csv.metadata":
		n.minKubernetes = looseVersion(member(v, "minKubeVersion"))
	case "minKubeVersion":
		n.minKubernetes = looseVersion(v)
	case "helm.kubeVersion":
		if text, ok := v.Str(); ok {
			n.kubernetes, _ = ParseRange(text)
		}
	case "olm.maxOpenShiftVersion":
		n.maxOpenShift = looseVersion(v)
	}
}

func looseVersion(v *value.Value) *semver.Version {
	if v == nil || v.Kind != value.String && v.Kind != value.Number {
		return nil
	}
	version, err := semver.NewVersion(strings.TrimSpace(v.Text))
	if err != nil {
		return nil
	}
	return version
}

// unfit says why a version does not fit the cluster of the problem; "" if it does, or nothing is known of the cluster.
func (p *Problem) unfit(v *Version) string {
	of, needs := p.spec.facts, &v.cluster
	if of == nil {
		return ""
	}
	if of.kubernetes != nil {
		has := semver.New(of.kubernetes.Major(), of.kubernetes.Minor(), of.kubernetes.Patch(), "", "")
		switch {
		case needs.minKubernetes != nil && has.LessThan(needs.minKubernetes):
			return fmt.Sprintf("needs Kubernetes %s, and the cluster has %s", needs.minKubernetes.Original(), of.kubernetes.Original())
		case needs.kubernetes != nil && !needs.kubernetes.admits(has):
			return fmt.Sprintf("needs Kubernetes %s, and the cluster has %s", needs.kubernetes, of.kubernetes.Original())
		}
	}
	if last := needs.maxOpenShift; of.openShift != nil && last != nil &&
		(of.openShift.Major() > last.Major() || of.openShift.Major() == last.Major() && of.openShift.Minor() > last.Minor()) {
		return fmt.Sprintf("is for OpenShift up to %d.%d, and the cluster has %s", last.Major(), last.Minor(), of.openShift.Original())
	}
	return ""
}

// leavesOut reports whether a version is no candidate in the problem, whatever is asked for.
func (p *Problem) leavesOut(of *Package, v *Version) bool {
	return p.unfit(v) != "" || p.withdraws(of, v)
}
