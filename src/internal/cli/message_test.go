package cli_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestImportMessages keeps why was imported with the transaction, and exports an instance repository as it was before.
func TestImportMessages(t *testing.T) {
	bothWays(t, func(t *testing.T, newDeps func() cli.Deps) {
		t.Chdir(t.TempDir())
		deps := newDeps()
		for name, text := range parseScript(smallRepo).files {
			writeFile(t, name, text)
		}
		writeFile(t, "catalog.yaml", "schema: olm.package\nname: etcd\ndefaultChannel: stable\n")
		last := func() (position, message string) {
			t.Helper()
			var page struct {
				Items []struct{ Position, Message string }
			}
			if err := json.Unmarshal([]byte(must(t, deps, 0, "history", "--limit", "1", "-o", "json")), &page); err != nil || len(page.Items) != 1 {
				t.Fatal(page, err)
			}
			return page.Items[0].Position, page.Items[0].Message
		}
		first := ""
		for _, write := range []struct {
			args []string
			code int
		}{
			{[]string{"import", "instance-repo", "r"}, 1},
			{[]string{"import", "catalog", "etcd", "catalog.yaml"}, 0},
		} {
			why := "because of " + write.args[1]
			must(t, deps, write.code, append(write.args, "-m", why)...)
			position, message := last()
			if message != why {
				t.Errorf("%v: the message is %q", write.args, message)
			}
			if first == "" {
				first = position
			}
		}
		must(t, deps, 0, "delete", "cluster/c", "--cascade")
		must(t, deps, 0, "export", "instance-repo", "then", "--at", first)
		must(t, deps, 0, "export", "instance-repo", "now")
		count := func(dir string) int {
			found, err := filepath.Glob(filepath.Join(dir, "environments", "c", "e", "Inventory", "parameters", "first.*"))
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		if count("then") != 1 || count("now") != 0 {
			t.Errorf("first is exported %d times as of then, and %d times now that it is deleted", count("then"), count("now"))
		}
	})
}
