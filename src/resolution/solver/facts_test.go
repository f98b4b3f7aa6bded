package solver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// clusterCatalog has versions that need something of the cluster, by each property that says so.
const clusterCatalog = `
sources:
- name: cat
  packages:
  - name: web
    versions:
    - {version: 1.0.0, channels: [c]}
    - {version: 2.0.0, channels: [c], properties: [{type: helm.kubeVersion, value: '>=1.25.0-0'}]}
    - {version: 3.0.0, channels: [c], properties: [{type: olm.csv.metadata, value: {minKubeVersion: 1.30.0}}]}
  - name: old
    versions:
    - {version: 1.0.0, channels: [c]}
    - {version: 0.9.0, channels: [c]}
    - {version: 1.1.0, channels: [c], properties: [{type: olm.maxOpenShiftVersion, value: '4.8'}]}
  - name: needy
    versions:
    - {version: 1.0.0, channels: [c], dependencies: [{name: kubernetes, versionRange: '>=1.28'}, {gvk: {group: apps, version: v1, kind: Deployment}}]}
  - name: core
    versions:
    - {version: 1.0.0, channels: [c], dependencies: [{gvk: {group: '', version: v1, kind: Pod}}, {gvk: {version: v1, kind: Pod}}]}
`

func TestFacts(t *testing.T) {
	const apis = ", apis: [{group: apps, version: v1, kind: Deployment}, {version: v1, kind: Pod}]"
	tests := []struct {
		name, spec string
		selections []string
		plan       string
		says       string // of a conflict
	}{
		{name: "nothing is known", spec: `{constraints: ['required("web")', 'required("old")']}`, selections: []string{"cat:web:3.0.0:c", "cat:old:1.1.0:c"}},
		{name: "a new cluster", spec: `{facts: {kubernetes: v1.31.2+k3s1}, constraints: ['required("web")']}`, selections: []string{"cat:web:3.0.0:c"}},
		{name: "an older cluster", spec: `{facts: {kubernetes: v1.29.3-gke.100}, constraints: ['required("web")']}`, selections: []string{"cat:web:2.0.0:c"}},
		{name: "an old cluster", spec: `{facts: {kubernetes: "1.24"}, constraints: ['required("web")']}`, selections: []string{"cat:web:1.0.0:c"}},
		{name: "OpenShift", spec: `{facts: {kubernetes: "1.29", openshift: 4.12.3}, constraints: ['required("old")']}`, selections: []string{"cat:old:1.0.0:c"}},
		{name: "OpenShift of the last minor version", spec: `{facts: {openshift: 4.8.51}, constraints: ['required("old")']}`, selections: []string{"cat:old:1.1.0:c"}},
		{name: "what the cluster has is not selected", spec: `{facts: {kubernetes: "1.29"` + apis + `}, constraints: ['required("needy")', 'required("core")']}`, selections: []string{"cat:needy:1.0.0:c", "cat:core:1.0.0:c"}},
		{name: "an API that the cluster does not have", spec: `{facts: {kubernetes: "1.29"}, constraints: ['required("needy")']}`, says: "Deployment"},
		{name: "a version that the cluster does not have", spec: `{facts: {kubernetes: "1.27"` + apis + `}, constraints: ['required("needy")']}`, says: "no version of kubernetes is in >=1.28, there is 1.27.0"},
		{name: "no version fits", spec: `{facts: {kubernetes: "1.27"}, constraints: ['required("web", ">=3")']}`, says: "3.0.0 needs Kubernetes 1.30.0, and the cluster has 1.27"},
		{name: "a constraint on the cluster", spec: `{facts: {kubernetes: "1.27"}, constraints: ['required("kubernetes", ">=1.28")']}`, says: "there is 1.27.0"},
		{name: "a plan", spec: `{facts: {kubernetes: "1.29"` + apis + `}, policy: latest, maxChanges: 2, installed: [{name: old, version: 0.9.0, upgrades: any}], constraints: ['required("needy")', 'required("old")']}`,
			selections: []string{"cat:needy:1.0.0:c", "cat:old:1.1.0:c"}, plan: "add needy 1.0.0, old 0.9.0 -> 1.1.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problem, err := parse(document(t, clusterCatalog+"spec: "+tt.spec))
			if err != nil {
				t.Fatal(err)
			}
			got, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			for _, s := range got.Plan {
				steps = append(steps, s.String())
			}
			if !slices.Equal(names(got.Selections), tt.selections) || strings.Join(steps, ", ") != tt.plan {
				t.Errorf("selected %s by %s, want %s by %s: %s", names(got.Selections), steps, tt.selections, tt.plan, got.Message)
			}
			if !strings.Contains(got.Message, tt.says) {
				t.Errorf("%s, want %s", got.Message, tt.says)
			}
		})
	}
}

// TestFactsExplain: newer versions that do not fit the cluster are named, and why.
func TestFactsExplain(t *testing.T) {
	problem, err := parse(document(t, clusterCatalog+`spec: {facts: {kubernetes: "1.29"}, constraints: ['required("web")']}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := solver.Resolve(t.Context(), problem, solver.Options{Explain: true})
	if err != nil || len(got.Selections) != 1 {
		t.Fatal(got, err)
	}
	ruled := got.Selections[0].Ruled
	if len(ruled) != 1 || ruled[0].Candidate != "cat:web:3.0.0" || ruled[0].Text != "needs Kubernetes 1.30.0, and the cluster has 1.29" {
		t.Errorf("%+v", ruled)
	}
}

// TestFactsReach: a problem looks at the facts, so that others make another digest.
func TestFactsReach(t *testing.T) {
	digest := func(facts string) string {
		problem, err := parse(document(t, clusterCatalog+`spec: {`+facts+`constraints: ['required("old")']}`))
		if err != nil {
			t.Fatal(err)
		}
		return problem.Digest()
	}
	seen := map[string]string{}
	for _, facts := range []string{"", "facts: {kubernetes: 1.29.0}, ", "facts: {kubernetes: 1.30.0}, ", "facts: {openshift: 4.9.0}, "} {
		d := digest(facts)
		if before, known := seen[d]; known {
			t.Errorf("%q has the digest of %q", facts, before)
		}
		seen[d] = facts
	}
}

func TestFactsRefused(t *testing.T) {
	tests := []struct{ name, spec, says string }{
		{"misspelt", `{facts: {kubernets: "1.29"}, constraints: []}`, "kubernetes"},
		{"no version", `{facts: {kubernetes: latest}, constraints: []}`, `"latest" is not a version`},
		{"APIs of nothing", `{facts: {apis: [{version: v1, kind: Pod}]}, constraints: []}`, "has a version of Kubernetes"},
		{"an API without a kind", `{facts: {kubernetes: "1.29", apis: [{version: v1}]}, constraints: []}`, "kind is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(document(t, clusterCatalog+"spec: "+tt.spec))
			if got := told(err); !strings.Contains(got, tt.says) && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("%q, want %s", got, tt.says)
			}
		})
	}
	if _, err := parse(document(t, `{sources: [{name: facts, packages: []}], spec: {facts: {kubernetes: "1.29"}, constraints: []}}`)); err == nil || !strings.Contains(err.Error(), `a source is called "facts"`) {
		t.Error(err)
	}
}
