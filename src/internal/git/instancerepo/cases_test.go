package instancerepo_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// The conformance vectors of the descriptor package.
const cases = "../../../descriptor/sd/testdata/sd"

const (
	env      = "cluster-01/env-01"
	sdFolder = "environments/" + env + "/Inventory/solution-descriptor/"
)

// TestProcessCases runs the vectors of whole requests on folders.
func TestProcessCases(t *testing.T) {
	ran := 0
	for _, c := range readYAML(t, path.Join(cases, "cases.yaml")).Get("cases").Items {
		if c.Get("kind").Text != "process" {
			continue
		}
		ran++
		t.Run(c.Get("id").Text, func(t *testing.T) {
			dir, artifacts, out := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "out")
			if v := c.At("stored", "full"); v != nil {
				write(t, dir, sdFolder+"sd.yml", "# the full SD\n"+string(yaml.Marshal(content(t, v))))
			}
			if v := c.At("stored", "delta"); v != nil {
				write(t, dir, sdFolder+"delta_sd.yml", string(yaml.Marshal(content(t, v))))
			}
			for name, v := range members(c.Get("artifacts")) {
				write(t, artifacts, strings.Replace(name, ":", "-", 1)+".json", string(content(t, v).JSON()))
			}
			before := snapshot(t, dir)
			report, err := process(t, dir, paramsOf(t, c), artifact.Folder(artifacts), out)
			if want := c.Get("error"); want != nil {
				refused(t, err, want.Text)
				if after := snapshot(t, dir); after != before {
					t.Errorf("the repository was\n%s\nand is\n%s", before, after)
				}
				if _, err := os.Stat(out); err == nil {
					t.Error("there are copies")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			compare(t, c, dir, "sd.yml", c.At("expected", "full"))
			if want := c.At("expected", "delta"); want != nil {
				compare(t, c, dir, "delta_sd.yml", want)
			}
			for _, f := range report.Files {
				if read(t, out, path.Base(f.Path)) != read(t, dir, f.Path) {
					t.Errorf("the copy of %s differs", f.Path)
				}
			}
			var reasons []string
			for _, w := range report.Warnings {
				reasons = append(reasons, w.Reason)
			}
			var want []string
			if list := c.Get("warnings"); list != nil {
				for _, w := range list.Items {
					want = append(want, w.Get("code").Text)
				}
			}
			if strings.Join(reasons, " ") != strings.Join(want, " ") {
				t.Errorf("warnings %v, want %v", reasons, want)
			}
		})
	}
	if ran != 26 {
		t.Errorf("%d cases ran, want 26", ran)
	}
}

// parameters are those of a case; SDs that stand in it are given as data.
func paramsOf(t *testing.T, c *value.Value) map[string]string {
	t.Helper()
	params := map[string]string{}
	for name, v := range members(c.Get("params")) {
		params[name] = v.Text
	}
	if sds := c.Get("sds"); sds != nil {
		params[sd.ParamDataMultiple] = string(sds.JSON())
		params[sd.ParamMergeMode] = c.Get("mode").Text
		if c.Get("delta_run") != nil {
			params[sd.ParamDelta] = "False"
		}
	}
	return params
}

func process(t *testing.T, dir string, params map[string]string, artifacts sd.Artifacts, copyTo string) (*instancerepo.DescriptorReport, error) {
	t.Helper()
	request, err := sd.ParseRequest(params)
	if err != nil {
		return nil, err
	}
	environment, err := inventory.ParseEnvironment(env)
	if err != nil {
		t.Fatal(err)
	}
	repository, err := instancerepo.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repository.ProcessDescriptors(t.Context(), instancerepo.DescriptorJob{
		Environment: environment, Request: request, Artifacts: artifacts, CopyTo: copyTo})
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	e := dovetail.AsError(err)
	if e == nil {
		t.Fatalf("no error, want %s", want)
	}
	for _, part := range append(e.Errors, e) {
		if part.Reason != want {
			t.Errorf("the error is %s: %v, want %s", part.Reason, part, want)
		}
	}
}

func compare(t *testing.T, c *value.Value, dir, name string, want *value.Value) {
	t.Helper()
	got, want := readYAML(t, filepath.Join(dir, sdFolder, name)), content(t, want)
	if v := c.Get("compare"); v != nil {
		got, want = got.Get(v.Text), want.Get(v.Text)
	}
	if !value.Equal(got, want) {
		t.Errorf("%s has\n%swant\n%s", name, yaml.Marshal(got), yaml.Marshal(want))
	}
}

// content is an SD that stands in a case, or in the file that it names.
func content(t *testing.T, v *value.Value) *value.Value {
	t.Helper()
	if file, ok := v.Str(); ok {
		return readYAML(t, path.Join(cases, file))
	}
	return v
}

func members(v *value.Value) map[string]*value.Value {
	all := map[string]*value.Value{}
	if v != nil {
		for _, m := range v.Members {
			all[m.Name] = m.Value
		}
	}
	return all
}

func readYAML(t *testing.T, file string) *value.Value {
	t.Helper()
	values, err := yaml.Parse(file, []byte(read(t, "", file)), value.Limits{})
	if err != nil || len(values) != 1 {
		t.Fatalf("%d documents, %v", len(values), err)
	}
	return values[0]
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// snapshot tells all that is in a folder, with times and modes.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		b.WriteString(name + " " + info.Mode().String())
		if !entry.IsDir() {
			b.WriteString(" " + info.ModTime().String() + "\n" + read(t, "", name))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
