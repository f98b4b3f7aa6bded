package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

// TestLayeringPut puts buckets by the command line.
func TestLayeringPut(t *testing.T) {
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	server, dir := start(t, nil).URL(), t.TempDir()
	site := func(layer, data string) string {
		return "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: a, layeringDefinition: {" + layer + ": site}}\ndata: " + data + "\n"
	}
	for name, text := range map[string]string{
		"global/policy.yaml": "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [global, site]}\n",
		"site.yaml":          site("layer", "{a: 1}"), "changed.yaml": site("layer", "{a: 2}"), "misspelt.yaml": site("layr", "{a: 2}"), "none/readme.txt": "",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name, args string
		code       int
		says       string
	}{
		{"two buckets", "global=global site=site.yaml --if-revision 0", 0, "revision 1: 2 buckets"},
		{"an older revision", "site=changed.yaml --if-revision 0", 4, "the newest revision is 1, not 0"},
		{"what would change", "site=changed.yaml --dry-run", 0, "old: 1"},
		{"it did not", "site=site.yaml --dry-run", 0, "changes: []"},
		{"a change", "site=changed.yaml --if-revision 1", 0, "revision 2: 1 bucket"},
		{"a member", "site=misspelt.yaml", 6, "/buckets/site/metadata/layeringDefinition/layr: layeringDefinition has the unknown member"},
		{"what others need", "global=", 4, "deckhand/LayeringPolicy/v1 p cannot go"},
		{"everything", "global= site=", 0, "revision 3: 2 buckets"},
		{"an empty directory", "site=none", 6, "has no documents"},
		{"no file", "site", 2, "must be BUCKET=FILE"},
	} {
		t.Run(step.name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), path, append([]string{"layering", "put", "--server", server}, strings.Fields(step.args)...)...)
			command.Dir = dir
			out, _ := command.CombinedOutput()
			if code := command.ProcessState.ExitCode(); code != step.code || !strings.Contains(string(out), step.says) {
				t.Errorf("%d: %s", code, out)
			}
		})
	}
}
