package sealing

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// policy is what of the data of a kind is sealed. Status and files always are.
type policy struct {
	name  string // says the same as the rest, in one word
	whole bool
	paths []string // JSON Pointers
}

// everything is the policy of kinds that are sensitive as a whole.
var everything = policy{name: "whole", whole: true}

// policies are those of sensitive kinds.
type policies struct {
	byKind map[string]policy
	others *policy // of the kinds that are not named; nil if there is none
	model  *schema.Model
}

// storeOnly are the policies of a store whose model is not known yet: of its own documents that hold data of others.
func storeOnly() *policies {
	return &policies{byKind: map[string]policy{store.IdempotencyKind: everything, store.ClaimKeyKind: everything}}
}

// policiesOf returns those of a model.
func policiesOf(model *schema.Model) *policies {
	all := storeOnly()
	all.model = model
	for _, kind := range model.Kinds() {
		switch s := kind.Sensitive; {
		case s.Whole:
			all.byKind[kind.Name] = everything
		case s.Any():
			all.byKind[kind.Name] = newPolicy(s.Places())
		}
	}
	return all
}

// of returns the policy of a kind, and whether it is sensitive.
func (p *policies) of(kind string) (policy, bool) {
	if found, sensitive := p.byKind[kind]; sensitive {
		return found, true
	}
	if p.others != nil {
		return *p.others, true
	}
	return policy{}, false
}

// isPublic reports whether a kind is known, and has nothing sensitive.
func (p *policies) isPublic(kind string) bool {
	if p.model == nil {
		return false
	}
	found, known := p.model.Kind(kind)
	return known && !found.Sensitive.Any()
}

// newPolicy returns the policy of JSON Pointers.
func newPolicy(pointers []string) policy {
	return policy{name: strings.Join(pointers, " "), paths: pointers}
}

// kinds are those of users, sorted.
func (p *policies) kinds() []string {
	var names []string
	for name := range p.byKind {
		if !store.IsInternal(dovetail.ID(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// place is a value with its JSON Pointer.
type place struct {
	at   string
	text []byte
}

func pointers(places []place) []string {
	var all []string
	for _, p := range places {
		all = append(all, p.at)
	}
	return all
}

// take takes the values of the policy out of data: it returns them in order, and the data with null in their
// places. The latter is nil where the data cannot be taken apart and put together again byte for byte.
func (p policy) take(data []byte) ([]place, json.RawMessage) {
	v, err := value.ParseStored(data, nil)
	if err != nil || v.Kind != value.Map || !bytes.Equal(v.JSON(), data) {
		return nil, nil
	}
	var found []place
	for _, at := range p.paths {
		if inner, is := v.Find(at); is && inner.Kind != value.Null { // null hides nothing
			found = append(found, place{at: at, text: inner.JSON()})
			*inner = *value.NullValue()
		}
	}
	return found, v.JSON()
}

// putBack undoes take, the last value first.
func putBack(plain []byte, ats []string, texts [][]byte) (json.RawMessage, error) {
	if len(ats) == 1 && ats[0] == "" {
		if len(texts[0]) == 0 {
			return nil, nil
		}
		return texts[0], nil
	}
	v, err := value.ParseStored(plain, nil)
	if err != nil {
		return nil, err
	}
	for i := len(ats) - 1; i >= 0; i-- {
		at, found := v.Find(ats[i])
		if !found {
			return nil, errPlaceGone
		}
		inner, err := value.ParseStored(texts[i], nil)
		if err != nil {
			return nil, err
		}
		*at = *inner
	}
	return v.JSON(), nil
}
