package gitsync

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/store"
)

// Options configure an Syncer.
type Options struct {
	URL, Branch string // of the repository, as shown to users: without password
	// Name is that of the record of the repository; default DefaultName.
	Name string
	// Shares say which of several repositories holds what, with one of the name; nil for a repository that holds all.
	Shares *Shares
	// Replace lets the repository overwrite what the store has when it is attached for the first time.
	// Otherwise that is refused unless the two agree.
	Replace bool
	// Clear lets sensitive data that the store encrypts be committed in plaintext.
	Clear bool
	// Keys encrypt new credentials of files that have encrypted ones; nil if there is none: they are refused.
	Keys *ciphertext.Keys
	// Proposals returns the change sets that are proposed as branches, and open; default none.
	Proposals func(ctx context.Context) ([]Proposal, error)
	// MaxTogether is how many files of one environment, and of what is in none, are read at most; a repository with more is refused. Default 100,000.
	MaxTogether int
	Clock       clock.Clock  // of the pauses between syncs; default clock.System
	Log         *slog.Logger // default none
	// Report is called with the outcome of each sync; default none.
	Report func(Report)
}

// Report is the state of the sync between store and repository.
type Report struct {
	Head    string // the commit up to which the store follows; "" when there is none yet
	Applied int    // documents that were written or deleted now
	Defects int    // that the repository has
	Err     error  // why the store could not follow
}

// Syncer is an instance repository attached to a store. It is safe for concurrent use, by any number
// of processes on one database, each with a clone of its own.
type Syncer struct {
	store      *store.Store
	repository *gitrepo.Repository
	options    Options
	inputs     []dovetail.ID // of the record, whose defects name files and documents: all that the repository holds

	// changing is a semaphore of one for moving the head of the clone and updating the store from it. See change.
	changing chan struct{}
	queue    queue // of changes that wait for it
	attached bool  // now, for the first time, so that the store was compared with all files

	recordID dovetail.ID
	shares   *Shares // nil for a repository that holds all
	share    *share  // of shares
	now      outside // what all repositories had outside of clusters when the store was brought to the head; guarded by changing
	others   string  // what othersChanged said when all outside of clusters was compared last
}

// change acquires the right to move the head of the clone and to update the store from it, or waits until the context
// ends: the current holder may be waiting for a remote that does not answer. The caller calls done in the end.
func (a *Syncer) change(ctx context.Context) (done func(), err error) {
	select {
	case a.changing <- struct{}{}:
		return func() { <-a.changing }, nil
	case <-ctx.Done():
		return nil, dovetail.AsError(ctx.Err())
	}
}

// principal does the work that no request asks for: it updates the store from the repository.
var principal = &dovetail.Principal{Name: dovetail.SystemPrefix + "instance-repository"}

func asSystem(ctx context.Context) context.Context { return dovetail.WithPrincipal(ctx, principal) }

// New attaches a repository to a store and updates the store to its head; while the repository cannot be
// reached, the store stays as it is. Errors: CodeSchema when the ref-schema lacks kinds that are needed, CodeConflict
// when the repository is attached for the first time and differs from what the store has, and those of reading either.
func New(ctx context.Context, s *store.Store, repository *gitrepo.Repository, options Options) (*Syncer, error) {
	if options.Clock == nil {
		options.Clock = clock.System
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Report == nil {
		options.Report = func(Report) {}
	}
	options.Name = cmp.Or(options.Name, DefaultName)
	a := &Syncer{store: s, repository: repository, options: options, changing: make(chan struct{}, 1), recordID: RecordID(options.Name), shares: options.Shares}
	if a.shares != nil {
		a.share = a.shares.named(options.Name)
		a.share.open(repository)
	}
	var errs dovetail.Errors
	for _, name := range append(instancerepo.Kinds(), recordKind) {
		kind, ok := s.Model().Kind(name)
		if ok && kind.Parent == nil && name != recordKind {
			a.inputs = append(a.inputs, dovetail.AllOf(name))
		}
		if !ok {
			errs.Add(&dovetail.Error{Code: dovetail.CodeSchema, Message: "the ref-schema has no kind " + name,
				Remedy: "use ref-schemas with all that are built in, or attach no instance repository"})
		}
	}
	if err := errs.Err("an instance repository cannot be attached"); err != nil {
		return nil, err
	}
	ctx = asSystem(ctx)
	done, err := a.change(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	before, err := a.record(ctx)
	if err != nil {
		return nil, err
	}
	_, err = a.follow(ctx, nil)
	a.attached = err == nil && before.Head == ""
	if dovetail.CodeOf(err) == dovetail.CodeUnavailable {
		a.options.Log.Warn("the store does not follow the instance repository yet", "error", err)
		err = nil
	}
	return a, err
}

// Store returns what the syncer stands on.
func (a *Syncer) Store() *store.Store { return a.store }
