package app

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/value"
)

const resolutionCases = "../../resolution/solver/testdata/deppy/cases"

// onStores runs a test on a server of each kind of store.
func onStores(t *testing.T, given map[string]string, test func(t *testing.T, s *running)) {
	t.Run("bolt", func(t *testing.T) { test(t, start(t, given)) })
	t.Run("mongo", func(t *testing.T) {
		with := map[string]string{"store": freshMongo(t).String()}
		maps.Copy(with, given)
		test(t, start(t, with))
	})
}

func readYAMLFile(t testing.TB, path string) *value.Value {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := yaml.Parse(path, text, value.Limits{})
	if err != nil || len(docs) != 1 {
		t.Fatal(len(docs), err)
	}
	return docs[0]
}

// activeResolution is an ActiveResolution as it is answered.
type activeResolution struct {
	Status state.Status `json:"status"`
}

func (r *activeResolution) condition(t testing.TB, kind string) state.Condition {
	t.Helper()
	for _, c := range r.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	t.Fatalf("there is no condition %s among %+v", kind, r.Status.Conditions)
	return state.Condition{}
}

func readResolution(t testing.TB, text string) *activeResolution {
	t.Helper()
	var r activeResolution
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return &r
}

// load puts the sources of a case.
func (r *running) load(t testing.TB, sources *value.Value) {
	t.Helper()
	for _, source := range sources.Items {
		r.must(t, 200, "PUT", "/api/sources/"+source.Get("name").Text, string(source.JSON()))
	}
}

// unload deletes them again.
func (r *running) unload(t testing.TB, sources *value.Value) {
	t.Helper()
	for _, source := range sources.Items {
		r.must(t, 204, "DELETE", "/v2/sources/"+source.Get("name").Text+"?cascade=true", "")
	}
}

func document(spec *value.Value, annotations ...value.Member) string {
	metadata := value.NewMap(value.Member{Name: "name", Value: value.NewString("r")})
	if len(annotations) > 0 {
		metadata.Set("annotations", value.NewMap(annotations...))
	}
	return string(value.NewMap(value.Member{Name: "apiVersion", Value: value.NewString("deppy.io/v1alpha1")},
		value.Member{Name: "kind", Value: value.NewString("ActiveResolution")},
		value.Member{Name: "metadata", Value: metadata}, value.Member{Name: "spec", Value: spec}).JSON())
}

// TestResolutionCases resolves every conformance case three ways: as stored documents, by a request over what is
// stored, and by a request that brings its sources.
func TestResolutionCases(t *testing.T) {
	files, err := filepath.Glob(resolutionCases + "/*.yaml")
	if err != nil || len(files) != 85 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	onStores(t, nil, func(t *testing.T, s *running) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
				c := readYAMLFile(t, file)
				s.load(t, c.Get("sources"))
				defer s.unload(t, c.Get("sources"))
				checkAnswers(t, s, c)
				status, text := s.call(t, "PUT", "/v2/active-resolutions/r?wait=30s", document(c.Get("spec")))
				if c.At("expected", "error", "reason") != nil && c.At("expected", "error", "reason").Text == "SourceNotFound" {
					if status != 409 || !strings.Contains(text, `"missing":["source/dog"]`) {
						t.Errorf("a source that does not exist: %d %s", status, text)
					}
					return
				}
				if status != 201 {
					t.Fatalf("%d %s", status, text)
				}
				defer s.must(t, 204, "DELETE", "/v2/active-resolutions/r", "")
				checkStatus(t, c.Get("expected"), readResolution(t, text))
				if !strings.Contains(text, `"apiVersion":"deppy.io/v1alpha1","kind":"ActiveResolution"`) {
					t.Errorf("not shown as it was given: %s", text)
				}
			})
		}
	})
}

// checkAnswers resolves without storing.
func checkAnswers(t *testing.T, s *running, c *value.Value) {
	t.Helper()
	expected := c.Get("expected")
	stored := value.NewMap(value.Member{Name: "spec", Value: c.Get("spec")})
	brought := value.NewMap(value.Member{Name: "spec", Value: c.Get("spec")}, value.Member{Name: "sources", Value: c.Get("sources")})
	for name, request := range map[string]*value.Value{"over what is stored": stored, "with its sources": brought} {
		status, text := s.call(t, "POST", "/api/resolve", string(request.JSON()))
		if fault := expected.Get("error"); fault != nil {
			if status != 400 || !strings.Contains(text, `"reason":"`+fault.Get("reason").Text+`"`) || !strings.Contains(text, `"index":`+fault.Get("index").Text) {
				t.Errorf("%s: %d %s, want %s", name, status, text, fault.JSON())
			}
			continue
		}
		var got struct {
			Selections []string        `json:"selections"`
			Unsat      json.RawMessage `json:"unsat"`
		}
		if err := json.Unmarshal([]byte(text), &got); status != 200 || err != nil {
			t.Fatalf("%s: %d %s: %v", name, status, text, err)
		}
		checkOutcome(t, name, expected, got.Selections, got.Unsat)
	}
}

// checkOutcome compares selections, or the core and what nothing matches.
func checkOutcome(t *testing.T, name string, expected *value.Value, selections []string, unsat json.RawMessage) {
	t.Helper()
	want := expected.Get("unsat")
	if want == nil {
		var all []string
		for _, s := range expected.Get("selections").Items {
			all = append(all, s.Text)
		}
		if unsat != nil || !slices.Equal(selections, all) {
			t.Errorf("%s: selected %v, want %v; unsat %s", name, selections, all, unsat)
		}
		return
	}
	if selections != nil || unsat == nil {
		t.Fatalf("%s: selected %v, want %s", name, selections, want.JSON())
	}
	got, err := value.ParseJSON(unsat, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !value.Equal(got.Get("core"), want.Get("core")) {
		t.Errorf("%s: core %s, want %s", name, got.Get("core").JSON(), want.Get("core").JSON())
	}
	if no := want.Get("noMatch"); no != nil && !value.Equal(got.Get("noMatch"), no) {
		t.Errorf("%s: noMatch %s, want %s", name, got.Get("noMatch").JSON(), no.JSON())
	}
	if mentions := want.Get("mentions"); mentions != nil {
		for _, m := range mentions.Items {
			if !strings.Contains(string(unsat), m.Text) {
				t.Errorf("%s: %s is not mentioned: %s", name, m.Text, unsat)
			}
		}
	}
}

func checkStatus(t *testing.T, expected *value.Value, got *activeResolution) {
	t.Helper()
	resolved := got.condition(t, state.ConditionResolved)
	if len(resolved.Message) == 0 || len(resolved.Message) > state.MaxMessage || resolved.ObservedGeneration != 1 || resolved.LastTransitionTime.IsZero() {
		t.Errorf("condition %+v", resolved)
	}
	if fault := expected.Get("error"); fault != nil {
		if e := got.Status.Error; e == nil || e.Reason != fault.Get("reason").Text || fmt.Sprint(e.Index) != fault.Get("index").Text || resolved.Reason != e.Reason {
			t.Errorf("error %+v, condition %+v, want %s", e, resolved, fault.JSON())
		}
		return
	}
	var unsat json.RawMessage
	if got.Status.Unsat != nil {
		text, err := json.Marshal(got.Status.Unsat)
		if err != nil {
			t.Fatal(err)
		}
		unsat = text
	}
	checkOutcome(t, "stored", expected, got.Status.Selections, unsat)
	want := "True Resolved"
	if unsat != nil {
		want = "False Unsatisfiable"
	}
	if have := resolved.Status + " " + resolved.Reason; have != want {
		t.Errorf("condition %s, want %s", have, want)
	}
}

// A source may be missing where references only warn; then the status says so.
func TestResolutionOfSourceNotFound(t *testing.T) {
	s := start(t, map[string]string{"references": "warn"})
	c := readYAMLFile(t, resolutionCases+"/033-unknown-source.yaml")
	s.load(t, c.Get("sources"))
	checkStatus(t, c.Get("expected"), readResolution(t, s.must(t, 201, "PUT", "/v2/active-resolutions/r?wait=30s", document(c.Get("spec")))))
	s.must(t, 200, "PUT", "/api/sources/dog", `{"packages":[]}`)
	got := s.waitFor(t, "/v2/active-resolutions/r", func(r *activeResolution) bool { return len(r.Status.Selections) == 1 })
	if got.Status.Error != nil {
		t.Errorf("the error is still there: %+v", got.Status.Error)
	}
}

// TestResolveSetOverHTTP compares with what was written by hand for the example of the source document.
func TestResolveSetOverHTTP(t *testing.T) {
	const golden = "../../resolution/activator/testdata/resolveset"
	onStores(t, map[string]string{"public-url": "https://store.example.org"}, func(t *testing.T, s *running) {
		s.load(t, readYAMLFile(t, resolutionCases+"/002-seed-platform-dependency.yaml").Get("sources"))
		want := readYAMLFile(t, golden+"/activeresolution.yaml")
		text := s.must(t, 201, "PUT", "/v2/active-resolutions/foo-resolution?wait=30s", string(want.JSON()))
		got, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.At("status", "conditions").Items {
			c.Delete("lastTransitionTime")
		}
		for _, member := range []string{"observedGeneration", "conditions", "selections", "entities"} {
			if g, w := got.At("status", member), want.At("status", member); !value.Equal(g, w) {
				t.Errorf("%s is\n%s\nwant\n%s", member, g.JSON(), w.JSON())
			}
		}
		path := got.At("status", "bundle", "path").Text
		bundle := s.must(t, 200, "GET", path, "")
		files := untar(t, bundle)
		for _, name := range []string{"foo-package", "bar-package"} {
			file := "manifests/" + name + "-bd.yaml"
			manifest, err := yaml.Parse(file, []byte(files[file]), value.Limits{})
			if err != nil || !value.Equal(manifest[0], readYAMLFile(t, filepath.Join(golden, file))) {
				t.Errorf("%s is\n%s: %v", file, files[file], err)
			}
		}
		wrapper := s.must(t, 200, "GET", "/v2/active-resolutions/foo-resolution/content/wrapper", "")
		if !strings.Contains(wrapper, "url: https://store.example.org"+path) {
			t.Errorf("the wrapper is\n%s", wrapper)
		}
		if again := s.must(t, 200, "GET", path, ""); again != bundle || len(files) != 2 {
			t.Errorf("the bundle differs, or has %d files", len(files))
		}
		want.Get("metadata").Delete("annotations")
		plain := readResolution(t, s.must(t, 200, "PUT", "/v2/active-resolutions/foo-resolution?wait=30s", string(want.JSON())))
		if len(plain.Status.Conditions) != 1 || plain.Status.Entities != nil || plain.Status.Bundle != nil {
			t.Errorf("without an activator: %+v", plain.Status)
		}
		s.must(t, 404, "GET", path, "")
	})
}

func untar(t *testing.T, text string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for r := tar.NewReader(bytes.NewReader([]byte(text))); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(data)
	}
}

// waitFor reads a resolution until it is as it should be.
func (r *running) waitFor(t testing.TB, path string, is func(*activeResolution) bool) (got *activeResolution) {
	t.Helper()
	eventually(t, path+" is as it should be", func() bool {
		got = readResolution(t, r.must(t, 200, "GET", path, ""))
		return is(got)
	})
	return got
}

// seedOperator is an example of the source document, as it is printed there; the other is in a file.
const seedOperator = `apiVersion: deppy.io/v1alpha1
kind: ActiveResolution
metadata:
  annotations:
    deppy.io/v1alpha1/activator-class: "Operator"
  name: foo-resolution
spec:
  constraints:
  - required:
      name: "foo-package"
      channel: "platform"
`

// TestApplyWatch applies both from the command line, which shows what becomes of them.
func TestApplyWatch(t *testing.T) {
	s := start(t, nil)
	for _, name := range []string{"/001-seed-two-required.yaml", "/002-seed-platform-dependency.yaml"} {
		s.load(t, readYAMLFile(t, resolutionCases+name).Get("sources"))
	}
	printed, err := os.ReadFile("../../resolution/solver/testdata/printed/example-resolution.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := command(t, 0, string(printed)+"---\n"+seedOperator, "apply", "-f", "-", "--watch", "--server", s.URL())
	for _, line := range []string{
		"activeResolution/example-resolution: Resolved=True Resolved: selected 2 packages for 2 constraints\n" +
			"  example-operators:first-example-operator:1.2.0:stable\n  example-operators:second-example-operator:1.1.0:stable\n",
		"activeResolution/foo-resolution: Resolved=True Resolved: selected 2 packages for 1 constraint\n" +
			"activeResolution/foo-resolution: Activated=True Activated: 2 entities by activator Operator\n" +
			"  redhat-operators:foo-package:1.2.0:platform\n  redhat-operators:bar-package:1.1.0:platform\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("it shows\n%s\nwithout\n%s", got, line)
		}
	}
	entities := readResolution(t, s.must(t, 200, "GET", "/v2/active-resolutions/foo-resolution", "")).Status.Entities
	if fmt.Sprint(entities) != "[{foo-package quay.io/redhat-operators/foo-package:v1.2.0  } {bar-package quay.io/redhat-operators/bar-package:v1.1.0  }]" {
		t.Errorf("entities %v", entities)
	}
	clash := strings.ReplaceAll(seedOperator, "foo-package", "absent")
	if got := command(t, 1, clash, "apply", "-f", "-", "--watch", "--server", s.URL()); !strings.Contains(got, "Resolved=False Unsatisfiable") || !strings.Contains(got, "SelectionsStale=True") {
		t.Errorf("it shows\n%s", got)
	}
	if got := command(t, 1, clash, "apply", "-f", "-", "--watch", "-o", "name", "--server", s.URL()); got != "activeResolution/foo-resolution\n" {
		t.Errorf("with the name only: %q", got)
	}
}

// Without the service no status is written, and the command reports that.
func TestApplyWatchInVain(t *testing.T) {
	s := start(t, map[string]string{"services": "resources"})
	command(t, 5, strings.ReplaceAll(seedOperator, "foo-package", "absent"), "apply", "-f", "-", "--watch", "--timeout", "100ms", "--server", s.URL())
}
