package chart_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/strvals"
)

// pages are those that show commands of Helm and kubectl, with how many installations and upgrades there are at least, and a secret that one creates.
var pages = []struct {
	name, secret string
	rendered     int
}{
	{name: "docs/operations.md", rendered: 3, secret: "dovetail-mongodb"},
	{name: "docs/kubernetes-api.md", rendered: 1},                         // what it gets then, TestAPIService of the cluster gets
	{name: "docs/several-repositories.md", rendered: 1, secret: "git-eu"}, // with its values: TestInstanceRepositoriesOfGuide
}

// readersFile is a file of values that a page leaves to its reader.
const readersFile = "your-values.yaml"

var (
	shellBlock    = regexp.MustCompile("(?s)\n```sh\n(.*?)```")
	inlineInstall = regexp.MustCompile("`(helm install [^`]+)`(?:, with `(--set [^`]+)`)?")
)

// documented returns the commands of a page that begin with helm or kubectl, as words.
func documented(t *testing.T, page string) (commands [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../..", page))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, strings.Split(strings.ReplaceAll(block[1], "\\\n", ""), "\n")...)
	}
	for _, found := range inlineInstall.FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, found[1]+" "+found[2])
	}
	for _, line := range lines {
		words := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(line))
		if len(words) > 1 && (words[0] == "helm" || words[0] == "kubectl") {
			commands = append(commands, words)
		}
	}
	return commands
}

// documentedValues returns the values of a command, without the flags --set, and those flags. The access policy is that of
// the secret "own": the one that the chart makes has another token each time.
func documentedValues(t *testing.T, words []string) (values map[string]any, sets []string) {
	t.Helper()
	values = map[string]any{"access": map[string]any{"existingSecret": "own"}}
	for i := 4; i < len(words); i += 2 {
		switch flag, arg := words[i], words[i+1]; {
		case flag == "--set":
			sets = append(sets, arg)
		case flag == "-f" && arg != readersFile:
			read, err := chartutil.ReadValuesFile(filepath.Join("../../..", arg))
			if err != nil {
				t.Fatal(err)
			}
			values = chartutil.CoalesceTables(read, values)
		case flag != "-f" && flag != "--namespace":
			t.Errorf("%q has the flag %s", words, flag)
		}
	}
	return values, sets
}

// Every installation and upgrade of the pages renders objects without problems, with the secrets that the page creates, and
// every --set has an effect.
func TestCommandsOfDocumentation(t *testing.T) {
	for _, page := range pages {
		secrets := []string{"own", "kube-root-ca.crt"} // every namespace has the latter
		rendered := 0
		for _, words := range documented(t, page.name) {
			switch command := strings.Join(words[:2], " "); {
			case strings.HasPrefix(strings.Join(words, " "), "kubectl create secret generic "):
				secrets = append(secrets, words[4])
			case command == "helm install", command == "helm upgrade":
				rendered++
				c, err := loader.Load(filepath.Join("../../..", words[3]))
				if err != nil {
					t.Errorf("%q: %v", words, err)
					continue
				}
				values, sets := documentedValues(t, words)
				before := ""
				for i := range len(sets) + 1 {
					if i > 0 {
						if err := strvals.ParseInto(sets[i-1], values); err != nil {
							t.Fatalf("%q: %v", words, err)
						}
					}
					r, err := render(c, values)
					if err != nil {
						t.Fatalf("%q: %v", words, err)
					}
					if manifests(r) == before {
						t.Errorf("%q: --set %s has no effect", words, sets[i-1])
					}
					before = manifests(r)
				}
				objects, err := decode(before)
				if err != nil {
					t.Fatalf("%q: %v", words, err)
				}
				for _, problem := range check(objects, secrets...) {
					t.Errorf("%q: %s", words, problem)
				}
			case !slices.Contains([]string{"helm test", "kubectl get", "kubectl exec", "kubectl --kubeconfig"}, command):
				t.Errorf("%s: no test knows %q", page.name, words)
			}
		}
		if rendered < page.rendered || page.secret != "" && !slices.Contains(secrets, page.secret) {
			t.Errorf("%s: %d installations and upgrades, secrets %v", page.name, rendered, secrets)
		}
	}
}
