package access

import (
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/oslopolicy"
)

// OsloSubject is a principal as rules of oslo.policy see it: with the roles and attributes that Keystone says of its users. Those of other principals
// are their groups and their name.
func OsloSubject(who *dovetail.Principal) oslopolicy.Subject {
	if !strings.HasPrefix(who.Name, KeystonePrefix) {
		return oslopolicy.Subject{Roles: who.Groups, Attributes: map[string]string{ExtraUser: who.Name}}
	}
	subject := oslopolicy.Subject{Roles: who.Extra[ExtraRoles], Attributes: make(map[string]string)}
	for name, values := range who.Extra {
		if name != ExtraRoles && len(values) == 1 {
			subject.Attributes[name] = values[0]
		}
	}
	return subject
}
