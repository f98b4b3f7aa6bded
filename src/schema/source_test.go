package schema_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(sources []schema.Source) []string {
	var all []string
	for _, s := range sources {
		all = append(all, s.Name)
	}
	return all
}

func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"b.yaml": "b", "a.yml": "a", "c.json": "c", "README.md": "", ".hidden.yaml": "", "..data.yaml": "",
		"below/d.yaml": "", "dir.yaml/e.yaml": "",
	})
	sources, err := schema.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "a.yml"), filepath.Join(dir, "b.yaml"), filepath.Join(dir, "c.json")}
	if got := names(sources); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if string(sources[0].Data) != "a" {
		t.Errorf("the data of a.yml is %q", sources[0].Data)
	}
}

// A mounted ConfigMap shows its files as links into ..data, a link to the directory of the version.
func TestReadDirOfConfigMap(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"..v1/a.yaml": "one", "..v2/a.yaml": "two", "..v2/b.yaml": "new"})
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("..v1", "..data")
	link("..data/a.yaml", "a.yaml")
	read := func() map[string]string {
		sources, err := schema.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, s := range sources {
			got[filepath.Base(s.Name)] = string(s.Data)
			if filepath.Dir(s.Name) != dir {
				t.Errorf("the name is %s", s.Name)
			}
		}
		return got
	}
	if got := read(); len(got) != 1 || got["a.yaml"] != "one" {
		t.Errorf("before the swap: %v", got)
	}
	link("..v2", "..data_tmp")
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got) != 2 || got["a.yaml"] != "two" || got["b.yaml"] != "new" {
		t.Errorf("after the swap: %v", got)
	}
}

func TestReadFS(t *testing.T) {
	sources, err := schema.ReadFS(fstest.MapFS{"b.yaml": {Data: []byte("b")}, "a.yaml": {}, "x/c.yaml": {}})
	if want := []string{"a.yaml", "b.yaml"}; err != nil || !slices.Equal(names(sources), want) {
		t.Errorf("got %v, %v, want %v", names(sources), err, want)
	}
}

func TestUnreadableSources(t *testing.T) {
	empty, dangling := t.TempDir(), t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dangling, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	dirErr := func(dir string) error { _, err := schema.ReadDir(dir); return err }
	fileErr := func(name string) error { _, err := schema.ReadFile(name); return err }
	for _, c := range []struct {
		name  string
		err   error
		fault schema.Fault
		cause error
	}{
		{"empty directory", dirErr(empty), schema.FaultNoResources, nil},
		{"no directory", dirErr(filepath.Join(empty, "none")), schema.FaultUnreadable, fs.ErrNotExist},
		{"dangling link", dirErr(dangling), schema.FaultUnreadable, fs.ErrNotExist},
		{"no file", fileErr(filepath.Join(empty, "a.yaml")), schema.FaultUnreadable, fs.ErrNotExist},
		{"a directory as file", fileErr(empty), schema.FaultUnreadable, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if dovetail.CodeOf(c.err) != dovetail.CodeSchema || schema.FaultOf(c.err) != c.fault {
				t.Errorf("got %v, want fault %s", c.err, c.fault)
			}
			if c.cause != nil && !errors.Is(c.err, c.cause) {
				t.Errorf("the cause is not %v", c.cause)
			}
			if dovetail.AsError(c.err).Position.File == "" {
				t.Error("the error names no file")
			}
		})
	}
}

func TestCompileNothing(t *testing.T) {
	if _, err := schema.Compile(nil); schema.FaultOf(err) != schema.FaultNoResources {
		t.Errorf("got %v", err)
	}
}

func TestCompileTooMuch(t *testing.T) {
	many, deep, wide := "resources:\n", "resources:\n- name: k0\n", "resources:\n- name: k0\n"
	for i := 1; i < 2_500; i++ {
		many += fmt.Sprintf("- name: k%d\n", i)
	}
	for i := 1; i < 500; i++ {
		deep += fmt.Sprintf("- name: k%d\n  parent: k%d\n", i, i-1)
	}
	for i := 1; i < 10; i++ {
		wide += fmt.Sprintf("- name: k%d\n  parent: k%d\n  collections: [{path: a}, {path: b}, {path: c}]\n", i, i-1)
	}
	for _, c := range []struct {
		name string
		text string
	}{{"bytes", "resources:\n- name: a\n#" + strings.Repeat("x", 5<<20)}, {"kinds", many}, {"levels", deep}, {"places", wide}} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schema.Compile(sourcesOf(c.text))
			if schema.FaultOf(err) != schema.FaultTooLarge {
				t.Errorf("got %v", err)
			}
		})
	}
}
