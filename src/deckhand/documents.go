package deckhand

import (
	"context"

	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/value"
)

// raw returns the documents of a revision as they were put, in the order of documents, without those that
// the principal of the context may not read.
func (r *Revisions) raw(ctx context.Context, of *Revision) ([]chosen, error) {
	s, err := r.site(ctx, of)
	if err != nil {
		return nil, err
	}
	all := make([]chosen, 0, len(of.index))
	for _, e := range of.index.sorted() {
		d := s.documents[e.content]
		all = append(all, chosen{Raw{d, e.bucket, e.since}, func(cleartext bool) *value.Value { return wholeOf(d, cleartext) }})
	}
	return r.readable(ctx, of, all)
}

func wholeOf(d *layering.Document, cleartext bool) *value.Value {
	if cleartext {
		return d.Value()
	}
	return d.Redacted()
}

// rendered returns the documents that rendering a revision gives, as raw does those that were put. Errors are those of
// rendering.
func (r *Revisions) rendered(ctx context.Context, of *Revision) ([]chosen, error) {
	s, err := r.site(ctx, of)
	if err != nil {
		return nil, err
	}
	rendering, err := s.render()
	if err != nil {
		return nil, err
	}
	all := make([]chosen, 0, len(rendering.Documents))
	for _, d := range rendering.Documents {
		e := of.index[d.ID]
		all = append(all, chosen{Raw{d.Document, e.bucket, e.since}, func(cleartext bool) *value.Value {
			if cleartext {
				return d.Whole(d.Data())
			}
			return d.Whole(d.Redacted())
		}})
	}
	return r.readable(ctx, of, all)
}

// shown is the document as it is answered: with where it is.
func (c *chosen) shown(cleartext bool) *value.Value {
	return withStatus(c.data(cleartext), c.Bucket, c.Revision)
}

func withStatus(whole *value.Value, bucket string, revision int) *value.Value {
	status := value.NewMap(value.Member{Name: "bucket", Value: value.NewString(bucket)}, value.Member{Name: "revision", Value: value.NewNumber(int64(revision))})
	shown := value.NewMap(make([]value.Member, 0, len(whole.Members)+1)...)
	for _, m := range whole.Members {
		if m.Name != "status" {
			shown.Members = append(shown.Members, m)
		}
	}
	shown.Members = append(shown.Members, value.Member{Name: "status", Value: status})
	return shown
}
