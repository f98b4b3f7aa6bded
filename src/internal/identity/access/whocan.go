package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// WhoCan lists the users and groups that have a right on a document of a kind, with the roles that give it and where
// these hold, in the order of kinds and names.
func (p *Policy) WhoCan(right dovetail.Right, kind string, id dovetail.ID) []dovetail.Subject {
	var all []dovetail.Subject
	for i := range p.bindings {
		b := &p.bindings[i]
		add := func(as dovetail.SubjectKind, names []string) {
			for _, name := range names {
				who := &dovetail.Principal{Name: name}
				if as == dovetail.SubjectGroup {
					who = &dovetail.Principal{Groups: []string{name}}
				}
				one := &Policy{roles: p.roles, bindings: p.bindings[i : i+1]}
				if one.For(who).Allows(right, kind, id) {
					all = append(all, dovetail.Subject{Kind: as, Name: name, Role: b.Role, On: b.On})
				}
			}
		}
		add(dovetail.SubjectUser, b.Users)
		add(dovetail.SubjectGroup, b.Groups)
	}
	slices.SortFunc(all, func(a, b dovetail.Subject) int {
		return cmp.Or(-strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Name, b.Name), strings.Compare(a.Role, b.Role),
			slices.Compare(a.On, b.On))
	})
	return slices.CompactFunc(all, func(a, b dovetail.Subject) bool {
		return a.Kind == b.Kind && a.Name == b.Name && a.Role == b.Role && slices.Equal(a.On, b.On)
	})
}

// RolesOf lists the roles of a principal by name, each with all places where it has it.
func (p *Policy) RolesOf(who *dovetail.Principal) []dovetail.HeldRole {
	var all []dovetail.HeldRole
	for i := range p.bindings {
		if b := &p.bindings[i]; who != nil && b.holds(who) {
			all = append(all, dovetail.HeldRole{Role: b.Role, On: b.On})
		}
	}
	slices.SortStableFunc(all, func(a, b dovetail.HeldRole) int { return strings.Compare(a.Role, b.Role) })
	var roles []dovetail.HeldRole
	for _, held := range all {
		last := len(roles) - 1
		switch {
		case last < 0 || roles[last].Role != held.Role:
			roles = append(roles, dovetail.HeldRole{Role: held.Role, On: slices.Clone(held.On)})
		case len(roles[last].On) == 0 || len(held.On) == 0: // everywhere, by one of them
			roles[last].On = nil
		default:
			roles[last].On = append(roles[last].On, held.On...)
		}
	}
	for i := range roles {
		slices.Sort(roles[i].On)
		roles[i].On = slices.Compact(roles[i].On)
	}
	return roles
}
