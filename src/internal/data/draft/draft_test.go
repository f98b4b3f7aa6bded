package draft_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/draft"
	"github.com/dovetail-store/dovetail/src/internal/data/lint"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// drafted makes a draft of manifests, and returns them as its samples.
func drafted(t *testing.T, text string) (*draft.Draft, []lint.Document, error) {
	t.Helper()
	values, err := yaml.Parse("samples.yaml", []byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var manifests []draft.Manifest
	for _, v := range manifest.Flatten(values) {
		manifests = append(manifests, draft.Manifest{File: "samples.yaml", Value: v})
	}
	d, err := draft.Kinds(manifests)
	if err != nil {
		return nil, nil, err
	}
	model, err := d.Model()
	if err != nil {
		t.Fatal(err)
	}
	operations, err := manifest.Operations(manifest.NewKinds(model), "samples.yaml", values)
	if err != nil {
		t.Fatal(err)
	}
	var samples []lint.Document
	for _, op := range operations {
		samples = append(samples, lint.Document{ID: op.ID, Data: op.Data, Position: op.Position})
	}
	return d, samples, d.Add(samples)
}

// The draft of the data centre's samples finds in them what the shipped ref-schema finds.
func TestDataCentre(t *testing.T) {
	const example = "../../../../ref-schemas/examples/datacentre"
	text, err := os.ReadFile(example + "/samples/north.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, samples, err := drafted(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	model, err := d.Model()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := schema.ReadDir(example)
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	references := 0
	for _, s := range samples {
		ours, err := model.KindOf(s.ID)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := shipped.KindOf(s.ID)
		if err != nil {
			t.Fatal(err)
		}
		got, want := schema.References(ours.Extract(s.ID, s.Data)), schema.References(theirs.Extract(s.ID, s.Data))
		if references += len(got); !slices.Equal(got, want) {
			t.Errorf("%s refers to %v, want %v", s.ID, got, want)
		}
		if violations := ours.Validate(s.Data); violations.Total() > 0 {
			t.Errorf("%s: %v", s.ID, violations.Kept())
		}
	}
	if references != 2 || len(d.Notes()) > 0 {
		t.Errorf("%d references, notes %v", references, d.Notes())
	}
}

func TestReferences(t *testing.T) {
	const clouds = "kind: project\nmetadata: {name: p}\n---\nkind: cloud\nkey: {project: p}\nmetadata: {name: c1}\n---\nkind: cloud\nkey: {project: p}\nmetadata: {name: c2}\n"
	app := func(spec string) string {
		return "---\nkind: app\nkey: {project: p}\nmetadata: {name: a}\nspec: " + spec + "\n"
	}
	tests := []struct {
		name  string
		text  string
		want  []string // the slots of app
		notes []string
	}{
		{"a text", clouds + app("{cloud: c1}"), []string{"cloud spec.cloud"}, nil},
		{"a longer name", clouds + app("{targetCloud: c1}"), []string{"cloud spec.targetCloud"}, nil},
		{"a list", clouds + app("{clouds: [c1, c2, c1]}"), []string{"cloud spec.clouds[*]"}, nil},
		{"an odd name", clouds + app(`{"a b": {cloud: c1}}`), []string{`cloud spec["a b"].cloud`}, nil},
		{"an object with the whole key", "kind: project\nmetadata: {name: q}\n---\nkind: cloud\nkey: {project: q}\nmetadata: {name: far}\n---\n" + clouds +
			app("{at: {project: q, cloud: far}}"), []string{"cloud spec.at"}, nil},
		{"no such document", clouds + app("{cloud: gone}"), nil, nil},
		{"no such document in one of two", clouds + app("{cloud: c1}") + strings.Replace(app("{cloud: gone}"), "name: a", "name: b", 1), nil,
			[]string{"app: the value at spec.cloud may be the name of a cloud, but project/p/cloud/gone is not among the samples"}},
		{"a number", clouds + app("{cloud: 3}"), nil, nil},
		{"a name by chance", clouds + app("{zone: c1}"), nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, samples, err := drafted(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			model, err := d.Model()
			if err != nil {
				t.Fatal(err)
			}
			kind, _ := model.Kind("app")
			var got, notes []string
			for _, r := range kind.References {
				got = append(got, r.To[0].Name+" "+r.Slot())
			}
			for _, note := range d.Notes() {
				notes = append(notes, note.Message)
			}
			if !slices.Equal(got, test.want) || !slices.Equal(notes, test.notes) {
				t.Errorf("got  %q %q\nwant %q %q", got, notes, test.want, test.notes)
			}
			for _, s := range samples {
				of, _ := model.KindOf(s.ID)
				if violations := of.Validate(s.Data); violations.Total() > 0 {
					t.Errorf("%s: %v", s.ID, violations.Kept())
				}
			}
		})
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string // kinds with their ancestors, or the errors
	}{
		{"a chain in any order", "kind: device\nkey: {rack: r, site: s}\nmetadata: {name: d}\n---\nkind: rack\nkey: {site: s}\nmetadata: {name: r}\n---\nkind: site\nmetadata: {name: s}",
			"site site,rack site,rack,device"},
		{"by id", "id: site/s/rack/r\nmetadata: {name: r}", "site site,rack"},
		{"the own element in the key", "kind: rack\nkey: {site: s, rack: r}\nspec: {}", "site site,rack"},
		{"other ancestors", "kind: x\nkey: {y: a}\n---\nkind: x\nkey: {z: a}",
			"samples.yaml:4:1: the key of the x has z beside its own element, that at samples.yaml:1:1 y"},
		{"an ancestor is left out", "kind: rack\nkey: {site: s}\nmetadata: {name: r}\n---\nkind: device\nkey: {rack: r}\nmetadata: {name: d}",
			"samples.yaml:5:1: the key of the device has nothing above its rack, and that of samples.yaml:1:1 site"},
		{"no kind, and no object", "a: 1\n---\n3\n---\nkind: x\nkey: [a]",
			"samples.yaml:1:1: the manifest has no kind; samples.yaml:3:1: the manifest is not an object; samples.yaml:5:1: the key is not an object"},
		{"each below the other", "kind: a\nkey: {b: x}\nmetadata: {name: y}\n---\nkind: b\nkey: {a: x}\nmetadata: {name: y}",
			"samples.yaml:1:1: the key of the a has nothing above its b, and that of samples.yaml:5:1 a; samples.yaml:5:1: the key of the b has nothing above its a, and that of samples.yaml:1:1 b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, _, err := drafted(t, test.text)
			var got []string
			separator := " "
			if e := dovetail.AsError(err); e != nil {
				separator = "; "
				for _, part := range append([]*dovetail.Error{e}, e.Errors...) {
					if len(part.Errors) == 0 {
						got = append(got, part.Position.String()+": "+part.Message)
					}
				}
			} else {
				model, err := d.Model()
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range model.Kinds() {
					got = append(got, strings.Join(k.Elements, ","))
				}
				slices.SortFunc(got, func(a, b string) int { return len(a) - len(b) })
			}
			if text := strings.Join(got, separator); text != test.want {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
		})
	}
}

// What drafts are made of is anything that can be written as manifests.
func FuzzDraft(f *testing.F) {
	f.Add("kind: project\nmetadata: {name: p}\n---\nkind: app\nkey: {project: p}\nspec: {projects: [p], a: {b: [1, 2.5, null]}}")
	f.Add("kind: project\nmetadata: {name: p}\nspec: {b: [1, null]}")
	f.Add("kind: a\nkey: {b: x}\n---\nkind: b\nid: b/x\nspec: {\"x y\": {a: q, b: x}}")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := yaml.Parse("x", []byte(text), value.Limits{Bytes: 1 << 12, Values: 200})
		if err != nil {
			return
		}
		var manifests []draft.Manifest
		for _, v := range manifest.Flatten(values) {
			manifests = append(manifests, draft.Manifest{File: "x", Value: v})
		}
		d, err := draft.Kinds(manifests)
		if err != nil {
			return
		}
		model, err := d.Model()
		if err != nil {
			return // a name that kinds cannot have
		}
		operations, err := manifest.Operations(manifest.NewKinds(model), "x", values)
		if err != nil {
			return
		}
		var samples []lint.Document
		for _, op := range operations {
			if op.ID != "" && op.Data != nil && op.Data.Kind == value.Map {
				samples = append(samples, lint.Document{ID: op.ID, Data: op.Data, Position: op.Position})
			}
		}
		if err := d.Add(samples); err != nil {
			t.Fatal(err)
		}
		final, err := d.Model()
		if err != nil {
			t.Fatalf("%v\n%s", err, d.YAML())
		}
		for _, s := range samples {
			of, err := final.KindOf(s.ID)
			if err != nil {
				t.Fatal(err)
			}
			if violations := of.Validate(s.Data); violations.Total() > 0 {
				t.Errorf("%s: %v\n%s", s.ID, violations.Kept(), d.YAML())
			}
		}
	})
}

func TestStarter(t *testing.T) {
	if _, err := schema.Compile([]schema.Source{{Name: "starter.yaml", Data: draft.Starter}}); err != nil {
		t.Error(err)
	}
}
