package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// TestSalvage damages one commit in the log of a store whose server was killed: fsck refuses the store and names the place, and with --salvage saves
// all other commits.
func TestSalvage(t *testing.T) {
	folder := memdir.New(t)
	killed := filepath.Join(folder, "killed.db")
	backend, err := bolt.Open(filepath.Join(folder, "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	for i := range 5 {
		id := dovetail.ID(fmt.Sprint("cluster/c", i))
		data := fmt.Appendf(nil, `{"metadata":{"name":"c%d"}}`, i)
		if err := backend.Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{{ID: id, Kind: "cluster", UID: fmt.Sprint("u", i), Revision: 1, Data: data}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, suffix := range []string{"", "-log0", "-log1"} {
		content, err := os.ReadFile(filepath.Join(folder, "test.db") + suffix)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.Replace(content, []byte(`{"name":"c2"}`), []byte(`{"name":"cX"}`), 1)
		if err := os.WriteFile(killed+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	deps := cli.Deps{Open: app.Open, Salvage: app.Salvage}
	for _, c := range []struct {
		command    string
		code       int
		out, error string
	}{
		{"fsck --store bolt:" + killed, 8, "", "killed.db-log1 is damaged at byte"},
		{"fsck --store bolt:" + killed + " --salvage " + folder + "/intact.db", 1, "the commit 3 is missing in the change log", ""},
		{"fsck --store bolt:" + killed + " --salvage " + folder + "/intact.db", 6, "", "intact.db exists already"},
		{"get clusters --store bolt:" + folder + "/intact.db -o name", 0, "cluster/c0\ncluster/c1\ncluster/c3\ncluster/c4\n", ""},
		{"fsck --store mongodb://user:secret@host/db --salvage " + folder + "/other.db", 6, "", "user:xxxxx@host/db has no log"},
	} {
		stdout, stderr, code := runCommand(t.Context(), t, deps, "dovetail "+c.command)
		if code != c.code || !strings.Contains(stdout, c.out) || !strings.Contains(stderr, c.error) {
			t.Errorf("%s: exit code %d, %q, %q", c.command, code, stdout, stderr)
		}
	}
}
