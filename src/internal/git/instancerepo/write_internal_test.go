package instancerepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestPlaceUndoes(t *testing.T) {
	dir := t.TempDir()
	was, isNew, lost := filepath.Join(dir, "was"), filepath.Join(dir, "new"), filepath.Join(dir, "lost")
	if err := os.WriteFile(was, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	var all []staged
	for _, name := range []string{was, isNew, lost} {
		s, err := stage(change{name, []byte("after")})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := os.Remove(all[2].temporary); err != nil {
		t.Fatal(err)
	}
	if err := rename(all); dovetail.CodeOf(err) != dovetail.CodeInternal || dovetail.AsError(err).Position.File != lost {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(was); err != nil || string(data) != "before" {
		t.Errorf("%q, %v", data, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestWriteAllKeepsModes(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "a", "b", "fresh")
	if err := os.WriteFile(old, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := writeAll([]change{{old, []byte("x")}, {fresh, []byte("y")}}); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{old: 0o640, fresh: 0o644} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}
