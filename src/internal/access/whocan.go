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
				if one.For(who).May(right, kind, id) {
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
