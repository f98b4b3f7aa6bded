package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// TestSurveyedLinks: a symbolic link is the same finding in a folder and in a repository in Git.
func TestSurveyedLinks(t *testing.T) {
	remote := gittest.New(t, map[string]string{"environments/c1/dev/cloud.yml": "name: x\n"})
	const link = "environments/c1/dev/tenant.yml"
	if err := os.Symlink("cloud.yml", filepath.Join(remote.Clone, link)); err != nil {
		t.Fatal(err)
	}
	remote.Push("a link", nil)
	t.Chdir(t.TempDir())
	for name, from := range map[string]string{"folder": remote.Clone, "Git": remote.Dir + " --branch main"} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, _ := runCommand(t.Context(), t, cli.Deps{Open: app.Open}, "dovetail check instance-repo "+from)
			if !strings.Contains(stdout+stderr, "REPO_FILE_IRREGULAR") || !strings.Contains(stdout+stderr, link) {
				t.Errorf("%s%s", stdout, stderr)
			}
		})
	}
}
