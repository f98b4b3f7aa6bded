package client

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// pageSize is how many items are asked for at a time.
const pageSize = 500

// page is a part of a list.
type page[T any] struct {
	Items    []T    `json:"items"`
	Continue string `json:"continue"` // asks for the next one; "" if there is none
}

// readJSON reads a page of documents in one pass. It returns false for other pages, and for a text that it leaves to
// encoding/json.
func (p *page[T]) readJSON(text []byte) bool {
	documents, ok := any(p).(*page[*dovetail.Document])
	if !ok {
		return false
	}
	rest, ok := bytes.CutPrefix(text, []byte(`{"items":[`))
	if !ok {
		return false
	}
	all := make([]*dovetail.Document, 0, pageSize)
	for {
		document := new(dovetail.Document)
		if rest, ok = document.ReadJSON(rest); !ok || len(rest) == 0 {
			return false
		}
		all = append(all, document)
		if rest[0] != ',' {
			break
		}
		rest = rest[1:]
	}
	var end struct {
		Continue string `json:"continue"`
	}
	switch {
	case string(rest) == "]}":
	case !bytes.HasPrefix(rest, []byte(`],"continue":`)), json.Unmarshal(append([]byte("{"), rest[len("],"):]...), &end) != nil:
		return false
	}
	documents.Items, documents.Continue = all, end.Continue
	return true
}

// fetched is a page, or why there is none.
type fetched[T any] struct {
	page[T]
	err error
}

// pages yields the items of a list, page after page. From the third on, a page is fetched while the one before it is read: then
// there is a reader of all.
func pages[T any](ctx context.Context, c *Client, r request) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		query := url.Values{"limit": {strconv.Itoa(pageSize)}}
		maps.Copy(query, r.query)
		fetch := func(token string) <-chan fetched[T] {
			r := r
			if r.query = maps.Clone(query); token != "" {
				r.query.Set("continue", token)
			}
			next := make(chan fetched[T], 1)
			go func() {
				var f fetched[T]
				f.err = c.call(ctx, r, &f.page)
				next <- f
				close(next)
			}()
			return next
		}
		next := fetch("")
		defer func() { // nothing is under way any more when the sequence has ended
			cancel()
			<-next
		}()
		for n := 1; ; n++ {
			current := <-next
			if current.err != nil {
				var none T
				yield(none, current.err)
				return
			}
			ahead := n > 1 && current.Continue != ""
			if ahead {
				next = fetch(current.Continue)
			}
			for _, item := range current.Items {
				if !yield(item, nil) {
					return
				}
			}
			if current.Continue == "" {
				return
			}
			if !ahead {
				next = fetch(current.Continue)
			}
		}
	}
}
