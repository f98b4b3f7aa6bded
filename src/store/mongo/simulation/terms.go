package simulation

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// AddTerms implements protocol.Server.
func (c *Client) AddTerms(ctx context.Context, documents []*dovetail.Document) error {
	for _, doc := range documents {
		err := c.step(ctx, true, func() string { return "add terms to " + string(doc.ID) }, func() {
			r := c.server.records[doc.ID]
			if r == nil || r.Doc == nil || r.Doc.ETag() != doc.ETag() {
				return
			}
			after := *r
			after.Doc = r.Doc.Clone()
			after.Doc.Terms = merged(r.Doc.Terms, doc.Terms)
			c.server.records[doc.ID] = &after
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// merged returns the terms of both, in order.
func merged(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// hasTerms reports whether the document of a record, or the next one, has a term of each group.
func hasTerms(r *protocol.Record, groups [][]string) bool {
	var terms []string
	if r.Doc != nil {
		terms = r.Doc.Terms
	}
	if r.Intent != nil && r.Intent.Next != nil {
		terms = merged(terms, r.Intent.Next.Terms)
	}
	return !slices.ContainsFunc(groups, func(group []string) bool {
		return !slices.ContainsFunc(group, func(term string) bool { return slices.Contains(terms, term) })
	})
}
