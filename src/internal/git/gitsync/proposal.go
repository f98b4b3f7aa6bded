package gitsync

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Trailer is the name of the line in the message of a commit that names the change set which it proposes.
const Trailer = "Change-Set"

var trailerLine = regexp.MustCompile(`(?m)^` + Trailer + `: (.+?)\s*$`)

// Proposal is a change set that is proposed as a branch, and open.
type Proposal struct {
	Name    string
	Commits []string // those that the branch had
	Staged  []store.Staged
	// Operations returns what a merge does to what there is now, and the conflicts.
	Operations func(ctx context.Context) ([]store.Operation, []store.MergeConflict, error)
	// Approved says that it has the approvals that protections require.
	Approved bool
	// Merged returns what records that a commit merged it, and Differs that one did with a different content; nil if that is
	// recorded.
	Merged  func(commit string) (*store.Operation, error)
	Differs func(commit string) (*store.Operation, error)
}

// proposals are those that are open now.
func (a *Syncer) proposals(ctx context.Context) ([]Proposal, error) {
	if a.options.Proposals == nil {
		return nil, nil
	}
	return a.options.Proposals(ctx)
}

// step is the commit up to which the store follows next: while branches are proposed each commit of the branch by itself, so that the
// transaction of a merge is that of its commit; "" for all up to the head.
func (a *Syncer) step(ctx context.Context, from string) (string, error) {
	open, err := a.proposals(ctx)
	if err != nil || len(open) == 0 || from == "" {
		return "", err
	}
	steps, err := a.repository.Steps(ctx, from)
	if err != nil || len(steps) < 2 {
		return "", err
	}
	return steps[0], nil
}

// merges are what the step from one commit to another does to proposals.
type merges struct {
	merged  []merged
	records []store.Operation // of proposals that are merged otherwise
}

// merged is a proposal whose content a commit has.
type merged struct {
	Proposal
	ids    map[dovetail.ID]bool // what it changes
	record store.Operation
}

// merges finds the proposals that a step merges, and widens the region of the step by what they change. Proposals of which nothing is
// in the region are passed over.
func (a *Syncer) merges(ctx context.Context, from, to string, what *region) (*merges, error) {
	m := &merges{}
	open, err := a.proposals(ctx)
	if err != nil || from == "" || len(open) == 0 {
		return m, err
	}
	switch _, err := a.repository.Message(from); {
	case dovetail.CodeOf(err) == dovetail.CodeMissing: // history was rewritten
		from = to
	case err != nil:
		return nil, err
	}
	for _, p := range open {
		if !slices.ContainsFunc(p.Staged, func(s store.Staged) bool { return what.holds(s.ID) }) {
			continue
		}
		ids, err := a.mergedIDs(ctx, p, from, to)
		if err != nil {
			return nil, err
		}
		if ids != nil {
			record, err := p.Merged(to)
			if err != nil {
				return nil, err
			}
			m.merged = append(m.merged, merged{p, ids, *record})
			for id := range ids {
				what.addDocument(id)
			}
			continue
		}
		if err := a.noteDiffering(ctx, m, p, from, to); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// noteDiffering adds the record of a proposal that a step merges with a different content.
func (a *Syncer) noteDiffering(ctx context.Context, m *merges, p Proposal, from, to string) error {
	is := false
	if err := a.repository.Brought(ctx, from, to, func(hash, message string) {
		is = is || slices.Contains(p.Commits, hash) || slices.ContainsFunc(trailerLine.FindAllStringSubmatch(message, -1), func(match []string) bool { return match[1] == p.Name })
	}); err != nil || !is {
		return err
	}
	return m.differs(p, to)
}

func (m *merges) differs(p Proposal, commit string) error {
	record, err := p.Differs(commit)
	if err == nil && record != nil {
		m.records = append(m.records, *record)
	}
	return err
}

// mergedIDs returns the documents of a proposal if the files of a commit say of all of them what a merge upon an earlier one
// would have made them say, and nil otherwise.
func (a *Syncer) mergedIDs(ctx context.Context, p Proposal, from, to string) (map[dovetail.ID]bool, error) {
	operations, conflicts, err := p.Operations(ctx)
	if err != nil && isRefusal(err) { // of a service that makes again what was staged
		return nil, nil
	}
	if err != nil || len(conflicts) > 0 || len(p.Staged) == 0 || a.refuseForeign(operations) != nil {
		return nil, err
	}
	planned := &plan{region: newRegion()}
	if len(operations) > 0 {
		err := a.repository.Preview(ctx, from, func(draft *gitrepo.Draft) (err error) {
			planned, err = a.plan(ctx, operations, store.Options{Managed: true, ChangeSet: p.Name, Approved: store.StagedIDs(p.Staged)}, draft)
			return err
		})
		switch {
		case err != nil && isRefusal(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
	}
	what, ids := planned.region, make(map[dovetail.ID]bool)
	for _, s := range p.Staged {
		what.addDocument(s.ID)
		ids[s.ID] = true
	}
	for id := range planned.touched {
		ids[id] = true
	}
	want, err := a.surveyAt(ctx, what, from, planned.edits)
	if err != nil {
		return nil, err
	}
	got, err := a.surveyAt(ctx, what, to, nil)
	if err != nil {
		return nil, err
	}
	for id := range ids {
		if !sameDocument(want.byID[id], got.byID[id]) {
			return nil, nil
		}
	}
	for _, op := range planned.apply { // what follows from the files
		if sameDocument(want.byID[op.ID], got.byID[op.ID]) {
			ids[op.ID] = true
		}
	}
	return ids, nil
}

// surveyAt reads the region of a commit with edits of its files.
func (a *Syncer) surveyAt(ctx context.Context, what *region, commit string, edits map[string][]byte) (*surveyed, error) {
	var files []instancerepo.File
	for f, err := range filesOf(a.filesAt(ctx, commit, what.part())) {
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return what.survey(each(edited(files, edits)), nil)
}

func sameDocument(a, b *instancerepo.Document) bool {
	if a == nil || b == nil {
		return a == b
	}
	return value.Equal(a.Data, b.Data)
}

// ending are the operations that record what became of the proposals.
func (m *merges) ending() []store.Operation {
	all := slices.Clone(m.records)
	for _, p := range m.merged {
		all = append(all, p.record)
	}
	return all
}

// approved are the documents that change as approved change sets say.
func (m *merges) approved() []dovetail.ID {
	var all []dovetail.ID
	for _, p := range m.merged {
		if p.Approved {
			all = append(all, sortedIDs(p.ids)...)
		}
	}
	return all
}

// without takes out the proposals of which the store refuses a document.
func (m *merges) without(refused []*dovetail.Error, commit string) error {
	var rest []merged
	for _, p := range m.merged {
		if !slices.ContainsFunc(refused, func(e *dovetail.Error) bool { return p.ids[e.Key] }) {
			rest = append(rest, p)
			continue
		}
		if err := m.differs(p.Proposal, commit); err != nil {
			return err
		}
	}
	m.merged = rest
	return nil
}

// errEdited is that of a step whose proposals were edited meanwhile.
var errEdited = errors.New("a change set was edited at the same time")

// isEdited reports whether a transaction was refused since a change set is not as it was read.
func (m *merges) isEdited(err error) bool {
	e := dovetail.AsError(err)
	return slices.ContainsFunc(m.ending(), func(op store.Operation) bool {
		return e.Key == op.ID || slices.ContainsFunc(e.Errors, func(part *dovetail.Error) bool { return part.Key == op.ID })
	})
}

// accept brings what the store refused since it is protected, once the change set that proposed it is approved.
func (a *Syncer) accept(ctx context.Context, r *record, fence *store.Condition) error {
	what := newRegion()
	for _, d := range r.Defects.First {
		if d.Refused && d.Reason == store.ReasonProtected {
			what.addFile(d.File)
		}
	}
	if what.isEmpty() {
		return nil
	}
	m, err := a.merges(ctx, r.Head, r.Head, what)
	if err != nil || len(m.approved()) == 0 {
		return err
	}
	return a.bring(ctx, r, what, "", fence)
}
