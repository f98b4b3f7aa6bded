package access

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone"
)

// What Keystone says of a user besides, in the Extra of a principal: the attributes that rules of oslo.policy are about.
const (
	ExtraRoles         = "roles"
	ExtraUser          = "user_id"
	ExtraUserDomain    = "user_domain_id"
	ExtraProject       = "project_id"
	ExtraProjectDomain = "project_domain_id"
	ExtraDomain        = "domain_id"
	ExtraSystem        = "system_scope"
)

// NewKeystoneReviewer returns a Reviewer that asks OpenStack Keystone.
func NewKeystoneReviewer(client *keystone.Client, now func() time.Time) *Reviewer {
	return newReviewer(keystoneReviews{client}, now)
}

// keystoneReviews asks Keystone.
type keystoneReviews struct{ client *keystone.Client }

func (k keystoneReviews) timeout() time.Duration { return k.client.Timeout() }

func (k keystoneReviews) unreviewed(err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the token cannot be checked with Keystone: " + err.Error(), Remedy: "try again", Err: err}
}

// review implements reviews.
func (k keystoneReviews) review(ctx context.Context, token string) (*Identity, error) {
	found, err := k.client.Validate(ctx, token)
	switch {
	case errors.Is(err, keystone.ErrUnknown):
		return nil, unauthenticated("the token is not known to Keystone", "ask Keystone for a new one")
	case err != nil:
		return nil, err
	}
	who, err := keystoneUser(found)
	if err != nil {
		return nil, err
	}
	digest := reviewedDigest(found.User.ID, token)
	if len(found.AuditIDs) > 0 { // Keystone's own name of the token, which is first
		digest = digestOf("keystone", []byte(found.User.ID), []byte(found.AuditIDs[0]))
	}
	return &Identity{Principal: who, Method: MethodKeystone, Digest: digest, Expires: found.Expires, token: token}, nil
}

// separators are escaped in names of Keystone, which may have any.
var separators = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")

// keystoneUser is the principal of a token. A name is unique in its domain only, so it is keystone:DOMAIN/NAME. A role is a group: keystone:role:NAME
// wherever it is held, and where it is held on a project keystone:project:DOMAIN/PROJECT:NAME too.
func keystoneUser(token *keystone.Token) (*dovetail.Principal, error) {
	within := func(of keystone.Owned) string {
		return separators.Replace(of.Domain.Name) + "/" + separators.Replace(of.Name)
	}
	extra := map[string][]string{ExtraUser: {token.User.ID}, ExtraUserDomain: {token.User.Domain.ID}}
	var groups []string
	for _, role := range token.Roles {
		extra[ExtraRoles] = append(extra[ExtraRoles], role.Name)
		groups = append(groups, KeystonePrefix+"role:"+role.Name)
		if token.Project != nil {
			groups = append(groups, KeystonePrefix+"project:"+within(*token.Project)+":"+role.Name)
		}
	}
	switch {
	case token.Project != nil:
		extra[ExtraProject], extra[ExtraProjectDomain] = []string{token.Project.ID}, []string{token.Project.Domain.ID}
	case token.Domain != nil:
		extra[ExtraDomain] = []string{token.Domain.ID}
	case token.System != nil && token.System.All:
		extra[ExtraSystem] = []string{"all"}
	}
	who, err := named(KeystonePrefix+within(token.User), groups)
	if err != nil {
		return nil, err
	}
	who.Extra = extra
	return who, nil
}
