package apptest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// EMCOProjects writes a dump of a database of EMCO with projects of a size, and returns its path.
func EMCOProjects(t testing.TB, documents, size int) string {
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
