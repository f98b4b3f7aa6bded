package access

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Grants is what one principal may do under one policy. It is immutable, and safe for concurrent use.
type Grants struct {
	all    bool // the principal is a part of Dovetail
	grants []grant
	use    *useList
}

// grant is one rule on one place.
type grant struct {
	role   string
	place  dovetail.ID // "" is everywhere
	below  bool        // without the document at place
	kinds  map[string]bool
	rights rightSet
}

// rightSet is a set of rights, a bit each.
type rightSet uint8

func setOf(list []dovetail.Right) rightSet {
	var set rightSet
	for i, right := range rights {
		if slices.Contains(list, right) || slices.Contains(list, Any) {
			set |= 1 << i
		}
	}
	return set
}

func (s rightSet) has(right dovetail.Right) bool {
	i := slices.Index(rights, right)
	return i >= 0 && s&(1<<i) != 0
}

// For returns what the principal may do. nil, a request without a principal, may do nothing; a principal whose name
// begins with dovetail.SystemPrefix may do everything.
func (p *Policy) For(who *dovetail.Principal) *Grants {
	g := &Grants{use: p.use}
	if who == nil {
		return g
	}
	if strings.HasPrefix(who.Name, dovetail.SystemPrefix) {
		g.all = true
		return g
	}
	for _, b := range p.bindings {
		if !b.holds(who) {
			continue
		}
		places := b.On
		if len(places) == 0 {
			places = []string{""}
		}
		for _, rule := range p.roles[b.Role].Rules {
			kinds := make(map[string]bool, len(rule.Kinds))
			for _, kind := range rule.Kinds {
				kinds[kind] = true
			}
			for _, place := range places {
				id, below := strings.CutSuffix(place, belowOnly)
				g.grants = append(g.grants, grant{role: b.Role, place: dovetail.ID(id), below: below, kinds: kinds, rights: setOf(rule.Verbs)})
			}
		}
	}
	return g
}

// With returns the grants with rights on all documents of some kinds besides, as those of a role.
func (g *Grants) With(role string, rights []dovetail.Right, kinds []string) *Grants {
	more := grant{role: role, kinds: make(map[string]bool, len(kinds)), rights: setOf(rights)}
	for _, kind := range kinds {
		more.kinds[kind] = true
	}
	return &Grants{all: g.all, use: g.use, grants: append(slices.Clip(g.grants), more)}
}

func (b *Binding) holds(who *dovetail.Principal) bool {
	if slices.Contains(b.Users, who.Name) || slices.Contains(b.Users, Any) {
		return true
	}
	return slices.ContainsFunc(who.Groups, func(group string) bool { return slices.Contains(b.Groups, group) })
}

// Allows reports whether the principal may do this with a document of the kind.
func (g *Grants) Allows(right dovetail.Right, kind string, id dovetail.ID) bool {
	allowed, _ := g.Why(right, kind, id)
	return allowed
}

// Why is May with the role that allows it: the first of the policy.
func (g *Grants) Why(right dovetail.Right, kind string, id dovetail.ID) (allowed bool, role string) {
	if g.all {
		return true, "system"
	}
	for i := range g.grants {
		if grant := &g.grants[i]; grant.allows(right, kind) && grant.covers(id) {
			return true, grant.role
		}
	}
	return false, ""
}

// Everywhere reports whether the principal may do this with every document, of every kind: nothing of a list
// needs to be left out.
func (g *Grants) Everywhere(right dovetail.Right) bool {
	return g.all || slices.ContainsFunc(g.grants, func(grant grant) bool {
		return grant.place == "" && grant.kinds[Any] && grant.rights.has(right)
	})
}

// Below reports whether the principal may do this with every document of the kinds below the id, whatever there is
// and may come to be; below the empty id that is every document of the kinds.
func (g *Grants) Below(right dovetail.Right, kinds []string, id dovetail.ID) bool {
	return g.all || !slices.ContainsFunc(kinds, func(kind string) bool {
		return !slices.ContainsFunc(g.grants, func(grant grant) bool {
			return grant.allows(right, kind) && grant.coversBelow(id)
		})
	})
}

// Anywhere reports whether the principal may do this with any document of the kinds, of any kind without, that is the one
// of the id or below it; of the empty id with any at all.
func (g *Grants) Anywhere(right dovetail.Right, kinds []string, id dovetail.ID) bool {
	return g.all || slices.ContainsFunc(g.grants, func(grant grant) bool {
		return grant.meets(id) && (len(kinds) == 0 && grant.rights.has(right) ||
			slices.ContainsFunc(kinds, func(kind string) bool { return grant.allows(right, kind) }))
	})
}

// meets reports whether the grant may cover the document of the id, or one below it.
func (g *grant) meets(id dovetail.ID) bool {
	return g.place == "" || id == "" || g.place == id || id.IsDescendantOf(g.place) || g.place.IsDescendantOf(id)
}

// NeedsUse reports whether referring to a document of the kind needs the right to use it; sensitive says that the
// ref-schema marks the kind so, which decides where the policy does not.
func (g *Grants) NeedsUse(kind string, sensitive bool) bool {
	if g.use == nil {
		return sensitive
	}
	return slices.Contains(g.use.kinds, Any) || slices.Contains(g.use.kinds, kind)
}

func (g *grant) allows(right dovetail.Right, kind string) bool {
	return g.rights.has(right) && (g.kinds[Any] || g.kinds[kind])
}

func (g *grant) covers(id dovetail.ID) bool {
	switch {
	case g.place == "":
		return true
	case id == g.place:
		return !g.below
	}
	return id.IsDescendantOf(g.place)
}

// coversBelow reports whether the grant holds on all that may be below an id.
func (g *grant) coversBelow(id dovetail.ID) bool {
	return g.place == "" || id == g.place || id != "" && id.IsDescendantOf(g.place)
}
