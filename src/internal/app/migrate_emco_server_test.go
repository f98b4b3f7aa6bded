package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMigrateEMCOToServer migrates more than a server takes in one request.
func TestMigrateEMCOToServer(t *testing.T) {
	const documents = 1600
	s := start(t, map[string]string{"store": "bolt:" + filepath.Join(t.TempDir(), "server.db"), "ref-schemas": emcoSchema, "max-body": "5MiB", "max-batch": "5MiB"})
	arguments := []string{"migrate", "emco", emcoProjects(t, documents, 4000), "--server", s.URL()}
	for _, want := range []string{"1600 stored documents read, 1600 documents migrated\n", "1600 stored documents read, 1600 documents migrated (1600 of them by an earlier run)\n"} {
		if got := command(t, 0, "", arguments...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := strings.Count(command(t, 0, "", "get", "project", "--server", s.URL(), "-o", "name"), "\n"); got != documents {
		t.Errorf("the server has %d projects", got)
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
