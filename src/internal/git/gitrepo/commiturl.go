package gitrepo

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// commitPlace stands in the URL of commits for the hash of one.
const commitPlace = "{commit}"

// scpForm is how ssh writes remotes without a scheme: "git@host:group/repository.git". A letter and a colon are a drive of Windows.
var scpForm = regexp.MustCompile(`^(?:[^@/\s]+@)?([A-Za-z0-9][A-Za-z0-9.-]+):([^\s]+)$`)

// remotePlace is where a repository is on a Git host.
type remotePlace struct {
	web  string   // scheme and host of the host's pages
	host string   // without its port
	path []string // unescaped, without the suffix of the repository
	ssh  bool
}

// CommitURL returns the address of a commit on the pages of the Git host of a remote, with {commit} for its hash, and without
// credentials. It is "" where the host is not known: GitHub, GitLab, Gitea, Forgejo, Bitbucket and Azure DevOps are known by a
// label of its name.
func CommitURL(remote string) string {
	at, ok := placeOf(remote)
	if !ok {
		return ""
	}
	labels := strings.Split(at.host, ".")
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return name == at.host || slices.Contains(labels, name) })
	}
	path := at.path
	switch {
	case is("ssh.dev.azure.com", "vs-ssh.visualstudio.com"):
		if len(path) != 4 || path[0] != "v3" {
			return ""
		}
		return at.page("https://dev.azure.com", path[1], path[2], "_git", path[3], "commit")
	case is("dev.azure.com") || strings.HasSuffix(at.host, ".visualstudio.com"):
		if len(path) < 2 || path[len(path)-2] != "_git" {
			return ""
		}
		return at.page(at.web, append(slices.Clone(path), "commit")...)
	case len(path) < 2:
		return ""
	case is("gitlab"):
		return at.page(at.web, append(slices.Clone(path), "-", "commit")...)
	case len(path) == 2 && is("github", "gitea", "forgejo", "codeberg"):
		return at.page(at.web, path[0], path[1], "commit")
	case len(path) == 2 && is("bitbucket.org"):
		return at.page(at.web, path[0], path[1], "commits")
	case is("bitbucket"):
		return at.bitbucketServer()
	}
	return ""
}

// bitbucketServer is the page of a server of one's own, whose remotes have projects, and users with a tilde, below "scm".
func (p *remotePlace) bitbucketServer() string {
	path := p.path
	if !p.ssh && path[0] == "scm" {
		path = path[1:]
	}
	if len(path) != 2 {
		return ""
	}
	if user, personal := strings.CutPrefix(path[0], "~"); personal {
		return p.page(p.web, "users", user, "repos", path[1], "commits")
	}
	return p.page(p.web, "projects", path[0], "repos", path[1], "commits")
}

// page is the address of a commit below a path.
func (p *remotePlace) page(web string, path ...string) string {
	for i, name := range path {
		path[i] = url.PathEscape(name)
	}
	return web + "/" + strings.Join(path, "/") + "/" + commitPlace
}

// placeOf reads a remote of http, https or ssh.
func placeOf(remote string) (remotePlace, bool) {
	if found := scpForm.FindStringSubmatch(remote); found != nil && !strings.Contains(remote, "://") {
		remote = "ssh://" + found[1] + "/" + found[2]
	}
	u, err := url.Parse(remote)
	if err != nil || u.Hostname() == "" {
		return remotePlace{}, false
	}
	at := remotePlace{host: strings.ToLower(u.Hostname()), web: "https://" + strings.ToLower(u.Hostname())}
	switch u.Scheme {
	case "http", "https":
		at.web = u.Scheme + "://" + strings.ToLower(u.Host)
	case "ssh", "git+ssh", "ssh+git":
		at.ssh = true // its port is not that of the pages
	default:
		return remotePlace{}, false
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git"), "/") {
		if name == "" || name == "." || name == ".." {
			return remotePlace{}, false
		}
		at.path = append(at.path, name)
	}
	return at, true
}

// IsCommitURL reports whether a text can be the address of commits: of http or https, without credentials, with {commit} once, after the host.
func IsCommitURL(text string) bool {
	before, after, found := strings.Cut(text, commitPlace)
	u, err := url.Parse(before + "0" + after)
	if !found || err != nil || strings.Contains(after, commitPlace) {
		return false
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && len(before) > len(u.Scheme+"://"+u.Host)
}
