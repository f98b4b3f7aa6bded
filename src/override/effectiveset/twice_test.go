package effectiveset

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestFilesTwice: of files with both endings the same counts as in an import of the repository, and each pair is a finding.
func TestFilesTwice(t *testing.T) {
	in, files := base(t)
	const elsewhere, unused, config = "environments/c1/e2/Namespaces/core/namespace", "environments/c1/e1/Namespaces/core/Applications/unused", "configuration/config"
	files[elsewhere+".yml"] = &fstest.MapFile{Data: []byte("name: e2-core\n")}
	files[unused+".yml"] = &fstest.MapFile{Data: []byte("name: unused\n")}
	files[config+".yml"] = &fstest.MapFile{Data: []byte("crypt: false\n")}
	alone, err := Calculate(in)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for name, file := range maps.Clone(files) {
		stem, is := strings.CutSuffix(name, ".yml")
		if !is || strings.Contains(name, "/Inventory/") && path.Base(stem) != "sd" {
			continue
		}
		data := bytes.ReplaceAll(bytes.ReplaceAll(file.Data, []byte("e1"), []byte("other")), []byte("e2"), []byte("another"))
		files[stem+".yaml"] = &fstest.MapFile{Data: data}
		want = append(want, stem+".yaml: "+name+" stands for the same object, and counts")
	}
	slices.Sort(want)
	set, err := Calculate(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range set.Findings {
		if f.Reason == FileTwice {
			got = append(got, f.Position.File+": "+f.Message)
		}
	}
	for _, name := range []string{elsewhere, unused, config} {
		if !slices.ContainsFunc(want, func(finding string) bool { return strings.HasPrefix(finding, name+".yaml: ") }) {
			t.Errorf("no file is beside %s.yml", name)
		}
	}
	if len(want) < 7 || !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, text := range alone.Files {
		if !bytes.Equal(set.Files[name], text) {
			t.Errorf("%s is\n%s\nwant\n%s", name, set.Files[name], text)
		}
	}
}
