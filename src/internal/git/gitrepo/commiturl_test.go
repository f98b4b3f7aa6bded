package gitrepo_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
)

func TestCommitURL(t *testing.T) {
	tests := []struct{ name, remote, want string }{
		{name: "GitHub, https", remote: "https://github.com/acme/instances.git", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "GitHub, without the suffix", remote: "https://github.com/acme/instances/", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "GitHub, ssh as scp writes it", remote: "git@github.com:acme/instances.git", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "GitHub, ssh", remote: "ssh://git@github.com:22/acme/instances.git", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "GitHub Enterprise", remote: "https://github.example.com:8443/acme/instances.git", want: "https://github.example.com:8443/acme/instances/commit/{commit}"},
		{name: "a password", remote: "https://bot:s3cret@github.com/acme/instances.git", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "a token in the place of the user", remote: "https://ghp_s3cret@github.com/acme/instances.git", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "a token in the query", remote: "https://github.com/acme/instances.git?private_token=s3cret#s3cret", want: "https://github.com/acme/instances/commit/{commit}"},
		{name: "GitLab", remote: "https://oauth2:s3cret@gitlab.com/acme/sub/instances.git", want: "https://gitlab.com/acme/sub/instances/-/commit/{commit}"},
		{name: "GitLab of one's own, ssh", remote: "ssh://git@gitlab.example.com:2222/acme/sub/instances.git", want: "https://gitlab.example.com/acme/sub/instances/-/commit/{commit}"},
		{name: "GitLab, http", remote: "http://gitlab.internal:8080/acme/instances", want: "http://gitlab.internal:8080/acme/instances/-/commit/{commit}"},
		{name: "Gitea", remote: "git@gitea.example.com:acme/instances.git", want: "https://gitea.example.com/acme/instances/commit/{commit}"},
		{name: "Codeberg", remote: "https://codeberg.org/acme/instances.git", want: "https://codeberg.org/acme/instances/commit/{commit}"},
		{name: "Forgejo", remote: "https://forgejo.example.com/acme/instances.git", want: "https://forgejo.example.com/acme/instances/commit/{commit}"},
		{name: "Bitbucket Cloud", remote: "https://me@bitbucket.org/acme/instances.git", want: "https://bitbucket.org/acme/instances/commits/{commit}"},
		{name: "Bitbucket Cloud, ssh", remote: "git@bitbucket.org:acme/instances.git", want: "https://bitbucket.org/acme/instances/commits/{commit}"},
		{name: "Bitbucket Data Center", remote: "https://bitbucket.example.com/scm/ops/instances.git", want: "https://bitbucket.example.com/projects/ops/repos/instances/commits/{commit}"},
		{name: "Bitbucket Data Center, ssh, of a user", remote: "ssh://git@bitbucket.example.com:7999/~ann/instances.git", want: "https://bitbucket.example.com/users/ann/repos/instances/commits/{commit}"},
		{name: "Azure DevOps", remote: "https://acme@dev.azure.com/acme/my%20project/_git/instances", want: "https://dev.azure.com/acme/my%20project/_git/instances/commit/{commit}"},
		{name: "Azure DevOps, ssh", remote: "git@ssh.dev.azure.com:v3/acme/project/instances", want: "https://dev.azure.com/acme/project/_git/instances/commit/{commit}"},
		{name: "Azure DevOps, older names", remote: "https://acme.visualstudio.com/project/_git/instances", want: "https://acme.visualstudio.com/project/_git/instances/commit/{commit}"},
		{name: "Azure DevOps, older names, ssh", remote: "acme@vs-ssh.visualstudio.com:v3/acme/project/instances", want: "https://dev.azure.com/acme/project/_git/instances/commit/{commit}"},
		{name: "names that could break out are escaped", remote: "https://github.com/a%22b/c%3Cd.git", want: "https://github.com/a%22b/c%3Cd/commit/{commit}"},
		{name: "an unknown host", remote: "https://git.example.com/acme/instances.git"},
		{name: "a host that only looks like one", remote: "https://notgithub.example.com/acme/instances.git"},
		{name: "too few names", remote: "https://github.com/acme"},
		{name: "too many names", remote: "https://github.com/acme/sub/instances"},
		{name: "a way up", remote: "https://gitlab.com/acme/../instances"},
		{name: "a file", remote: "file:///srv/github.com/acme/instances.git"},
		{name: "a folder", remote: "/srv/github.com/acme/instances.git"},
		{name: "a drive", remote: `C:\github.com\acme`},
		{name: "another scheme", remote: "javascript://github.com/acme/instances"},
		{name: "nothing", remote: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := gitrepo.CommitURL(tt.remote)
			if got != tt.want || strings.Contains(got, "s3cret") {
				t.Errorf("%s\n%q, want\n%q", tt.remote, got, tt.want)
			}
			if got != "" {
				if !gitrepo.IsCommitURL(got) {
					t.Errorf("%q would be refused as a setting", got)
				}
			}
		})
	}
}

func TestIsCommitURL(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{name: "of any host", text: "https://git.example.com/x/commit/{commit}?view=full", want: true},
		{name: "in the query", text: "http://git.example.com/?p=x.git;h={commit}", want: true},
		{name: "no place for the hash", text: "https://git.example.com/x"},
		{name: "two places", text: "https://git.example.com/{commit}/{commit}"},
		{name: "another scheme", text: "javascript:alert('{commit}')"},
		{name: "no scheme", text: "git.example.com/{commit}"},
		{name: "a password", text: "https://me:s3cret@git.example.com/{commit}"},
		{name: "in the host", text: "https://{commit}.example.com/"},
		{name: "nothing", text: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gitrepo.IsCommitURL(tt.text); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzCommitURL(f *testing.F) {
	for _, remote := range []string{"git@github.com:a/b.git", "https://u:p@gitlab.com/a/b/c.git", "ssh://git@bitbucket.x:7999/~a/b"} {
		f.Add(remote)
	}
	f.Fuzz(func(t *testing.T, remote string) {
		if got := gitrepo.CommitURL(remote); got != "" {
			if !gitrepo.IsCommitURL(got) {
				t.Errorf("%q of %q", got, remote)
			}
		}
	})
}
