package instancerepo_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/value"
)

func queryOf(t *testing.T, v *value.Value) instancerepo.EffectiveQuery {
	t.Helper()
	text := func(name string) string {
		said, _ := v.Get(name).Str()
		return said
	}
	environment, err := inventory.ParseEnvironment(text("environment"))
	if err != nil {
		t.Fatal(err)
	}
	return instancerepo.EffectiveQuery{Environment: environment, Context: parameters.Context(text("context")), Namespace: text("namespace"), Application: text("application")}
}

// The effective sets in expected.yaml are merged as it says.
func TestEffectiveSetsOfTheSample(t *testing.T) {
	vectors := readYAML(t, sample+"/expected.yaml").Get("effectiveSet").Items
	if len(vectors) < 5 {
		t.Fatalf("%d vectors", len(vectors))
	}
	contents := survey(t, sample)
	for _, want := range vectors {
		q := queryOf(t, want)
		t.Run(string(q.Context)+" "+q.Application, func(t *testing.T) {
			set, err := contents.EffectiveSet(q)
			var overlaps, wantOverlaps []string
			if e := dovetail.AsError(err); e != nil {
				for _, part := range append(slices.Clone(e.Errors), e) {
					if part.Position.Path != "" {
						overlaps = append(overlaps, strings.TrimPrefix(part.Position.Path, "/"))
					}
				}
			}
			if list := want.Get("overlaps"); list != nil {
				for _, item := range list.Items {
					wantOverlaps = append(wantOverlaps, item.Text)
				}
			}
			if !slices.Equal(overlaps, wantOverlaps) || err != nil && len(wantOverlaps) == 0 {
				t.Fatalf("overlaps %v, want %v: %v", overlaps, wantOverlaps, err)
			}
			if err != nil {
				q.OnOverlap = parameters.OverlapLaterWins
				if set, err = contents.EffectiveSet(q); err != nil {
					t.Fatal(err)
				}
			}
			if n := want.Get("topLevelKeys"); n != nil && n.Text != strconv.Itoa(len(set.Value.Members)) {
				t.Errorf("%d keys, want %s", len(set.Value.Members), n.Text)
			}
			if result := want.Get("result"); result != nil && !value.Equal(set.Value, result) {
				t.Errorf("%s, want %s", set.Value.JSON(), result.JSON())
			}
		})
	}
}

// The chains of ParamSets in expected.yaml are merged as it says, on every level.
func TestChainsOfTheSample(t *testing.T) {
	vectors := readYAML(t, sample+"/expected.yaml").Get("uiParameters").Items
	if len(vectors) < 3 {
		t.Fatalf("%d vectors", len(vectors))
	}
	contents := survey(t, sample)
	i := slices.IndexFunc(contents.Environments, func(e *instancerepo.EnvironmentContents) bool { return e.String() == "test-cluster/env-metadata-test" })
	e := contents.Environments[i]
	for _, want := range vectors {
		for _, result := range want.Get("result").Members {
			target := parameters.Target{Environment: e.Environment, Context: parameters.Context(result.Name)}
			for _, ns := range e.Namespaces {
				if name, ok := want.Get("namespace").Str(); ok && ns.Name == name {
					target.DeployPostfix = ns.DeployPostfix
				}
			}
			target.Application, _ = want.Get("application").Str()
			if got := parameters.Merge(parameters.Chain(target, e.Associated())).Value; !value.Equal(got, result.Value) {
				t.Errorf("%s of %s: %s, want %s", result.Name, target, got.JSON(), result.Value.JSON())
			}
		}
	}
}

func TestEffectiveSetRefusals(t *testing.T) {
	contents := survey(t, sample)
	environment := inventory.Environment{Cluster: "cluster-01", Name: "pl-01"}
	for _, test := range []struct {
		name string
		q    instancerepo.EffectiveQuery
		code dovetail.Code
	}{
		{"no environment", instancerepo.EffectiveQuery{Context: parameters.Pipeline}, dovetail.CodeNotFound},
		{"no namespace", instancerepo.EffectiveQuery{Environment: environment, Context: parameters.Runtime, Namespace: "pg", Application: "postgres"}, dovetail.CodeNotFound},
		{"no application named", instancerepo.EffectiveQuery{Environment: environment, Context: parameters.Runtime, Namespace: "pl-01-pg"}, dovetail.CodeInvalid},
		{"nothing generated", instancerepo.EffectiveQuery{Environment: environment, Context: parameters.Runtime, Namespace: "pl-01-pg", Application: "crm"}, dovetail.CodeNotFound},
		{"no namespace named", instancerepo.EffectiveQuery{Environment: environment, Context: parameters.Runtime, Application: "postgres"}, dovetail.CodeInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := contents.EffectiveSet(test.q); dovetail.CodeOf(err) != test.code {
				t.Errorf("%v", err)
			}
		})
	}
}

// Only the files that an environment may use are read for it.
func TestFilesFor(t *testing.T) {
	repository, err := instancerepo.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	environment := inventory.Environment{Cluster: "cluster-01", Name: "env-01"}
	all := make(map[string]bool)
	for f, err := range repository.FilesFor(t.Context(), environment) {
		if err != nil {
			t.Fatal(err)
		}
		all[f.Path] = true
		if !strings.HasPrefix(f.Path, instancerepo.Folder(environment)) && !strings.HasPrefix(f.Path, "environments/parameters/") && !strings.HasPrefix(f.Path, "environments/cluster-01/parameters/") {
			t.Errorf("%s was read", f.Path)
		}
	}
	for _, path := range []string{"environments/parameters/prod-shared.yml", "environments/cluster-01/parameters/cloud-level-params.yml", "environments/cluster-01/env-01/Namespaces/bss/namespace.yml"} {
		if !all[path] {
			t.Errorf("%s was not read", path)
		}
	}
	for _, err := range repository.FilesFor(t.Context(), inventory.Environment{Cluster: "none", Name: "none"}) {
		if err != nil {
			t.Errorf("an environment that is not there: %v", err)
		}
	}
}
