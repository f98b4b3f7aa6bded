package instancerepo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
)

const commented = `# Ask before you change it.
version: 2.1
applications:
  - version: a:1 # pinned
    deployPostfix: x

  # the second
  - {version: "b:1", deployPostfix: y}
`

func data(text string) map[string]string {
	return map[string]string{sd.ParamData: text, sd.ParamMergeMode: "extended-merge"}
}

func TestCommentsStay(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sdFolder+"sd.yml", commented)
	report, err := process(t, dir, data(`{"version": "2.1", "applications": [{"version":"b:2","deployPostfix":"y"},{"version":"c:1","deployPostfix":"x"}]}`), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(commented, `"b:1"`, `"b:2"`, 1) + "  - version: c:1\n    deployPostfix: x\n"
	if got := read(t, dir, sdFolder+"sd.yml"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if report.Files[0].Effect != instancerepo.WasUpdated || report.Files[1].Effect != instancerepo.WasCreated {
		t.Errorf("effects %v", report.Files)
	}
}

func TestUnchangedFilesAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sdFolder+"sd.yml", commented)
	write(t, dir, sdFolder+"delta_sd.yml", "# c\nversion: 2.1\napplications: [{version: a:1, deployPostfix: x}]\n")
	before := snapshot(t, dir)
	report, err := process(t, dir, data(`{"version": 2.1, "applications": [{"version":"a:1","deployPostfix":"x"}]}`), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Files {
		if f.Effect != instancerepo.WasUnchanged {
			t.Errorf("%s is %s", f.Path, f.Effect)
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, after)
	}
}

func TestFileNames(t *testing.T) {
	const incoming = `{"version": 2.1, "applications": [{"version":"a:2","deployPostfix":"x"}]}`
	t.Run("yaml is kept", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, sdFolder+"sd.yaml", commented)
		if _, err := process(t, dir, data(incoming), nil, ""); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(read(t, dir, sdFolder+"sd.yaml"), "a:2 # pinned") {
			t.Error("sd.yaml was not changed")
		}
		if _, err := os.Stat(filepath.Join(dir, sdFolder, "sd.yml")); err == nil {
			t.Error("there is an sd.yml")
		}
	})
	t.Run("both", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, sdFolder+"sd.yaml", commented)
		write(t, dir, sdFolder+"sd.yml", commented)
		if _, err := process(t, dir, data(incoming), nil, ""); dovetail.CodeOf(err) != dovetail.CodeConflict {
			t.Error(err)
		}
	})
	t.Run("an empty file is none", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, sdFolder+"sd.yml", "\n")
		if _, err := process(t, dir, data(incoming), nil, ""); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMalformedStoredSD(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, sdFolder+"sd.yml", "applications: [\n")
	write(t, dir, sdFolder+"delta_sd.yml", "{")
	params := data(`{"version": 2.1, "applications": [{"version":"a:2","deployPostfix":"x"}]}`)
	_, err := process(t, dir, params, nil, "")
	if e := dovetail.AsError(err); e == nil || e.Reason != sd.ReasonDataMalformed || e.Position.File != sdFolder+"sd.yml" || e.Position.Line == 0 {
		t.Errorf("error %+v", e)
	}
	params[sd.ParamDelta] = "false" // it is overwritten, whatever it was
	if _, err := process(t, dir, params, nil, ""); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, sdFolder+"sd.yml"); got != "version: 2.1\napplications:\n  - version: a:2\n    deployPostfix: x\n" {
		t.Errorf("got\n%s", got)
	}
	if got := read(t, dir, sdFolder+"delta_sd.yml"); got != "{" {
		t.Errorf("the delta SD became\n%s", got)
	}
}

func TestNamespaces(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "environments/"+env+"/Namespaces/core/namespace.yml", "name: \"env-01-core\"\n")
	write(t, dir, "environments/"+env+"/Namespaces/bss/namespace.yaml", "labels: []\n")
	write(t, dir, "environments/"+env+"/Namespaces/README.md", "x")
	params := data(`{"applications": [{"version":"a:1","deployPostfix":"env-01-core"},{"version":"b:1","deployPostfix":"bss"},{"version":"c:1","deployPostfix":"other"}],
		"userData": {"useDeployPostfixAsNamespace": true}}`)
	report, err := process(t, dir, params, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) != 1 || report.Warnings[0].Reason != sd.ReasonUnknownNamespace || report.Warnings[0].Position.Path != "/applications/2/deployPostfix" {
		t.Errorf("warnings %v", report.Warnings)
	}
	want := "applications:\n  - version: a:1\n    deployPostfix: core\n  - version: b:1\n    deployPostfix: bss\n  - version: c:1\n    deployPostfix: other\n"
	if got := read(t, dir, sdFolder+"sd.yml"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// When one of the files cannot be put into its place, the others are as before.
func TestAllOrNothing(t *testing.T) {
	for _, obstacle := range []string{sdFolder + "sd.yml", sdFolder + "delta_sd.yml", "out/sd.yml", "out/delta_sd.yml"} {
		t.Run(obstacle, func(t *testing.T) {
			dir := t.TempDir()
			if obstacle != sdFolder+"sd.yml" {
				write(t, dir, sdFolder+"sd.yml", commented)
			}
			if err := os.MkdirAll(filepath.Join(dir, obstacle, "not-empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, dir)
			_, err := process(t, dir, data(`{"version": 2.1, "applications": [{"version":"a:2","deployPostfix":"x"}]}`), nil, filepath.Join(dir, "out"))
			if dovetail.CodeOf(err) != dovetail.CodeInternal {
				t.Errorf("error %v", err)
			}
			if after := snapshot(t, dir); after != before {
				t.Errorf("the repository was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

func TestCancelledJobChangesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request, err := sd.ParseRequest(data(`{"applications": []}`))
	if err != nil {
		t.Fatal(err)
	}
	repository, err := instancerepo.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = repository.ProcessDescriptors(ctx, instancerepo.DescriptorJob{Environment: inventory.Environment{Cluster: "c", Name: "e"}, Request: request})
	if dovetail.CodeOf(err) != dovetail.CodeCanceled {
		t.Errorf("error %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("there is %v", entries)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "x")
	for _, name := range []string{"file", "nothing"} {
		if _, err := instancerepo.Open(filepath.Join(dir, name)); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStoredByYAML11: the stored SD is read as the calculation of effective sets reads it, what is written is the same by either YAML, and what stays keeps its text.
func TestStoredByYAML11(t *testing.T) {
	const stored = "version: 2.1\napplications:\n  - {version: \"b:1\", deployPostfix: \"no\", x: 1:30}\n"
	const incoming = `{"version": "2.1", "applications": [{"version":"b:2","deployPostfix":"no"},{"version":"c:1","deployPostfix":"012"}]}`
	for _, tt := range []struct{ name, stored, want, err string }{
		{"what is the same stays", stored, strings.Replace(stored, "b:1", "b:2", 1) + "  - version: c:1\n    deployPostfix: \"012\"\n", ""},
		{"a name that is a boolean", strings.Replace(stored, `"no"`, "no", 1), "", "sd.yml:3:37 /applications/0/deployPostfix: deployPostfix must be a string, not a boolean; write it in quotes"},
		{"a key twice", stored + "applications: []\n", "", `sd.yml:4:1 /applications: duplicate key "applications", first in line 2 column 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, sdFolder+"sd.yml", tt.stored)
			_, err := process(t, dir, data(incoming), nil, "")
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("error %v, want %s", err, tt.err)
			}
			if got := read(t, dir, sdFolder+"sd.yml"); tt.err == "" && got != tt.want || tt.err != "" && got != tt.stored {
				t.Errorf("it is\n%s", got)
			}
		})
	}
}
