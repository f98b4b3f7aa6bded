package descriptor_test

import (
	"path"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const cases = "sd/testdata/sd"

// TestCases runs the conformance vectors of whole requests over HTTP; their README explains the
// fields.
func TestCases(t *testing.T) {
	t.Parallel()
	n := 0
	for _, item := range readYAML(t, path.Join(cases, "cases.yaml")).Get("cases").Items {
		if item.Get("kind").Text != "process" {
			continue
		}
		n++
		t.Run(item.Get("id").Text, func(t *testing.T) { runCase(t, item) })
	}
	if n != 26 {
		t.Errorf("%d cases", n)
	}
}

// content returns an SD that stands in a case, or in the file that it names.
func content(t *testing.T, v *value.Value) *value.Value {
	t.Helper()
	if file, ok := v.Str(); ok {
		return readYAML(t, path.Join(cases, file))
	}
	return v
}

// request is the body of a case's request.
func request(c *value.Value) string {
	if params := c.Get("params"); params != nil {
		return string(params.JSON())
	}
	params := value.NewMap(value.Member{Name: "SD_SOURCE_TYPE", Value: value.NewString("json")}, value.Member{Name: "SD_DATA_MULTIPLE", Value: c.Get("sds")})
	if mode := c.Get("mode"); mode != nil {
		params.Set("SD_MERGE_MODE", mode)
	}
	if delta := c.Get("delta_run"); delta != nil {
		params.Set("SD_DELTA", delta)
	}
	return string(params.JSON())
}

func runCase(t *testing.T, c *value.Value) {
	artifacts := published{}
	if list := c.Get("artifacts"); list != nil {
		for _, m := range list.Members {
			artifacts[m.Name] = content(t, m.Value)
		}
	}
	s := newServer(t, descriptor.Options{Artifacts: artifacts})
	s.keep("full", content(t, c.At("stored", "full")))
	s.keep("delta", content(t, c.At("stored", "delta")))
	head, full, delta := s.head(), s.sd(fullPath), s.sd(deltaPath)

	a := s.do("POST", process, request(c))
	if code := c.Get("error"); code != nil {
		if a.status != 400 && a.status != 422 {
			t.Fatalf("status %d: %s", a.status, a.text)
		}
		if problem := a.header.Get("Content-Type"); problem != "application/problem+json" {
			t.Errorf("the error is %s", problem)
		}
		for _, reason := range reasons(a.body) {
			if reason != code.Text {
				t.Errorf("the reason is %s, want %s: %s", reason, code.Text, a.text)
			}
		}
		if s.head() != head || s.sd(fullPath) != full || s.sd(deltaPath) != delta {
			t.Error("the refused request changed something")
		}
		return
	}
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.text)
	}
	same := func(what string, got, want *value.Value) {
		t.Helper()
		if c.Get("compare") != nil {
			got, want = got.Get("applications"), want.Get("applications")
		}
		if !value.Equal(got, want) {
			t.Errorf("the %s SD is\n%swant\n%s", what, yaml.Marshal(got), yaml.Marshal(want))
		}
	}
	for _, part := range []string{"full", "delta"} {
		want := c.At("expected", part)
		if want == nil {
			continue
		}
		same(part, a.body.At(part, "sd"), content(t, want))
		same("stored "+part, s.must(200, "GET", "/api/sd"+query+"&kind="+part, "").body, content(t, want))
	}
	var want []*value.Value
	if list := c.Get("warnings"); list != nil {
		want = list.Items
	}
	got := a.body.Get("warnings").Items
	if len(got) != len(want) {
		t.Fatalf("warnings %s, want %v", a.body.Get("warnings").JSON(), want)
	}
	for i, w := range want {
		if got[i].Get("code").Text != w.Get("code").Text || !strings.Contains(got[i].Get("message").Text, w.Get("application").Text) || got[i].Get("path") == nil {
			t.Errorf("the warning is %s, want %s", got[i].JSON(), w.JSON())
		}
	}
}
