package layering_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// different are the steps where this service answers otherwise than the older system, on purpose: by scenario
// and number of the step.
var different = map[string]map[int]struct {
	status int
	class  string // of an error; "" for an answer that is not compared
	why    string
}{
	"identical-put": {
		1: {200, "", "equal content makes no revision, so that the revision of the answer is 1"},
		2: {200, "", "there is one revision"},
	},
	"bucket-conflict-after-other-put": {
		2: {409, "DuplicateDocumentExists", "a document belongs to one bucket, whatever was written since"},
	},
	"data-schema": {
		1: {400, "InvalidDocumentFormat", "data schemas are checked at PUT; see data-schema with validate=structure"},
		2: {404, "HTTPNotFound", "so there is no revision 2"},
		3: {200, "", "and this one is revision 2"},
		4: {404, "HTTPNotFound", "and there is no revision 3"},
	},
}

// TestScenarios replays what the older system answered.
func TestScenarios(t *testing.T) {
	scenarios := readYAML(t, "testdata/rest-scenarios.yaml")[0].Get("scenarios").Items
	if len(scenarios) != 19 {
		t.Errorf("%d scenarios", len(scenarios))
	}
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		for _, scenario := range scenarios {
			name := scenario.Get("name").Text
			t.Run(name, func(t *testing.T) {
				s := newServer(t, open(t))
				for i, step := range scenario.Get("steps").Items {
					s.step(step, i, name, false)
				}
			})
			if scenario.Get("name").Text == "data-schema" {
				t.Run(name+" with validate=structure", func(t *testing.T) {
					s := newServer(t, open(t))
					for i, step := range scenario.Get("steps").Items {
						s.step(step, i, "", true)
					}
				})
			}
		}
	})
}

// step sends one request of a scenario and compares the answer.
func (s *server) step(step *value.Value, i int, scenario string, structure bool) {
	t := s.t
	t.Helper()
	method, path := step.Get("method").Text, step.Get("path").Text
	if structure && method == "PUT" {
		path += "?validate=structure"
	}
	var body string
	if b := step.Get("body"); b != nil {
		body = b.Text
	}
	var header []string
	if c := step.Get("content_type"); c != nil {
		header = []string{"Content-Type", c.Text}
	}
	a := s.do(method, path, body, header...)
	if d, is := different[scenario][i]; is {
		if a.status != d.status || d.class != "" && a.class() != d.class {
			t.Errorf("step %d: %s %s: %d %s, want %d %s since %s", i, method, path, a.status, a.class(), d.status, d.class, d.why)
		}
		return
	}
	if got := value.NewNumber(int64(a.status)).Text; got != step.Get("status").Text {
		t.Fatalf("step %d: %s %s: %s, want %s: %s", i, method, path, got, step.Get("status").Text, a.text)
	}
	if a.status != 204 && a.header.Get("Content-Type") != "application/x-yaml" {
		t.Errorf("step %d: the answer is %s", i, a.header.Get("Content-Type"))
	}
	want := step.Get("response")
	if want == nil {
		return
	}
	got := reduce(t, a, want)
	if documents := want.Get("documents"); documents != nil && !strings.Contains(path, "sort=") {
		sortDocuments(documents)
		sortDocuments(got.Get("documents"))
	}
	if !value.Equal(got, want) {
		t.Errorf("step %d: %s %s:\n%swant\n%s", i, method, path, yaml.Marshal(got), yaml.Marshal(want))
	}
}

func sortDocuments(list *value.Value) {
	slices.SortFunc(list.Items, func(a, b *value.Value) int {
		return strings.Compare(a.Get("schema").Text+" "+a.Get("name").Text, b.Get("schema").Text+" "+b.Get("name").Text)
	})
}

// reduce cuts an answer down to what the scenario shows of it.
func reduce(t testing.TB, a answer, want *value.Value) *value.Value {
	t.Helper()
	member := func(name string, v *value.Value) value.Member { return value.Member{Name: name, Value: v} }
	switch {
	case want.Get("error") != nil:
		return value.NewMap(member("error", value.NewString(a.class())))
	case want.Get("body") != nil:
		return value.NewMap(member("body", a.one(t)))
	case want.Get("id") != nil:
		return value.NewMap(member("id", a.one(t).Get("id")), member("tags", a.one(t).Get("tags")))
	case want.Get("revisions") != nil:
		list := value.NewList()
		for _, r := range a.one(t).Get("results").Items {
			list.Items = append(list.Items, value.NewMap(member("id", r.Get("id")), member("tags", r.Get("tags"))))
		}
		return value.NewMap(member("count", a.one(t).Get("count")), member("revisions", list))
	}
	got := value.NewMap(member("documents", value.NewList()))
	for _, d := range a.documents {
		if d.Get("schema") == nil {
			got.Set("bucket_and_revision", d.Get("status"))
			continue
		}
		got.Get("documents").Items = append(got.Get("documents").Items, value.NewMap(member("schema", d.Get("schema")), member("name", d.At("metadata", "name")),
			member("data", d.Get("data")), member("bucket", d.At("status", "bucket")), member("revision", d.At("status", "revision"))))
	}
	return got
}
