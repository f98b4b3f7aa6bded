package instancerepo_test

import (
	"testing"
	"testing/fstest"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

func TestFileSystem(t *testing.T) {
	tree := instancerepo.FileSystem([]instancerepo.File{{Path: "a.yml", Data: []byte("a: 1\n")}, {Path: "environments/c/e/cloud.yml"}, {Path: "environments/c/e/tenant.yml", Data: []byte("b: 2\n")}})
	if err := fstest.TestFS(tree, "a.yml", "environments/c/e/cloud.yml", "environments/c/e/tenant.yml"); err != nil {
		t.Error(err)
	}
	if err := fstest.TestFS(instancerepo.FileSystem(nil)); err != nil {
		t.Error(err)
	}
}
