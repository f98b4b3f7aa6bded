package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Guard makes the access control decisions. It is safe for concurrent use.
type Guard interface {
	// Permissions returns what may be done in this context, by its principal. It is called once for each
	// call of a method of Store.
	Permissions(ctx context.Context) dovetail.Permissions
	// Protections returns those in force, whoever asks. It is called once for each transaction.
	Protections(ctx context.Context) []dovetail.Protection
}

// permissions returns what may be done in this context, nil for everything.
func (s *Store) permissions(ctx context.Context) dovetail.Permissions {
	if s.config.Guard == nil {
		return nil
	}
	return s.config.Guard.Permissions(ctx)
}

// Readable returns which documents the principal of the context may read, by their kind and id; nil for all of them.
func (s *Store) Readable(ctx context.Context) func(kind string, id dovetail.ID) bool {
	if v := s.view(ctx); v != nil {
		return v.reads
	}
	return nil
}

// ReadsAll reports whether the principal of the context may read every document of these kinds that there is and may come to be.
func (s *Store) ReadsAll(ctx context.Context, kinds ...string) bool {
	return s.view(ctx).readsBelow(kinds, "")
}

// DeletesAll reports whether every document of these kinds may be deleted by the principal of the context, those that come to be too: it has the right, and
// no protection may cover one. In a view nothing is deleted.
func (s *Store) DeletesAll(ctx context.Context, kinds ...string) bool {
	may := s.permissions(ctx)
	return s.overlay() == nil && (may == nil || may.Below(dovetail.RightDelete, kinds, "")) && len(s.protections(ctx)) == 0
}

// HasRights reports whether the principal of the context has any right on any document that there is or may come to be.
func (s *Store) HasRights(ctx context.Context) bool {
	may := s.permissions(ctx)
	return may == nil || slices.ContainsFunc(allRights, func(right dovetail.Right) bool { return may.Anywhere(right, nil, "") })
}

// KindsWith returns the kinds on some document of which, that there is or may come to be, the principal of the context has the right.
func (s *Store) KindsWith(ctx context.Context, right dovetail.Right) []string {
	may := s.permissions(ctx)
	kinds := make([]string, 0)
	for _, k := range s.Model().Kinds() {
		if may == nil || may.Anywhere(right, []string{k.Name}, "") {
			kinds = append(kinds, k.Name)
		}
	}
	return kinds
}

var allRights = dovetail.Rights()

// mayRead returns CodeForbidden for a document that may not be read. The kind is that of its id, so that the answer
// reveals nothing of what exists.
func (v *view) mayRead(ctx context.Context, id dovetail.ID) error {
	if v == nil {
		return nil
	}
	kind, err := v.store.Model().KindOf(id)
	if err != nil {
		return err
	}
	if !v.reads(kind.Name, id) {
		err := forbidden(nameOf(ctx), dovetail.RightRead, id)
		return cmp.Or(v.store.recordForbiddenRead(ctx, kind.Name, id, err), error(err))
	}
	return nil
}

// mayEverywhere returns CodeForbidden unless the principal of the context has the right on everything. The refusal is recorded.
func (s *Store) mayEverywhere(ctx context.Context, right dovetail.Right, what string) error {
	may := s.permissions(ctx)
	if may == nil || may.Everywhere(right) {
		return nil
	}
	refused := &dovetail.Error{Code: dovetail.CodeForbidden, Message: nameOf(ctx) + " may not " + what,
		Remedy: "ask for the right to " + string(right) + " every kind of document, everywhere"}
	return cmp.Or(s.recordForbiddenEverywhere(ctx, right, refused), error(refused))
}

// MetricsKind stands for the metrics in rules of an access policy: the right to read it is the right to read them. It has
// no documents.
const MetricsKind = "_metrics"

// MaySee returns CodeForbidden unless the principal of the context may read something that is no document, by the kind
// that stands for it.
func (s *Store) MaySee(ctx context.Context, kind, what string) error {
	if may := s.permissions(ctx); may != nil && !may.Allows(dovetail.RightRead, kind, dovetail.ID(kind)) {
		return &dovetail.Error{Code: dovetail.CodeForbidden, Message: nameOf(ctx) + " may not see " + what,
			Remedy: "ask for the right to read every kind of document, everywhere, or for a role of its own"}
	}
	return nil
}

// permitted checks a step before anything is read: of an operation that may be one thing or another,
// whether either is allowed.
func (p *plan) permitted(i int) {
	st := &p.steps[i]
	may := p.mayOf(i)
	if may == nil || st.invalid {
		return
	}
	has := func(right dovetail.Right) bool { return may.Allows(right, st.kind.Name, st.op.ID) }
	var right dovetail.Right
	switch st.op.Verb {
	case Create:
		right = dovetail.RightCreate
		if st.bringsStatus() && has(right) {
			right = dovetail.RightAct
		}
	case Delete:
		right = dovetail.RightDelete
	case Put, ApplyFields:
		if has(dovetail.RightCreate) {
			return
		}
		right = dovetail.RightUpdate
	case PutStatus:
		right = dovetail.RightAct
	case Patch:
		right = dovetail.RightUpdate
	}
	switch {
	case !has(right):
		p.fail(i, forbidden(p.principal, right, st.op.ID))
	case st.op.Verb != Create && st.op.Verb != Put && st.op.Verb != ApplyFields && st.dependsOnStored() && p.writesUnread(i):
		p.fail(i, forbidden(p.principal, dovetail.RightRead, st.op.ID))
	}
}

// bringsStatus reports whether a step creates a document with a status that was not made here: an import, which also brings what Dovetail
// makes itself (uid, version and times), or an earlier version. The status of a document of a service is for that to judge.
func (st *step) bringsStatus() bool {
	if st.op.restore != nil {
		return true
	}
	return st.op.earlier && st.op.Status != nil && !st.kind.Managed && hasStatus(st.op.Status)
}

// hasStatus reports whether a status has more than field managers.
func hasStatus(status *value.Value) bool {
	return slices.ContainsFunc(status.Members, func(m value.Member) bool { return m.Name != ManagedFieldsMember })
}

// permittedNow checks a Put or ApplyFields once it is known whether the document exists.
func (p *plan) permittedNow(i int) {
	st := &p.steps[i]
	may := p.mayOf(i)
	if may == nil || st.invalid || st.op.Verb != Put && st.op.Verb != ApplyFields {
		return
	}
	right := dovetail.RightUpdate
	if st.current == nil {
		right = dovetail.RightCreate
	}
	if may.Allows(right, st.kind.Name, st.op.ID) && st.current != nil && st.op.Status != nil {
		right = dovetail.RightAct
	}
	switch {
	case !may.Allows(right, st.kind.Name, st.op.ID):
		p.fail(i, forbidden(p.principal, right, st.op.ID))
	case st.current != nil && st.dependsOnStored() && p.writesUnread(i):
		p.fail(i, forbidden(p.principal, dovetail.RightRead, st.op.ID))
	}
}

// mayOf returns the permissions that a step needs, nil for one that needs none.
func (p *plan) mayOf(i int) dovetail.Permissions {
	if i < p.requested {
		return p.may
	}
	return nil
}

// writesUnread reports whether a step writes a document that its principal may not read, and so must not learn what it holds.
func (p *plan) writesUnread(i int) bool {
	st := &p.steps[i]
	return p.mayOf(i) != nil && !p.view.reads(st.kind.Name, st.op.ID)
}

// needed refuses what needs rights that the principal does not have, and records that.
func (s *Store) needed(ctx context.Context, may dovetail.Permissions, who string, options Options) error {
	needs := options.Needs
	if may == nil {
		return nil
	}
	var lacking dovetail.Errors
	model := s.Model()
	for _, need := range needs {
		met, err := need.met(model, may)
		if err != nil {
			return err
		}
		if !met {
			if lacking.Full() {
				lacking.Count(1)
				continue
			}
			lacking.Add(forbidden(who, need.Right, need.ID))
		}
	}
	if lacking.Total() == 0 {
		return nil
	}
	err := lacking.Err("the transaction was refused")
	if !s.config.Audit.on() {
		return err
	}
	r := newRecord(ctx, s.now())
	r.DryRun = options.DryRun
	r.Refused, _, _ = strings.Cut(lacking.Kept()[0].Error(), "\n")
	for _, need := range needs {
		kind, known := model.KindOf(need.ID)
		if known != nil || s.level(dovetail.PrincipalOf(ctx), AuditVerb(need.Right), kind.Name, need.ID) == AuditNone {
			continue
		}
		if r.Total++; len(r.Operations) < maxAudited {
			r.Operations = append(r.Operations, AuditEntry{Verb: Verb(need.Right), ID: need.ID, Kind: kind.Name})
		}
	}
	if r.Total == 0 {
		return err
	}
	return cmp.Or(s.emit(ctx, r), err)
}

// met reports whether permissions have the right that is needed.
func (n Need) met(model *schema.Model, may dovetail.Permissions) (bool, error) {
	if kind, every := n.ID.IsAllOf(); every {
		return may.Below(n.Right, []string{kind}, ""), nil
	}
	kind, err := model.KindOf(n.ID)
	return err == nil && may.Allows(n.Right, kind.Name, n.ID), err
}

// name says in a message what the right is on.
func (n Need) name() string {
	if kind, every := n.ID.IsAllOf(); every {
		return "every " + kind
	}
	return string(n.ID)
}

func forbidden(who string, right dovetail.Right, id dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeForbidden, Key: id, Message: who + " may not " + string(right) + " " + string(id),
		Remedy: "ask for a role that allows it; `dovetail auth can-i` shows what is allowed"}
}

func nameOf(ctx context.Context) string {
	if who := dovetail.PrincipalOf(ctx); who != nil {
		return who.Name
	}
	return "an anonymous user"
}

// Allowed reports whether the principal of the context has a right on a document, which need not exist. It returns an
// error if the id is invalid or its kind unknown.
func (s *Store) Allowed(ctx context.Context, right dovetail.Right, id dovetail.ID) (bool, error) {
	kind, err := s.Model().KindOf(id)
	if err != nil {
		return false, err
	}
	may := s.permissions(ctx)
	if right == dovetail.RightRead {
		return s.viewOf(may).reads(kind.Name, id), nil
	}
	return may == nil || may.Allows(right, kind.Name, id), nil
}
