package gitsync

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/value"
)

// maxForeign bounds how often a group is made again since pushes of others came first.
const maxForeign = 20

func overtaken() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonPushConflict, Message: "another commit was pushed to the instance repository at the same time; nothing was changed",
		Remedy: "read the current version and decide again"}
}

// lost follows what another writer pushed meanwhile, and refuses the changes of a group that conflict with it: the others are to be made again, on
// the new head, where their conditions are checked again. It is errPeer where another process of Dovetail pushed, which the store shows.
func (a *Syncer) lost(ctx context.Context, before string, group []*pending) error {
	system := asSystem(context.WithoutCancel(ctx))
	now, err := a.record(system)
	if err == nil && now.doc != nil && now.Head == a.repository.Head() {
		return errPeer
	}
	if _, err = a.follow(system, nil); err != nil {
		a.options.Log.Warn("the store does not follow the instance repository yet", "error", err)
		return overtaken()
	}
	changed, err := a.repository.Changed(system, before, "")
	if err != nil { // such as after a rewrite of history
		return overtaken()
	}
	files := make(map[string]bool, len(changed))
	for _, difference := range changed {
		files[difference.Path] = true
	}
	for _, p := range group {
		if err := p.plan.conflict(system, files); err != nil {
			p.finish(nil, err)
		}
	}
	return errForeign
}

// conflict refuses the plan where another writer changed files meanwhile that it edits, that hold documents which it changes, or that are beside
// what it deletes. It is nil where the plan may be made again, also where a changed file holds several documents, and others of them changed. It names a
// document only if it was asked for.
func (p *plan) conflict(ctx context.Context, files map[string]bool) error {
	changed := func(path string) bool { return files[path] }
	var of []dovetail.ID
	shared := make(map[string]bool) // files of several documents
	for _, id := range sortedIDs(p.touched) {
		paths := instancerepo.Paths(id)
		if slices.ContainsFunc(paths, changed) {
			of = append(of, id)
		}
		if instancerepo.SharesFile(id) {
			for _, path := range paths {
				shared[path] = true
			}
		}
	}
	edited := slices.ContainsFunc(slices.Collect(maps.Keys(p.edits)), func(path string) bool { return files[path] && !shared[path] })
	deletes := p.deletesFiles() && p.region.reads(files)
	if !deletes && !edited && slices.ContainsFunc(of, instancerepo.SharesFile) {
		var err error
		if of, err = p.changedMeanwhile(ctx, of); err != nil {
			p.a.options.Log.Warn("what was pushed meanwhile cannot be compared", "error", err)
			return overtaken()
		}
	}
	if len(of) == 0 && !edited && !deletes {
		return nil
	}
	e := overtaken()
	for _, id := range of {
		if _, asked := p.position[id]; asked {
			e.Key, e.Message = id, "another commit that changed the file of "+string(id)+" was pushed to the instance repository at the same time; nothing was changed"
			break
		}
	}
	return e
}

// deletesFiles reports whether documents go with their files, and with what is in them.
func (p *plan) deletesFiles() bool {
	for id, t := range p.touched {
		if t.data == nil && !instancerepo.SharesFile(id) {
			return true
		}
	}
	return false
}

// changedMeanwhile are those documents that the head has not as the plan found them, and those that have a file of their own.
func (p *plan) changedMeanwhile(ctx context.Context, ids []dovetail.ID) ([]dovetail.ID, error) {
	now, err := p.region.survey(filesOf(p.a.repository.FilesAt(ctx, "", p.a.ownPart(p.region.part()))), nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id dovetail.ID) bool {
		before, is := p.before[id], now.byID[id]
		switch {
		case !instancerepo.SharesFile(id):
			return false
		case before == nil || is == nil:
			return before == nil && is == nil
		}
		return value.Equal(before, is.Data)
	}), nil
}
