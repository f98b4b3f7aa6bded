package sd_test

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const cases = "testdata/sd"

// TestCases runs the conformance vectors; their README explains the fields.
func TestCases(t *testing.T) {
	all := readYAML(t, path.Join(cases, "cases.yaml")).Get("cases").Items
	if len(all) != 102 {
		t.Fatalf("%d cases, want 102", len(all))
	}
	for _, item := range all {
		c := vector{item}
		t.Run(c.text("id"), func(t *testing.T) {
			switch c.text("kind") {
			case "merge":
				full, delta := c.sd(t, "full", c.v.Get("full")), c.sd(t, "delta", c.v.Get("delta"))
				merged, err := sd.Merge(c.mode(t), full, delta)
				c.check(t, merged, err, []*sd.Descriptor{full, delta})
			case "fold":
				sds := c.sds(t)
				merged, err := sd.Fold(c.mode(t), sds...)
				c.check(t, merged, err, sds)
			case "process":
				c.process(t)
			case "namespace-transform":
				namespaces := map[string]string{}
				for _, m := range c.v.Get("namespaces").Members {
					namespaces[m.Name] = m.Value.Text
				}
				request := &sd.Request{Mode: sd.BasicMerge, Delta: true, Data: c.sds(t)}
				out, err := request.Process(request.Data, sd.State{Namespaces: namespaces})
				if err != nil {
					t.Fatal(err)
				}
				c.equal(t, "full", out.Full, c.v.Get("expected"))
				c.warnings(t, out.Warnings, request.Data)
			default:
				t.Fatalf("unknown kind %s", c.text("kind"))
			}
		})
	}
}

// vector is one case.
type vector struct{ v *value.Value }

func (c vector) text(name string) string {
	text, _ := c.v.Get(name).Str()
	return text
}

func (c vector) mode(t *testing.T) sd.Mode {
	t.Helper()
	if c.text("mode") == "" {
		return sd.BasicMerge
	}
	mode, err := sd.ParseMode(c.text("mode"))
	if err != nil {
		t.Fatal(err)
	}
	return mode
}

// content returns an SD that stands in a case, or in the file that it names.
func (c vector) content(t *testing.T, v *value.Value) *value.Value {
	t.Helper()
	if file, ok := v.Str(); ok {
		return readYAML(t, path.Join(cases, file))
	}
	return v
}

// sd makes an SD of a text of its own, so that positions lead into it.
func (c vector) sd(t *testing.T, name string, v *value.Value) *sd.Descriptor {
	t.Helper()
	if v == nil {
		return nil
	}
	descr, err := sd.Parse(name, yaml.Marshal(c.content(t, v)))
	if err != nil {
		t.Fatal(err)
	}
	return descr
}

func (c vector) sds(t *testing.T) []*sd.Descriptor {
	t.Helper()
	var sds []*sd.Descriptor
	list := c.v.Get("sds")
	if list == nil {
		return nil
	}
	for i, item := range list.Items {
		sds = append(sds, c.sd(t, "sds/"+string(rune('0'+i)), item))
	}
	return sds
}

func (c vector) process(t *testing.T) {
	t.Helper()
	state := sd.State{Full: c.sd(t, "stored", c.v.At("stored", "full"))}
	request := &sd.Request{Mode: c.mode(t), Delta: c.v.Get("delta_run") == nil, Data: c.sds(t)}
	var err error
	if params := c.v.Get("params"); params != nil {
		given := map[string]string{}
		for _, m := range params.Members {
			given[m.Name] = m.Value.Text
		}
		request, err = sd.ParseRequest(given)
		if err != nil {
			c.failed(t, err)
			return
		}
	}
	incoming, err := request.Fetch(t.Context(), artifacts{t, c})
	if err != nil {
		c.failed(t, err)
		return
	}
	out, err := request.Process(incoming, state)
	if err != nil {
		c.failed(t, err)
		return
	}
	c.succeeded(t)
	c.equal(t, "full", out.Full, c.v.At("expected", "full"))
	if want := c.v.At("expected", "delta"); want != nil {
		c.equal(t, "delta", out.Delta, want)
	}
	c.warnings(t, out.Warnings, incoming)
}

// artifacts are those of a case.
type artifacts struct {
	t *testing.T
	c vector
}

func (a artifacts) Fetch(_ context.Context, artifact sd.Artifact) (source string, text []byte, err error) {
	v := a.c.v.At("artifacts", artifact.String())
	if v == nil {
		return "", nil, artifact.NotFound("the case")
	}
	return artifact.String(), yaml.Marshal(a.c.content(a.t, v)), nil
}

func (c vector) check(t *testing.T, merged *sd.Merged, err error, incoming []*sd.Descriptor) {
	t.Helper()
	if err != nil {
		c.failed(t, err)
		return
	}
	c.succeeded(t)
	c.equal(t, "result", merged.Descriptor, c.v.Get("expected"))
	c.warnings(t, merged.Warnings, incoming)
}

// failed wants every part of the error to have the reason of the case, and a place.
func (c vector) failed(t *testing.T, err error) {
	t.Helper()
	for _, part := range parts(err) {
		if part.Reason != c.text("error") {
			t.Errorf("the error is %s: %v, want %q", part.Reason, part, c.text("error"))
		}
		if part.Position.File == "" || part.Remedy == "" {
			t.Errorf("the error lacks a place or a remedy: %+v", part)
		}
	}
}

func (c vector) succeeded(t *testing.T) {
	t.Helper()
	if want := c.text("error"); want != "" {
		t.Fatalf("no error, want %s", want)
	}
}

func (c vector) equal(t *testing.T, what string, descr *sd.Descriptor, want *value.Value) {
	t.Helper()
	want = c.content(t, want)
	if descr == nil {
		t.Fatalf("there is no %s SD", what)
	}
	got := descr.Value()
	if c.text("compare") == "applications" {
		got, want = got.Get("applications"), want.Get("applications")
	}
	if !value.Equal(got, want) {
		t.Errorf("the %s SD is\n%swant\n%s", what, yaml.Marshal(got), yaml.Marshal(want))
	}
}

// warnings wants those of the case, in order, each with the position of its application.
func (c vector) warnings(t *testing.T, got []*dovetail.Error, incoming []*sd.Descriptor) {
	t.Helper()
	want := c.v.Get("warnings")
	if want == nil {
		want = value.NewList()
	}
	if len(got) != len(want.Items) {
		t.Fatalf("warnings %v, want %s", got, want.JSON())
	}
	for i, w := range want.Items {
		at := got[i].Position
		from := slices.IndexFunc(incoming, func(descr *sd.Descriptor) bool { return descr.Source() == at.File })
		if from < 0 {
			t.Fatalf("the warning is about %q", at.File)
		}
		application, _ := incoming[from].Value().Find(at.Path)
		if got[i].Reason != w.Get("code").Text || application.Get("version").Text != w.Get("application").Text ||
			application.Get("deployPostfix").Text != w.Get("deployPostfix").Text || application.Position() != (dovetail.Position{Line: at.Line, Column: at.Column}) {
			t.Errorf("the warning %s is %v at %s, want %s", got[i].Reason, got[i], application.JSON(), w.JSON())
		}
		if !strings.Contains(got[i].Message, w.Get("application").Text) {
			t.Errorf("the warning does not name the application: %s", got[i].Message)
		}
	}
}

func parts(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if len(e.Errors) == 0 {
		return []*dovetail.Error{e}
	}
	return e.Errors
}

func readYAML(t testing.TB, file string) *value.Value {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Parse(file, data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values[0]
}
