package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
)

const realSet = "../../override/effectiveset/testdata/pl-01"

// generate runs the command for the environment of the real repository at a folder.
func generate(t *testing.T, code int, repo string, args ...string) string {
	t.Helper()
	return must(t, newDeps(t, false), code, append([]string{"effective-set", "generate", "--repo", repo, "--env", "cluster-01/pl-01",
		"--session", "6d5a6ce9-0b55-429d-8877-f7a88dae3d9c", "--custom-params", realSet + "/custom-params.json"}, args...)...)
}

// TestGenerate calculates the set of a real repository into a folder, and compares it with what EnvGene wrote.
func TestGenerate(t *testing.T) {
	out := filepath.Join(t.TempDir(), "set")
	generate(t, 0, realSet+"/repo", "--out", out)
	files := 0
	err := fs.WalkDir(os.DirFS(out), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files != 29 {
		t.Fatalf("%d files, %v", files, err)
	}
	if got := generate(t, 0, realSet+"/repo", "--check", "--out", out); !strings.Contains(got, "the set is what is calculated") {
		t.Error(got)
	}
	if got := generate(t, 1, realSet+"/repo", "--check", "--out", realSet+"/expected"); !strings.Contains(got, "2 files of 29 differ") {
		t.Error(got) // those that were edited by hand
	}
	old := filepath.Join(out, "deployment/gone/app/values/credentials.yaml")
	write(t, old, "x: 1\n")
	write(t, filepath.Join(out, "topology/credentials.yaml"), "bg_domain: {}\n")
	if got := generate(t, 1, realSet+"/repo", "--check", "--out", out); !strings.Contains(got, "no part of the set") || !strings.Contains(got, "line 1 has bg_domain: ..., calculated is bg_domain: ...") {
		t.Error(got)
	}
	generate(t, 0, realSet+"/repo", "--out", out)
	if _, err := os.Stat(filepath.Join(out, "deployment/gone")); !os.IsNotExist(err) {
		t.Errorf("what is no part of the set stays: %v", err)
	}
	generate(t, 0, realSet+"/repo", "--check", "--out", out)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestToBeAsJSON shows a calculated set as the server answers it: what it is made of, and what there is to know.
func TestToBeAsJSON(t *testing.T) {
	text := must(t, newDeps(t, false), 0, "effective-set", "--repo", realSet+"/repo", "--env", "cluster-01/pl-01", "--context", "deployment", "--namespace", "pl-01-pg", "--application", "postgres",
		"--view", "to-be", "-o", "json")
	var got struct {
		EnvironmentID, Context, NamespaceName, ApplicationName, Basis string
		Secrets                                                       []string
		Changes                                                       *[]any
		Findings                                                      []any
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.EnvironmentID != "cluster-01/pl-01" || got.Context != "deployment" || got.NamespaceName != "pl-01-pg" || got.ApplicationName != "postgres" || got.Basis != effectiveset.BasisCalculation {
		t.Errorf("it is about %+v", got)
	}
	if !slices.Contains(got.Secrets, "/K8S_TOKEN") || got.Changes == nil || len(*got.Changes) > 0 {
		t.Errorf("secrets are %v, changes %v", got.Secrets, got.Changes)
	}
}

// TestGenerateRefuses has folders and flags that are not what they should be.
func TestGenerateRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "home/notes.txt"), "keep")
	write(t, filepath.Join(dir, "custom.json"), `{"deployments": {}}`)
	for _, tt := range []struct {
		name string
		code int
		args []string
	}{
		{"a folder with other things", 6, []string{"--out", filepath.Join(dir, "home")}},
		{"no folder", 2, nil},
		{"no repository", 6, []string{"--repo", filepath.Join(dir, "none"), "--out", filepath.Join(dir, "out")}},
		{"no such environment", 3, []string{"--env", "cluster-01/none", "--out", filepath.Join(dir, "out")}},
		{"no SBOMs", 6, []string{"--sboms", filepath.Join(dir, "none"), "--out", filepath.Join(dir, "out")}},
		{"custom parameters of an unknown form", 6, []string{"--custom-params", filepath.Join(dir, "custom.json"), "--out", filepath.Join(dir, "out")}},
		{"an application without SBOM", 3, []string{"--sboms", dir, "--out", filepath.Join(dir, "out")}},
	} {
		t.Run(tt.name, func(t *testing.T) { t.Log(generate(t, tt.code, realSet+"/repo", tt.args...)) })
	}
	if _, err := os.Stat(filepath.Join(dir, "home/notes.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out/topology/parameters.yaml")); err != nil {
		t.Errorf("where applications fail, the rest is not written: %v", err)
	}
}

// TestGenerateLinks: a link inside of the repository is followed and named, one that leads out of it is refused by name, and nothing of what it leads to is shown.
func TestGenerateLinks(t *testing.T) {
	const folder, secret = "environments/cluster-01/pl-01/", "open-sesame"
	for _, tt := range []struct {
		name, link, to string
		code           int
		want           string
	}{
		{"a file", folder + "cloud.yml", "inside", 0, "file-linked: it is a symbolic link to"},
		{"a file outside", folder + "cloud.yml", "outside", 6, "which is not in the repository"},
		{"credentials outside", folder + "Credentials", "outside", 6, "which is not in the repository"},
		{"configuration outside", "configuration/config.yml", "outside", 6, "configuration/config.yml: it is a symbolic link"},
		{"SBOMs outside", "sboms", "outside", 6, "sboms: it is a symbolic link that leads out of the repository"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			repo := filepath.Join(dir, "repo")
			link, to := filepath.Join(repo, tt.link), filepath.Join(dir, "outside")
			if tt.to == "inside" {
				to = filepath.Join(repo, "inside")
			}
			err := os.CopyFS(repo, os.DirFS(realSet+"/repo"))
			if _, missing := os.Stat(link); err == nil && missing == nil {
				err = os.Rename(link, to)
			} else {
				write(t, to, "crypt: false # "+secret+"\n")
			}
			relative, failed := filepath.Rel(filepath.Dir(link), to)
			for _, err := range []error{err, failed, os.Symlink(relative, link)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			stdout, stderr, code := runCommand(t.Context(), t, newDeps(t, false), "dovetail effective-set generate --repo "+repo+" --env cluster-01/pl-01 --out "+filepath.Join(dir, "out"))
			if got := stdout + stderr; code != tt.code || !strings.Contains(got, tt.want) || strings.Contains(got, secret) {
				t.Errorf("%d: %s", code, got)
			}
		})
	}
}

// TestGeneratePart adds and removes an application by delta SDs.
func TestGeneratePart(t *testing.T) {
	repo := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(repo, os.DirFS(realSet+"/repo")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repo, "configuration/config.yml"), "crypt: false\n")
	out, delta := filepath.Join(repo, "environments/cluster-01/pl-01/effective-set"), filepath.Join(t.TempDir(), "delta_sd.yaml")
	generate(t, 0, repo, "--out", out)
	write(t, delta, "applications:\n- version: postgres:pg16-2.10.5-20241215.141230-3-RELEASE\n  deployPostfix: pg\n")
	values := filepath.Join(out, "deployment/pg/postgres/values/deployment-parameters.yaml")
	write(t, values, "")
	generate(t, 0, repo, "--out", out, "--delta-sd", delta)
	if got := generate(t, 0, repo, "--check"); !strings.Contains(got, "the set is what is calculated") {
		t.Error(got)
	}
	if got := generate(t, 0, repo, "--out", out, "--delta-sd", delta, "--merge-mode", "basic-exclusion-merge"); !strings.Contains(got, "written to") {
		t.Error(got)
	}
	if _, err := os.Stat(values); !os.IsNotExist(err) {
		t.Errorf("an excluded application stays: %v", err)
	}
	whole := func(args ...string) {
		t.Helper()
		write(t, values, "")
		write(t, filepath.Join(out, "runtime/monitoring-origin/MONITORING/parameters.yaml"), "")
		generate(t, 0, repo, append([]string{"--out", out, "--delta-sd", delta}, args...)...)
		if got := generate(t, 0, repo, "--check"); !strings.Contains(got, "the set is what is calculated") {
			t.Error(got)
		}
	}
	whole("--merge-mode", "replace")
	write(t, filepath.Join(repo, "configuration/config.yml"), "crypt: false\neffective_set_generation_strategy: full\n")
	whole()
	write(t, filepath.Join(repo, "configuration/config.yml"), "crypt: false\neffective_set_generation_strategy: fast\n")
	generate(t, 6, repo, "--out", out, "--delta-sd", delta)
	generate(t, 6, repo, "--out", out, "--delta-sd", delta, "--merge-mode", "mix")
}

// TestGenerateEncrypts writes into a repository that encrypts.
func TestGenerateEncrypts(t *testing.T) {
	repo := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(repo, os.DirFS(realSet+"/repo")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(repo, "environments/cluster-01/pl-01/effective-set")
	generate(t, 6, repo, "--out", out)
	keys := filepath.Join(t.TempDir(), "keys")
	write(t, keys, "SECRET_KEY=PjYtYZ4WnZsH2F4AxjDf_-QOSaL1kVHIkPOI7bpTh3Q=\n")
	generate(t, 0, repo, "--out", out, "--credential-keys", keys)
	text, err := os.ReadFile(filepath.Join(out, "topology/credentials.yaml"))
	if err != nil || strings.Contains(string(text), "token-placeholder") || !strings.Contains(string(text), "[encrypted:AES256_Fernet]gAAAAA") {
		t.Errorf("%s %v", text, err)
	}
	if got := generate(t, 0, repo, "--check", "--credential-keys", keys); !strings.Contains(got, "the set is what is calculated") {
		t.Error(got)
	}
	generate(t, 6, repo, "--check")
	write(t, filepath.Join(repo, "configuration/config.yml"), "crypt: false\n")
	generate(t, 0, repo, "--out", out)
}

// TestGenerateWithSOPS calculates from credentials that SOPS encrypted, and writes those of the set for the same recipients.
func TestGenerateWithSOPS(t *testing.T) {
	repo := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(repo, os.DirFS(realSet+"/repo")); err != nil {
		t.Fatal(err)
	}
	credentials, err := os.ReadFile("testdata/effective-set-sops/credentials.yml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repo, "environments/cluster-01/pl-01/Credentials/credentials.yml"), string(credentials))
	refused := func(want string, args ...string) {
		t.Helper()
		var errs strings.Builder
		deps := newDeps(t, false)
		deps.Err = &errs
		code := cli.Run(t.Context(), deps, append([]string{"effective-set", "generate", "--repo", repo, "--env", "cluster-01/pl-01"}, args...))
		if code != 6 || !strings.Contains(errs.String(), want) || strings.Contains(errs.String(), "placeholder") {
			t.Errorf("%d: %s", code, errs.String())
		}
	}
	const key = "testdata/effective-set-sops/age.key"
	out := filepath.Join(repo, "environments/cluster-01/pl-01/effective-set")
	refused("the file is encrypted with SOPS for age, and no key was given", "--out", out)
	refused("none of the identities is one of them", "--out", out, "--credential-keys", "../secret/sops/testdata/real/other.key")
	generate(t, 0, repo, "--out", out, "--credential-keys", key)
	name := filepath.Join(out, "topology/credentials.yaml")
	text, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(text), "token-placeholder") || !strings.Contains(string(text), "ENC[AES256_GCM,") || strings.Count(string(text), "recipient: age1") != 2 {
		t.Errorf("%s %v", text, err)
	}
	second, err := ciphertext.ReadKeys("../secret/sops/testdata/real/second.key")
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := second.OpenFile(name, text); err != nil || !strings.Contains(string(plain.JSON()), "token-placeholder") {
		t.Errorf("the other recipient: %v", err)
	}
	if got := generate(t, 0, repo, "--check", "--credential-keys", key); !strings.Contains(got, "the set is what is calculated") {
		t.Error(got)
	}
	generate(t, 0, repo, "--out", out, "--credential-keys", key)
	if again, err := os.ReadFile(name); err != nil || string(again) != string(text) {
		t.Errorf("what did not change is encrypted again: %v", err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	generate(t, 0, repo, "--out", plain, "--credential-keys", key)
	inClear := filepath.Join(t.TempDir(), "clear")
	generate(t, 0, realSet+"/repo", "--out", inClear)
	for _, file := range []string{"topology/credentials.yaml", "topology/parameters.yaml"} {
		got, err := os.ReadFile(filepath.Join(plain, file))
		want, failed := os.ReadFile(filepath.Join(inClear, file))
		if err != nil || failed != nil || string(got) != string(want) {
			t.Errorf("%s is not what it is without SOPS: %v %v", file, err, failed)
		}
	}
	write(t, filepath.Join(repo, "environments/cluster-01/pl-01/Credentials/credentials.yml"), strings.Replace(string(credentials), "type: secret", "type: evil", 1))
	refused("the MAC of SOPS is not that of the file", "--check", "--credential-keys", key)
}
