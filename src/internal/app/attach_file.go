package app

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	fields "github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/value"
)

// repositorySource is where an instance repository is, and what it holds.
type repositorySource struct {
	gitsync.Share
	url, branch    string
	credentials    string // file with what it asks for; "" for what the URL says
	credentialKeys string // file with the keys of its credentials; "" for those of the server
	clone          string // folder
}

// repositoryName is what the name of an instance repository looks like, which is also that of a folder.
var repositoryName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// readRepositories reads the file of --instance-repos. Files and folders that it names are relative to it.
func readRepositories(name string) ([]repositorySource, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Err: err,
			Message: "the file of instance repositories cannot be read: " + plainCause(err), Remedy: "name a YAML file with --instance-repos"}
	}
	values, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	d := &fields.Decoder{File: name, Complete: func(e *dovetail.Error) { e.Position.Path = "" }}
	root := value.NewMap()
	if len(values) > 0 && values[0].Kind != value.Null {
		root = values[0]
	}
	if len(values) > 1 {
		d.Root(values[1], "the second document", "").Fail("put all repositories into one", "the file of instance repositories has one document")
	}
	file := d.Root(root, "the file", "")
	file.Map("repositories")
	var all []repositorySource
	for _, item := range file.Get("repositories").NonEmptyList("a repository") {
		r := readRepository(item)
		files := []*string{&r.credentials, &r.credentialKeys}
		if !strings.Contains(r.url, ":") { // a folder
			files = append(files, &r.url)
		}
		for _, p := range files {
			if *p != "" && !filepath.IsAbs(*p) {
				*p = filepath.Join(filepath.Dir(name), *p)
			}
		}
		refuseClash(item, all, r)
		all = append(all, r)
	}
	return all, d.Err("the file of instance repositories is invalid")
}

func readRepository(f fields.Field) repositorySource {
	f.Map("branch", "clusters", "credentialKeys", "credentials", "name", "new", "url")
	r := repositorySource{url: f.Get("url").Text(), branch: cmp.Or(f.Get("branch").OptionalText(), "main"),
		credentials: f.Get("credentials").OptionalText(), credentialKeys: f.Get("credentialKeys").OptionalText()}
	if r.Name = f.Get("name").Text(); r.Name != "" && !repositoryName.MatchString(r.Name) {
		f.Get("name").Fail("use lower case letters, digits and dashes, at most 63", "the name is %s", fields.Quote(r.Name))
	}
	if r.Name == gitsync.DefaultName {
		f.Get("name").Fail("use another name", "%s is the name of a repository that is attached alone", gitsync.DefaultName)
	}
	if f.Get("new").Value != nil {
		r.New = f.Get("new").Bool()
	}
	for _, item := range f.Get("clusters").NonEmptyList("a pattern") {
		pattern := item.Text()
		if _, err := path.Match(pattern, ""); err != nil {
			item.Fail("write a name, with * for any text, ? for one character and [a-z] for one of these", "the pattern of clusters is %s", fields.Quote(pattern))
		}
		r.Clusters = append(r.Clusters, pattern)
	}
	return r
}

// refuseClash refuses what two repositories cannot both be or have.
func refuseClash(f fields.Field, others []repositorySource, r repositorySource) {
	for _, other := range others {
		if r.Name != "" && other.Name == r.Name {
			f.Get("name").Fail("give one of them another name", "duplicate repository %s", fields.Quote(r.Name))
		}
		if other.New && r.New {
			f.Get("new").Fail("let one of them be new", "new documents outside of clusters would be created in %s and in %s", other.Name, r.Name)
		}
		for _, pattern := range r.Clusters {
			if pattern != "" && slices.Contains(other.Clusters, pattern) {
				f.Get("clusters").Fail("let one of them have it", "both %s and %s have the clusters %s", other.Name, r.Name, fields.Quote(pattern))
			}
		}
	}
}

// ofOneRepository are the settings that are about --instance-repo alone.
func (c *Config) ofOneRepository() []string {
	var given []string
	for _, s := range []struct {
		name  string
		given bool
	}{
		{"--instance-repo", c.Repository != ""},
		{"--branch", c.RepositoryBranch != defaultBranch},
		{"--instance-repo-credentials", c.RepositoryCredentials != ""},
		{"--instance-repo-commit-url", c.RepositoryCommitURL != ""},
	} {
		if s.given {
			given = append(given, s.name)
		}
	}
	return given
}

// repositories are the instance repositories of the configuration; shares are nil for one that is attached alone.
func (s *Server) repositories() (sources []repositorySource, shares *gitsync.Shares, err error) {
	file := s.config.RepositoriesFile
	switch {
	case file == "" && s.config.Repository == "":
		return nil, nil, nil
	case file != "" && len(s.config.ofOneRepository()) > 0:
		return nil, nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "--instance-repos excludes " + strings.Join(s.config.ofOneRepository(), ", "), Remedy: "write the repository into " + file}
	case file == "":
		folder, err := s.cloneFolder("instance-repository.git", "")
		return []repositorySource{{Share: gitsync.Share{Name: gitsync.DefaultName}, url: s.config.Repository, branch: s.config.RepositoryBranch,
			credentials: s.config.RepositoryCredentials, clone: folder}}, nil, err
	}
	if sources, err = readRepositories(file); err != nil {
		return nil, nil, err
	}
	all := make([]gitsync.Share, len(sources))
	for i := range sources {
		all[i] = sources[i].Share
		if sources[i].clone, err = s.cloneFolder("instance-repositories", sources[i].Name+".git"); err != nil {
			return nil, nil, err
		}
	}
	return sources, gitsync.NewShares(all), nil
}

// cloneFolder is where clones lie: as configured, or beside the embedded store, or, with a database that is elsewhere, in a folder that goes with
// the process.
func (s *Server) cloneFolder(beside, below string) (string, error) {
	if s.config.RepositoryClone != "" {
		return filepath.Join(s.config.RepositoryClone, below), nil
	}
	if file, ok := strings.CutPrefix(s.config.Store, "bolt:"); ok {
		return filepath.Join(filepath.Dir(strings.TrimPrefix(file, "//")), beside, below), nil
	}
	if s.temporary == "" {
		folder, err := os.MkdirTemp("", "dovetail-instance-repository-")
		if err != nil {
			return "", &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "there is no folder for the clone of the instance repository: " + plainCause(err),
				Remedy: "name one with --instance-repo-clone", Err: err}
		}
		s.temporary = folder
	}
	return filepath.Join(s.temporary, below), nil
}
