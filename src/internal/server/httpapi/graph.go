package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// How far a graph reaches, and how many documents it has. Requests choose both.
const (
	defaultGraphDepth = 1
	maxGraphDepth     = 5
	defaultGraphNodes = 200
	maxGraphNodes     = 1000
)

// What an edge of a graph says.
const (
	edgeParent    = "parent"    // from a document to the one it is below
	edgeReference = "reference" // from a document to one it refers to
)

// graph is the neighbourhood of a document: what is at most this many steps away, along parents,
// children, references and referrers, and all that holds between those.
type graph struct {
	Nodes []graphNode `json:"nodes"` // the document first, then by distance
	Edges []graphEdge `json:"edges"`
	More  bool        `json:"more,omitempty"` // there are more documents within the distance
}

type graphNode struct {
	relative
	Distance int  `json:"distance"`
	More     bool `json:"more,omitempty"` // it is connected with documents within the distance that are not there
}

type graphEdge struct {
	From     dovetail.ID `json:"from"`
	To       dovetail.ID `json:"to"`
	Relation string      `json:"relation"`
	Weak     bool        `json:"weak,omitempty"`
	Cascade  bool        `json:"cascade,omitempty"`
}

// grapher gathers a graph breadth first.
type grapher struct {
	*requestContext
	graph
	limit int
	docs  map[dovetail.ID]*dovetail.Document // their references only
}

// viewGraph answers the neighbourhood of the document. It is read bit by bit, not at one instant: what
// is deleted meanwhile, or is not for the asker to see, is left out.
func (x *requestContext) viewGraph(p parameters) error {
	depth, err := p.count("depth", defaultGraphDepth, 0, maxGraphDepth)
	if err != nil {
		return err
	}
	limit, err := p.count("limit", defaultGraphNodes, 1, maxGraphNodes)
	if err != nil {
		return err
	}
	g := &grapher{requestContext: x, limit: limit, docs: make(map[dovetail.ID]*dovetail.Document)}
	if _, err := g.reach(x.resource, 0); err != nil {
		return err
	}
	for next := 0; next < len(g.Nodes) && g.Nodes[next].Distance < depth; next++ {
		more, err := g.expand(g.Nodes[next])
		if err != nil {
			return err
		}
		g.Nodes[next].More, g.More = more, g.More || more
	}
	g.connect()
	return x.answer(http.StatusOK, encodeJSON(g.graph))
}

// reach adds a document, unless it is there already or is no more, and reports whether there was room for it.
func (g *grapher) reach(id dovetail.ID, distance int) (room bool, err error) {
	if g.docs[id] != nil {
		return true, nil
	}
	if len(g.Nodes) == g.limit {
		return false, nil
	}
	doc, err := g.store.Get(g.ctx, id)
	if err != nil {
		if code := dovetail.CodeOf(err); distance > 0 && (code == dovetail.CodeNotFound || code == dovetail.CodeForbidden) {
			return true, nil
		}
		return false, err
	}
	g.docs[id] = &dovetail.Document{References: doc.References}
	_ = g.reading.Hold(-store.SizeOf(doc)) // never refused; what is kept of it is small
	node := graphNode{relative: g.relative(id), Distance: distance}
	node.ETag = doc.ETag().String()
	g.Nodes = append(g.Nodes, node)
	return true, nil
}

// expand reaches all that is one step away, and reports whether there is more than there was room for.
func (g *grapher) expand(from graphNode) (more bool, err error) {
	near := []dovetail.ID{}
	if parent := g.parentOf(from.ID); parent != "" {
		near = append(near, parent)
	}
	for _, ref := range g.docs[from.ID].References {
		near = append(near, ref.ID)
	}
	referrers, err := g.store.Referrers(g.ctx, from.ID, "", g.limit+1)
	if err != nil {
		return false, err
	}
	near = append(near, referrers...)
	children, next, err := g.store.Children(g.ctx, from.ID, "", g.limit)
	if err != nil {
		return false, err
	}
	for _, child := range children {
		near = append(near, child.ID)
	}
	more = next != ""
	for _, id := range near {
		room, err := g.reach(id, from.Distance+1)
		if err != nil {
			return false, err
		}
		more = more || !room
	}
	return more, nil
}

// connect adds the edges between the documents that were reached.
func (g *grapher) connect() {
	g.Edges = []graphEdge{}
	for _, node := range g.Nodes {
		if parent := g.parentOf(node.ID); g.docs[parent] != nil {
			g.Edges = append(g.Edges, graphEdge{From: node.ID, To: parent, Relation: edgeParent})
		}
		for _, ref := range g.docs[node.ID].References {
			if g.docs[ref.ID] != nil {
				g.Edges = append(g.Edges, graphEdge{From: node.ID, To: ref.ID, Relation: edgeReference, Weak: ref.Weak, Cascade: ref.Cascade})
			}
		}
	}
}

// parentOf returns the document that another one is below, "" at the top.
func (g *grapher) parentOf(id dovetail.ID) dovetail.ID {
	kind, err := g.routing.model.KindOf(id)
	if err != nil {
		return ""
	}
	parent := concreteParent(kind)
	if parent == nil {
		return ""
	}
	return id.Key()[:len(parent.Elements)].ID()
}
