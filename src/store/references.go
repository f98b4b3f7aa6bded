package store

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// refer finds the references of every document that is written, and with them decides its version.
// It reads only where a rule leaves a choice (oneOf) or asks for a warning (weak references).
func (p *plan) refer(ctx context.Context) error {
	candidates := make([][]schema.Candidate, len(p.steps))
	var unchecked []dovetail.ID
	for i := range p.steps {
		st := &p.steps[i]
		if st.data == nil || st.invalid {
			continue
		}
		candidates[i] = p.referable(i, st.kind.Extract(st.op.ID, st.data))
		if st.invalid {
			continue
		}
		for _, c := range candidates[i] {
			if len(c.Targets) > 1 || p.weak(c) || p.mayDangle(i) {
				for _, target := range c.Targets {
					unchecked = append(unchecked, target.ID)
				}
			}
		}
	}
	exists, err := p.existing(ctx, unchecked)
	if err != nil {
		return err
	}
	for i := range p.steps {
		if st := &p.steps[i]; st.data != nil && !st.invalid {
			p.resolve(i, st, candidates[i], exists)
		}
	}
	return nil
}

func (p *plan) weak(c schema.Candidate) bool {
	return p.store.config.WeakReferences || c.Rule.Weak
}

// mayDangle reports whether a document is imported with its references to what does not exist.
func (p *plan) mayDangle(i int) bool {
	return p.store.config.DanglingImports && p.steps[i].op.restore != nil
}

// existing says which of the ids will exist after the transaction.
func (p *plan) existing(ctx context.Context, ids []dovetail.ID) (map[dovetail.ID]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	documents, err := p.store.fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	exists := make(map[dovetail.ID]bool, len(ids))
	for n, id := range ids {
		exists[id] = p.putting[id] != nil || documents[n] != nil && !p.deleting[id]
	}
	return exists, nil
}

// maxWarnings is how many weak references without a target are named of a document; the rest is counted.
const maxWarnings = dovetail.MaxErrors

// resolve turns candidates into the document's references and decides whether the write changes it.
func (p *plan) resolve(i int, st *step, candidates []schema.Candidate, exists map[dovetail.ID]bool) {
	var refs []dovetail.Reference
	dangling := 0
	at := positionsOf(len(candidates))
	for _, c := range candidates {
		ref := c.Targets[0]
		ref.Weak = p.weak(c) || p.mayDangle(i) && !slices.ContainsFunc(c.Targets, func(target dovetail.Reference) bool { return exists[target.ID] })
		if len(c.Targets) > 1 {
			chosen, err := choose(st.op.ID, c, exists)
			if err != nil && !ref.Weak && !(p.unread && err.Code == dovetail.CodeMissing) {
				p.fail(i, err)
				continue
			}
			ref.ID, ref.Kind = chosen.ID, chosen.Kind
		}
		if ref.Weak && !exists[ref.ID] && p.mayRefer(i, ref) {
			if dangling++; dangling <= maxWarnings { // to find the place of one takes as long as its map has members
				st.warnings = append(st.warnings, p.locate(i, &dovetail.Error{Code: dovetail.CodeMissing, Key: st.op.ID,
					Message: string(st.op.ID) + " refers to " + string(ref.ID) + atPlace(c) + ", which does not exist", Missing: []dovetail.ID{ref.ID},
					Position: dovetail.Position{Path: c.Place}}))
			}
		}
		if step, ours := p.stepOf[ref.ID]; ours && p.steps[step].op.ID == ref.ID {
			ref.ID = p.steps[step].op.ID // the same text, which is in memory already
		}
		refs = addReference(refs, at, ref)
	}
	if dangling > maxWarnings {
		st.warnings = append(st.warnings, p.locate(i, &dovetail.Error{Code: dovetail.CodeMissing, Key: st.op.ID,
			Message: string(st.op.ID) + " refers to " + strconv.Itoa(dangling-maxWarnings) + " more documents that do not exist"}))
	}
	if st.invalid {
		return
	}
	next, current := st.document, st.current
	next.References = refs
	next.Terms = termsOf(st.kind, st.data)
	if current == nil {
		next.UID, next.Revision, next.Created, next.Updated = p.store.config.NewUID(), 1, p.now, p.now
		next.Schema = p.model.Hash()
		if was := st.op.restore; was != nil {
			next.UID, next.Revision = was.UID, was.Revision
			next.Created, next.Updated, next.Schema = was.Created, was.Updated, was.Schema
			if p.store.overlay() != nil { // whose versions are its own
				next.UID = p.store.config.NewUID()
			}
		}
		st.effect = WasCreated
		return
	}
	unchanged := bytes.Equal(next.Data, current.Data) && slices.Equal(refs, current.References) &&
		bytes.Equal(next.Status, current.Status) && slices.Equal(next.Inputs, current.Inputs) &&
		slices.EqualFunc(next.Content, current.Content, equalFiles)
	if p.mayOf(i) != nil { // that nothing changes reveals the current document
		unchanged = unchanged && !p.writesUnread(i) && (st.op.Content == nil || p.view.shows(current))
	}
	p.setNext(st, next, unchanged)
}

// choose picks the one target of a oneOf rule that exists. Without one it returns the first.
func choose(of dovetail.ID, c schema.Candidate, exists map[dovetail.ID]bool) (dovetail.Reference, *dovetail.Error) {
	var found, all []string
	chosen := c.Targets[0]
	var missing []dovetail.ID
	for _, target := range c.Targets {
		all = append(all, string(target.ID))
		missing = append(missing, target.ID)
		if exists[target.ID] {
			if len(found) == 0 {
				chosen = target
			}
			found = append(found, string(target.ID))
		}
	}
	switch len(found) {
	case 1:
		return chosen, nil
	case 0:
		return chosen, &dovetail.Error{Code: dovetail.CodeMissing, Missing: missing, Remedy: "create one of them first, or in the same batch",
			Message:  string(of) + " refers to none of the documents it may refer to" + atPlace(c) + ": " + strings.Join(all, ", ") + " do not exist",
			Position: dovetail.Position{Path: c.Place}}
	default:
		return chosen, &dovetail.Error{Code: dovetail.CodeUnprocessable, Remedy: "rename or delete all but one",
			Message:  string(of) + " refers to more than one document" + atPlace(c) + ": " + strings.Join(found, ", "),
			Position: dovetail.Position{Path: c.Place}}
	}
}

// atPlace says where a slot is filled; "" for a rule without one.
func atPlace(c schema.Candidate) string {
	if c.Place == "" {
		return ""
	}
	return " at " + c.Place
}

// fewReferences is up to how many references are searched one by one.
const fewReferences = 32

// positionsOf finds references by their targets where they are many; nil for few.
func positionsOf(references int) map[dovetail.ID]int {
	if references <= fewReferences {
		return nil
	}
	return make(map[dovetail.ID]int, references)
}

// addReference keeps one reference a target; of several the strictest holds. at, where not nil, has the places of refs.
func addReference(refs []dovetail.Reference, at map[dovetail.ID]int, ref dovetail.Reference) []dovetail.Reference {
	n, found := at[ref.ID]
	if at == nil {
		n = slices.IndexFunc(refs, func(have dovetail.Reference) bool { return have.ID == ref.ID })
		found = n >= 0
	}
	if found {
		have := &refs[n]
		have.Weak = have.Weak && ref.Weak
		have.Cascade = have.Cascade && ref.Cascade
		return refs
	}
	if at != nil {
		at[ref.ID] = len(refs)
	}
	return append(refs, ref)
}

func equalFiles(a, b dovetail.File) bool {
	return a.Name == b.Name && a.Filename == b.Filename && a.MediaType == b.MediaType && bytes.Equal(a.Data, b.Data)
}
