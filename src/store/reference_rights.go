package store

import (
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// referable leaves of the references that a step's data makes those that its principal may make, and refuses the step
// where nothing is left of one. It looks at what was written and at rights only, so that the answer is the same whether
// the targets exist or not.
func (p *plan) referable(i int, candidates []schema.Candidate) []schema.Candidate {
	if may := p.mayOf(i); may == nil || may.Everywhere(dovetail.RightUse) {
		return candidates
	}
	same := sync.OnceValue(p.steps[i].changesMetadataOnly)
	for n := range candidates {
		c := &candidates[n]
		allowed := slices.DeleteFunc(slices.Clone(c.Targets), func(target dovetail.Reference) bool {
			return !p.mayRefer(i, target) && !p.mayKeep(i, target, same)
		})
		if len(allowed) == 0 {
			p.fail(i, p.mayNotRefer(i, c.Targets))
			continue
		}
		c.Targets = allowed
	}
	return candidates
}

// mayKeep reports whether a reference is one that the document has already, and its principal may read. Of a document that
// needs the right to use it, what refers to it must stay the same, except its metadata: the rest of it can say what the
// document is used for, as a definition says which host a credential is sent to.
func (p *plan) mayKeep(i int, target dovetail.Reference, same func() bool) bool {
	st := &p.steps[i]
	return st.current != nil && !p.writesUnread(i) && slices.ContainsFunc(st.current.References, func(r dovetail.Reference) bool { return r.ID == target.ID }) &&
		(!p.needsUse(p.mayOf(i), target.Kind) || same())
}

// changesMetadataOnly reports whether a step leaves all of the data of a document that was there as it was, except its metadata.
func (st *step) changesMetadataOnly() bool {
	was, err := value.DataOf(st.current, nil)
	if err != nil {
		return false
	}
	next := st.data.Clone()
	was.Delete("metadata")
	next.Delete("metadata")
	return value.Equal(was, next)
}

// mayRefer reports whether the principal of a step may refer to a document.
func (p *plan) mayRefer(i int, target dovetail.Reference) bool {
	may := p.mayOf(i)
	if may == nil || may.Allows(dovetail.RightUse, target.Kind, target.ID) {
		return true
	}
	return !p.needsUse(may, target.Kind) && may.Allows(dovetail.RightRead, target.Kind, target.ID)
}

func (p *plan) needsUse(may dovetail.Permissions, name string) bool {
	kind, known := p.model.Kind(name)
	return may.NeedsUse(name, known && kind.Sensitive.Any())
}

// mayNotRefer is the refusal of a reference, which may mean any of the targets.
func (p *plan) mayNotRefer(i int, targets []dovetail.Reference) *dovetail.Error {
	var names, rights []string
	for _, target := range targets {
		names = append(names, string(target.ID))
		right := string(dovetail.RightUse)
		if !p.needsUse(p.mayOf(i), target.Kind) {
			right = "read or use"
		}
		if !slices.Contains(rights, right) {
			rights = append(rights, right)
		}
	}
	id := p.steps[i].op.ID
	return &dovetail.Error{Code: dovetail.CodeForbidden, Key: id,
		Message: p.principal + " may not refer from " + string(id) + " to " + strings.Join(names, " or "),
		Remedy:  "ask for a role that allows to " + strings.Join(rights, " or ") + " it, or refer to something else; `dovetail auth can-i` shows what is allowed"}
}
