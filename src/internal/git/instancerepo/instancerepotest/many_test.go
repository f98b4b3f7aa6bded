package instancerepotest_test

import (
	"os"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo/instancerepotest"
)

func TestMany(t *testing.T) {
	files, err := instancerepotest.Many(os.DirFS("../testdata/sample"), 45)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := instancerepotest.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	repository, err := instancerepo.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := instancerepo.Survey(repository.Files(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if len(contents.Environments) != 45 || len(contents.Clusters) != 3 {
		t.Errorf("%d environments on %d clusters", len(contents.Environments), len(contents.Clusters))
	}
	if slices.ContainsFunc(contents.Defects, func(d *dovetail.Error) bool { return d.Reason == instancerepo.ReasonFileTwice }) {
		t.Error("duplicate file")
	}
	if _, err := instancerepotest.Many(os.DirFS(t.TempDir()), 1); err == nil {
		t.Error("an empty sample is one")
	}
}
