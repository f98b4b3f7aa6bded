package dovetail

import (
	"slices"
	"strings"
)

// Protection is a rule of an access policy: the documents that it covers can only be changed by approved change sets.
type Protection struct {
	// On are the ids that it covers: "cluster/c1" is that document with its descendants, "cluster/c1/*" only the descendants.
	On []string `json:"on"`
	// Approvals is how many principals must approve a change set, at least 1.
	Approvals int `json:"approvals"`
	// By are the principals whose approval counts: groups by their names, users as "user:alice". Empty means everyone.
	By []string `json:"by,omitempty"`
	// Message is shown with the error of a refused write: why, or whom to ask.
	Message string `json:"message,omitempty"`
}

// Covers reports whether the document of an id is protected.
func (p *Protection) Covers(id ID) bool {
	return slices.ContainsFunc(p.On, func(place string) bool {
		at, below := strings.CutSuffix(place, "/*")
		return id.IsDescendantOf(ID(at)) || !below && id == ID(at)
	})
}

// Meets reports whether it covers the document with the id or any possible descendant of it.
func (p *Protection) Meets(id ID) bool {
	return id == "" || p.Covers(id) || slices.ContainsFunc(p.On, func(place string) bool {
		at := ID(strings.TrimSuffix(place, "/*"))
		return at == id || at.IsDescendantOf(id)
	})
}

// UserPrefix is the prefix of users in Protection.By.
const UserPrefix = "user:"

// Counts reports whether the approval of a principal counts.
func (p *Protection) Counts(who *Principal) bool {
	if len(p.By) == 0 {
		return true
	}
	return slices.ContainsFunc(p.By, func(name string) bool {
		user, isUser := strings.CutPrefix(name, UserPrefix)
		return isUser && user == who.Name || !isUser && slices.Contains(who.Groups, name)
	})
}
