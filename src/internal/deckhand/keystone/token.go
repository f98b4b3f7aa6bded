package keystone

import "time"

// Token is what Keystone says of a token.
type Token struct {
	User    Owned     `json:"user"`
	Project *Owned    `json:"project"` // that the roles are on; nil where they are on a domain, the system or nothing
	Domain  *Named    `json:"domain"`
	System  *System   `json:"system"`
	Roles   []Named   `json:"roles"`
	Expires time.Time `json:"expires_at"`
	// AuditIDs are the name of the token itself, whatever text it comes in, and then that of the first of those it was made from.
	AuditIDs []string `json:"audit_ids"`
}

// Named is what has an id and a name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Owned is what belongs to a domain, in which its name is unique.
type Owned struct {
	Named
	Domain Named `json:"domain"`
}

// System is the scope of the deployment itself.
type System struct {
	All bool `json:"all"`
}

// answer is the body of POST and GET /v3/auth/tokens.
type answer struct {
	Token *Token `json:"token"`
}
