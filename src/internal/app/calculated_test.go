package app

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// TestCalculatedWithGit calculates sets of an attached repository, whose SBOMs are no documents.
func TestCalculatedWithGit(t *testing.T) {
	t.Parallel()
	const folder = "../../override/effectiveset/testdata/pl-01/repo"
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(folder + "/" + name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		without  string // a part of the names of files that are not there
		complete bool
	}{
		{name: "all", without: "no such file", complete: true},
		{name: "without an SBOM", without: "sboms/postgres"},
	} {
		t.Run(test.name, func(t *testing.T) {
			some := make(map[string]string)
			for name, text := range files {
				if !strings.Contains(name, test.without) {
					some[name] = text
				}
			}
			server := withGit(t, gittest.New(t, some), nil)
			var set struct {
				Complete bool
				Files    []struct{ Path string }
				Findings []struct{ Severity, Message string }
			}
			decode(t, server.must(t, 200, "GET", "/api/effective-set/calculated?environmentId=cluster-01/pl-01&context=runtime", ""), &set)
			if set.Complete != test.complete || len(set.Files) == 0 {
				t.Errorf("complete is %t, with %d files and the findings %v", set.Complete, len(set.Files), set.Findings)
			}
		})
	}
}
