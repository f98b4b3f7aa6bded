package gitsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Reasons of writes that are refused where several repositories are attached.
const (
	// ReasonSeveral is that of a transaction that changes documents of several repositories, of which no commit can be one.
	ReasonSeveral = "SEVERAL_REPOSITORIES"
	// ReasonNoHolder is that of a write of a document that no repository, or more than one, would hold.
	ReasonNoHolder = "NO_REPOSITORY"
)

// Repositories are those that are attached to a store. Each write goes through the syncer of the repository that holds its documents; one
// that concerns several is refused, since two pushes cannot be all or nothing. It is safe for concurrent use.
type Repositories struct {
	store  *store.Store
	shares *Shares // nil for one repository that holds all

	mu      sync.RWMutex
	syncers map[string]*Syncer // by name; without those that could not be opened yet
}

// NewRepositories are repositories that are attached with Add. Shares are nil for one that holds all.
func NewRepositories(s *store.Store, shares *Shares) *Repositories {
	return &Repositories{store: s, shares: shares, syncers: make(map[string]*Syncer)}
}

// Add adds a repository that is attached.
func (r *Repositories) Add(a *Syncer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.syncers[a.options.Name] = a
}

// Attached returns the store as services are to see it.
func (r *Repositories) Attached() *Store { return &Store{Store: r.store, repositories: r} }

// Names are those of the repositories, in their order.
func (r *Repositories) Names() []string {
	if r.shares == nil {
		return []string{DefaultName}
	}
	all := make([]string, len(r.shares.all))
	for i, one := range r.shares.all {
		all[i] = one.Name
	}
	return all
}

// HolderOf is the name of the repository that holds a document in a cluster; "" if there is none.
func (r *Repositories) HolderOf(id dovetail.ID) string {
	if r.shares == nil {
		return DefaultName
	}
	if holders := r.shares.ofCluster(clusterOf(id)); len(holders) == 1 {
		return holders[0].Name
	}
	return ""
}

// Named returns a repository. Errors: CodeUnavailable for one that could not be opened yet, CodeNotFound for one that is not attached.
func (r *Repositories) Named(name string) (*Syncer, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	switch a := r.syncers[name]; {
	case a != nil:
		return a, nil
	case slices.Contains(r.Names(), name):
		return nil, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the instance repository " + name + " could not be reached since the server was started", Remedy: "try again later"}
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no instance repository " + name + " is attached", Remedy: "use one of " + strings.Join(r.Names(), ", ")}
}

// open are the repositories that are open, in their order.
func (r *Repositories) open() []*Syncer {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var all []*Syncer
	for _, name := range r.Names() {
		if a := r.syncers[name]; a != nil {
			all = append(all, a)
		}
	}
	return all
}

// Apply does operations as Syncer.Apply of the repository that holds the documents. Errors are those of it, and
//
//	CodeUnprocessable, ReasonSeveral    several repositories hold the documents
//	CodeUnprocessable, ReasonNoHolder   it is not said which repository is to hold a document
//	CodeUnavailable                     the repository that holds the documents cannot be reached
func (r *Repositories) Apply(ctx context.Context, operations []store.Operation, options store.Options, by Commit) (*Applied, error) {
	a, err := r.Of(ctx, operations, options)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		result, err := r.store.Apply(ctx, operations, options)
		return &Applied{Result: result}, err
	}
	applied, err := a.Apply(ctx, operations, options, by)
	return applied, a.named(err)
}

// named adds the name of a repository to errors of it.
func (a *Syncer) named(err error) error {
	if a.shares == nil {
		return err
	}
	switch e := dovetail.AsError(err); {
	case err == nil:
		return nil
	case e.Code == dovetail.CodeUnavailable, e.Code == dovetail.CodeUnknown, e.Reason == ReasonPushConflict, e.Code == dovetail.CodeForbidden && e.Key == "":
		named := *e
		named.Message = "instance repository " + a.options.Name + ": " + e.Message
		return &named
	}
	return err
}

// Of returns the repository that holds the documents which operations change; nil where none does.
func (r *Repositories) Of(ctx context.Context, operations []store.Operation, options store.Options) (*Syncer, error) {
	if r.shares == nil {
		return r.Named(DefaultName)
	}
	if err := refuseRecords(operations); err != nil {
		return nil, err
	}
	holders := make(map[string][]*dovetail.Error) // by name, with what they hold
	var errs dovetail.Errors
	changed, err := r.changed(ctx, operations, options)
	if err != nil {
		return nil, err
	}
	for _, op := range changed {
		name, err := r.holder(ctx, op)
		if e := (*dovetail.Error)(nil); errors.As(err, &e) && e.Reason == ReasonNoHolder {
			errs.Add(e)
			continue
		} else if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		e := &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonSeveral, Key: op.ID, Index: op.index, Position: op.Position, Message: string(op.ID) + " is held by the instance repository " + name}
		if op.index == 0 { // which the principal need not be able to read
			e.Key, e.Message = "", "what is deleted with it is held by the instance repository "+name
		}
		holders[name] = append(holders[name], e)
	}
	if err := errs.Err("no instance repository is to hold it"); err != nil {
		return nil, err
	}
	switch len(holders) {
	case 0:
		return nil, nil
	case 1:
		for name := range holders {
			return r.Named(name)
		}
	}
	var held []*dovetail.Error
	for _, name := range r.Names() {
		held = append(held, holders[name]...)
	}
	slices.SortStableFunc(held, func(a, b *dovetail.Error) int { return cmp.Compare(a.Index, b.Index) })
	return nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonSeveral, Errors: held,
		Message: "a transaction changes documents of one instance repository, as a commit does", Remedy: "make one transaction for each of the repositories"}
}

// refuseRecords refuses operations on what the server remembers of its repositories.
func refuseRecords(operations []store.Operation) error {
	for _, op := range operations {
		if kindOf(op.ID) == recordKind {
			return &dovetail.Error{Code: dovetail.CodeForbidden, Key: op.ID, Message: "what the server remembers of its instance repository is not written by others",
				Remedy: "start the server without --instance-repo to remove it"}
		}
	}
	return nil
}

// indexed is an operation with its place among those that were asked for, from 1; 0 for what is deleted with another document.
type indexed struct {
	store.Operation
	index int
}

// changed are the operations on kinds that repositories hold, and the deletions of such documents that follow from others.
func (r *Repositories) changed(ctx context.Context, operations []store.Operation, options store.Options) ([]indexed, error) {
	var all []indexed
	deletes := false
	for i, op := range operations {
		switch {
		case op.Verb != store.PutStatus && isHeld(kindOf(op.ID)):
			all = append(all, indexed{op, i + 1})
		case op.Verb == store.Delete:
			deletes = true
		}
	}
	if !deletes {
		return all, nil
	}
	would, err := r.store.Apply(ctx, operations, trialOf(options))
	if err != nil {
		return all, nil //nolint:nilerr // the store says it again, or knows the key of an earlier request
	}
	for _, o := range would.Cascaded {
		if isHeld(o.Document.Kind) {
			all = append(all, indexed{store.Operation{Verb: store.Delete, ID: o.Document.ID}, 0})
		}
	}
	return all, nil
}

// holder is the name of the repository that holds the document of an operation; "" for one that is deleted and held by none.
func (r *Repositories) holder(ctx context.Context, op indexed) (string, error) {
	refused := func(message, remedy string) (string, error) {
		return "", &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonNoHolder, Key: op.ID, Index: op.index, Position: op.Position, Message: message, Remedy: remedy}
	}
	if cluster := clusterOf(op.ID); cluster != "" {
		switch holders := r.shares.ofCluster(cluster); {
		case len(holders) == 1:
			return holders[0].Name, nil
		case len(holders) > 1:
			return refused(fmt.Sprintf("the cluster %s is among the clusters of several instance repositories: %s", cluster, names(holders)), "name it in the clusters of one only")
		case op.Verb == store.Delete: // it is left of a repository that is attached no more
			return "", nil
		}
		return refused(fmt.Sprintf("the cluster %s is not among the clusters of any instance repository: %s", cluster, names(r.shares.all)), "use a name that one of their patterns matches, or add it to the clusters of one")
	}
	for _, a := range r.open() {
		a.catchUp(ctx)
	}
	now, err := r.shares.outside(ctx)
	if err != nil {
		return "", err
	}
	switch holder := now.having(op.ID); {
	case holder != nil:
		return holder.Name, nil
	case op.Verb == store.Delete:
		return "", nil
	}
	if i := slices.IndexFunc(r.shares.all, func(one *share) bool { return one.New }); i >= 0 {
		return r.shares.all[i].Name, nil
	}
	return refused(fmt.Sprintf("%s is in no cluster, and it is not said in which of the instance repositories %s such documents are created", op.ID, names(r.shares.all)), "set new: true of one of them")
}

// catchUp pulls when the store is ahead of the clone. Where that fails, what the clone has is what is known.
func (a *Syncer) catchUp(ctx context.Context) {
	r, err := a.record(asSystem(ctx))
	if err != nil || r.Head == "" || r.Head == a.repository.Head() {
		return
	}
	if is, err := a.repository.Contains(r.Head); err == nil && is {
		return
	}
	if err := a.pull(ctx); err != nil {
		a.options.Log.Warn("a clone is behind", "repository", a.options.Name, "error", err)
	}
}

// ofDocument returns the repository that holds a stored document; nil if there is none, or one that is not open.
func (r *Repositories) ofDocument(ctx context.Context, id dovetail.ID) *Syncer {
	name := DefaultName
	if r.shares != nil {
		var err error
		if name, err = r.holder(ctx, indexed{Operation: store.Operation{Verb: store.Delete, ID: id}}); err != nil {
			return nil
		}
	}
	a, err := r.Named(name)
	if err != nil {
		return nil
	}
	return a
}

// Version is Syncer.Version of the repository that holds a document. Of one that is not open it is that of the store.
func (r *Repositories) Version(ctx context.Context, doc *dovetail.Document) (string, error) {
	if isHeld(doc.Kind) {
		if a := r.ofDocument(ctx, doc.ID); a != nil {
			return a.Version(ctx, doc)
		}
	}
	return doc.ETag().Version(), nil
}

// Written is Syncer.Written of the repository that holds a document.
func (r *Repositories) Written(ctx context.Context, doc *dovetail.Document) (time.Time, error) {
	if isHeld(doc.Kind) {
		if a := r.ofDocument(ctx, doc.ID); a != nil {
			return a.Written(ctx, doc)
		}
	}
	return doc.Updated, nil
}

// Content is Syncer.Content of the first repository that has a file.
func (r *Repositories) Content(path string) ([]byte, error) {
	err := error(&dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no file " + path, Err: fs.ErrNotExist})
	for _, a := range r.open() {
		data, failure := a.Content(path)
		if dovetail.CodeOf(failure) != dovetail.CodeNotFound {
			return data, failure
		}
		err = failure
	}
	return nil, err
}

// Forget removes the records of repositories that are not attached any more, and returns their names. Their documents stay.
func (r *Repositories) Forget(ctx context.Context) ([]string, error) {
	ctx = asSystem(ctx)
	var gone []string
	for doc, err := range r.store.Documents(ctx, store.ListQuery{Kind: recordKind}) {
		if err != nil {
			return nil, err
		}
		if name := doc.ID.Key()[0].Value; !slices.Contains(r.Names(), name) {
			gone = append(gone, name)
		}
	}
	for _, name := range gone {
		if _, err := r.store.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: RecordID(name)}}, store.Options{}); err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
			return nil, err
		}
	}
	return gone, nil
}
