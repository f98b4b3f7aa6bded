package layering

import (
	"cmp"
	"slices"

	"github.com/dovetail-store/dovetail/src/internal/secret/keyring"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// specs writes what is stored of entries beside their documents.
type specs struct {
	site  *site
	index index
	// What was written: many documents have the same policy and parent, and came with the same revision.
	known map[referenceKey]*value.Value
	since map[int]*value.Value
}

// referenceKey is what the text of a reference depends on.
type referenceKey struct {
	to                   rendering.ID
	sameBucket, sameKind bool
}

func newSpecs(s *site, x index) *specs {
	return &specs{site: s, index: x, known: make(map[referenceKey]*value.Value), since: make(map[int]*value.Value)}
}

// sameLinks reports whether an entry that did not change surely has the spec that it had, without making it: what it refers to is
// the same, in the same buckets.
func sameLinks(was, is *specs, e entry) bool {
	old, now := was.site.links.Links(was.site.documents[e.content]), is.site.links.Links(is.site.documents[e.content])
	same := func(a, b *rendering.Document) bool {
		if a == nil || b == nil {
			return a == b
		}
		return a.ID == b.ID && was.index[a.ID].bucket == is.index[b.ID].bucket
	}
	return same(old.Policy, now.Policy) && same(old.Parent, now.Parent) && same(old.Replaces, now.Replaces) && slices.EqualFunc(old.Sources, now.Sources, same)
}

// of is the spec of an entry: the content's name, the revision it came with, and the documents that rendering it
// reads, as references of the store.
func (w *specs) of(e entry) *value.Value {
	since := w.since[e.since]
	if since == nil {
		since = value.NewNumber(int64(e.since))
		w.since[e.since] = since
	}
	members := []value.Member{{Name: keyring.MemberContent, Value: value.NewString(e.content)}, {Name: "since", Value: since}}
	links := w.site.links.Links(w.site.documents[e.content])
	for _, link := range []struct {
		name string
		to   *rendering.Document
	}{{"policy", links.Policy}, {"parent", links.Parent}, {"replaces", links.Replaces}} {
		if link.to != nil && link.to.ID != e.id {
			members = append(members, value.Member{Name: link.name, Value: w.reference(link.to.ID, e)})
		}
	}
	var sources []*value.Value
	for _, source := range links.Sources {
		if source.ID != e.id {
			sources = append(sources, w.reference(source.ID, e))
		}
	}
	if len(sources) > 0 {
		members = append(members, value.Member{Name: "sources", Value: value.NewList(sources...)})
	}
	return value.NewMap(slices.Clone(members)...) // without spare room, since there are many
}

// reference writes a reference as the ref-schema reads it: elements of the key that are those of the referring
// document are left out.
func (w *specs) reference(id rendering.ID, from entry) *value.Value {
	to := w.index[id]
	key := referenceKey{id, to.bucket == from.bucket, id.Schema == from.id.Schema}
	if known := w.known[key]; known != nil {
		return known
	}
	ref := value.NewMap()
	if !key.sameBucket {
		ref.Set(elementBucket, value.NewString(to.bucket))
	}
	if !key.sameKind {
		ref.Set(elementSchema, value.NewString(id.Schema))
	}
	ref.Set(elementLayer, value.NewString(cmp.Or(id.Layer, noLayer)))
	ref.Set(elementDocument, value.NewString(id.Name))
	w.known[key] = ref
	return ref
}
