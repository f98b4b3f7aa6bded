package cli_test

import (
	"encoding/json"
	"encoding/xml"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/ciphertext"
)

// checkedRepo has an error, a warning and something to know.
func checkedRepo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const root = "environments/c/e/Inventory/"
	for name, text := range map[string]string{
		"a b.txt":                                     "",
		"environments/parameters/p.yml":               "name: p\n",
		root + "env_definition.yml":                   "envTemplate:\n  envSpecificParamsets:\n    cloud: [ui-override, own]\n",
		root + "parameters/own.yml":                   "name: own\n",
		root + "parameters/ui-override.yml":           "name: ui-override\nparameters: {A: 1}\n",
		root + "solution-descriptor/sd.yml":           "applications: []\n",
		"environments/c/e/Namespaces/n/namespace.yml": "name: n\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func TestCheckRepository(t *testing.T) {
	dir := checkedRepo(t)
	run := func(code int, args ...string) string {
		t.Helper()
		return must(t, newDeps(t, false), code, append([]string{"check", "instance-repo", dir}, args...)...)
	}
	if got := run(1); got != "7 files: 1 error, 1 warning, 1 info\n" {
		t.Error(got)
	}
	var sarif struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(run(1, "-o", "sarif")), &sarif); err != nil || sarif.Version != "2.1.0" {
		t.Fatal(err)
	}
	var got []string
	for _, r := range sarif.Runs[0].Results {
		got = append(got, r.Level+" "+r.RuleID+" "+r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	}
	const want = "note REPO_FILE_OTHER a%20b.txt, error REPO_OVERRIDE_NOT_LAST environments/c/e/Inventory/env_definition.yml, warning REPO_PARAMSET_UNREFERENCED environments/parameters/p.yml"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for failOn, failures := range map[string]int{"info": 3, "warning": 2, "error": 1} {
		var junit struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
		}
		if err := xml.Unmarshal([]byte(run(1, "-o", "junit", "--fail-on", failOn)), &junit); err != nil || junit.Tests != 7 || junit.Failures != failures {
			t.Errorf("%s: %+v, %v", failOn, junit, err)
		}
	}
	writeFile(t, filepath.Join(dir, "environments/c/e/Inventory/env_definition.yml"), "envTemplate:\n  envSpecificParamsets:\n    cloud: [own, ui-override]\n")
	run(0)
	run(1, "--fail-on", "warning")
	run(2, "--fail-on", "worst")
	run(2, "-o", "yaml")
}

// A generation of inventories may not touch what users override.
func TestCheckOverridesAfterGeneration(t *testing.T) {
	before, after := checkedRepo(t), checkedRepo(t)
	const root = "environments/c/e/Inventory/"
	for _, dir := range []string{before, after} {
		writeFile(t, filepath.Join(dir, root, "env_definition.yml"), "envTemplate:\n  envSpecificParamsets:\n    cloud: [own, ui-override]\n")
	}
	check := func(code int) string {
		t.Helper()
		return must(t, newDeps(t, false), code, "check", "instance-repo", after, "--before", before, "-o", "json")
	}
	writeFile(t, filepath.Join(after, root, "parameters/own.yml"), "name: own\nparameters: {B: 1}\n")
	writeFile(t, filepath.Join(after, root, "parameters/ui-override.yml"), "# the same\nname: ui-override\nparameters:\n  A: 1\n")
	check(0)
	writeFile(t, filepath.Join(after, root, "parameters/ui-override.yml"), "name: ui-override\nparameters: {A: 2}\n")
	writeFile(t, filepath.Join(after, root, "parameters/n-ui-override.yml"), "name: n-ui-override\n")
	if out := check(1); strings.Count(out, "REPO_OVERRIDE_CHANGED") != 2 {
		t.Error(out)
	}
}

// Keys that open every credential, and keys that do not.
func TestCheckCredentials(t *testing.T) {
	const key, other = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	keys, err := ciphertext.ParseKeys("keys", []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "r/environments/c/e/Credentials/credentials.yml"), "a:\n  type: secret\n  data:\n    secret: '"+keys.Seal("sesame")+"'\n")
	for text, code := range map[string]int{key: 0, other: 1} {
		writeFile(t, filepath.Join(dir, "keys"), text)
		if out := must(t, newDeps(t, false), code, "check", "instance-repo", dir+"/r", "--credential-keys", dir+"/keys", "-o", "json"); strings.Contains(out, "sesame") ||
			strings.Contains(out, "REPO_VALUE_UNOPENED") != (code == 1) || !strings.Contains(out, "REPO_VALUE_ENCRYPTED") {
			t.Error(out)
		}
	}
}
