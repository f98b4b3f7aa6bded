package layering

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// deckhandDeepDiff is DeepDiff as Deckhand does it: from the first revision to the second, whichever is older; the states of
// buckets are those of rendered documents; a document is changed when it was put otherwise, even if it is rendered the same; and
// what is made of secrets is compared by digests.
func (r *Revisions) deckhandDeepDiff(ctx context.Context, a, b int) (*value.Value, error) {
	from, err := r.Revision(ctx, a)
	if err != nil {
		return nil, err
	}
	to, err := r.Revision(ctx, b)
	if err != nil {
		return nil, err
	}
	sc := r.scope(ctx)
	var was, is map[string][]chosen
	if was, err = r.comparedByBucket(ctx, sc, from); err != nil {
		return nil, err
	}
	if is, err = r.comparedByBucket(ctx, sc, to); err != nil {
		return nil, err
	}
	states := make(map[string]string)
	diffs := value.NewMap()
	for _, bucket := range slices.Concat(sortedKeys(was), sortedKeys(is)) {
		_, had := was[bucket]
		_, has := is[bucket]
		switch {
		case had && has && slices.Equal(contentsOf(was[bucket]), contentsOf(is[bucket])):
			states[bucket] = bucketUnmodified
		case had && has:
			states[bucket] = bucketModified
			diffs.Set(bucket+" diff", bucketDiff(byName(was[bucket]), byName(is[bucket]), documentDigestDiff))
		case a == 0 || b == 0 || has == (a < b):
			states[bucket] = bucketCreated
		default:
			states[bucket] = bucketDeleted
		}
	}
	body := statesValue(states)
	body.Members = append(body.Members, diffs.Members...)
	return body, nil
}

// comparedByBucket are the documents of a revision that Deckhand compares, by bucket: those that it renders, and its
// ValidationPolicies.
func (r *Revisions) comparedByBucket(ctx context.Context, sc scope, of *Revision) (map[string][]chosen, error) {
	buckets := make(map[string][]chosen)
	if of.Number == 0 {
		return buckets, nil
	}
	all, err := r.rendered(ctx, sc, of)
	if err != nil {
		return nil, err
	}
	raw, err := r.raw(ctx, sc, of)
	if err != nil {
		return nil, err
	}
	all = append(all, slices.DeleteFunc(raw, func(c chosen) bool { return c.Schema != rendering.ValidationPolicySchema })...)
	for i := range all {
		r.options.shaped(&all[i], sc.secrets)
		buckets[all[i].Bucket] = append(buckets[all[i].Bucket], all[i])
	}
	return buckets, nil
}

// contentsOf are the names of what documents say as they were put, in order.
func contentsOf(all []chosen) []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.content
	}
	slices.Sort(names)
	return names
}

func byName(all []chosen) map[[2]string]chosen {
	named := make(map[[2]string]chosen, len(all))
	for _, c := range all {
		named[[2]string{c.Schema, c.Name}] = c
	}
	return named
}

// documentDigestDiff compares two rendered documents as Deckhand does; nil when they were put equally.
func documentDigestDiff(was, is chosen) *value.Value {
	if was.content == is.content {
		return nil
	}
	old, now := was.data(false), is.data(false)
	data := value.NewMap(value.Member{Name: "encrypted", Value: value.NewBool(true)})
	if is.rendered == nil || !is.rendered.Secret() {
		data = deepDiff(old.Get("data"), now.Get("data"))
	}
	return value.NewMap(value.Member{Name: "data_changed", Value: data},
		value.Member{Name: "metadata_changed", Value: deepDiff(old.Get("metadata"), now.Get("metadata"))})
}
