package yaml

import (
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// measurer walks the nodes of a document in the order of the text, before values are made of
// them. It finds out what they will need with all aliases expanded, without expanding them, and
// corrects the place of each node.
type measurer struct {
	limits value.Limits
	values int                 // of the documents before this one
	sizes  map[*yaml.Node]size // of the complete nodes with an anchor
	path   []string
	cursor cursor
}

// size is what a node needs with its aliases expanded.
type size struct {
	values int
	bytes  int // of texts and names
	depth  int // 0 of a scalar
}

func newMeasurer(data []byte, limits value.Limits) *measurer {
	return &measurer{limits: limits, sizes: map[*yaml.Node]size{}, cursor: newCursor(data)}
}

// measure refuses a document that holds itself or exceeds the limits.
func (m *measurer) measure(root *yaml.Node) *dovetail.Error {
	clear(m.sizes) // anchors do not reach into the next document
	s, err := m.node(root, 0)
	m.values += s.values
	return err
}

// node measures a node that is inside of depth lists and maps.
func (m *measurer) node(n *yaml.Node, depth int) (size, *dovetail.Error) {
	n.Line, n.Column = m.cursor.place(n.Line, n.Column)
	s := size{values: 1, bytes: len(n.Value)}
	var err *dovetail.Error
	switch n.Kind {
	case yaml.AliasNode:
		var complete bool
		if s, complete = m.sizes[n.Alias]; !complete {
			return s, m.fail(n, dovetail.CodeInvalid, fmt.Sprintf("the alias *%s is inside of what it stands for", n.Value), "write the value instead of the alias")
		}
	case yaml.SequenceNode, yaml.MappingNode:
		if depth < m.limits.Depth { // otherwise it is too deep already
			s, err = m.content(n, depth+1)
		}
		s.depth++
	}
	switch {
	case err != nil:
		return s, err
	case depth+s.depth > m.limits.Depth:
		return s, m.fail(n, dovetail.CodeTooLarge, fmt.Sprintf("lists and maps are nested more than %d deep", m.limits.Depth), "make the document simpler, or split it")
	case m.values+s.values > m.limits.Values:
		return s, tooMany(m.limits, m.position(n))
	case s.bytes > m.limits.Bytes:
		return s, m.fail(n, dovetail.CodeTooLarge, fmt.Sprintf("with its aliases expanded this has more than %d bytes", m.limits.Bytes), "use fewer aliases")
	}
	if n.Anchor != "" {
		m.sizes[n] = s
	}
	return s, nil
}

// content adds up the items of a list, or the keys and values of a map.
func (m *measurer) content(n *yaml.Node, depth int) (size, *dovetail.Error) {
	sum := size{values: 1}
	m.path = append(m.path, "")
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case isKey:
			m.path[len(m.path)-1] = target(child).Value
		case n.Kind == yaml.SequenceNode:
			m.path[len(m.path)-1] = strconv.Itoa(i)
		}
		s, err := m.node(child, depth)
		if err != nil {
			return sum, err
		}
		if !isKey {
			sum.values += s.values
		}
		sum.bytes += s.bytes
		sum.depth = max(sum.depth, s.depth)
		// Each part is within the limits: to stop here keeps the sum from overflowing.
		if sum.values > m.limits.Values || sum.bytes > m.limits.Bytes {
			break
		}
	}
	m.path = m.path[:len(m.path)-1]
	return sum, nil
}

func (m *measurer) fail(n *yaml.Node, code dovetail.Code, message, remedy string) *dovetail.Error {
	return &dovetail.Error{Code: code, Message: message, Remedy: remedy, Position: m.position(n)}
}

func (m *measurer) position(n *yaml.Node) dovetail.Position {
	return dovetail.Position{Line: n.Line, Column: n.Column, Path: value.Pointer(m.path...)}
}

// target is the node that an alias stands for, and any other node itself.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
