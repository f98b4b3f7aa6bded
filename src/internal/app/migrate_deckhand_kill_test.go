//go:build !race

package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/apptest"
	"github.com/dovetail-store/dovetail/src/internal/rounds"
)

// TestKilledInDeckhandMigration kills migrations by SIGKILL at several times: the target has nothing or everything, and where it has
// nothing the same migration, repeated, finishes it. The race detector sees migrations in other tests; here it would see killed processes only.
func TestKilledInDeckhandMigration(t *testing.T) {
	rounds.Soak(t)
	const revisions, kills = 400, 5
	path, err := apptest.Program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const at = `2026-11-22 00:20:56.663415,2026-11-22 00:20:56.66342,\N,f,`
	files := map[string]*strings.Builder{}
	write := func(table, columns string) *strings.Builder {
		files[table] = &strings.Builder{}
		files[table].WriteString("created_at,updated_at,deleted_at,deleted,id" + columns + "\n")
		return files[table]
	}
	write("buckets", ",name").WriteString(at + "1,site\n")
	write("revision_tags", ",tag,data,revision_id")
	write("validations", ",name,status,validator,errors,revision_id")
	of, documents := write("revisions", ""), write("documents", ",name,schema,layer,meta,data,data_hash,metadata_hash,bucket_id,revision_id,orig_revision_id")
	for n := 1; n <= revisions; n++ {
		fmt.Fprintf(of, "%s%d\n", at, n)
		fmt.Fprintf(documents, `%s%d,d,garden/Bed/v1,site,"{""name"": ""d"", ""schema"": ""metadata/Document/v1"", ""layeringDefinition"": {""layer"": ""site""}}","{""n"": %d, ""text"": ""%s""}",h%d,h,1,%d,%d`+"\n",
			at, n, n, strings.Repeat("word ", 1000), n, n, n)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	arguments := func(location string) []string { return []string{"migrate", "deckhand", dir, "--store", location} }
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "deckhand.db") }
	began := time.Now()
	if output, err := exec.Command(path, arguments(fresh())...).CombinedOutput(); !strings.Contains(string(output), "400 revisions with 400 rows migrated") {
		t.Fatalf("%v %s", err, output)
	}
	longest := time.Since(began) // from the creation of the store to a kill that is not too late
	within := 0
	for n := range kills {
		location := fresh()
		migration := exec.Command(path, arguments(location)...)
		if err := migration.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- migration.Wait() }()
		for file, over := strings.TrimPrefix(location, "bolt:"), time.After(apptest.Patience); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(file); err == nil {
				break
			}
			select {
			case err := <-ended:
				t.Fatal("the migration ended without a store:", err)
			case <-over:
				t.Fatal("there is no store")
			default:
			}
		}
		wait := longest * time.Duration(n+1) / (kills + 1)
		time.Sleep(wait)
		_ = migration.Process.Kill()
		t.Log("the migration ended:", <-ended)
		there := func() int {
			return strings.Count(command(t, 0, "", "export", "--store", location), `"kind":"layeringRevision"`)
		}
		switch n := there(); n {
		case 0:
			within++
			command(t, 1, "", arguments(location)...) // without a layering policy nothing can be rendered
		case revisions:
			longest = wait
		default:
			t.Fatalf("%d of %d revisions are migrated", n, revisions)
		}
		if n := there(); n != revisions {
			t.Fatalf("%d of %d revisions are there after the repetition", n, revisions)
		}
	}
	if t.Logf("%d of %d were killed within", within, kills); within == 0 {
		t.Error("none was killed within")
	}
}
