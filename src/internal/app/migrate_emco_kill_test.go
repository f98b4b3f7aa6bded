package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledInEMCOMigration kills migrations from EMCO by SIGKILL at several times: the target has nothing or everything, and where
// it has nothing the same migration, repeated, finishes it.
func TestKilledInEMCOMigration(t *testing.T) {
	const documents, kills = 3000, 5
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var dump strings.Builder
	for n := range documents {
		fmt.Fprintf(&dump, `{"_id":{"$oid":"6b0234541fdefc45%08x"},"project":"p%05d","keyId":"{project}","references":[],`+
			`"data":{"metadata":{"name":"p%05d","description":%q,"userdata1":"","userdata2":""}}}`+"\n", n, n, n, strings.Repeat("word ", 1000))
	}
	from := filepath.Join(dir, "resources.jsonl")
	if err := os.WriteFile(from, []byte(dump.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := func(location string) []string {
		return []string{"migrate", "emco", from, "--ref-schemas", emcoSchema, "--store", location}
	}
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "emco.db") }
	began := time.Now()
	if output, err := exec.Command(path, arguments(fresh())...).CombinedOutput(); err != nil {
		t.Fatal(string(output))
	}
	takes := time.Since(began)
	within := 0
	for n := range kills {
		location := fresh()
		migration := exec.Command(path, arguments(location)...)
		if err := migration.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(takes * time.Duration(n+1) / (kills + 1))
		_ = migration.Process.Kill()
		_ = migration.Wait()
		projects := func() int {
			return strings.Count(command(t, 0, "", "export", "--store", location, "--ref-schemas", emcoSchema), `"id":"project/`)
		}
		switch there := projects(); there {
		case 0:
			within++
			command(t, 0, "", arguments(location)...)
		case documents:
		default:
			t.Fatalf("%d of %d documents are migrated", there, documents)
		}
		if there := projects(); there != documents {
			t.Fatalf("%d of %d documents are there after the repetition", there, documents)
		}
		command(t, 0, "", "fsck", "--store", location, "--ref-schemas", emcoSchema)
	}
	if t.Logf("%d of %d were killed within", within, kills); within == 0 {
		t.Error("none was killed within")
	}
}
