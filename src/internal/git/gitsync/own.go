package gitsync

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// holdsCluster reports whether the repository holds a cluster. One that is attached alone holds all.
func (a *Syncer) holdsCluster(name string) bool {
	if a.shares == nil {
		return true
	}
	holders := a.shares.ofCluster(name)
	return len(holders) == 1 && holders[0] == a.share
}

// ownPath reports whether a file is outside of clusters, or in one that the repository holds.
func (a *Syncer) ownPath(file string) bool {
	cluster := clusterOfPath(file)
	return cluster == "" || a.holdsCluster(cluster)
}

// ownPart is a part without the clusters that other repositories hold.
func (a *Syncer) ownPart(part gitrepo.Part) gitrepo.Part {
	if a.shares == nil {
		return part
	}
	without := part.Without
	part.Without = func(folder string) bool {
		return !a.ownPath(folder+"/any") || without != nil && without(folder)
	}
	return part
}

// filesAt are the files of a part of a commit, without those of clusters that other repositories hold.
func (a *Syncer) filesAt(ctx context.Context, commit string, part gitrepo.Part) iter.Seq2[gitrepo.File, error] {
	return a.repository.FilesAt(ctx, commit, a.ownPart(part))
}

// mayHold reports whether the repository may hold a document.
func (a *Syncer) mayHold(id dovetail.ID) bool {
	cluster := clusterOf(id)
	return cluster == "" || a.holdsCluster(cluster)
}

// outside is what all repositories have outside of clusters; nil for one that is attached alone.
func (a *Syncer) outside(ctx context.Context) (outside, error) {
	if a.shares == nil {
		return nil, nil
	}
	return a.shares.outside(ctx)
}

// own returns the operations of a comparison of a region that are about what the repository holds, and what is to be said about others.
func (a *Syncer) own(now outside, what *region, operations []store.Operation) (own []store.Operation, found []*dovetail.Error) {
	if a.shares == nil {
		return operations, nil
	}
	for _, op := range operations {
		if cluster := clusterOf(op.ID); cluster != "" {
			if a.holdsCluster(cluster) {
				own = append(own, op)
			}
			continue
		}
		switch holder := now.having(op.ID); {
		case holder == a.share:
			own = append(own, op)
		case holder != nil && op.Verb == store.Put:
			found = append(found, &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonDocumentElsewhere, Position: op.Position,
				Message: fmt.Sprintf("%s is also in the instance repository %s, with a different content, and is stored as it is there", op.ID, holder.Name),
				Remedy:  "rename one of the two, or make them say the same"})
		case holder != nil: // which brings it
		case op.Verb != store.Delete: // the clone moved on meanwhile
			own = append(own, op)
		case slices.ContainsFunc(instancerepo.Paths(op.ID), func(file string) bool { return what.files[file] }): // it had it
			own = append(own, op)
		case a.share == a.shares.all[0]:
			found = append(found, &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonNowhere, Position: op.Position,
				Message: fmt.Sprintf("%s is in the store, and in none of the instance repositories that are attached", op.ID),
				Remedy:  "delete it, or add it to one of the repositories"})
		}
	}
	return own, found
}

// elsewhere reports the folders of clusters of a commit that the repository does not hold.
func (a *Syncer) elsewhere(ctx context.Context, head string) ([]*dovetail.Error, error) {
	if a.shares == nil {
		return nil, nil
	}
	const root = "environments"
	folders, err := a.repository.FoldersAt(ctx, head, root)
	if err != nil {
		return nil, err
	}
	var found []*dovetail.Error
	for _, cluster := range folders {
		folder := root + "/" + cluster
		if clusterOfPath(folder+"/any") == "" || a.holdsCluster(cluster) {
			continue
		}
		e := &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonClusterElsewhere, Position: dovetail.Position{File: folder}}
		switch holders := a.shares.ofCluster(cluster); len(holders) {
		case 0:
			e.Message, e.Remedy = "nothing of the cluster "+cluster+" of "+a.share.Name+" is stored: no instance repository has a pattern of clusters for it", "add its name to the clusters of one"
		case 1:
			e.Message, e.Remedy = "nothing of the cluster "+cluster+" of "+a.share.Name+" is stored: the instance repository "+holders[0].Name+" holds that cluster", "remove the folder, or name the cluster in the clusters of "+a.share.Name
		default:
			e.Message, e.Remedy = "nothing of the cluster "+cluster+" of "+a.share.Name+" is stored: it is among the clusters of several instance repositories, "+names(holders), "name it in the clusters of one only"
		}
		found = append(found, e)
	}
	return found, nil
}

// othersChanged is another text once another repository has other documents outside of clusters, which this one may hold then, or no more.
func (a *Syncer) othersChanged(ctx context.Context) (string, error) {
	if a.shares == nil {
		return "", nil
	}
	now, err := a.shares.outside(ctx)
	state := ""
	for _, one := range now {
		if one.share != a.share {
			state += fmt.Sprintf("%s %d;", one.Name, one.changes)
		}
	}
	return state, err
}

// compareOutside compares what is outside of clusters, if other repositories have other documents there than at the last comparison.
func (a *Syncer) compareOutside(ctx context.Context, r *record, fence *store.Condition) error {
	others, err := a.othersChanged(ctx)
	if err != nil || others == a.others {
		return err
	}
	what := newRegion()
	what.outside = true
	if err := a.bring(ctx, r, what, "", fence); err != nil {
		return err
	}
	a.others = others
	return nil
}
