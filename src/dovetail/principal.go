package dovetail

import "context"

// Principal is the user or program that makes a request.
type Principal struct {
	Name   string   // unique, such as "alice" or "system:git-sync"; "" for an anonymous one
	Groups []string // that the name belongs to
	// Extra has further attributes from Kubernetes or Keystone, which are only used for decisions by their rules.
	Extra map[string][]string
}

// SystemPrefix is the prefix of the names of principals that are parts of Dovetail itself. No token authenticates as such a principal.
const SystemPrefix = "system:"

type principalKey struct{}

// WithPrincipal returns a context with the principal p.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns the principal of the context, nil if there is none.
func PrincipalOf(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}

// Right is a kind of access to documents that can be granted to a principal.
type Right string

// The rights.
const (
	RightRead   Right = "read"   // get, list and watch
	RightCreate Right = "create" // make one that does not exist
	RightUpdate Right = "update" // replace or patch one that exists, its status too
	RightDelete Right = "delete" // also by a cascade
	RightAct    Right = "act"    // call the actions of a resource
	RightUse    Right = "use"    // reference it from another document
)

// Rights returns all rights.
func Rights() []Right {
	return []Right{RightRead, RightCreate, RightUpdate, RightDelete, RightAct, RightUse}
}

// Permissions are the rights of one principal. All methods must be safe for concurrent use. They answer for all documents that
// exist or may be created.
type Permissions interface {
	// Allows reports whether the principal has the right on the document with this kind and id.
	Allows(right Right, kind string, id ID) bool
	// Below reports whether the principal has the right on every document of these kinds below the id; the empty id means
	// every document of these kinds.
	Below(right Right, kinds []string, id ID) bool
	// Anywhere reports whether the principal has the right on at least one document of these kinds with the id or below it. No kinds
	// means all kinds, the empty id all ids.
	Anywhere(right Right, kinds []string, id ID) bool
	// Everywhere reports whether the principal has the right on every document.
	Everywhere(right Right) bool
	// NeedsUse reports whether a reference to a document of the kind requires RightUse, instead of RightRead or RightUse;
	// sensitive reports whether the ref-schema marks the kind as sensitive.
	NeedsUse(kind string, sensitive bool) bool
}
