package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
)

// A server finds damage while it runs, and says so in /readyz, without names and numbers of documents, and in its metrics; it stays ready.
func TestScrubIsReported(t *testing.T) {
	given := map[string]string{"store": "bolt:" + filepath.Join(memdir.New(t), "dovetail.db"), "scrub-interval": "50ms"}
	server := start(t, given)
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	server.must(t, 201, "POST", "/v2/clusters/c1/environments", named("dev"))
	ready := func(r *running) string { return r.must(t, 200, "GET", "/readyz", "") }
	eventually(t, "the store was scrubbed", func() bool { return strings.Contains(ready(server), "no problems found, scrubbed at ") })
	if text := ready(server); strings.Contains(text, "2 documents") {
		t.Errorf("a client without a token learns how many documents there are: %s", text)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	db, err := OpenDatabase(t.Context(), given["store"], "", store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Backend().Commit(t.Context(), store.Txn{Deletes: []dovetail.ID{"cluster/c1"}}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	server = start(t, given)
	eventually(t, "the damage is reported", func() bool { return strings.Contains(ready(server), "found 1 defects") })
	if text := ready(server); strings.Contains(text, "cluster/c1") || !strings.Contains(text, `{"status":"degraded"`) {
		t.Errorf("ready: %s", text)
	}
	eventually(t, "metrics", func() bool {
		return strings.Contains(server.must(t, 200, "GET", "/metrics", ""), "\ndovetail_scrub_findings 1\n")
	})
	eventually(t, "clients who may read it learn which", func() bool {
		text := server.must(t, 200, "GET", "/v2/scrub", "")
		return strings.Contains(text, `"problem":"dangling-parent","id":"cluster/c1/environment/dev","other":"cluster/c1"`) && strings.Contains(text, `{"scrubbed":"`)
	})
	eventually(t, "the log names it", func() bool { return strings.Contains(server.logs.String(), "dangling-parent") })
}
