package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/instancerepo"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
)

// repositoryWork names the lease of the process that pulls the instance repository for all.
const repositoryWork = "instance-repository"

// attached is the instance repository of a server. A nil one is none.
type attached struct {
	*gitsync.Syncer

	mu     sync.Mutex
	report gitsync.Report // the last one

	defects   prometheus.Gauge
	following prometheus.Gauge
	changes   prometheus.Counter
}

// attach attaches the instance repository that the configuration names, nil for none, and updates the store from it.
func (s *Server) attach(ctx context.Context, resources *store.Store, gate *gatekeeper) (*attached, error) {
	if s.config.Repository == "" {
		return nil, nil
	}
	credentials, signer, err := readCredentials(s.config.RepositoryCredentials)
	if err != nil {
		return nil, err
	}
	folder, err := s.cloneFolder()
	if err != nil {
		return nil, err
	}
	repository, err := gitrepo.Open(ctx, gitrepo.Options{Encrypted: instancerepo.MayBeEncrypted, URL: s.config.Repository, Branch: s.config.RepositoryBranch, Dir: folder, Credentials: credentials, Signer: signer,
		Pushed: s.metrics.pushed})
	if err != nil {
		return nil, err
	}
	a := &attached{
		defects: prometheus.NewGauge(prometheus.GaugeOpts{Name: "dovetail_instance_repo_defects",
			Help: "Defects of the attached instance repository, as far as this process knows."}),
		following: prometheus.NewGauge(prometheus.GaugeOpts{Name: "dovetail_instance_repo_following",
			Help: "1 while the store follows the instance repository, 0 while this process could not bring it there."}),
		changes: prometheus.NewCounter(prometheus.CounterOpts{Name: "dovetail_instance_repo_commits_total",
			Help: "Commits, or several at once, that this process brought into the store."}),
	}
	s.metrics.MustRegister(a.defects, a.following, a.changes)
	a.Syncer, err = gitsync.New(ctx, resources, repository, gitsync.Options{URL: repository.URL(), Branch: s.config.RepositoryBranch,
		Replace: s.config.RepositoryReplaces, Clear: s.config.RepositoryClear, Keys: s.credentialKeys, Proposals: proposals(resources, gate), Log: s.log, Report: a.note})
	return a, err
}

// note remembers a report.
func (a *attached) note(r gitsync.Report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report = r
	a.defects.Set(float64(r.Defects))
	if r.Err != nil {
		a.following.Set(0)
		return
	}
	a.following.Set(1)
	a.changes.Inc()
}

// check reports to /readyz how the store follows. That it does not follow is no error: reads still work.
func (a *attached) check(context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.report.Err != nil { // the message names files and documents, and /readyz needs no authentication
		return "does not follow; see the log", nil
	}
	return "follows " + a.report.Head, nil
}

// follow pulls the repository until the background work ends, in one of all processes on the database.
func (s *Server) follow(a *attached) {
	s.inOne(repositoryWork, func(ctx context.Context, fence store.Condition) { a.Run(ctx, s.config.RepositoryInterval, fence) })
}

// documents are those that the API serves: written through the repository when one is attached.
func (a *attached) documents(resources *store.Store) httpapi.Store {
	if a == nil {
		return resources
	}
	return a.Attached()
}

// overrides are those that the override service works on.
func (a *attached) overrides(resources *store.Store) override.Documents {
	if a == nil {
		return override.Stored{Store: resources}
	}
	return versioned{Store: resources, syncer: a.Syncer}
}

// versioned are documents whose versions are commits.
type versioned struct {
	*store.Store
	syncer *gitsync.Syncer
}

// Version is the commit that changed the document's file last.
func (v versioned) Version(ctx context.Context, doc *dovetail.Document) (string, error) {
	return v.syncer.Version(ctx, doc)
}

// Written is the time of that commit.
func (v versioned) Written(ctx context.Context, doc *dovetail.Document) (time.Time, error) {
	return v.syncer.Written(ctx, doc)
}

// Apply is one commit and one transaction.
func (v versioned) Apply(ctx context.Context, operations []store.Operation, change override.Change) (*override.Applied, error) {
	applied, err := v.syncer.Apply(ctx, operations, store.Options{DryRun: change.DryRun},
		gitsync.Commit{Author: change.Author, Email: change.Email, Message: change.Message, Of: change.Of, Base: change.Base})
	if err != nil {
		return nil, err
	}
	done := &override.Applied{Result: applied.Result}
	for i, op := range operations {
		if op.ID != change.Of || op.Verb == store.Delete || change.DryRun {
			continue
		}
		done.Version, err = v.syncer.Version(ctx, applied.Result.Outcomes[i].Document)
		if dovetail.CodeOf(err) == dovetail.CodeStale { // it has moved on already; this is what it was
			done.Version, err = applied.Commit, nil
		}
	}
	return done, err
}

// cloneFolder is where the clone of the repository lies: as configured, or beside the embedded store, or, with a
// database that is elsewhere, in a folder that goes with the process.
func (s *Server) cloneFolder() (string, error) {
	if s.config.RepositoryClone != "" {
		return s.config.RepositoryClone, nil
	}
	if file, ok := strings.CutPrefix(s.config.Store, "bolt:"); ok {
		return filepath.Join(filepath.Dir(strings.TrimPrefix(file, "//")), "instance-repository.git"), nil
	}
	folder, err := os.MkdirTemp("", "dovetail-instance-repository-")
	if err != nil {
		return "", &dovetail.Error{Code: dovetail.CodeInternal, Message: "there is no folder for the clone of the instance repository",
			Remedy: "name one with --instance-repo-clone", Err: err}
	}
	s.temporary = folder
	return folder, nil
}
