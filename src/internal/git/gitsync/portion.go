package gitsync

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

// What is read at once of environments, each of which is read as a whole: so many files, and so many bytes of them.
const (
	portionFiles = 1000
	portionBytes = 1 << 20
)

// comparison is what a region of a commit says, and the operations that make the store say it.
type comparison struct {
	what       *region
	head       string
	read       *surveyed
	operations []store.Operation
	last       bool // of several
}

// portions compares a region of a commit with the store, part by part, so that the memory that this takes does not grow with the region.
type portions struct {
	a    *Syncer
	ctx  context.Context
	what *region
	head string
	see  func(*comparison) error

	clusters map[string]bool // that there are
	used     map[string]bool // files of ParamSets outside of environments
	last     *comparison
	unused   []*dovetail.Error
	template []*dovetail.Error
}

// eachPortion shows the differences between a region of a commit and the store: first those outside of environments, to which environments
// refer, then those of environments, and at last what goes, as others may have referred to it. The region is widened where a change has effects elsewhere. When
// see fails since another process wrote to the store, the portion is compared again.
func (a *Syncer) eachPortion(ctx context.Context, what *region, head string, see func(*comparison) error) error {
	p := &portions{a: a, ctx: ctx, what: what, head: head, see: see, clusters: make(map[string]bool), used: make(map[string]bool),
		last: &comparison{what: newRegion(), head: head, read: &surveyed{}, last: true}}
	if err := p.outside(); err != nil {
		return err
	}
	seen, err := p.environments()
	if err != nil {
		return err
	}
	if err := p.gone(seen); err != nil {
		return err
	}
	if err := p.goneClusters(); err != nil {
		return err
	}
	elsewhere, err := a.elsewhere(ctx, head)
	if err != nil {
		return err
	}
	what.listed = true
	p.last.read.defects = append(p.last.read.defects, elsewhere...)
	for _, e := range p.unused {
		if p.what.whole && !p.used[e.Position.File] {
			p.last.read.defects = append(p.last.read.defects, e)
		}
	}
	if p.what.whole && len(seen) == 0 {
		p.last.read.defects = append(p.last.read.defects, p.template...)
	}
	return see(p.last)
}

// outside compares what is in no environment. What has gone comes last.
func (p *portions) outside() error {
	portion := newRegion()
	portion.outside, portion.files = p.what.whole || p.what.outside, p.what.files
	if portion.isEmpty() {
		return nil
	}
	return p.compare(portion, p.bounded(joined(p.named(portion), filesOf(p.a.filesAt(p.ctx, p.head, portion.part())))))
}

// maxTogether is how many files are read together at most, unless options say otherwise: a hundred times as many as a large environment has.
const maxTogether = 100_000

// bounded ends files with an error where too many of them hold documents.
func (p *portions) bounded(files iter.Seq2[instancerepo.File, error]) iter.Seq2[instancerepo.File, error] {
	return func(yield func(instancerepo.File, error) bool) {
		n := 0
		for f, err := range files {
			if kind, _, _ := instancerepo.Holder(f.Path); kind != "" {
				n++
			}
			if err == nil {
				err = p.mayHold(n, "what is in no environment")
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// mayHold refuses what has too many files: it is read as a whole, and would take all memory there is.
func (p *portions) mayHold(files int, what string) error {
	most := cmp.Or(p.a.options.MaxTogether, maxTogether)
	if files <= most {
		return nil
	}
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: fmt.Sprintf("%s has more than %d files in the instance repository", what, most),
		Remedy: "split it, or take out what is not configuration"}
}

// environments compares all environments of the region that the commit has, and returns them.
func (p *portions) environments() (map[inventory.Environment]bool, error) {
	seen := make(map[inventory.Environment]bool)
	part := gitrepo.Part{Under: []string{}}
	if p.what.whole {
		part = gitrepo.Part{Under: []string{"environments"}, Without: isReserved}
	} else {
		for e := range p.what.environments {
			part.Under = append(part.Under, instancerepo.Folder(e))
		}
		if len(part.Under) == 0 {
			return seen, nil
		}
		if !p.what.parts {
			part.Without = isParts
		}
	}
	portion := p.next()
	var files []instancerepo.File
	var last inventory.Environment
	bytes := 0
	for f, err := range p.a.filesAt(p.ctx, p.head, part) {
		if err != nil {
			return nil, err
		}
		e, ok := instancerepo.EnvironmentOf(f.Path)
		if !ok {
			continue // a file beside environments
		}
		if e != last && (len(files) >= portionFiles || bytes >= portionBytes) {
			if err := p.ofEnvironments(portion, files); err != nil {
				return nil, err
			}
			portion, files, bytes = p.next(), nil, 0
		}
		last, seen[e], portion.environments[e] = e, true, true
		files, bytes = append(files, fileOfGit(f)), bytes+len(f.Data)
		if len(files) > portionFiles { // all of one environment, but a few
			if err := p.mayHold(len(files)-portionFiles, "the environment "+e.String()); err != nil {
				return nil, err
			}
		}
	}
	return seen, p.ofEnvironments(portion, files)
}

func (p *portions) next() *region {
	r := newRegion()
	r.parts = p.what.whole || p.what.parts
	return r
}

// ofEnvironments compares some environments, with files that are those of the environments. The ParamSets that they may use are read, too, and the names of other files that they may name.
func (p *portions) ofEnvironments(portion *region, files []instancerepo.File) error {
	if len(portion.environments) == 0 {
		return nil
	}
	folders := map[string]bool{parameters.Location{}.String(): true}
	for e := range portion.environments {
		folders[parameters.Location{Cluster: e.Cluster}.String()] = true
	}
	shared := filesOf(p.a.filesAt(p.ctx, p.head, gitrepo.Part{Under: slices.Sorted(maps.Keys(folders))}))
	return p.compare(portion, joined(shared, p.named(portion), each(files)))
}

// named yields the names of the files that those of a portion may name without being among them.
func (p *portions) named(portion *region) iter.Seq2[instancerepo.File, error] {
	part, ok := portion.named()
	if !ok {
		return each(nil)
	}
	return unread(p.a.repository.NamesAt(p.ctx, p.head, p.a.ownPart(part)))
}

// joined yields the files of several sequences.
func joined(all ...iter.Seq2[instancerepo.File, error]) iter.Seq2[instancerepo.File, error] {
	return func(yield func(instancerepo.File, error) bool) {
		for _, files := range all {
			for f, err := range files {
				if !yield(f, err) {
					return
				}
			}
		}
	}
}

// gone compares the environments of the region that the commit does not have.
func (p *portions) gone(seen map[inventory.Environment]bool) error {
	portion := p.next()
	note := func(e inventory.Environment) error {
		p.what.clusters[e.Cluster] = true // of a folder, files may be left of which no document is made
		if seen[e] {
			return nil
		}
		portion.environments[e] = true
		const atOnce = 100
		if len(portion.environments) < atOnce {
			return nil
		}
		err := p.ofEnvironments(portion, nil)
		portion = p.next()
		return err
	}
	if !p.what.whole {
		for _, e := range p.what.list() {
			if err := note(e); err != nil {
				return err
			}
		}
		return p.ofEnvironments(portion, nil)
	}
	var stored []inventory.Environment
	for doc, err := range p.a.store.Documents(p.ctx, store.ListQuery{Kind: environmentKind}) {
		if err != nil {
			return err
		}
		d := instancerepo.Document{ID: doc.ID}
		if e, ok := d.Environment(); ok && !seen[e] && p.a.holdsCluster(e.Cluster) {
			stored = append(stored, e)
		}
	}
	for _, e := range stored {
		if err := note(e); err != nil {
			return err
		}
	}
	return p.ofEnvironments(portion, nil)
}

// goneClusters finds the clusters of which no file is left.
func (p *portions) goneClusters() error {
	if p.what.whole {
		for doc, err := range p.a.store.Documents(p.ctx, store.ListQuery{Kind: clusterKind}) {
			if err != nil {
				return err
			}
			p.what.clusters[doc.ID.Key()[0].Value] = true
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(p.what.clusters)) {
		if p.clusters[cluster] || !p.a.holdsCluster(cluster) {
			continue
		}
		is, err := isCluster(p.a.repository.NamesAt(p.ctx, p.head, clusterPart(cluster)))
		if err != nil {
			return err
		}
		if is {
			continue
		}
		doc, err := p.a.store.Get(p.ctx, dovetail.ID("").Child(clusterKind, cluster))
		switch {
		case dovetail.CodeOf(err) == dovetail.CodeNotFound:
			continue
		case err != nil:
			return err
		}
		p.last.operations = append(p.last.operations, store.Operation{Verb: store.Delete, ID: doc.ID, IfMatch: []dovetail.ETag{doc.ETag()}, Position: dovetail.Position{File: fileOf(doc.ID)}})
	}
	return nil
}

func clusterPart(cluster string) gitrepo.Part {
	return gitrepo.Part{Under: []string{"environments/" + cluster}}
}

// isCluster reports whether one of the files of a folder is of a cluster.
func isCluster(files iter.Seq2[gitrepo.File, error]) (bool, error) {
	for f, err := range files {
		if err != nil {
			return false, err
		}
		if _, id, _ := instancerepo.Holder(f.Path); id != "" && !f.Irregular {
			return true, nil
		}
	}
	return false, nil
}

// compare compares a portion of the region.
func (p *portions) compare(portion *region, files iter.Seq2[instancerepo.File, error]) error {
	for {
		read, err := portion.survey(files, p.a.options.Keys)
		if err != nil {
			return err
		}
		read.documents = slices.DeleteFunc(read.documents, func(d instancerepo.Document) bool { return !portion.holds(d.ID) && kindOf(d.ID) != clusterKind })
		read.index()
		have, err := p.a.stored(p.ctx, portion, read)
		if err != nil {
			return err
		}
		if err := p.a.widened(p.ctx, p.what, portion, read, have); err != nil {
			return err
		}
		operations, err := portion.differences(read, have)
		if err != nil {
			return err
		}
		now, err := p.a.outside(p.ctx)
		if err != nil {
			return err
		}
		operations, elsewhere := p.a.own(now, portion, operations)
		read.defects = append(read.defects, elsewhere...)
		found := &comparison{what: portion, head: p.head, read: read}
		var gone []store.Operation
		for _, op := range operations {
			switch {
			case op.Verb == store.Delete && len(portion.environments) == 0:
				gone = append(gone, op)
			case kindOf(op.ID) == clusterKind && p.clusters[op.ID.Key()[0].Value]: // the portion before made it
			default:
				found.operations = append(found.operations, op)
			}
		}
		read.documents, read.byID = nil, nil
		if err := p.see(found); isOvertaken(err) && p.a.isAttaching(p.ctx, p.head) {
			continue
		} else if err != nil {
			return err
		}
		p.note(read)
		p.last.operations = append(p.last.operations, gone...)
		for _, cluster := range read.clusters {
			p.clusters[cluster] = true
		}
		return nil
	}
}

// note keeps what only all portions together show.
func (p *portions) note(read *surveyed) {
	for _, file := range read.used {
		p.used[file] = true
	}
	p.unused, p.template = append(p.unused, read.unused...), append(p.template, read.templates...)
}
