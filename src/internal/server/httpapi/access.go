package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Access answers about the access policy in force and the sessions, as far as the principal of the context may know.
type Access interface {
	// WhoCan lists who has a right on a document, which need not exist. Errors: CodeForbidden.
	WhoCan(ctx context.Context, right dovetail.Right, kind string, id dovetail.ID) ([]dovetail.Subject, error)
	// KnownProtections lists those that concern the principal.
	KnownProtections(ctx context.Context) []dovetail.Protection
	// Roles lists those of the principal.
	Roles(ctx context.Context) []dovetail.HeldRole
	// Sessions lists those of the principal, or all for a principal that may read everything.
	Sessions(ctx context.Context) []dovetail.Session
	// EndSession refuses the token or certificate of a session from here on. Errors: CodeInvalid, CodeNotFound,
	// CodeForbidden, and those of the database.
	EndSession(ctx context.Context, id string) error
}

// accessView is the identity of the client and, on request, whether it has a right.
type accessView struct {
	dovetail.CallerIdentity
	Right   dovetail.Right `json:"right,omitempty"`
	ID      dovetail.ID    `json:"id,omitempty"`
	Allowed *bool          `json:"allowed,omitempty"`
	// Kinds are those on some document of which the client has a right, by right.
	Kinds map[dovetail.Right][]string `json:"kinds,omitempty"`
	// Protections are those that concern the client; with a right and an id, those that leave the way through a change set only.
	Protections []dovetail.Protection `json:"protections,omitempty"`
}

// Views of what is allowed: all users with a right instead of whether the client has it, and the kinds that the client has rights on.
const (
	viewWhoCan = "who-can"
	viewKinds  = "kinds"
)

// getAccess answers ?right=update&id=cluster/c1 for the client, with view=who-can for all users, and without these the
// identity of the client, with view=kinds with the kinds that it has rights on.
func getAccess(x *requestContext) error {
	p, err := x.parameters("view", "right", "id")
	if err != nil {
		return err
	}
	if view := p.text("view"); view != "" && view != viewWhoCan && view != viewKinds {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "view is \"" + view + "\"", Remedy: "use view=" + viewWhoCan + " or view=" + viewKinds + ", or none"}
	}
	var view accessView
	if x.caller != nil {
		view.CallerIdentity = x.caller.Self()
	}
	if p.text("view") == viewKinds {
		if p.has("right") || p.has("id") {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "view=" + viewKinds + " is of all rights and documents", Remedy: "leave right and id out"}
		}
		view.Kinds = make(map[dovetail.Right][]string)
		for _, right := range dovetail.Rights() {
			view.Kinds[right] = x.api.store.KindsWith(x.ctx, right)
		}
		return x.answer(http.StatusOK, encodeJSON(view))
	}
	if !p.has("view") && !p.has("right") && !p.has("id") {
		view.Protections = x.knownProtections()
		if x.api.options.Access != nil {
			view.Roles = x.api.options.Access.Roles(x.ctx)
		}
		return x.answer(http.StatusOK, encodeJSON(view))
	}
	view.Right = dovetail.Right(p.text("right"))
	if !slices.Contains(dovetail.Rights(), view.Right) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "right is \"" + p.text("right") + "\"", Remedy: "ask for " + rightList()}
	}
	if view.ID, err = dovetail.ParseID(p.text("id")); err != nil {
		return err
	}
	if p.has("view") {
		return x.whoCan(view.Right, view.ID)
	}
	allowed, err := x.api.store.Allowed(x.ctx, view.Right, view.ID)
	if err != nil {
		return err
	}
	view.Allowed, view.Protections = &allowed, x.protectionsOf(view.Right, view.ID)
	return x.answer(http.StatusOK, encodeJSON(view))
}

func (x *requestContext) knownProtections() []dovetail.Protection {
	if x.api.options.Access == nil {
		return nil
	}
	return x.api.options.Access.KnownProtections(x.ctx)
}

// protectionsOf are those that forbid to use a right on a document other than through a change set.
func (x *requestContext) protectionsOf(right dovetail.Right, id dovetail.ID) []dovetail.Protection {
	if right != dovetail.RightCreate && right != dovetail.RightUpdate && right != dovetail.RightDelete {
		return nil
	}
	return slices.DeleteFunc(x.knownProtections(), func(p dovetail.Protection) bool { return !p.Covers(id) })
}

// rightList names all rights: "read, create or act".
func rightList() string {
	var words []string
	for _, right := range dovetail.Rights() {
		words = append(words, string(right))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// whoCanView lists the users with a right on a document.
type whoCanView struct {
	Right    dovetail.Right     `json:"right"`
	ID       dovetail.ID        `json:"id"`
	Subjects []dovetail.Subject `json:"subjects"`
	// Protections are those that leave all of them the way through a change set only.
	Protections []dovetail.Protection `json:"protections,omitempty"`
}

func (x *requestContext) whoCan(right dovetail.Right, id dovetail.ID) error {
	kind, err := x.api.store.Model().KindOf(id)
	if err != nil {
		return err
	}
	view := whoCanView{Right: right, ID: id, Subjects: []dovetail.Subject{{Kind: dovetail.SubjectUser, Name: "*"}}, Protections: x.protectionsOf(right, id)}
	if x.api.options.Access != nil {
		if view.Subjects, err = x.api.options.Access.WhoCan(x.ctx, right, kind.Name, id); err != nil {
			return err
		}
	}
	return x.answer(http.StatusOK, encodeJSON(view))
}

// getSessions answers all sessions that the client may know.
func getSessions(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	sessions := []dovetail.Session{}
	if x.api.options.Access != nil {
		sessions = x.api.options.Access.Sessions(x.ctx)
		for i := range sessions {
			sessions[i].Current = sessions[i].ID == x.caller.Self().Session
		}
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"items": sessions}))
}

// deleteSession ends a session.
func deleteSession(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	if x.api.options.Access == nil {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "this server has no sessions, as it does not authenticate", Remedy: "start it with --access FILE"}
	}
	if err := x.api.options.Access.EndSession(x.ctx, x.values[0]); err != nil {
		return err
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}
