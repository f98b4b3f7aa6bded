package layering

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

// This file is what rules of a policy file of Deckhand mean here: each action gives rights, for one request to the endpoints that Deckhand has it for.

// Policy says which actions principals may take by rules of such a file. It is safe for concurrent use.
type Policy interface {
	// Allows reports whether the principal of the context may take an action.
	Allows(ctx context.Context, action string) bool
	// Granting returns a context in which the principal has the rights on all documents of the kinds, beside those that it has otherwise,
	// in place of what was granted before.
	Granting(ctx context.Context, action string, rights []dovetail.Right, kinds []string) context.Context
}

// The actions of Deckhand.
const (
	actionCreate           = "deckhand:create_cleartext_documents"
	actionCreateEncrypted  = "deckhand:create_encrypted_documents"
	actionList             = "deckhand:list_cleartext_documents"
	actionListEncrypted    = "deckhand:list_encrypted_documents"
	actionShowRevision     = "deckhand:show_revision"
	actionListRevisions    = "deckhand:list_revisions"
	actionDeleteRevisions  = "deckhand:delete_revisions"
	actionDiff             = "deckhand:show_revision_diff"
	actionDeepDiff         = "deckhand:show_revision_deepdiff"
	actionCreateTag        = "deckhand:create_tag"
	actionShowTag          = "deckhand:show_tag"
	actionListTags         = "deckhand:list_tags"
	actionDeleteTag        = "deckhand:delete_tag"
	actionDeleteTags       = "deckhand:delete_tags"
	actionCreateValidation = "deckhand:create_validation"
	actionListValidations  = "deckhand:list_validations"
	actionShowValidation   = "deckhand:show_validation"
)

// Actions are all that a policy file of Deckhand has rules about.
func Actions() []string {
	return []string{actionCreate, actionCreateEncrypted, actionList, actionListEncrypted, actionShowRevision, actionListRevisions, actionDeleteRevisions, actionDiff,
		actionDeepDiff, actionCreateTag, actionShowTag, actionListTags, actionDeleteTag, actionDeleteTags, actionCreateValidation, actionListValidations, actionShowValidation}
}

// actionsOf are the actions of endpoints, by method and path below base.
var actionsOf = map[string]string{
	"PUT /buckets/{bucket}/documents":                                    actionCreate,
	"PUT /buckets":                                                       actionCreate,
	"POST /rollback/{revision}":                                          actionCreate,
	"GET /revisions":                                                     actionListRevisions,
	"DELETE /revisions":                                                  actionDeleteRevisions,
	"GET /revisions/{revision}":                                          actionShowRevision,
	"GET /revisions/{revision}/documents":                                actionList,
	"GET /revisions/{revision}/rendered-documents":                       actionList,
	"GET /revisions/{revision}/origins":                                  actionList,
	"GET /revisions/{revision}/diff/{other}":                             actionDiff,
	"GET /revisions/{revision}/deepdiff/{other}":                         actionDeepDiff,
	"GET /revisions/{revision}/tags":                                     actionListTags,
	"DELETE /revisions/{revision}/tags":                                  actionDeleteTags,
	"GET /revisions/{revision}/tags/{tag}":                               actionShowTag,
	"POST /revisions/{revision}/tags/{tag}":                              actionCreateTag,
	"DELETE /revisions/{revision}/tags/{tag}":                            actionDeleteTag,
	"GET /revisions/{revision}/validations":                              actionListValidations,
	"GET /revisions/{revision}/validations/detail":                       actionListValidations,
	"GET /revisions/{revision}/validations/{validation}":                 actionListValidations,
	"GET /failed-validations":                                            actionListValidations,
	"POST /revisions/{revision}/validations/{validation}":                actionCreateValidation,
	"GET /revisions/{revision}/validations/{validation}/entries/{entry}": actionShowValidation,
}

// The rights that actions give, beside reading.
var changesOf = map[string][]dovetail.Right{
	actionCreate:           {dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete},
	actionDeleteRevisions:  {dovetail.RightDelete},
	actionCreateTag:        {dovetail.RightCreate, dovetail.RightUpdate},
	actionDeleteTag:        {dovetail.RightDelete},
	actionDeleteTags:       {dovetail.RightDelete},
	actionCreateValidation: {dovetail.RightCreate, dovetail.RightUpdate},
}

// police lets requests in to whom the policy allows the action of an endpoint.
func (r *Revisions) police(s *httpapi.Service) {
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if action := actionsOf[e.Method+" "+trimBase(e.Path)]; action != "" {
			e.Enter = func(ctx context.Context, query url.Values) context.Context { return r.enter(ctx, action, query) }
		}
	}
}

func trimBase(path string) string {
	if len(path) > len(base) && path[:len(base)] == base {
		return path[len(base):]
	}
	return path
}

// enter returns the context of a request for an action, with its rights if the policy allows it.
func (r *Revisions) enter(ctx context.Context, action string, query url.Values) context.Context {
	policy := r.options.Policy
	if !policy.Allows(ctx, action) {
		return ctx
	}
	rights := slices.Clone(changesOf[action])
	kinds := slices.Clone(Kinds)
	switch {
	case action == actionCreate && query.Has("dryRun") && !policy.Allows(ctx, actionList):
		return policy.Granting(ctx, action, rights, kinds) // its answer shows documents, which the one of a write does not
	case (action == actionCreate && query.Has("dryRun") || action == actionList) && !policy.Allows(ctx, actionListEncrypted):
		// without the keys of secrets
	default:
		kinds = append(kinds, keyring.Element)
	}
	return policy.Granting(ctx, action, append(rights, dovetail.RightRead), kinds)
}

// encrypting returns the context of a write of documents: without what was granted, if some are encrypted and the policy does not allow that.
func (r *Revisions) encrypting(ctx context.Context, contents []Content) context.Context {
	if r.options.Policy == nil || !slices.ContainsFunc(contents, func(c Content) bool {
		return slices.ContainsFunc(c.Documents, func(d *rendering.Document) bool { return d.Encrypted })
	}) || r.options.Policy.Allows(ctx, actionCreateEncrypted) {
		return ctx
	}
	return r.options.Policy.Granting(ctx, actionCreateEncrypted, nil, nil)
}

// encryptingAgain is encrypting of what a revision has.
func (r *Revisions) encryptingAgain(ctx context.Context, number int) (context.Context, error) {
	if r.options.Policy == nil || r.options.Policy.Allows(ctx, actionCreateEncrypted) {
		return ctx, nil
	}
	of, err := r.Revision(own(ctx), number)
	if err != nil {
		return ctx, nil //nolint:nilerr // the rollback says what is wrong
	}
	documents, err := r.contents(own(ctx), of.index)
	if err != nil {
		return ctx, err
	}
	return r.encrypting(ctx, []Content{{Documents: slices.Collect(maps.Values(documents))}}), nil
}

// withoutEncrypted leaves out encrypted documents where the policy does not allow to list them, and nothing else does.
func (r *Revisions) withoutEncrypted(ctx context.Context, sc scope, all []chosen) []chosen {
	if r.options.Policy == nil || sc.secrets || !r.options.Policy.Allows(ctx, actionList) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(c chosen) bool { return c.Encrypted })
}
