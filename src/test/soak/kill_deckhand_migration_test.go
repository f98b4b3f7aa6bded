//go:build !race

package soak_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

// TestKilledInDeckhandMigration kills migrations by SIGKILL at several times: the target has nothing or everything, and where it has
// nothing the same migration, repeated, finishes it. The race detector sees migrations in other tests; here it would see killed processes only.
func TestKilledInDeckhandMigration(t *testing.T) {
	rounds.Soak(t)
	const revisions = 400
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
		writeFile(t, filepath.Join(dir, name+".csv"), text.String())
	}
	arguments := func(location string) []string { return []string{"migrate", "deckhand", dir, "--store", location} }
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "deckhand.db") }
	killAtSizes(t, fresh, 1, arguments, func(location string) bool { // without a layering policy nothing can be rendered
		migrated := func() int {
			return strings.Count(command(t, 0, "", "export", "--store", location), `"kind":"layeringRevision"`)
		}
		first := migrated()
		if first != 0 && first != revisions {
			t.Fatalf("%d of %d revisions are migrated", first, revisions)
		}
		if first == 0 {
			command(t, 1, "", arguments(location)...)
		}
		if n := migrated(); n != revisions {
			t.Fatalf("%d of %d revisions are there after the repetition", n, revisions)
		}
		return first == 0
	})
}
