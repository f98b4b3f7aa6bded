package layering

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// raw returns the documents of a revision as they were put, in the order of documents, without those that
// the principal may not read.
func (r *Revisions) raw(ctx context.Context, sc scope, of *Revision) ([]chosen, error) {
	s, err := r.site(ctx, of)
	if err != nil {
		return nil, err
	}
	return s.raw(sc.visible(of)), nil
}

// made returns the documents of a revision as they were put, without those that are made of any that the principal may not
// read.
func (r *Revisions) made(ctx context.Context, sc scope, of *Revision) ([]chosen, error) {
	of, s, err := r.view(ctx, sc, of)
	if err != nil {
		return nil, err
	}
	return s.raw(of), nil
}

func (s *site) raw(of *Revision) []chosen {
	all := make([]chosen, 0, len(of.index))
	for _, e := range of.index.created() {
		d := s.documents[e.content]
		all = append(all, chosen{Raw: Raw{d, e.bucket, e.since}, content: e.content, data: func(cleartext bool) *value.Value { return wholeOf(d, cleartext) }})
	}
	return all
}

func wholeOf(d *rendering.Document, cleartext bool) *value.Value {
	if cleartext {
		return d.Value()
	}
	return d.Redacted()
}

// rendered returns the documents that rendering a revision gives, as made does those that were put. Errors are those of
// rendering.
func (r *Revisions) rendered(ctx context.Context, sc scope, of *Revision) ([]chosen, error) {
	of, s, err := r.view(ctx, sc, of)
	if err != nil {
		return nil, err
	}
	rendered, err := sc.render(ctx, s)
	if err != nil {
		return nil, err
	}
	all := make([]chosen, 0, len(rendered.Documents))
	for _, d := range rendered.Documents {
		e, is := of.index[d.ID]
		if !is {
			e = s.policy
		}
		all = append(all, chosen{rendered: d, Raw: Raw{d.Document, e.bucket, e.since}, content: e.content, data: func(cleartext bool) *value.Value {
			if cleartext {
				return d.Whole(d.Data())
			}
			return d.Whole(d.Redacted())
		}})
	}
	if r.deckhand() {
		at := make(map[rendering.ID]int, len(of.index))
		for i, id := range s.deckhandOrder(of.index) {
			at[id] = i
		}
		place := func(c chosen) int {
			if i, is := at[c.ID]; is {
				return i
			}
			return len(at) // the policy of another revision comes last
		}
		slices.SortStableFunc(all, func(a, b chosen) int { return place(a) - place(b) })
	}
	return all, nil
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
