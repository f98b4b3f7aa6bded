package client

import (
	"context"
	"net/url"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// itemPath returns where the document is served. A model that does not know the id's kind may be an
// old one: it is read again once.
func (c *Client) itemPath(ctx context.Context, id dovetail.ID) (string, error) {
	model, err := c.known(ctx)
	if err != nil {
		return "", err
	}
	kind, err := model.KindOf(id)
	if err != nil {
		if model, err = c.Model(ctx); err != nil {
			return "", err
		}
		if kind, err = model.KindOf(id); err != nil {
			return "", err
		}
	}
	key := id.Key()
	for _, route := range kind.Routes() {
		if path, ok := fill(route.Item, route.Fixed, key); ok && !kind.Abstract {
			return api.Root + path, nil
		}
	}
	return "", &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " is served nowhere",
		Remedy: "its key has none of the values that the collections of " + kind.Name + " stand for"}
}

// collectionPath returns where the documents of a kind below an id are served, and whether it is one
// place.
func collectionPath(kind *schema.Kind, under dovetail.ID) (string, bool) {
	if kind.Abstract || len(kind.Routes()) != 1 || len(kind.Routes()[0].Fixed) > 0 {
		return "", false
	}
	key := under.Key()
	if len(key) != len(kind.Elements)-len(kind.Own) {
		return "", false
	}
	path, ok := fill(kind.Routes()[0].Path, nil, key)
	return api.Root + path, ok
}

// fill puts the values of a key into the places of a route. It does not fit when a place has no
// value, or the key another one than the route stands for.
func fill(template string, fixed map[string]string, key dovetail.Key) (string, bool) {
	for name, want := range fixed {
		if have, ok := key.Value(name); ok && have != want {
			return "", false
		}
	}
	segments := strings.Split(template, "/")
	for i, segment := range segments {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		value, ok := key.Value(strings.TrimSuffix(name, "}"))
		if !ok {
			return "", false
		}
		segments[i] = url.PathEscape(value)
	}
	return strings.Join(segments, "/"), true
}
