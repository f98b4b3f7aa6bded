package app

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
)

// repositoryWork names the lease of the process that pulls the instance repository for all.
const repositoryWork = "instance-repository"

// attached are the instance repositories of a server. A nil one is none.
type attached struct {
	*gitsync.Repositories
	all  []*instanceRepository
	keys *ciphertext.Keys // of the server, for repositories without own ones
}

// instanceRepository is one of them.
type instanceRepository struct {
	source repositorySource
	work   string // the lease of the process that pulls it, and the name of its check
	keys   *ciphertext.Keys
	open   func(context.Context) (*gitrepo.Repository, error)
	sync   func(context.Context, *gitrepo.Repository) (*gitsync.Syncer, error)
	opened chan *gitsync.Syncer // of one, which whoever runs it puts back
	soon   chan struct{}        // of one: it is to be pulled before its time

	mu     sync.Mutex
	report gitsync.Report // the last one

	defects   prometheus.Gauge
	following prometheus.Gauge
	changes   prometheus.Counter
}

// attach attaches the instance repositories that the configuration names, nil if there is none, and updates the store from them. Of several, those that cannot
// be reached are attached later.
func (s *Server) attach(ctx context.Context, resources *store.Store, gate *gatekeeper) (*attached, error) {
	sources, shares, err := s.repositories()
	if err != nil || len(sources) == 0 {
		return nil, err
	}
	a := &attached{Repositories: gitsync.NewRepositories(resources, shares), keys: s.credentialKeys}
	for _, source := range sources {
		r, err := s.repository(source, shares, a, resources, gate)
		if err != nil {
			return nil, err
		}
		a.all = append(a.all, r)
		s.credentialKeys = ciphertext.Join(s.credentialKeys, r.keys)
	}
	if shares != nil {
		gone, err := a.Forget(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range gone {
			s.log.Warn("an instance repository is not attached any more; its documents stay in the store", "repository", name)
		}
	}
	clones, errs := make([]*gitrepo.Repository, len(a.all)), make([]error, len(a.all))
	var opening sync.WaitGroup
	for i, r := range a.all {
		opening.Go(func() { clones[i], errs[i] = r.open(ctx) })
	}
	opening.Wait()
	for i, r := range a.all {
		err := errs[i]
		if err == nil {
			err = a.attachOne(ctx, r, clones[i])
		}
		switch {
		case err == nil:
		case shares == nil && !dovetail.IsOnlyRead(err): // of this disk, which does not keep the store from being read
			return nil, err
		case shares != nil && !isOutage(err):
			return nil, ofRepository(r.source.Name, err)
		default:
			r.note(gitsync.Report{Err: err})
			s.log.Warn("an instance repository is not attached yet", "repository", r.source.Name, "error", err)
		}
	}
	return a, nil
}

// isOutage reports whether trying again later may end an error of a repository.
func isOutage(err error) bool {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeUnavailable, dovetail.CodeTimeout, dovetail.CodeUnauthenticated, dovetail.CodeForbidden, dovetail.CodeInvalid, dovetail.CodeUnprocessable:
		return true // the last ones for a repository or branch that is not there, and one with too much
	}
	return false
}

// ofRepository names the repository of an error.
func ofRepository(name string, err error) error {
	named := *dovetail.AsError(err)
	named.Message = "instance repository " + name + ": " + named.Message
	return &named
}

// repository prepares one, with the keys of the server if it has none.
func (s *Server) repository(source repositorySource, shares *gitsync.Shares, of *attached, resources *store.Store, gate *gatekeeper) (*instanceRepository, error) {
	credentials, signer, err := readCredentials(source.credentials)
	if err != nil {
		return nil, err
	}
	keys := of.keys
	r := &instanceRepository{source: source, work: repositoryWork, opened: make(chan *gitsync.Syncer, 1), soon: make(chan struct{}, 1)}
	if source.credentialKeys != "" {
		if r.keys, err = ciphertext.ReadKeys(source.credentialKeys); err != nil {
			return nil, err
		}
		keys = r.keys
	}
	var labels prometheus.Labels
	log := s.log
	if shares != nil {
		r.work += "/" + source.Name
		labels = prometheus.Labels{"repository": source.Name}
		log = log.With("repository", source.Name)
	}
	r.defects = prometheus.NewGauge(prometheus.GaugeOpts{Name: "dovetail_instance_repo_defects", ConstLabels: labels,
		Help: "Defects of the attached instance repository, as far as this process knows."})
	r.following = prometheus.NewGauge(prometheus.GaugeOpts{Name: "dovetail_instance_repo_following", ConstLabels: labels,
		Help: "1 while the store follows the instance repository, 0 while this process could not bring it there."})
	r.changes = prometheus.NewCounter(prometheus.CounterOpts{Name: "dovetail_instance_repo_commits_total", ConstLabels: labels,
		Help: "Commits, or several at once, that this process brought into the store."})
	s.metrics.MustRegister(r.defects, r.following, r.changes)
	r.open = func(ctx context.Context) (*gitrepo.Repository, error) {
		return gitrepo.Open(ctx, gitrepo.Options{URL: source.url, Branch: source.branch, Dir: source.clone, Credentials: credentials, Signer: signer,
			Pushed: s.metrics.pushed})
	}
	r.sync = func(ctx context.Context, clone *gitrepo.Repository) (*gitsync.Syncer, error) {
		return gitsync.New(ctx, resources, clone, gitsync.Options{URL: clone.URL(), Branch: source.branch, Name: source.Name, Shares: shares,
			Replace: s.config.RepositoryReplaces, Clear: s.config.RepositoryClear, Keys: keys, Proposals: proposals(resources, gate, s.carriers(of)), Log: log, Report: r.note})
	}
	return r, nil
}

// attachOne attaches a repository whose clone is open.
func (a *attached) attachOne(ctx context.Context, r *instanceRepository, clone *gitrepo.Repository) error {
	syncer, err := r.sync(ctx, clone)
	if err != nil {
		return err
	}
	a.Add(syncer)
	r.opened <- syncer
	return nil
}

// note remembers a report.
func (r *instanceRepository) note(report gitsync.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report = report
	r.defects.Set(float64(report.Defects))
	if report.Err != nil {
		r.following.Set(0)
		return
	}
	r.following.Set(1)
	r.changes.Inc()
}

// commits says where the commits are shown: where the configuration of one repository says, or else where the Git host has them. It is nil where neither is
// known, and where several repositories have their commits in several places.
func (a *attached) commits(configured string) *httpapi.Commits {
	if a == nil || len(a.all) == 0 {
		return nil
	}
	var at string
	for i, r := range a.all {
		of := cmp.Or(configured, gitrepo.CommitURL(r.source.url))
		if i > 0 && of != at {
			return nil
		}
		at = of
	}
	if at == "" {
		return nil
	}
	return &httpapi.Commits{Record: gitsync.RecordID(a.all[0].source.Name), URL: at}
}

// check reports to /readyz how the store follows. That it does not follow is degraded: reads still work.
func (r *instanceRepository) check(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report.Err != nil { // the message names files and documents, and /readyz needs no authentication
		return "does not follow; see the log", httpapi.Degraded(r.report.Err)
	}
	return "follows " + r.report.Head, nil
}

// checks are those of all repositories.
func (a *attached) checks() []httpapi.Check {
	var all []httpapi.Check
	for _, r := range a.all {
		all = append(all, httpapi.Check{Name: r.work, Run: r.check})
	}
	return all
}

// follow pulls the repositories until the background work ends, each in one of all processes on the database. One that could not be
// reached yet is attached as soon as it can be.
func (s *Server) follow(background context.Context, a *attached) {
	for _, r := range a.all {
		if len(r.opened) == 0 {
			s.background.Go(func() { s.attachLater(system(background, repositoryWork), a, r) })
		}
		s.inOne(r.work, func(ctx context.Context, fence store.Condition) {
			select {
			case <-ctx.Done():
			case syncer := <-r.opened:
				defer func() { r.opened <- syncer }()
				syncer.Run(ctx, s.config.RepositoryInterval, fence)
			}
		})
	}
}

// attachLater attaches a repository that could not be reached when the server was started.
func (s *Server) attachLater(ctx context.Context, a *attached, r *instanceRepository) {
	ticker := time.NewTicker(s.config.RepositoryInterval)
	defer ticker.Stop()
	said := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		clone, err := r.open(ctx)
		if err == nil {
			err = a.attachOne(ctx, r, clone)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			s.log.Info("an instance repository is attached", "repository", r.source.Name)
			return
		}
		r.note(gitsync.Report{Err: err})
		if err.Error() != said { // once, however long it lasts
			said = err.Error()
			s.log.Warn("an instance repository is not attached yet", "repository", r.source.Name, "error", err)
		}
	}
}

// documents are those that the API serves: written through the repositories when some are attached.
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
	return versioned{Store: resources, repositories: a.Repositories}
}

// keysOf are the keys of the repository that holds a document in a cluster; nil if there is none.
func (a *attached) keysOf(id dovetail.ID) *ciphertext.Keys {
	name := a.HolderOf(id)
	for _, r := range a.all {
		if r.source.Name == name && r.keys != nil {
			return r.keys
		}
	}
	return a.keys
}

// versioned are documents whose versions are commits.
type versioned struct {
	*store.Store
	repositories *gitsync.Repositories
}

// Version is the commit that changed the document's file last.
func (v versioned) Version(ctx context.Context, doc *dovetail.Document) (string, error) {
	return v.repositories.Version(ctx, doc)
}

// Written is the time of that commit.
func (v versioned) Written(ctx context.Context, doc *dovetail.Document) (time.Time, error) {
	return v.repositories.Written(ctx, doc)
}

// Apply is one commit and one transaction.
func (v versioned) Apply(ctx context.Context, operations []store.Operation, change override.Change) (*override.Applied, error) {
	by := gitsync.Commit{Author: change.Author, Email: change.Email, Message: change.Message, Of: change.Of, Base: change.Base}
	by.Answer = func(result *store.Result, commit string) ([]byte, error) {
		return change.Transaction(func(*store.Result) (string, error) {
			switch of := change.Outcome(operations, result); {
			case of == nil:
				return "", nil
			case of.Effect == store.WasUnchanged:
				return change.Base, nil
			}
			return commit, nil
		}).Answer(result)
	}
	applied, err := v.repositories.Apply(ctx, operations, change.Transaction(func(result *store.Result) (string, error) { return v.version(ctx, operations, &change, result, "") }), by)
	if err != nil {
		return nil, err
	}
	version, err := v.version(ctx, operations, &change, applied.Result, applied.Commit)
	return &override.Applied{Result: applied.Result, Version: version}, err
}

// version returns the version of the document of a change that was made by a commit.
func (v versioned) version(ctx context.Context, operations []store.Operation, change *override.Change, result *store.Result, commit string) (string, error) {
	of := change.Outcome(operations, result)
	if of == nil {
		return "", nil
	}
	version, err := v.repositories.Version(ctx, of.Document)
	if dovetail.CodeOf(err) == dovetail.CodeStale { // it has moved on already; this is what it was
		return commit, nil
	}
	return version, err
}
