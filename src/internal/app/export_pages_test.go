package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPagesOfSealedDocuments: an export has all documents, however many of the store's own stand before them and however small
// its pages are.
func TestPagesOfSealedDocuments(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "main.key")
	if err := os.WriteFile(keys, []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"encryption-key-file": keys, "audit": "keep"})
	server.must(t, 201, "PUT", "/v2/credentials/db", plantedCredential)
	const clusters = 12
	for n := range clusters { // each with an audit record
		server.must(t, 201, "PUT", fmt.Sprintf("/v2/clusters/c%02d", n), `{}`)
	}
	for _, limit := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			var ids []string
			for more := ""; ; {
				var page struct {
					Items    []struct{ ID string }
					Continue string
				}
				decode(t, server.must(t, 200, "GET", fmt.Sprintf("/v2/documents?sealed=true&content=true&limit=%d%s", limit, more), ""), &page)
				for _, item := range page.Items {
					ids = append(ids, item.ID)
				}
				if more = "&continue=" + page.Continue; page.Continue == "" {
					break
				}
			}
			if len(ids) != clusters+1 || ids[0] != "cluster/c00" || ids[clusters] != "credential/db" {
				t.Errorf("the pages have %d documents: %s", len(ids), strings.Join(ids, " "))
			}
		})
	}
}
