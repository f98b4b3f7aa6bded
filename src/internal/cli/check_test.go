package cli_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
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

// TestCheckRefused: a check reports the documents that a server would refuse, with those that need them, and nothing stays of it.
func TestCheckRefused(t *testing.T) {
	const space = "environments/c/e/Namespaces/n/namespace.yml"
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"nothing", "environments/c/e/tenant.yml", "name: t\n", nil},
		{"a name that is a number", space, "name: 0123\n", []string{space + ": cluster/c/environment/e/deployPostfix/n cannot be stored: /spec/namespace: must be a string, not a number"}},
		{"a definition without its credential", "regdefs/r.yml", "name: r\ncredentialsId: none\n", []string{"regdefs/r.yml: registryDefinition/r cannot be stored: it refers to credential/none, which does not exist"}},
		{"what needs it", "appdefs/a.yml", "name: a\nregistryName: r\n", []string{"appdefs/a.yml: appDefinition/a cannot be stored: it refers to registryDefinition/r, which does not exist"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			dir := checkedRepo(t)
			writeFile(t, filepath.Join(dir, tt.file), tt.text)
			var found struct {
				Findings []struct{ Code, File, Message string }
			}
			deps := newDeps(t, false)
			if err := json.Unmarshal([]byte(must(t, deps, 1, "check", "instance-repo", dir, "-o", "json")), &found); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found.Findings {
				if f.Code == "REPO_REFUSED" {
					got = append(got, f.File+": "+f.Message)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("refused are %q, want %q", got, tt.want)
			}
			if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
				t.Errorf("left is %v, %v", left, err)
			}
		})
	}
}
