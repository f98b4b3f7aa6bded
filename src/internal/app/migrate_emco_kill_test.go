package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledInEMCOMigration kills migrations from EMCO by SIGKILL at several times: what the target has holds together, and the same
// migration, repeated, goes on with the rest.
func TestKilledInEMCOMigration(t *testing.T) {
	const documents, want, most = 6000, 3, 30
	from := emcoProjects(t, documents, 2000)
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "emco.db") }
	began := time.Now()
	if output, err := programCommand(t, migrateArguments(from, fresh())...).CombinedOutput(); err != nil {
		t.Fatal(string(output))
	}
	early, late := time.Duration(0), 2*time.Since(began) // kills so early and so late hit nothing
	within, kills := 0, 0
	for ; within < want && kills < most; kills++ {
		location := fresh()
		migration := programCommand(t, migrateArguments(from, location)...)
		if err := migration.Start(); err != nil {
			t.Fatal(err)
		}
		after := (early + late) / 2
		time.Sleep(after)
		_ = migration.Process.Kill()
		_ = migration.Wait()
		projects := func() int {
			return strings.Count(command(t, 0, "", "export", "--store", location, "--ref-schemas", emcoSchema), `"id":"project/`)
		}
		command(t, 0, "", "fsck", "--store", location, "--ref-schemas", emcoSchema)
		switch there := projects(); there {
		case 0:
			early = after
		case documents:
			late = after
		default:
			within++
		}
		command(t, 0, "", migrateArguments(from, location)...)
		if there := projects(); there != documents {
			t.Fatalf("%d of %d documents are there after the repetition", there, documents)
		}
		command(t, 0, "", "fsck", "--store", location, "--ref-schemas", emcoSchema)
	}
	if t.Logf("%d of %d were killed between two batches", within, kills); within == 0 {
		t.Error("none was killed between two batches")
	}
}

// emcoProjects writes a dump with projects of a size.
func emcoProjects(t *testing.T, documents, size int) string {
	t.Helper()
	from := filepath.Join(t.TempDir(), "resources.jsonl")
	file, err := os.Create(from)
	if err != nil {
		t.Fatal(err)
	}
	dump := bufio.NewWriter(file)
	for n := range documents {
		fmt.Fprintf(dump, `{"_id":{"$oid":"6b0234541fdefc45%08x"},"project":"p%05d","keyId":"{project}","references":[],`+
			`"data":{"metadata":{"name":"p%05d","description":%q,"userdata1":"","userdata2":""}}}`+"\n", n, n, n, strings.Repeat("word ", size/5))
	}
	if err := errors.Join(dump.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return from
}

func migrateArguments(from, location string) []string {
	return []string{"migrate", "emco", from, "--ref-schemas", emcoSchema, "--store", location}
}

// programCommand is a call of the program.
func programCommand(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, arguments...)
}

// TestMigrateEMCOToServer migrates more than a server takes in one request.
func TestMigrateEMCOToServer(t *testing.T) {
	const documents = 5000
	s := start(t, map[string]string{"store": "bolt:" + filepath.Join(t.TempDir(), "server.db"), "ref-schemas": emcoSchema, "max-body": "5MiB", "max-batch": "8MiB"})
	arguments := []string{"migrate", "emco", emcoProjects(t, documents, 4000), "--server", s.URL()}
	for _, want := range []string{"5000 stored documents read, 5000 documents migrated\n", "5000 stored documents read, 5000 documents migrated (5000 of them by an earlier run)\n"} {
		if got := command(t, 0, "", arguments...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := strings.Count(command(t, 0, "", "get", "project", "--server", s.URL(), "-o", "name"), "\n"); got != documents {
		t.Errorf("the server has %d projects", got)
	}
}
