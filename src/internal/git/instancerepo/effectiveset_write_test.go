package instancerepo_test

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// TestSetsAreWrittenAsCalculated writes the documents of a real effective set into new files: they are those of the calculator, anchors included, except two that were
// edited by hand.
func TestSetsAreWrittenAsCalculated(t *testing.T) {
	const folder, root = "../../../override/effectiveset/testdata/pl-01/expected", "environments/cluster-01/pl-01/effective-set"
	count := 0
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path.Join(folder, name))
		if err != nil {
			return err
		}
		file := path.Join(root, name)
		contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) { yield(instancerepo.File{Path: file, Data: text}, nil) })
		if err != nil {
			return err
		}
		var part []instancerepo.Document
		for _, doc := range contents.Documents() {
			if strings.Contains(string(doc.ID), "effectiveSetPart") {
				part = append(part, doc)
			}
		}
		got, err := instancerepo.Edit(file, nil, part)
		if err != nil {
			return err
		}
		byHand := strings.HasPrefix(name, "runtime/") && path.Base(name) == "parameters.yaml"
		if string(got) != string(text) && !byHand {
			t.Errorf("%s is written as\n%s", name, got)
		}
		count++
		return nil
	})
	if err != nil || count < 20 {
		t.Errorf("%d files, %v", count, err)
	}
}
