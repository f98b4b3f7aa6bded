package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

const root = "../../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEverythingIsSigned makes sure that the release has no file and no image without a signature.
func TestEverythingIsSigned(t *testing.T) {
	var config struct {
		Signs []struct {
			Cmd, Artifacts string
			Args           []string
		}
		DockerSigns []struct {
			Cmd, Artifacts string
			Args           []string
		} `json:"docker_signs"`
		SBOMs []struct{ Artifacts string } `json:"sboms"`
	}
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Signs) != 1 || config.Signs[0].Artifacts != "all" || config.Signs[0].Cmd != "scripts/sign" || config.Signs[0].Args[0] != "blob" {
		t.Errorf("files: %+v", config.Signs)
	}
	if len(config.DockerSigns) != 1 || config.DockerSigns[0].Artifacts != "all" || !slices.Equal(config.DockerSigns[0].Args, []string{"image", "${artifact}@${digest}"}) {
		t.Errorf("images: %+v", config.DockerSigns)
	}
	if len(config.SBOMs) != 2 {
		t.Errorf("bills of materials: %+v", config.SBOMs)
	}
}

// TestSign runs the script with a program in place of cosign that says what it was called with.
func TestSign(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "cosign"), []byte("#!/bin/sh\necho cosign \"$@\"\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	const workflow = "ACTIONS_ID_TOKEN_REQUEST_URL=https://token.example"
	for _, c := range []struct {
		name string
		env  string
		args []string
		want string // "" for a refusal
	}{
		{"file by a workflow", workflow, []string{"blob", "a b.tar.gz", "a.json"}, "cosign sign-blob --yes --bundle a.json a b.tar.gz"},
		{"file by a key", "COSIGN_KEY=env://KEY", []string{"blob", "a", "b"}, "cosign sign-blob --yes --key env://KEY --bundle b a"},
		{"image by a workflow", workflow, []string{"image", "n@sha256:1"}, "cosign sign --yes --recursive n@sha256:1"},
		{"image by a key", "COSIGN_KEY=k", []string{"image", "n@sha256:1"}, "cosign sign --yes --recursive --key k n@sha256:1"},
		{"without a signing identity", "NONE=1", []string{"blob", "a", "b"}, ""},
		{"nothing", workflow, nil, ""},
		{"no bundle", workflow, []string{"blob", "a"}, ""},
		{"something else", workflow, []string{"tree", "a", "b"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), filepath.Join(root, "scripts/sign"), c.args...) //nolint:gosec // ours
			command.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), c.env}
			out, err := command.CombinedOutput()
			if got := strings.TrimSpace(string(out)); c.want != "" && (err != nil || got != c.want) || c.want == "" && (err == nil || strings.HasPrefix(got, "cosign")) {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// workflow is as much of a workflow as is examined here.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Strategy    struct{ Matrix map[string][]string }
		Steps       []struct{ Uses, Run string }
	}
}

func readWorkflow(t *testing.T, name string) workflow {
	t.Helper()
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/"+name)), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWorkflowsRunEveryStep compares the table of steps with the functions that run them, and with the steps of the workflows: the
// gate and the long proofs in ci.yaml, the searches in nightly.yaml.
func TestWorkflowsRunEveryStep(t *testing.T) {
	tiers := map[string][]string{}
	var steps []string
	for line := range strings.Lines(read(t, ".ci/steps")) {
		if columns := strings.Split(line, "|"); !strings.HasPrefix(line, "#") && len(columns) == 5 {
			name, tier := strings.TrimSpace(columns[0]), strings.TrimSpace(columns[1])
			steps, tiers[tier] = append(steps, name), append(tiers[tier], name)
		}
	}
	var functions []string
	for _, found := range regexp.MustCompile(`(?m)^step_([a-z-]+)\(\)`).FindAllStringSubmatch(read(t, ".ci/library.sh"), -1) {
		functions = append(functions, found[1])
	}
	run := func(file, job string) []string {
		return strings.Fields(strings.Join(readWorkflow(t, file).Jobs[job].Strategy.Matrix["steps"], " "))
	}
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"functions", functions, steps},
		{"gate of ci.yaml", run("ci.yaml", "gate"), tiers["gate"]},
		{"full of ci.yaml", run("ci.yaml", "full"), tiers["full"]},
		{"nightly.yaml", run("nightly.yaml", "soak"), tiers["soak"]},
	} {
		slices.Sort(c.got)
		slices.Sort(c.want)
		if !slices.Equal(c.got, c.want) || len(c.want) == 0 {
			t.Errorf("%s: %v, the table has %v", c.name, c.got, c.want)
		}
	}
}

// TestPermissions makes sure that only the job that releases may write, and that each action has a version.
func TestPermissions(t *testing.T) {
	files, err := os.ReadDir(filepath.Join(root, ".github/workflows"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows, %v", len(files), err)
	}
	version := regexp.MustCompile(`@(v[0-9]+(\.[0-9]+)*|[0-9a-f]{40})$`)
	for _, file := range files {
		w := readWorkflow(t, file.Name())
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: permissions %v", file.Name(), w.Permissions)
		}
		for name, job := range w.Jobs {
			if released := file.Name() == "release.yaml"; released != (len(job.Permissions) > 0) || released && (job.Permissions["id-token"] != "write" || job.Permissions["attestations"] != "write") {
				t.Errorf("%s: permissions of %s are %v", file.Name(), name, job.Permissions)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !version.MatchString(step.Uses) {
					t.Errorf("%s uses %s", file.Name(), step.Uses)
				}
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: a script takes text from outside: %s", file.Name(), step.Run)
				}
			}
		}
	}
}
