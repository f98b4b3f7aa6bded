package layering

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// The states of a bucket in a diff.
const (
	bucketCreated    = "created"
	bucketDeleted    = "deleted"
	bucketModified   = "modified"
	bucketUnmodified = "unmodified"
)

// between orders two revisions: a diff goes from the older to the newer, whichever is named first.
func (r *Revisions) between(ctx context.Context, a, b int) (older, newer *Revision, err error) {
	if older, err = r.Revision(ctx, min(a, b)); err != nil {
		return nil, nil, err
	}
	newer, err = r.Revision(ctx, max(a, b))
	return older, newer, err
}

// states compares the buckets of two revisions.
func states(older, newer *Revision) map[string]string {
	result := make(map[string]string)
	of := func(r *Revision, bucket string) index {
		part := make(index)
		for id, e := range r.index {
			if e.bucket == bucket {
				part[id] = e
			}
		}
		return part
	}
	for _, bucket := range slices.Concat(older.Buckets(), newer.Buckets()) {
		was, is := of(older, bucket), of(newer, bucket)
		switch {
		case len(was) == 0:
			result[bucket] = bucketCreated
		case len(is) == 0:
			result[bucket] = bucketDeleted
		case was.same(is):
			result[bucket] = bucketUnmodified
		default:
			result[bucket] = bucketModified
		}
	}
	return result
}

// Diff returns the change of each bucket from the older to the newer of two revisions, as far as the principal of the
// context may read documents of it.
func (r *Revisions) Diff(ctx context.Context, a, b int) (*value.Value, error) {
	older, newer, err := r.between(ctx, a, b)
	if err != nil {
		return nil, err
	}
	sc := r.scope(ctx)
	return statesValue(states(sc.visible(older), sc.visible(newer))), nil
}

func statesValue(states map[string]string) *value.Value {
	body := value.NewMap()
	for _, bucket := range sortedKeys(states) {
		body.Members = append(body.Members, value.Member{Name: bucket, Value: value.NewString(states[bucket])})
	}
	return body
}

// DeepDiff is Diff with the changes of the rendered documents of each modified bucket. Of a secret it shows only
// that it differs. Errors are those of rendering.
func (r *Revisions) DeepDiff(ctx context.Context, a, b int) (*value.Value, error) {
	if r.deckhand() {
		return r.deckhandDeepDiff(ctx, a, b)
	}
	older, newer, err := r.between(ctx, a, b)
	if err != nil {
		return nil, err
	}
	sc := r.scope(ctx)
	compare := func(was, is chosen) *value.Value { return documentDiff(was, is, sc.secrets) }
	buckets := states(sc.visible(older), sc.visible(newer))
	body := statesValue(buckets)
	var was, is map[string]map[[2]string]chosen
	for _, bucket := range sortedKeys(buckets) {
		if buckets[bucket] != bucketModified {
			continue
		}
		if was == nil {
			if was, err = r.byBucket(ctx, sc, older); err != nil {
				return nil, err
			}
			if is, err = r.byBucket(ctx, sc, newer); err != nil {
				return nil, err
			}
		}
		body.Members = append(body.Members, value.Member{Name: bucket + " diff", Value: bucketDiff(was[bucket], is[bucket], compare)})
	}
	return body, nil
}

// byBucket renders a revision and returns its documents by bucket, schema and name.
func (r *Revisions) byBucket(ctx context.Context, sc scope, of *Revision) (map[string]map[[2]string]chosen, error) {
	all, err := r.rendered(ctx, sc, of)
	if err != nil {
		return nil, err
	}
	buckets := make(map[string]map[[2]string]chosen)
	for _, c := range all {
		if buckets[c.Bucket] == nil {
			buckets[c.Bucket] = make(map[[2]string]chosen)
		}
		buckets[c.Bucket][[2]string{c.Schema, c.Name}] = c
	}
	return buckets, nil
}

// bucketDiff compares the rendered documents of a bucket.
func bucketDiff(was, is map[[2]string]chosen, compare func(was, is chosen) *value.Value) *value.Value {
	var added, gone []*value.Value
	changed := value.NewMap()
	for _, name := range sortedNames(was, is) {
		old, had := was[name]
		now, has := is[name]
		pair := value.NewList(value.NewString(name[0]), value.NewString(name[1]))
		switch {
		case !had:
			added = append(added, pair)
		case !has:
			gone = append(gone, pair)
		default:
			if d := compare(old, now); d != nil {
				changed.Members = append(changed.Members, value.Member{Name: fmt.Sprintf("('%s', '%s')", name[0], name[1]), Value: d})
			}
		}
	}
	result := value.NewMap()
	note := func(name string, n int, details *value.Value) {
		if n > 0 {
			result.Set(name, value.NewMap(value.Member{Name: "count", Value: value.NewNumber(int64(n))}, value.Member{Name: "details", Value: details}))
		}
	}
	note("document_added", len(added), value.NewList(added...))
	note("document_deleted", len(gone), value.NewList(gone...))
	note("document_changed", len(changed.Members), changed)
	return result
}

// documentDiff compares data and metadata of one rendered document; nil when they are equal. Without secrets what is hidden
// is compared as it is shown, so that the answer does not tell whether a secret is equal to a known value.
func documentDiff(was, is chosen, secrets bool) *value.Value {
	old, now := was.data(secrets), is.data(secrets)
	sameData, sameMetadata := value.Equal(old.Get("data"), now.Get("data")), value.Equal(old.Get("metadata"), now.Get("metadata"))
	if !secrets && (was.Encrypted || is.Encrypted) {
		sameData = was.content == is.content
	}
	if sameData && sameMetadata {
		return nil
	}
	data := value.NewMap()
	if !sameData {
		data = deepDiff(was.data(false).Get("data"), is.data(false).Get("data"))
		if was.Encrypted || is.Encrypted {
			data = value.NewMap(value.Member{Name: "encrypted", Value: value.NewBool(true)})
		}
	}
	return value.NewMap(value.Member{Name: "data_changed", Value: data},
		value.Member{Name: "metadata_changed", Value: deepDiff(old.Get("metadata"), now.Get("metadata"))})
}

func sortedNames(a, b map[[2]string]chosen) [][2]string {
	var names [][2]string
	for _, m := range []map[[2]string]chosen{a, b} {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y [2]string) int { return strings.Compare(x[0]+"\x00"+x[1], y[0]+"\x00"+y[1]) })
	return slices.Compact(names)
}

// changesValue shows how rendering would change.
func changesValue(changes []rendering.Difference) *value.Value {
	list := value.NewList()
	for _, c := range changes {
		m := value.NewMap(value.Member{Name: "schema", Value: value.NewString(c.Document.Schema)},
			value.Member{Name: "name", Value: value.NewString(c.Document.Name)},
			value.Member{Name: "change", Value: value.NewString(string(c.Change))})
		if c.Document.Layer != "" {
			m.Set("layer", value.NewString(c.Document.Layer))
		}
		values := value.NewList()
		for _, v := range c.Values {
			shown := value.NewMap(value.Member{Name: "path", Value: value.NewString(v.Path)})
			if v.Old != nil {
				shown.Set("old", v.Old)
			}
			if v.New != nil {
				shown.Set("new", v.New)
			}
			values.Items = append(values.Items, shown)
		}
		if len(values.Items) > 0 {
			m.Set("values", values)
		}
		list.Items = append(list.Items, m)
	}
	return list
}
