package gitsync

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// Reasons of findings where several repositories are attached.
const (
	// ReasonClusterElsewhere is that of a folder of a cluster in a repository that does not hold the cluster.
	ReasonClusterElsewhere = "REPO_CLUSTER_ELSEWHERE"
	// ReasonDocumentElsewhere is that of a document outside of clusters that a repository before this one has with a different content.
	ReasonDocumentElsewhere = "REPO_DOCUMENT_ELSEWHERE"
	// ReasonNowhere is that of a stored document outside of clusters that no attached repository has.
	ReasonNowhere = "REPO_DOCUMENT_NOWHERE"
)

// Rest is the pattern of all clusters that no other repository names.
const Rest = "*"

// Share says what one of several repositories holds: clusters, and of the documents outside of clusters those that no repository before
// it has.
type Share struct {
	Name     string
	Clusters []string // patterns as of path.Match; Rest stands for what no other repository names
	New      bool     // documents outside of clusters that no repository has yet are created in this one
}

// Shares divide the documents of a store among its repositories, in the order of the configuration. What is in a cluster is divided by its name
// alone, so that all processes agree whatever they have read. It is safe for concurrent use.
type Shares struct {
	all []*share
}

// share is a Share with what the repository has outside of clusters.
type share struct {
	Share

	mu         sync.Mutex
	repository *gitrepo.Repository  // nil until its clone is open
	commit     string               // that outside is of
	outside    map[dovetail.ID]bool // the documents outside of clusters
	changes    int                  // how often outside became another one
}

// NewShares divides documents.
func NewShares(shares []Share) *Shares {
	s := &Shares{}
	for _, one := range shares {
		s.all = append(s.all, &share{Share: one})
	}
	return s
}

// named is the share of a name.
func (s *Shares) named(name string) *share {
	for _, one := range s.all {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// names are those of shares.
func names(shares []*share) string {
	all := make([]string, len(shares))
	for i, one := range shares {
		all[i] = one.Name
	}
	return strings.Join(all, ", ")
}

// ofCluster are the shares that a cluster belongs to: one, unless the patterns leave it open.
func (s *Shares) ofCluster(cluster string) []*share {
	var naming, rest []*share
	for _, one := range s.all {
		switch {
		case slices.ContainsFunc(one.Clusters, func(pattern string) bool {
			is, err := path.Match(pattern, cluster)
			return pattern != Rest && is && err == nil
		}):
			naming = append(naming, one)
		case slices.Contains(one.Clusters, Rest):
			rest = append(rest, one)
		}
	}
	if len(naming) > 0 {
		return naming
	}
	return rest
}

// outside is what the repositories have outside of clusters, of one moment.
type outside []outsideOf

type outsideOf struct {
	*share
	documents map[dovetail.ID]bool // not changed any more
	changes   int
}

// outside reads what the heads of the clones have outside of clusters. It must not be called while a draft is edited, which locks its repository.
func (s *Shares) outside(ctx context.Context) (outside, error) {
	all := make(outside, len(s.all))
	for i, one := range s.all {
		var err error
		if all[i], err = one.now(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// having is the first share, in their order, whose repository has a document; nil if there is none.
func (o outside) having(id dovetail.ID) *share {
	for _, one := range o {
		if one.documents[id] {
			return one.share
		}
	}
	return nil
}

// open says that the clone of a share is open.
func (s *share) open(repository *gitrepo.Repository) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repository = repository
}

// now is what the head of the clone has.
func (s *share) now(ctx context.Context) (outsideOf, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.read(ctx)
	return outsideOf{s, s.outside, s.changes}, err
}

// read brings outside to the head of the clone, as another map: what is in clusters is not read. The caller holds mu.
func (s *share) read(ctx context.Context) error {
	if s.repository == nil {
		return nil
	}
	head := s.repository.Head()
	if head == s.commit {
		return nil
	}
	if s.commit != "" {
		changed, err := s.repository.Changed(ctx, s.commit, head)
		if err == nil && !slices.ContainsFunc(changed, func(d gitrepo.Difference) bool { return clusterOfPath(d.Path) == "" }) {
			s.commit = head
			return nil
		}
		if err != nil && dovetail.CodeOf(err) != dovetail.CodeMissing { // history was rewritten
			return err
		}
	}
	part := gitrepo.Part{Without: func(folder string) bool { return clusterOfPath(folder+"/any") != "" }}
	contents, err := instancerepo.Survey(filesOf(s.repository.FilesAt(ctx, head, part)))
	if err != nil {
		return err
	}
	s.commit, s.outside = head, make(map[dovetail.ID]bool)
	s.changes++
	for _, d := range contents.Documents() {
		s.outside[d.ID] = true
	}
	return nil
}

// clusterOfPath is the cluster in whose folder a file is; "" if there is none.
func clusterOfPath(file string) string {
	parts := strings.SplitN(file, "/", 3)
	if len(parts) < 3 || !isEnvironment(path.Join(parts[0], parts[1], "any")) {
		return ""
	}
	return parts[1]
}

// clusterOf is the cluster that a document is of, or in; "" if there is none.
func clusterOf(id dovetail.ID) string {
	if key := id.Key(); len(key) > 0 && key[0].Name == clusterKind {
		return key[0].Value
	}
	return ""
}
