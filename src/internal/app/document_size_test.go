//go:build !race

package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// These tests are about sizes alone, for which the race detector would take ten times as long.

// large is a member of data of this many MiB.
func large(mib int) string { return `"text":"` + strings.Repeat("x", mib<<20) + `"` }

// A document over the limit is refused on every way in, and named.
func TestDocumentSize(t *testing.T) {
	t.Parallel()
	location := "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")
	server := start(t, map[string]string{"store": location})
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	server.must(t, 201, "POST", "/v2/clusters", fmt.Sprintf(`{"metadata":{"name":"half"},"spec":{"first":{%s}}}`, large(9)))
	cluster := func(name string, mib int) string {
		return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"size":"large"}},"spec":{%s}}`, name, large(mib))
	}
	for _, tt := range []struct{ name, method, path, body, want string }{
		{"post", "POST", "/v2/clusters", cluster("c2", 20), "the body has more than"},
		{"put", "PUT", "/v2/clusters/c1", cluster("c1", 20), "the body has more than"},
		{"patch", "PATCH", "/v2/clusters/c1", `{"spec":{` + large(20) + `}}`, "the body has more than"},
		{"patch that adds up", "PATCH", "/v2/clusters/half", `{"spec":{"second":{` + large(9) + `}}}`, "the data and the files of cluster/half have"},
		{"batch", "POST", "/v2/batch", `[{"kind":"cluster","metadata":{"name":"c2"},"spec":{` + large(20) + `}}]`, "the data and the files of cluster/c2 have 20971"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if text := server.must(t, 413, tt.method, tt.path, tt.body); !strings.Contains(text, tt.want) {
				t.Errorf("the problem lacks %q: %.400s", tt.want, text)
			}
		})
	}
}

// A document that is stored and larger than the limit can be read, selected, made smaller, checked, exported and imported.
func TestStoredDocumentOverTheLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	location, export := "bolt:"+filepath.Join(dir, "dovetail.db"), filepath.Join(dir, "export.jsonl")
	before := start(t, map[string]string{"store": location, "max-body": "64MiB"})
	before.must(t, 200, "POST", "/v2/batch", `[{"kind":"cluster","metadata":{"name":"c1","labels":{"size":"large"}},"spec":{`+large(20)+`}}]`)
	before.must(t, 200, "GET", "/v2/clusters/c1", "")
	if err := before.stop(); err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"store": location})
	for _, selector := range []string{"labelSelector=size%3Dlarge", "fieldSelector=metadata.name%3Dc1"} {
		if text := server.must(t, 200, "GET", "/v2/clusters?"+selector, ""); len(text) < 20<<20 {
			t.Errorf("%s selects %.100s", selector, text)
		}
	}
	server.must(t, 413, "PATCH", "/v2/clusters/c1", `{"spec":{"more":"`+strings.Repeat("x", 100)+`"}}`)
	server.must(t, 200, "PATCH", "/v2/clusters/c1", `{"metadata":{"labels":{"size":"huge"}}}`)
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	command(t, 0, "", "fsck", "--store", location)
	command(t, 0, "", "export", export, "--store", location)
	again := "bolt:" + filepath.Join(dir, "again.db")
	command(t, 0, "", "import", export, "--store", again)
	command(t, 0, "", "fsck", "--store", again)
	server = start(t, map[string]string{"store": again})
	server.must(t, 200, "PATCH", "/v2/clusters/c1", `{"spec":{"text":null}}`)
	server.must(t, 200, "PATCH", "/v2/clusters/c1", `{"spec":{"text":"small"}}`)
}
