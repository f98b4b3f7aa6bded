package access_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// TestAnswersAreBounded: of an answer that does not end, a bounded part is read, and the error says whose answer it is and what is allowed.
func TestAnswersAreBounded(t *testing.T) {
	sent := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		blank := []byte(strings.Repeat(" ", 64<<10))
		for sent < 64<<20 { // more than is read, and than the connection holds
			n, err := w.Write(blank)
			if sent += n; err != nil {
				return
			}
		}
	}))
	defer server.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	cluster, err := access.NewCluster(access.ClusterOptions{Server: server.URL, TokenFile: token})
	if err != nil {
		t.Fatal(err)
	}
	_, err = cluster.Groups(t.Context())
	if dovetail.CodeOf(err) != dovetail.CodeTooLarge || !strings.Contains(err.Error(), "the answer of the Kubernetes API server to GET /apis has more than the 4 MiB that are allowed") {
		t.Errorf("%v", err)
	}
	if sent >= 64<<20 {
		t.Errorf("%d bytes are read", sent)
	}
}
