package gitsync

import (
	"context"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/instancerepo"
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
		if err := p.plan.conflict(files); err != nil {
			p.finish(nil, err)
		}
	}
	return errForeign
}

// conflict refuses the plan where another writer changed files meanwhile that it edits, that hold documents which it changes, or that are beside
// what it deletes. It is nil where the plan may be made again. It names a document only if it was asked for.
func (p *plan) conflict(files map[string]bool) error {
	changed := func(path string) bool { return files[path] }
	var of []dovetail.ID
	for _, id := range sortedIDs(p.touched) {
		if slices.ContainsFunc(instancerepo.Paths(id), changed) {
			of = append(of, id)
		}
	}
	edited := slices.ContainsFunc(slices.Collect(maps.Keys(p.edits)), changed)
	if len(of) == 0 && !edited && (!p.deletes() || !p.region.reads(files)) {
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
