package emcostore

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
)

// address says what a call is about: a collection, and the elements of a key.
type address struct {
	collection string
	elements   map[string]string
}

// addressOf reads the parameters of a call, none of which may be missing.
func addressOf(collection string, key any, tags ...string) (address, error) {
	elements, err := elementsOf(key)
	switch {
	case err != nil:
		return address{}, fmt.Errorf("the key %T cannot be read: %w", key, err)
	case collection == "":
		return address{}, errors.New("mandatory fields are missing: the collection")
	case len(elements) == 0:
		return address{}, errors.New("mandatory fields are missing: the key")
	case slices.Contains(tags, ""):
		return address{}, errors.New("mandatory fields are missing: the tag")
	}
	return address{collection, elements}, nil
}

// elementsOf reads a key or a query: anything that is an object of texts in JSON. Nil has no elements.
func elementsOf(key any) (elements map[string]string, err error) {
	text, err := json.Marshal(key)
	if err == nil {
		err = json.Unmarshal(text, &elements)
	}
	return elements, err
}

func (a address) names() []string { return slices.Sorted(maps.Keys(a.elements)) }

// complete reports whether every element has a value.
func (a address) complete() bool {
	return !slices.Contains(slices.Collect(maps.Values(a.elements)), "")
}

// keyID is the keyId as EMCO stores it.
func (a address) keyID() string { return "{" + strings.Join(a.names(), ",") + "}" }

// within reports whether a document with these members is selected by the values of the address.
func (a address) within(members func(name string) string) bool {
	for name, text := range a.elements {
		if text != "" && members(name) != text {
			return false
		}
	}
	return true
}

// String names the address in messages.
func (a address) String() string {
	key, _ := json.Marshal(a.elements) // texts can always be written
	return fmt.Sprintf("%s in the collection %q", key, a.collection)
}

// kind is that of the resource with exactly the elements of the address; nil where it is the key of a record.
func (d *database) kind(a address) *schema.Kind {
	if a.collection != emco.Collection {
		return nil
	}
	return d.kinds[dovetail.KeyIDOf(a.names())]
}

// resource returns the kind and the id of the resource at an address, nil where it is that of a record.
func (d *database) resource(a address) (*schema.Kind, dovetail.ID, error) {
	kind := d.kind(a)
	if kind == nil || !a.complete() {
		return nil, "", nil
	}
	id, err := emco.IDOf(kind, a.elements)
	return kind, id, err
}
