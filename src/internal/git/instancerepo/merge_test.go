package instancerepo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

// byID finds the documents of the sample.
func byID(documents []instancerepo.Document) map[dovetail.ID]*value.Value {
	specs := make(map[dovetail.ID]*value.Value)
	for _, d := range documents {
		specs[d.ID] = d.Data.Get("spec")
	}
	return specs
}

// target reads the environment, the namespace and the application of an entry of expected.yaml, whose
// namespaces are called as on the cluster.
func target(t *testing.T, specs map[dovetail.ID]*value.Value, environment string, entry *value.Value) parameters.Target {
	t.Helper()
	env, err := inventory.ParseEnvironment(environment)
	if err != nil {
		t.Fatal(err)
	}
	at := parameters.Target{Environment: env}
	at.Application, _ = entry.Get("application").Str()
	if name, ok := entry.Get("namespace").Str(); ok {
		for id, spec := range specs {
			key := id.Key()
			if said, _ := spec.Get("namespace").Str(); key[len(key)-1].Name == "deployPostfix" && said == name && id.IsDescendantOf(environmentID(env)) {
				at.DeployPostfix = key[len(key)-1].Value
			}
		}
	}
	return at
}

func environmentID(e inventory.Environment) dovetail.ID {
	return dovetail.ID("").Child("cluster", e.Cluster).Child("environment", e.Name)
}

// The parts of the effective set, as documents, merge to what the sample says.
func TestEffectiveSetOfTheSample(t *testing.T) {
	specs := byID(survey(t, sample).Documents())
	for _, want := range readYAML(t, sample+"/expected.yaml").Get("effectiveSet").Items {
		at := target(t, specs, want.Get("environment").Text, want)
		at.Context = parameters.Context(want.Get("context").Text)
		t.Run(fmt.Sprint(at.Context, " ", at), func(t *testing.T) {
			var files []parameters.Layer
			for _, name := range parameters.EffectiveFiles(at) {
				part := specs[environmentID(at.Environment).Child("effectiveSetPart", name)]
				if part == nil {
					t.Fatalf("there is no %s", name)
				}
				files = append(files, parameters.Layer{Source: parameters.Source{Name: name, File: true}, Values: part.Get("parameters")})
			}
			merged, err := parameters.Effective(nil, files, nil, parameters.OverlapLaterWins)
			if err != nil {
				t.Fatal(err)
			}
			if result := want.Get("result"); result != nil && !value.Equal(merged.Value, result) {
				t.Errorf("%s, want %s", merged.Value.JSON(), result.JSON())
			}
			if n := want.Get("topLevelKeys"); n != nil && fmt.Sprint(len(merged.Value.Members)) != n.Text {
				t.Errorf("%d members, want %s", len(merged.Value.Members), n.Text)
			}
			var overlaps, wanted []string
			for _, o := range parameters.Overlaps(files) {
				overlaps = append(overlaps, strings.Split(o.Path, "/")[1])
			}
			slices.Sort(overlaps)
			if list := want.Get("overlaps"); list != nil {
				for _, item := range list.Items {
					wanted = append(wanted, item.Text)
				}
			}
			if overlaps = slices.Compact(overlaps); !slices.Equal(overlaps, wanted) {
				t.Errorf("overlaps %v, want %v", overlaps, wanted)
			}
			if _, err := parameters.Effective(nil, files, nil, parameters.OverlapRefused); (err != nil) != (len(wanted) > 0) {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

// The ParamSets that documents associate make the chains that the sample says.
func TestParametersOfTheSample(t *testing.T) {
	const environment = "test-cluster/env-metadata-test"
	documents := survey(t, sample).Documents()
	specs := byID(documents)
	for _, want := range readYAML(t, sample+"/expected.yaml").Get("uiParameters").Items {
		at := target(t, specs, environment, want)
		t.Run(want.Get("level").Text, func(t *testing.T) {
			for _, context := range parameters.Contexts() {
				result := want.At("result", string(context))
				if result == nil {
					continue
				}
				at.Context = context
				merged := parameters.Merge(parameters.Chain(at, associated(t, documents, at.Environment)))
				if !value.Equal(merged.Value, result) {
					t.Errorf("%s: %s, want %s", context, merged.Value.JSON(), result.JSON())
				}
			}
		})
	}
}

// associated are the ParamSets that an environment uses.
func associated(t *testing.T, documents []instancerepo.Document, env inventory.Environment) []parameters.Associated {
	t.Helper()
	specs := byID(documents)
	var all []parameters.Associated
	for _, d := range documents {
		key := d.ID.Key()
		if key[len(key)-1].Name != instancerepo.AssociationKind || !d.ID.IsDescendantOf(environmentID(env)) {
			continue
		}
		spec := d.Data.Get("spec")
		context, err := parameters.ParseContext(spec.Get("context").Text)
		if err != nil {
			t.Fatal(err)
		}
		a := parameters.Associated{Context: context, Object: spec.Get("associatedObject").Text}
		if _, err := fmt.Sscan(spec.Get("order").Text, &a.Order); err != nil {
			t.Fatal(err)
		}
		for kind, parent := range map[string]dovetail.ID{"environmentParamSet": environmentID(env), "clusterParamSet": environmentID(env)[:len("cluster/")+len(env.Cluster)], "siteParamSet": ""} {
			if name, ok := spec.Get(kind).Str(); ok {
				a.Name, a.ParamSet = name, specs[parent.Child(kind, name)]
			}
		}
		if a.ParamSet == nil {
			t.Fatalf("%s has no ParamSet", d.ID)
		}
		all = append(all, a)
	}
	return all
}
