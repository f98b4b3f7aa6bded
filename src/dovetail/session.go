package dovetail

import "time"

// Session is the use of one token or client certificate, as a server reports it.
type Session struct {
	ID            string    `json:"id"`
	Principal     string    `json:"principal"`
	Groups        []string  `json:"groups,omitempty"`
	Authenticated string    `json:"authenticated"` // how: "token", "oidc", "certificate", "token-review", "keystone" or "front-proxy"
	Since         time.Time `json:"since"`         // the first use since the start of the server process
	LastUsed      time.Time `json:"lastUsed"`
	Address       string    `json:"address"`           // of the last request
	Streams       int       `json:"streams"`           // how many watches and long lists are open
	Expires       time.Time `json:"expires,omitzero"`  // zero for never
	Current       bool      `json:"current,omitempty"` // it is the session of this request
}

// CallerIdentity is the identity of a client as the server has authenticated it.
type CallerIdentity struct {
	Principal     string     `json:"principal"` // "" where the server does not authenticate
	Groups        []string   `json:"groups,omitempty"`
	Authenticated string     `json:"authenticated,omitempty"` // as in Session
	Session       string     `json:"session,omitempty"`       // the id of its session
	Expires       time.Time  `json:"expires,omitzero"`
	Roles         []HeldRole `json:"roles,omitempty"` // in the access policy
}

// HeldRole is a role that a principal has.
type HeldRole struct {
	Role string   `json:"role"`
	On   []string `json:"on,omitempty"` // the ids of the role binding; empty means everywhere
}

// SubjectKind reports whether a Subject is a user or a group.
type SubjectKind string

// The kinds of subjects.
const (
	SubjectUser  SubjectKind = "user"
	SubjectGroup SubjectKind = "group"
)

// Subject is a user or a group to which an access policy gives a right.
type Subject struct {
	Kind SubjectKind `json:"kind"`
	Name string      `json:"name"` // "*" means every user
	Role string      `json:"role"` // the role that grants the right; "" without an access policy
	On   []string    `json:"on,omitempty"`
}
