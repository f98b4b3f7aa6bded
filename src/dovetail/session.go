package dovetail

import "time"

// Session is the use of one token or client certificate, as a server knows it.
type Session struct {
	ID            string    `json:"id"`
	Principal     string    `json:"principal"`
	Groups        []string  `json:"groups,omitempty"`
	Authenticated string    `json:"authenticated"` // how: "token", "oidc", "certificate", "token-review", "keystone" or "front-proxy"
	Since         time.Time `json:"since"`         // first use that the server process knows
	LastUsed      time.Time `json:"lastUsed"`
	Address       string    `json:"address"`           // of the last request
	Streams       int       `json:"streams"`           // watches and long lists that are open
	Expires       time.Time `json:"expires,omitzero"`  // zero for never
	Current       bool      `json:"current,omitempty"` // it is that of the request that lists it
}

// Self is who a client is to a server.
type Self struct {
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
	On   []string `json:"on,omitempty"` // where, as in a binding of the role; none is everywhere
}

// SubjectKind is what a Subject is.
type SubjectKind string

// The kinds of subjects.
const (
	SubjectUser  SubjectKind = "user"
	SubjectGroup SubjectKind = "group"
)

// Subject is a user or a group to which an access policy gives a right.
type Subject struct {
	Kind SubjectKind `json:"kind"`
	Name string      `json:"name"` // "*" is every user
	Role string      `json:"role"` // that gives the right; "" where there is no access policy
	On   []string    `json:"on,omitempty"`
}
