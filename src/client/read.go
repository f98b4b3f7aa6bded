package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Get returns the document with its files, or CodeNotFound.
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

// Documents yields what the query selects, with files, in the byte order of ids. It reads page after
// page, all as of one position where the server's database has cheap ones, and otherwise each as of when it is read. The sequence
// ends after the first error, and after Limit documents, unless that is 0.
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
	all := pages[*dovetail.Document](ctx, c, request{method: http.MethodGet, path: root + "/documents", query: c.scope.into(query)})
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

// Export yields every document as it is stored, in the byte order of ids.
func (c *Client) Export(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
	return c.Documents(ctx, store.ListQuery{})
}

// References returns what the document refers to.
func (c *Client) References(ctx context.Context, id dovetail.ID) ([]dovetail.Reference, error) {
	var answer struct {
		Items []dovetail.Reference `json:"items"`
	}
	err := c.view(ctx, id, url.Values{"view": {"references"}}, &answer)
	return answer.Items, err
}

// Relative is a document next to another one.
type Relative struct {
	ID   dovetail.ID `json:"id"`
	Kind string      `json:"kind"`
	ETag string      `json:"etag"` // of children
}

// Referrers returns the ids of the documents that refer to this one, in their order: at most limit
// (0: all) of those after the given one. The document must exist.
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

// Children yields the documents directly below this one, kind by kind, those of a kind in the order
// of ids.
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

// Tree returns the document with its descendants down to depth levels below it, of each node at
// most limit children (0: as many as the server shows). The empty id gives the whole forest below a
// node without id.
func (c *Client) Tree(ctx context.Context, id dovetail.ID, depth, limit int) (*store.Node, error) {
	if limit == 0 {
		limit = maxShown
	}
	query := url.Values{"view": {"tree"}, "depth": {strconv.Itoa(depth)}, "limit": {strconv.Itoa(limit)}}
	tree := new(store.Node)
	if id != "" {
		return tree, c.view(ctx, id, query, tree)
	}
	return tree, c.call(ctx, request{method: http.MethodGet, path: root + "/documents", query: c.scope.into(query)}, tree)
}
