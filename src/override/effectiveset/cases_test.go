package effectiveset

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestCases runs the cases that EnvGene's calculator was run on.
func TestCases(t *testing.T) {
	read, err := yaml.Parse("cases.yaml", mustRead(t, "testdata/cases.yaml"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := read[0]
	cluster, name, _ := strings.Cut(text(all.Get("environment")), "/")
	for _, c := range all.Get("cases").Items {
		t.Run(text(c.Get("name")), func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for _, from := range []*value.Value{all.Get("base"), c.Get("files")} {
				if from != nil {
					for _, m := range from.Members {
						files[m.Name] = &fstest.MapFile{Data: []byte(m.Value.Text)}
					}
				}
			}
			for _, path := range items(c.Get("remove")) {
				delete(files, path.Text)
			}
			in := Input{Repo: files, Cluster: cluster, Name: name, Session: text(all.Get("session"))}
			if sboms, err := files.Sub("sboms"); err == nil && text(c.Get("sboms")) != "false" {
				in.SBOMs = sboms
			}
			withArgs(t, &in, files, items(c.Get("args")))
			in.Origins = true
			set, err := Calculate(in)
			checkCase(t, c.Get("expect"), set, err)
			if set == nil {
				return
			}
			if levels, _ := checkExplained(t, set); text(c.Get("name")) == "profile-override" && levels[LevelProfile] == "" {
				t.Error("no value is explained by the profile")
			}
		})
	}
}

// withArgs reads the arguments of a case.
func withArgs(t *testing.T, in *Input, files fstest.MapFS, args []*value.Value) {
	t.Helper()
	for i := 0; i < len(args); i++ {
		var err error
		switch name := args[i].Text; name {
		case "--app-chart-validation=true":
			in.ChartValidation = true
		case "--custom-params":
			i++
			in.Custom, err = value.ParseJSON([]byte(args[i].Text), value.Limits{})
		case "--consumer-schema":
			i++
			schema, failed := value.ParseJSON(files[args[i].Text].Data, value.Limits{})
			err = failed
			in.Consumers = map[string]*value.Value{args[i].Text[strings.LastIndexByte(args[i].Text, '/')+1:]: schema}
		default:
			t.Fatalf("the case has an argument %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkCase(t *testing.T, expect *value.Value, set *Set, err error) {
	t.Helper()
	if text(expect.Get("error")) == "true" {
		if err == nil {
			t.Error("it was calculated without an error")
		} else {
			t.Log(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members(expect.Get("files")) {
		got, made := set.Files[m.Name]
		if !made || string(got) != m.Value.Text {
			t.Errorf("%s (made: %v): %s", m.Name, made, difference(string(got), m.Value.Text))
		}
	}
	data := func(name string) *value.Value {
		read, err := yaml.ParseClassic(name, set.Files[name], value.Limits{})
		if err != nil || len(read) != 1 {
			t.Fatalf("%s: %d, %v", name, len(read), err)
		}
		return read[0]
	}
	for _, m := range members(expect.Get("values")) {
		got := data(m.Name)
		for _, want := range m.Value.Members {
			if v := got.Get(want.Name); v == nil || !value.Equal(sorted(v), sorted(want.Value)) {
				t.Errorf("%s: %s is %v, want %s", m.Name, want.Name, v, want.Value.JSON())
			}
		}
	}
	for _, m := range members(expect.Get("absent")) {
		got := data(m.Name)
		for _, name := range m.Value.Items {
			if got.Get(name.Text) != nil {
				t.Errorf("%s has %s", m.Name, name.Text)
			}
		}
	}
	for _, name := range items(expect.Get("missing")) {
		if _, made := set.Files[name.Text]; made {
			t.Errorf("%s was made", name.Text)
		}
	}
}

func members(v *value.Value) []value.Member {
	if v == nil {
		return nil
	}
	return v.Members
}
