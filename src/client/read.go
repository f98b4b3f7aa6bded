package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Get returns a document with its files. The error has CodeNotFound if it does not exist.
func (c *Client) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	doc := new(dovetail.Document)
	if err := c.view(ctx, id, url.Values{"view": {"document"}, "content": {"true"}}, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// view reads a view of a document.
func (c *Client) view(ctx context.Context, id dovetail.ID, query url.Values, out any) error {
	path, err := c.itemPath(ctx, id)
	if err != nil {
		return err
	}
	return c.call(ctx, request{method: http.MethodGet, path: path, query: c.scope.into(query)}, out)
}

// Documents yields the documents that the query selects, with files, in the byte order of ids. It reads one page after the
// other: all as of one position if the database of the server supports that cheaply, otherwise each page as of the time of its request.
// The sequence ends after the first error, and after Limit documents unless Limit is 0.
func (c *Client) Documents(ctx context.Context, q store.ListQuery) iter.Seq2[*dovetail.Document, error] {
	query := url.Values{"content": {"true"}}
	for name, text := range map[string]string{"under": string(q.Under), "kind": q.Kind,
		"labelSelector": q.Labels.String(), "fieldSelector": q.Fields.String(), "contains": q.Text.String()} {
		if text != "" {
			query.Set(name, text)
		}
	}
	if q.Sealed {
		query.Set("sealed", "true")
	}
	all := pages[*dovetail.Document](ctx, c, request{method: http.MethodGet, path: api.Documents, query: c.scope.into(query)})
	return func(yield func(*dovetail.Document, error) bool) {
		count := 0
		for doc, err := range all {
			if err == nil && (doc.ID <= q.After || q.Fits != nil && !q.Fits(doc.ID)) {
				continue
			}
			if count++; !yield(doc, err) || count == q.Limit {
				return
			}
		}
	}
}

// Export yields all documents as they are stored, in the byte order of ids.
func (c *Client) Export(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
	return c.Documents(ctx, store.ListQuery{})
}

// References returns the references of a document.
func (c *Client) References(ctx context.Context, id dovetail.ID) ([]dovetail.Reference, error) {
	var answer struct {
		Items []dovetail.Reference `json:"items"`
	}
	err := c.view(ctx, id, url.Values{"view": {"references"}}, &answer)
	return answer.Items, err
}

// Relative is a child or referrer of a document.
type Relative struct {
	ID   dovetail.ID `json:"id"`
	Kind string      `json:"kind"`
	ETag string      `json:"etag"` // of children
}

// Referrers returns the ids of the documents that reference a document, in byte order: at most limit
// (0 means all) of those that come after the id after. The error has CodeNotFound if the document does not exist.
func (c *Client) Referrers(ctx context.Context, id, after dovetail.ID, limit int) ([]dovetail.ID, error) {
	var ids []dovetail.ID
	for r, err := range c.relatives(ctx, id, "referrers") {
		if err != nil {
			return nil, err
		}
		if r.ID <= after {
			continue
		}
		if ids = append(ids, r.ID); limit > 0 && len(ids) == limit {
			break
		}
	}
	return ids, nil
}

// Children yields the children of a document, grouped by kind and then in the order of ids.
func (c *Client) Children(ctx context.Context, id dovetail.ID) iter.Seq2[Relative, error] {
	return c.relatives(ctx, id, "children")
}

func (c *Client) relatives(ctx context.Context, id dovetail.ID, view string) iter.Seq2[Relative, error] {
	return func(yield func(Relative, error) bool) {
		path, err := c.itemPath(ctx, id)
		if err != nil {
			yield(Relative{}, err)
			return
		}
		r := request{method: http.MethodGet, path: path, query: c.scope.into(url.Values{"view": {view}})}
		pages[Relative](ctx, c, r)(yield)
	}
}

// maxShown is how many children of a document a tree can show.
const maxShown = 1000

// Tree returns a document with its descendants, depth levels deep, and at most limit children for each node
// (0 means the maximum of the server). For the empty id it returns a node without id whose children are all documents without a parent.
func (c *Client) Tree(ctx context.Context, id dovetail.ID, depth, limit int) (*store.Node, error) {
	if limit == 0 {
		limit = maxShown
	}
	query := url.Values{"view": {"tree"}, "depth": {strconv.Itoa(depth)}, "limit": {strconv.Itoa(limit)}}
	tree := new(store.Node)
	if id != "" {
		return tree, c.view(ctx, id, query, tree)
	}
	return tree, c.call(ctx, request{method: http.MethodGet, path: api.Documents, query: c.scope.into(query)}, tree)
}
