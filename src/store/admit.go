package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Scope is a right that a request may need, as far as that is known before its body is read: on the document of an id,
// or with Kinds on any document of one of these (of any kind with AnyKind) at or below the id, which may then be "".
type Scope struct {
	Right   dovetail.Right
	ID      dovetail.ID
	Kinds   []string
	AnyKind bool
	// Everywhere is for what needs the right on all documents there are and may come to be.
	Everywhere bool
}

// within reports whether the scope is of any documents below an ID.
func (s *Scope) within() bool { return s.AnyKind || s.Everywhere || len(s.Kinds) > 0 }

// Admit refuses a request whose principal has none of the rights that it may need, with CodeForbidden, and records that
// as other refusals are recorded. Whether what it asks for is allowed is decided by what it then calls.
func (s *Store) Admit(ctx context.Context, scopes ...Scope) error {
	may := s.permissions(ctx)
	if may == nil || len(scopes) == 0 {
		return nil
	}
	if slices.ContainsFunc(scopes, func(scope Scope) bool { return s.admits(may, &scope) }) {
		return nil
	}
	return s.refuseScope(ctx, &scopes[len(scopes)-1])
}

// MayWithin reports whether the principal of the context may have a right somewhere in a scope, as Admit decides.
func (s *Store) MayWithin(ctx context.Context, scope Scope) bool {
	may := s.permissions(ctx)
	return may == nil || s.admits(may, &scope)
}

// admits reports whether a right may be had somewhere in the scope. An id of no kind is refused for that, later.
func (s *Store) admits(may dovetail.Permissions, scope *Scope) bool {
	switch {
	case scope.Everywhere:
		return may.Everywhere(scope.Right)
	case scope.within():
		return may.Anywhere(scope.Right, scope.Kinds, scope.ID)
	}
	kind, err := s.Model().KindOf(scope.ID)
	return err != nil || may.Allows(scope.Right, kind.Name, scope.ID)
}

// refuseScope is the refusal of a request that lacks a right; it is recorded, with what is known of its documents.
func (s *Store) refuseScope(ctx context.Context, scope *Scope) error {
	who := nameOf(ctx)
	err := forbidden(who, scope.Right, scope.ID)
	kind := ""
	if scope.within() {
		err = &dovetail.Error{Code: dovetail.CodeForbidden, Message: who + " may not " + string(scope.Right) + " " + scope.name(), Remedy: err.Remedy}
		if len(scope.Kinds) > 0 {
			kind = scope.Kinds[0]
		}
	} else if known, unknown := s.Model().KindOf(scope.ID); unknown == nil {
		kind = known.Name
	}
	verb := AuditVerb(scope.Right)
	if !s.config.Audit.on() || s.level(dovetail.PrincipalOf(ctx), verb, kind, scope.ID) == AuditNone {
		return err
	}
	r := newRecord(ctx, s.now())
	r.Refused, r.Total = err.Message, 1
	r.Operations = []AuditEntry{{Verb: verbOf(scope.Right), ID: scope.ID, Kind: kind}}
	if failed := s.emit(ctx, r); failed != nil {
		return failed
	}
	return err
}

// verbOf is the verb of operations that need a right.
func verbOf(right dovetail.Right) Verb {
	switch right {
	case dovetail.RightCreate:
		return Create
	case dovetail.RightUpdate:
		return Put
	case dovetail.RightDelete:
		return Delete
	case dovetail.RightAct:
		return PutStatus
	}
	return ""
}

// name says in a message which documents the scope is about.
func (s *Scope) name() string {
	what := "any document"
	if s.Everywhere {
		return "every kind of document, everywhere"
	}
	if len(s.Kinds) > 0 {
		kinds := slices.Clone(s.Kinds)
		slices.Sort(kinds)
		what = "any " + strings.Join(kinds, " or ")
	}
	if s.ID != "" {
		what += " below " + string(s.ID)
	}
	return what
}
