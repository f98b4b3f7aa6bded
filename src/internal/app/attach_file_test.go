package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// TestRepositoriesFile reads the file of --instance-repos, and refuses what is not one by its place.
func TestRepositoriesFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"two", "repositories:\n- {name: eu, url: eu.git, clusters: [eu-*], credentials: eu.yaml, credentialKeys: /keys/eu}\n- {name: us, url: https://git/us.git, branch: live, clusters: ['*'], new: true}\n", ""},
		{"empty", "", "repositories"},
		{"none", "repositories: []\n", "repositories"},
		{"an unknown member", "repositories:\n- {name: eu, url: u, cluster: [x]}\n", "2:22: a repository has the unknown member \"cluster\"; did you mean clusters?"},
		{"an unknown member of the file", "repos: []\n", "1:1"},
		{"no clusters", "repositories:\n- {name: eu, url: u}\n", "clusters"},
		{"no URL", "repositories:\n- {name: eu, clusters: [x]}\n", "url"},
		{"a wrong name", "repositories:\n- {name: Eu, url: u, clusters: [x]}\n", "2:10: the name is \"Eu\""},
		{"the name of a single one", "repositories:\n- {name: attached, url: u, clusters: [x]}\n", "attached"},
		{"a wrong pattern", "repositories:\n- {name: eu, url: u, clusters: ['[x']}\n", "2:33: the pattern of clusters is \"[x\""},
		{"the same name", "repositories:\n- {name: eu, url: u, clusters: [x]}\n- {name: eu, url: u, clusters: [z]}\n", "3:10: duplicate repository \"eu\""},
		{"the same pattern", "repositories:\n- {name: eu, url: u, clusters: ['*']}\n- {name: us, url: u, clusters: ['*']}\n", "both eu and us have the clusters \"*\""},
		{"two for new documents", "repositories:\n- {name: eu, url: u, clusters: [x], new: true}\n- {name: us, url: u, clusters: [z], new: true}\n", "would be created in eu and in us"},
		{"two documents", "repositories:\n- {name: eu, url: u, clusters: [x]}\n---\nrepositories: []\n", "one document"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			file := filepath.Join(folder, "repositories.yaml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			all, err := readRepositories(file)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
					t.Errorf("got %v, want %s", err, test.want)
				}
				return
			}
			if err != nil || len(all) != 2 {
				t.Fatal(all, err)
			}
			eu, us := all[0], all[1]
			if eu.Name != "eu" || eu.url != filepath.Join(folder, "eu.git") || us.url != "https://git/us.git" || eu.branch != "main" || eu.credentials != filepath.Join(folder, "eu.yaml") || eu.credentialKeys != "/keys/eu" || eu.New || us.branch != "live" || !us.New || us.Clusters[0] != "*" {
				t.Errorf("read %+v and %+v", eu, us)
			}
		})
	}
}

// TestSettingsOfOneRepository refuses what is about --instance-repo beside --instance-repos, which would be passed over.
func TestSettingsOfOneRepository(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config Config
		want   string
		whole  bool // the whole message, else its beginning
	}{
		{"a repository", Config{Repository: "x.git", RepositoryBranch: defaultBranch}, "--instance-repos excludes --instance-repo", true},
		{"its branch and credentials", Config{RepositoryBranch: "dev", RepositoryCredentials: "c.yaml"}, "--instance-repos excludes --branch, --instance-repo-credentials", true},
		{"where its commits are shown", Config{RepositoryBranch: defaultBranch, RepositoryCommitURL: "https://git/{commit}"}, "--instance-repos excludes --instance-repo-commit-url", true},
		{"nothing", Config{RepositoryBranch: defaultBranch}, "the file of instance repositories cannot be read", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.config.RepositoriesFile = filepath.Join(t.TempDir(), "missing.yaml")
			s := &Server{config: test.config}
			if _, _, err := s.repositories(); err == nil || !strings.HasPrefix(dovetail.AsError(err).Message, test.want) || test.whole && dovetail.AsError(err).Message != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
