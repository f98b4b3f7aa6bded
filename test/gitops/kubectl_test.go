package gitops

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

// kubectl is the name under which the program of the tests is that of Kubernetes.
const kubectl = "kubectl"

// runKubectl does what the arguments ask for, and ends the process.
func runKubectl() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}

// shell runs kubectl on a server.
type shell struct {
	t                *testing.T
	program, address string
	home             string
}

func newShell(t *testing.T, address string) *shell {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{t: t, program: filepath.Join(t.TempDir(), kubectl), address: address, home: t.TempDir()}
	if err := os.Symlink(self, s.program); err != nil {
		t.Fatal(err)
	}
	return s
}

// run returns what kubectl prints, and whether it succeeds.
func (s *shell) run(arguments ...string) (output string, ok bool) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), s.program, append([]string{"--server", s.address}, arguments...)...)
	command.Env = append(os.Environ(), "HOME="+s.home, "KUBECONFIG="+filepath.Join(s.home, "config"), "KUBECTL_APPLYSET=true")
	text, err := command.CombinedOutput()
	return string(text), err == nil
}

// must returns what kubectl prints.
func (s *shell) must(arguments ...string) string {
	s.t.Helper()
	output, ok := s.run(arguments...)
	if !ok {
		s.t.Fatalf("kubectl %s: %s", strings.Join(arguments, " "), output)
	}
	return output
}

// write makes a file of manifests and returns its path.
func (s *shell) write(manifests []*unstructured.Unstructured) string {
	s.t.Helper()
	var text bytes.Buffer
	for _, m := range manifests {
		text.WriteString("---\n" + utils.ObjectToYAML(m))
	}
	path := filepath.Join(s.t.TempDir(), "site.yaml")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// until repeats a command that fails as long as documents lack others, or are needed by others, and returns all that it printed.
func (s *shell) until(most int, arguments ...string) string {
	s.t.Helper()
	var all strings.Builder
	for range most {
		output, ok := s.run(arguments...)
		all.WriteString(output)
		if ok {
			return all.String()
		}
	}
	s.t.Fatalf("kubectl %s does not succeed in %d runs: %s", strings.Join(arguments, " "), most, all.String())
	return ""
}

// TestApplySet applies a folder as an ApplySet whose parent is a document, and prunes what is not in it any more. It is a small folder, since
// kubectl sends no more than five requests in a second.
func TestApplySet(t *testing.T) {
	t.Parallel()
	s := newShell(t, serve(t))
	if output := s.must("get", "crd", "applications.inventory.dovetail.dev", "-o", "jsonpath={.spec.names.kind} {.spec.scope} {.metadata.labels}"); output != `Application Namespaced {"applyset.kubernetes.io/is-parent-type":"true"}` {
		t.Errorf("the definition of applications says %s", output)
	}

	parent := manifest("Cluster", "", "sets", map[string]any{})
	parent.SetLabels(map[string]string{"applyset.kubernetes.io/id": "none"})
	parent.SetAnnotations(map[string]string{"applyset.kubernetes.io/tooling": "kubectl/v1", "applyset.kubernetes.io/contains-group-kinds": ""})
	s.must("apply", "--server-side", "--field-manager=kubectl-applyset", "-f", s.write([]*unstructured.Unstructured{parent}))
	all := site(rand.New(rand.NewPCG(7, 8)), extent{registries: 1, clusters: 2, environments: 1, postfixes: 1, applications: 2})
	apply := func(manifests []*unstructured.Unstructured) []string {
		return []string{"apply", "--prune", "--applyset=clusters.inventory.dovetail.dev/sets", "-f", s.write(manifests)}
	}
	refused, _ := s.run(apply(all)...)
	_, id, found := strings.Cut(strings.TrimSuffix(strings.TrimSpace(refused), ")"), "want: ")
	if !found {
		t.Fatalf("kubectl does not say which id the set has: %s", refused)
	}
	s.must("label", "--overwrite", "cluster", "sets", "applyset.kubernetes.io/id="+id)

	if output := s.until(4, apply(all)...); strings.Count(output, " created\n") != len(all) || strings.Contains(output, " pruned\n") {
		t.Fatalf("applied: %s", output)
	}
	s.must("apply", "-f", s.write([]*unstructured.Unstructured{manifest("Cluster", "", "of-others", map[string]any{})}))

	rest := slices.DeleteFunc(slices.Clone(all), func(o *unstructured.Unstructured) bool {
		return o.GetName() == "app-1" // a definition, and one application in each cluster
	})
	if output := s.must(apply(rest)...); strings.Count(output, " unchanged\n") != len(rest) || strings.Count(output, " pruned\n") != len(all)-len(rest) {
		t.Errorf("pruned: %s", output)
	}
	// With all below at once. What goes with its parent before its turn is not found then, and the next run passes.
	rest = slices.DeleteFunc(rest, func(o *unstructured.Unstructured) bool {
		return o.GetName() == "cluster-1" || strings.HasPrefix(o.GetNamespace(), "cluster-1")
	})
	s.until(4, append(apply(rest), "--cascade=foreground")...)
	if output := s.must(apply(rest)...); strings.Count(output, " unchanged\n") != len(rest) || strings.Contains(output, " pruned\n") {
		t.Errorf("applied what is left: %s", output)
	}
	left := s.must("get", "clusters,environments,deploypostfixes,applications", "-A", "-o", "jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}")
	if want := "/cluster-0 /of-others /sets cluster-0/env-0 cluster-0:env-0/ns-0 cluster-0:env-0:ns-0/app-0 "; left != want {
		t.Errorf("what is left is %s, want %s", left, want)
	}
}
