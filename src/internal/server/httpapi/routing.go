package httpapi

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
)

// routing is all that the API derives from one model. It is immutable.
type routing struct {
	model *schema.Model
	kinds *manifest.Kinds
	root  *node // below /v2
	// routes are those of the resources, parents before children.
	routes []*route
	items  map[*schema.Kind][]*route  // where the items of a kind are served, the first place first
	off    map[string]*dovetail.Error // services without their kinds, and why they are off

	openAPI func() []byte // made when it is first asked for
	schema  func() []byte
}

// newRouting makes the tree in rounds, so that a collection goes before an action of the same path,
// and both before the alias of another collection.
func newRouting(model *schema.Model, a *API) *routing {
	t := &routing{model: model, kinds: manifest.NewKinds(model), root: &node{}, items: make(map[*schema.Kind][]*route), off: make(map[string]*dovetail.Error)}
	t.openAPI = sync.OnceValue(func() []byte { return openAPI(t, a) })
	t.schema = sync.OnceValue(func() []byte { return encodeJSON(schemaView(t.model)) })
	for _, service := range a.options.Services {
		if why := service.Off(model); why != nil {
			t.off[service.Name] = why
		}
	}
	if a.options.OnlyServices {
		return t
	}
	g := routeBuilder{routing: t, log: a.log}
	for _, addRoute := range []func(*schema.Kind, *schema.Route){g.addResource, g.addParts, g.addAlias} {
		for _, kind := range model.Kinds() {
			if kind.Abstract {
				continue
			}
			for i := range kind.Routes() {
				addRoute(kind, &kind.Routes()[i])
			}
		}
	}
	return t
}

// pathOf returns the canonical path of a document, "" when no collection serves it.
func (t *routing) pathOf(kind *schema.Kind, id dovetail.ID) string {
	key := id.Key()
	for _, item := range t.items[kind] {
		if item.serves(key) {
			return item.path(key)
		}
	}
	return ""
}

// routeBuilder grows the tree of a routing.
type routeBuilder struct {
	*routing
	log *slog.Logger
}

// add puts a route at its place. It reports whether it is there: a path that is taken stays as it is.
func (g *routeBuilder) add(r *route, methods map[string]*method) bool {
	r.template = templateOf(r.segments)
	at := g.root.descend(r.segments)
	if at.route != nil {
		return false
	}
	for verb, m := range methods {
		r.on(verb, m)
	}
	at.route = r
	g.routes = append(g.routes, r)
	return true
}

func (g *routeBuilder) addResource(kind *schema.Kind, from *schema.Route) {
	path, item := segmentsOf(from.Path), segmentsOf(from.Item)
	collection := &route{what: collectionRoute, kind: kind, segments: path, elements: elementsOf(from, path)}
	if !g.add(collection, collectionMethods(kind, from.Collection)) {
		g.log.Warn("the schema serves a kind at a path that is reserved", "kind", kind.Name, "path", collection.template)
		return
	}
	r := &route{what: itemRoute, kind: kind, segments: item, elements: elementsOf(from, item)}
	if g.add(r, itemMethods(kind, from.Collection)) {
		g.items[kind] = append(g.items[kind], r)
	}
}

// addParts makes the routes below an item that are no resources.
func (g *routeBuilder) addParts(kind *schema.Kind, from *schema.Route) {
	item := segmentsOf(from.Item)
	for path, methods := range partMethods(kind) {
		g.add(&route{what: partRoute, kind: kind, segments: append(segmentsOf(from.Item), segmentsOf("/"+path)...), elements: elementsOf(from, item)}, methods)
	}
}

func (g *routeBuilder) addAlias(_ *schema.Kind, from *schema.Route) {
	if alias := from.Collection.Alias; alias != "" {
		parent := strings.TrimSuffix(strings.TrimSuffix(from.Path, from.Collection.Path), "/")
		g.root.descend(segmentsOf(parent)).alias(alias, g.root.descend(segmentsOf(from.Path)))
	}
}

// segmentsOf reads a template of the schema: "/projects/{project}/apps".
func segmentsOf(template string) []segment {
	if template == "" {
		return nil
	}
	var segments []segment
	for _, text := range strings.Split(template[1:], "/") {
		s := segment{word: text}
		if name, variable := strings.CutPrefix(text, "{"); variable {
			s = segment{element: strings.TrimSuffix(name, "}")}
		}
		segments = append(segments, s)
	}
	return segments
}

// elementsOf returns the elements of the key that the segments and what the route fixes give, from
// the root on: all for an item; for a collection those of the id that its items are under.
func elementsOf(from *schema.Route, segments []segment) []element {
	elements := []element{}
	for _, name := range from.Kind.Elements {
		e := element{name, url.PathEscape(from.Fixed[name])}
		if e.fixed == "" && !slices.ContainsFunc(segments, func(s segment) bool { return s.element == name }) {
			break
		}
		elements = append(elements, e)
	}
	return elements
}
