package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Referrers returns the ids of the documents that refer to id, weak references included, in the
// order of ids: at most limit (0: all) of those after the given one.
func (s *Store) Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	v := s.view(ctx)
	if err := v.mayRead(ctx, id); err != nil {
		return nil, err
	}
	if v == nil {
		return s.backend.Referrers(ctx, []dovetail.ID{id}, after, limit)
	}
	all, err := s.backend.Referrers(ctx, []dovetail.ID{id}, after, 0)
	seen := slices.DeleteFunc(all, func(referrer dovetail.ID) bool {
		kind, err := s.Model().KindOf(referrer)
		return err != nil || !v.reads(kind.Name, referrer)
	})
	if limit > 0 && len(seen) > limit {
		seen = seen[:limit]
	}
	return seen, err
}

// Children returns the direct children of id, of all kinds, or, for the empty id, the documents at
// the top: at most limit (0: all) of those after the given one. The second result is the position to
// continue after, "" at the end. Children come kind by kind, those of one kind in the order of ids, without data, status
// and files.
func (s *Store) Children(ctx context.Context, id, after dovetail.ID, limit int) ([]*dovetail.Document, dovetail.ID, error) {
	kinds, err := s.childKinds(id)
	if err != nil {
		return nil, "", err
	}
	if after != "" {
		kind, err := s.Model().KindOf(after)
		if err != nil {
			return nil, "", err
		}
		kinds = kinds[max(0, slices.Index(kinds, kind)):]
	}
	v := s.view(ctx)
	var children []*dovetail.Document
	for n, kind := range kinds {
		q := Query{Under: id, Kind: kind.Name, Keep: v.keeps()}
		if n == 0 {
			q.After = after
		}
		if limit > 0 && v == nil {
			q.Limit = limit - len(children) + 1
		}
		for doc, err := range s.backend.List(ctx, q) {
			if err != nil {
				return nil, "", err
			}
			if !v.reads(doc.Kind, doc.ID) {
				continue
			}
			if limit > 0 && len(children) == limit {
				return children, children[limit-1].ID, nil
			}
			children = append(children, withoutData(v.show(doc)))
		}
	}
	return children, "", nil
}

// childKinds returns the kinds of direct children, abstract ones replaced by what is below them.
func (s *Store) childKinds(id dovetail.ID) ([]*schema.Kind, error) {
	model := s.Model()
	var below []*schema.Kind
	if id == "" {
		for _, kind := range model.Kinds() {
			if kind.Parent == nil {
				below = append(below, kind)
			}
		}
	} else {
		kind, err := model.KindOf(id)
		if err != nil {
			return nil, err
		}
		below = kind.Children
	}
	var kinds []*schema.Kind
	var collect func([]*schema.Kind)
	collect = func(below []*schema.Kind) {
		for _, kind := range below {
			if kind.Abstract {
				collect(kind.Children)
			} else {
				kinds = append(kinds, kind)
			}
		}
	}
	collect(below)
	slices.SortFunc(kinds, func(a, b *schema.Kind) int {
		return strings.Compare(strings.Join(a.Elements, "/")+"/", strings.Join(b.Elements, "/")+"/")
	})
	return kinds, nil
}

// Node is a document in a tree.
type Node struct {
	ID       dovetail.ID `json:"id,omitempty"`
	Kind     string      `json:"kind,omitempty"`
	Version  string      `json:"version,omitempty"` // its ETag without quotes
	Children []*Node     `json:"children,omitempty"`
	More     bool        `json:"more,omitempty"` // it has more children than are shown
}

// Tree returns the document with its descendants down to depth levels below it, of each node at
// most limit children. The empty id gives the whole forest below a node without id.
func (s *Store) Tree(ctx context.Context, id dovetail.ID, depth, limit int) (*Node, error) {
	root := &Node{}
	if id != "" {
		doc, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		root = nodeOf(doc)
	}
	return root, s.expand(ctx, root, depth, limit)
}

func nodeOf(doc *dovetail.Document) *Node {
	return &Node{ID: doc.ID, Kind: doc.Kind, Version: doc.ETag().Version()}
}

func (s *Store) expand(ctx context.Context, node *Node, depth, limit int) error {
	if depth == 0 {
		limit = 1 // only to learn whether there are any
	}
	children, next, err := s.Children(ctx, node.ID, "", limit)
	if err != nil {
		return err
	}
	if depth == 0 {
		node.More = len(children) > 0
		return nil
	}
	node.More = next != ""
	for _, doc := range children {
		child := nodeOf(doc)
		node.Children = append(node.Children, child)
		if err := s.expand(ctx, child, depth-1, limit); err != nil {
			return err
		}
	}
	return nil
}
