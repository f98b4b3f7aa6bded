package app

import (
	"encoding/json"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
)

// TestCommitURL shows where commits are to those that may read which repository is attached, and to no others.
func TestCommitURL(t *testing.T) {
	file, tokens := accessFile(t, repositoryRoles, "root", "norole")
	const at = "https://git.example.com/x/commit/{commit}"
	remote := gittest.New(t, map[string]string{"environments/parameters/a.yaml": "name: a\nparameters: {}\napplications: []\n"})
	tests := []struct{ name, path, configured, who, want string }{
		{name: "as configured", path: "/v2", configured: at, who: "root", want: at},
		{name: "one without rights", path: "/v2", configured: at, who: "norole"},
		{name: "without authentication", path: "/", configured: at, who: "root"},
		{name: "of a folder none", path: "/v2", who: "root"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := withGit(t, remote, map[string]string{"access": file, "instance-repo-commit-url": tt.configured})
			status, _, text := server.as(t, tokens[tt.who], "GET", tt.path, "")
			var index struct {
				CommitURL string `json:"commitURL"`
			}
			if err := json.Unmarshal([]byte(text), &index); err != nil || status != 200 || index.CommitURL != tt.want {
				t.Errorf("%d %q %v, want %q", status, index.CommitURL, err, tt.want)
			}
		})
	}
}
