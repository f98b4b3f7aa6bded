package httpapi

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// changes are the rights to change anything.
var changes = []dovetail.Right{dovetail.RightCreate, dovetail.RightDelete, dovetail.RightAct, dovetail.RightUpdate}

// permit refuses a request with a body, before that is read, whose principal cannot be allowed what it asks for, or with one
// that must say nothing.
func (x *requestContext) permit() error {
	if !x.method.readsBody(x.r.Method) && !x.method.noBody {
		return nil
	}
	return x.api.store.Admit(x.ctx, x.scopes()...)
}

// scopes are the rights that the request may need.
func (x *requestContext) scopes() []store.Scope {
	switch {
	case x.method.endpoint != nil:
		return x.method.endpoint.Needs
	case x.route.what == collectionRoute:
		return []store.Scope{{Right: dovetail.RightCreate, Kinds: []string{x.route.kind.Name}, ID: x.resource}}
	}
	scopes := make([]store.Scope, len(x.method.needs))
	for i, right := range x.method.needs {
		if x.method.everywhere {
			scopes[i] = store.Scope{Right: right, Everywhere: true}
			continue
		}
		scopes[i] = store.Scope{Right: right, ID: x.resource, AnyKind: x.route.elements == nil}
	}
	return scopes
}

// Requires are the needs of an endpoint whose request needs one of the rights on documents of these kinds.
func Requires(kinds []string, rights ...dovetail.Right) []store.Scope {
	scopes := make([]store.Scope, len(rights))
	for i, right := range rights {
		scopes[i] = store.Scope{Right: right, Kinds: kinds}
	}
	return scopes
}
