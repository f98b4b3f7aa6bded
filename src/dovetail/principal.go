package dovetail

import "context"

// Principal is the user or service that makes a request.
type Principal struct {
	Name   string   // unique, such as "alice" or "system:git-sync"; "" for an anonymous one
	Groups []string // that the name belongs to
	// Extra is what a Kubernetes cluster, or Keystone, says of its own users besides, which only decisions by its rules look at.
	Extra map[string][]string
}

// SystemPrefix begins the names of principals that are parts of Dovetail itself; no token can give one.
const SystemPrefix = "system:"

type principalKey struct{}

// WithPrincipal returns a context in which p does what is done.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns the principal of the context, nil if it has none.
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
	RightUse    Right = "use"    // refer to it from another document
)

// Rights returns all there are.
func Rights() []Right {
	return []Right{RightRead, RightCreate, RightUpdate, RightDelete, RightAct, RightUse}
}

// Permissions are the rights of a principal.
type Permissions interface {
	// May says whether they have this right on a document, by its kind and id.
	May(right Right, kind string, id ID) bool
	// Below says whether they have it on every document of these kinds below the id that there is and may come
	// to be; below the empty id that is every one of these kinds.
	Below(right Right, kinds []string, id ID) bool
	// Anywhere says whether they have it on any document of these kinds, of any kind without, that is or may come to
	// be: the one of the id or one below it; of the empty id any at all.
	Anywhere(right Right, kinds []string, id ID) bool
	// Everywhere says whether they have it on every document there is and may come to be.
	Everywhere(right Right) bool
	// NeedsUse says whether referring to a document of the kind needs RightUse, rather than RightRead or RightUse;
	// sensitive says that the ref-schema marks the kind so.
	NeedsUse(kind string, sensitive bool) bool
}
