package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
)

// Route is one place where documents of a kind are served, in full from the API's root on. Key
// elements stand in braces.
type Route struct {
	Kind       *Kind
	Collection *Collection
	Path       string            // "/projects/{project}/composite-apps/{compositeApp}/{compositeAppVersion}/apps"
	Item       string            // Path and the own elements that are not fixed: ".../apps/{app}"
	Fixed      map[string]string // what this collection and those above it stand for; nil if there is nothing
}

// Routes returns the places where the kind is served: each of its collections below each of its
// parent's routes, or below the root. Those of an abstract kind lead only to its children. The slice
// must not be changed.
func (k *Kind) Routes() []Route { return k.routes }

// routes computes the routes of all kinds, which are sorted by name, and reports what would be served at one path.
func (c *compiler) routes(kinds []*Kind) {
	order := slices.Clone(kinds)
	slices.SortStableFunc(order, func(a, b *Kind) int { return len(a.Elements) - len(b.Elements) })
	for _, k := range order {
		k.routes = routesOf(k)
		if len(k.routes) > maxRoutes {
			c.add(FaultTooLarge, k.Position, "list fewer collections", "%s: it would be served at more than %d places", k.Entry, maxRoutes)
			k.routes = nil
		}
	}
	p := &paths{faults: c.faults, taken: make(map[string]string)}
	slices.SortStableFunc(order, func(a, b *Kind) int { return comparePositions(a.Position, b.Position) })
	for _, k := range order {
		for i := range k.routes {
			p.route(&k.routes[i])
		}
	}
	for _, k := range order {
		p.givenAliases(k)
	}
	// By name, so that the order of entries does not matter; kinds with documents first.
	for _, abstract := range []bool{false, true} {
		for _, k := range kinds {
			if k.Abstract == abstract {
				p.ownAliases(k)
			}
		}
	}
}

func routesOf(k *Kind) []Route {
	var routes []Route
	for i := range k.Collections {
		collection := &k.Collections[i]
		bases := []Route{{}}
		if k.Parent != nil && !collection.Root {
			bases = k.Parent.routes
		}
		for _, base := range bases {
			route := Route{Kind: k, Collection: collection, Path: base.Item + "/" + collection.Path, Fixed: base.Fixed}
			if len(collection.Fixed) > 0 {
				route.Fixed = make(map[string]string)
				maps.Copy(route.Fixed, base.Fixed)
				maps.Copy(route.Fixed, collection.Fixed)
			}
			route.Item = route.Path
			for _, name := range k.Own {
				if _, fixed := collection.Fixed[name]; !fixed {
					route.Item += "/{" + name + "}"
				}
			}
			routes = append(routes, route)
			if len(routes) > maxRoutes {
				return routes
			}
		}
	}
	return routes
}

// paths knows what is served where.
type paths struct {
	*faults
	taken map[string]string // by pattern: what is there
}

// at returns what is served at a path, "" if there is nothing.
func (p *paths) at(path string) string {
	if api.IsReserved(path) {
		return "an endpoint that every server has"
	}
	return p.taken[patternOf(path)]
}

// claim enters a path and reports whether it was free.
func (p *paths) claim(k *Kind, path, what string) bool {
	pattern, by := patternOf(path), p.at(path)
	if by == "" {
		p.taken[pattern] = what + " of " + k.Entry
		return true
	}
	p.add(FaultDuplicateCollection, k.Position, "give one of the two another path",
		"%s: %s would be %s of it and %s", k.Entry, path, what, by)
	return false
}

// route enters the collection, the items and the actions of a route; of an abstract kind nothing is
// served there.
func (p *paths) route(route *Route) {
	k := route.Kind
	if k.Abstract {
		return
	}
	if !p.claim(k, route.Path, "the collection") || !p.claim(k, route.Item, "an item") {
		return
	}
	seen := make(map[string]bool)
	for _, action := range k.Actions {
		if !seen[action.Path] { // one path may have an action for each method
			p.claim(k, route.Item+"/"+action.Path, "an action")
		}
		seen[action.Path] = true
	}
}

// givenAliases enters the aliases that the schema gives.
func (p *paths) givenAliases(k *Kind) {
	for _, route := range k.routes {
		if alias := route.Collection.Alias; alias != "" {
			p.claim(k, aliasPath(route, alias), "the alias")
		}
	}
}

// ownAliases gives collections without an alias the singular of the kind's name, where that is free.
// A collection with fixed elements is only a part of the kind and gets none.
func (p *paths) ownAliases(k *Kind) {
	alias := kebab(k.Own[0])
	for i := range k.Collections {
		collection := &k.Collections[i]
		mine := func(r Route) bool { return r.Collection == collection }
		isTaken := func(r Route) bool { return mine(r) && p.at(aliasPath(r, alias)) != "" }
		if collection.Alias != "" || len(collection.Fixed) > 0 || slices.ContainsFunc(k.routes, isTaken) {
			continue
		}
		collection.Alias = alias
		for _, route := range k.routes {
			if mine(route) {
				p.claim(k, aliasPath(route, alias), "the alias")
			}
		}
	}
}

func aliasPath(r Route, alias string) string {
	return strings.TrimSuffix(r.Path, r.Collection.Path) + alias
}

// patternOf is a path without the names of its elements: what a request sees of it.
func patternOf(path string) string {
	var b strings.Builder
	for i, segment := range strings.Split(path, "/") {
		if i > 0 {
			b.WriteByte('/')
		}
		if strings.HasPrefix(segment, "{") {
			segment = "{}"
		}
		b.WriteString(segment)
	}
	return b.String()
}
