package instancerepo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/value"
)

// names are few, so that files meet.
var names = rapid.SampledFrom([]string{"a", "b", "core", "core-deploy-ui-override", "cloud", "ж é", "x.y", "parameters"})

// values are of all types, also those that YAML could take for something else.
func values(depth int) *rapid.Generator[*value.Value] {
	return rapid.Custom(func(t *rapid.T) *value.Value {
		switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
		case kind == 0:
			return value.NullValue()
		case kind == 1:
			return value.NewBool(rapid.Bool().Draw(t, "bool"))
		case kind == 2:
			return &value.Value{Kind: value.Number, Text: rapid.SampledFrom([]string{"0", "-1", "1.50", "12345678901234567890", "1e3"}).Draw(t, "number")}
		case kind == 3 && depth > 0:
			return value.NewList(rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "items")...)
		case kind <= 5 && depth > 0:
			return maps(depth-1).Draw(t, "map")
		}
		return value.NewString(rapid.SampledFrom([]string{"", "a", "true", "1", "${creds.get('x').password}", "$", "a: b", "line\nline\n", " ж"}).Draw(t, "text"))
	})
}

func maps(depth int) *rapid.Generator[*value.Value] {
	return rapid.Custom(func(t *rapid.T) *value.Value {
		v := value.NewMap()
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"name", "namespace", "parameters", "applications", "a.b", "$x", "ж", "1", "envTemplate"}), 0, 4, rapid.ID[string]).Draw(t, "members") {
			v.Set(name, values(depth).Draw(t, name))
		}
		return v
	})
}

// inventories have lists of ParamSets, some of them broken.
var inventories = rapid.Custom(func(t *rapid.T) *value.Value {
	v := maps(1).Draw(t, "rest")
	template := maps(1).Draw(t, "template")
	for _, section := range []string{"envSpecificParamsets", "envSpecificTechnicalParamsets", "envSpecificE2EParamsets"} {
		if !rapid.Bool().Draw(t, section) {
			continue
		}
		objects := value.NewMap()
		for _, object := range rapid.SliceOfNDistinct(names, 0, 3, rapid.ID[string]).Draw(t, "objects") {
			list := value.NewList()
			for _, name := range rapid.SliceOfN(names, 0, 4).Draw(t, "list") {
				list.Items = append(list.Items, value.NewString(name))
			}
			if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
				list.Items = append(list.Items, values(1).Draw(t, "item"))
			}
			objects.Set(object, list)
		}
		template.Set(section, objects)
	}
	v.Set("envTemplate", template)
	return v
})

// repositories are files, as they may be in an instance repository.
var repositories = rapid.Custom(func(t *rapid.T) []instancerepo.File {
	var files []instancerepo.File
	add := func(path string, v *value.Value) {
		if !slices.ContainsFunc(files, func(f instancerepo.File) bool { return f.Path == path }) {
			files = append(files, instancerepo.File{Path: path, Data: yaml.Marshal(v)})
		}
	}
	name := func() string { return names.Draw(t, "name") }
	for range rapid.IntRange(0, 12).Draw(t, "files") {
		cluster := "environments/" + name() + "/"
		env := cluster + name() + "/"
		extension := rapid.SampledFrom([]string{".yml", ".yaml"}).Draw(t, "extension")
		path := rapid.SampledFrom([]string{
			env + "Inventory/parameters/" + name(), env + "Inventory/parameters/" + name(), cluster + "parameters/" + name(), "environments/parameters/" + name(),
			env + "Namespaces/" + name() + "/namespace", env + "Namespaces/" + name() + "/Applications/" + name(), env + "cloud", env + "tenant",
			env + "bg_domain", env + "Credentials/credentials", env + "effective-set/deployment/" + name() + "/" + name() + "/values/x", env + "AppDefs/" + name(),
			env + "Inventory/solution-descriptor/sd", env + "Inventory/resource_profiles/" + name(), cluster + "cloud-passport/" + name(), "appdefs/" + name(),
			"configuration/credentials/credentials", cluster + "notes/" + name(),
		}).Draw(t, "path")
		add(path+extension, maps(2).Draw(t, "content"))
		if rapid.Bool().Draw(t, "defined") {
			add(env+"Inventory/env_definition"+extension, inventories.Draw(t, "inventory"))
		}
	}
	return files
})

// What documents are written as is read as the same documents.
func TestWritingAndReadingGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := repositories.Draw(t, "files")
		documents := documentsOf(t, files)
		written, problems := instancerepo.Files(documents)
		if len(problems) > 0 {
			t.Fatalf("%v", problems)
		}
		if again := documentsOf(t, written); show(again, everything) != show(documents, everything) {
			t.Fatalf("of\n%s%s\nbecomes\n%s", texts(files), show(documents, everything), show(again, everything))
		}
	})
}

// Documents that are unchanged change no file, even one with defects.
func TestSameDocumentsChangeNoFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := repositories.Draw(t, "files")
		edits, problems := instancerepo.Edits(files, documentsOf(t, files), instancerepo.Sealing{})
		if len(edits) > 0 || len(problems) > 0 {
			t.Fatalf("%s changes: %q, %v", texts(files), edits, problems)
		}
	})
}

// Any documents can be written over any files.
func TestEditsGiveWhatIsWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, wanted := repositories.Draw(t, "before"), documentsOf(t, repositories.Draw(t, "wanted"))
		contents, err := instancerepo.Survey(filesOf(before))
		if err != nil || slices.ContainsFunc(contents.Defects, func(d *dovetail.Error) bool { return d.Reason == instancerepo.ReasonFileTwice }) {
			t.Skip("a file exists with both extensions, and which of the two counts is not defined")
		}
		edits, problems := instancerepo.Edits(before, wanted, instancerepo.Sealing{})
		if len(problems) > 0 {
			t.Skip("something is in the way")
		}
		var after []instancerepo.File
		for _, f := range before {
			if text, changed := edits[f.Path]; changed {
				f.Data = text
			}
			delete(edits, f.Path)
			if f.Data != nil {
				after = append(after, f)
			}
		}
		for path, text := range edits {
			after = append(after, instancerepo.File{Path: path, Data: text})
		}
		// Files that hold no documents are left alone; a folder that is not wanted may stand for them.
		got := slices.DeleteFunc(documentsOf(t, after), func(d instancerepo.Document) bool {
			key := d.ID.Key()
			return (key[len(key)-1].Name == "cluster" || key[len(key)-1].Name == "environment") && len(d.Data.Get("spec").Members) == 0 &&
				!slices.ContainsFunc(wanted, func(w instancerepo.Document) bool { return w.ID == d.ID })
		})
		if !slices.EqualFunc(got, wanted, func(a, b instancerepo.Document) bool { return a.ID == b.ID && value.Equal(a.Data, b.Data) }) {
			t.Fatalf("over\n%s\nit becomes\n%s\nwant\n%s", texts(before), show(got, everything), show(wanted, everything))
		}
	})
}

func documentsOf(t *rapid.T, files []instancerepo.File) []instancerepo.Document {
	contents, err := instancerepo.Survey(filesOf(files))
	if err != nil {
		t.Fatal(err)
	}
	return contents.Documents()
}

func texts(files []instancerepo.File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "-- %s --\n%s", f.Path, f.Data)
	}
	return b.String()
}
