package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// A term stands for a value at a place of the data of a kind, or, for labels, for any value there: then it is what the terms of the
// values begin with. Terms are short digests: documents of different values may share one, so what an index finds is always held
// against the selector.

// labelsPointer is what the JSON Pointer of each label begins with.
const labelsPointer = "/metadata/labels/"

// termsOf returns the terms of a document, in order.
func termsOf(kind *schema.Kind, data *value.Value) []string {
	var terms []string
	for pointer, v := range kind.Indexed(data) {
		place := placeTerm(kind.Name, pointer)
		if isLabel(pointer) {
			terms = append(terms, place)
		}
		terms = append(terms, place+termDigest(v.Text))
	}
	for _, index := range kind.Indexes() {
		terms = append(terms, itemTerms(kind, index, data)...)
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// itemTerms returns the terms of the items of a list, by which it is found whatever their order.
func itemTerms(kind *schema.Kind, index schema.Path, data *value.Value) []string {
	var terms []string
	for pointer, item := range index.Items(data) {
		terms = append(terms, placeTerm(kind.Name, pointer+itemsPlace)+termDigest(item.Text))
	}
	return terms
}

// itemsPlace is what the place of the items of a list ends in, and in the state of indexes the name of an index that has them: one of a database
// from before there were such terms has the items by their positions alone.
const itemsPlace = "/[*]"

func isLabel(pointer string) bool { return strings.HasPrefix(pointer, labelsPointer) }

// placeTerm returns what the terms of a place begin with.
func placeTerm(kind, pointer string) string { return termDigest(kind + "\x00" + pointer) }

// termDigest is one of 48 bits, as eight characters.
func termDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// termsFor returns what documents must have that a list asks for, as Query.Terms takes it: by the indexes that are complete. None means
// that all documents are to be examined.
func (s *Store) termsFor(ctx context.Context, q ListQuery) ([][]string, error) {
	kind, known := s.Model().Kind(q.Kind)
	if !known || kind.Name != q.Kind || q.Labels.Empty() && q.Fields.Empty() {
		return nil, nil
	}
	var groups [][]string
	var ready func(name string) (bool, error)
	for _, need := range slices.Concat(q.Labels.Needs(), q.Fields.Needs()) {
		index, place := kind.IndexOf(need.Pointer), need.Pointer
		if need.Items {
			index, place = kind.ItemsIndexOf(need.Pointer), need.Pointer+itemsPlace
		}
		if index.IsZero() || len(need.Values) == 0 && !isLabel(need.Pointer) {
			continue
		}
		if ready == nil {
			state, err := s.readIndexes(ctx)
			if err != nil {
				return nil, err
			}
			ready = func(name string) (bool, error) { return s.indexReady(state, kind, name) }
		}
		name := index.String()
		if need.Items {
			name += itemsPlace
		}
		if complete, err := ready(name); err != nil || !complete {
			if err != nil {
				return nil, err
			}
			continue
		}
		begin, group := placeTerm(kind.Name, place), make([]string, 0, max(1, len(need.Values)))
		for _, text := range need.Values {
			group = append(group, begin+termDigest(text))
		}
		if len(need.Values) == 0 {
			group = append(group, begin)
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// indexReady reports whether an index has all documents of the position that the store reads.
func (s *Store) indexReady(state *indexes, kind *schema.Kind, name string) (bool, error) {
	since, complete := state.Ready[kind.Name][name]
	position := s.Position()
	if !complete || state.Model != s.Model().Hash() || position == "" || since == "" {
		return complete && state.Model == s.Model().Hash(), nil
	}
	order, err := s.backend.Compare(position, since)
	return order >= 0, err
}
