package emcoapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// API is where EMCO's services answer.
type API struct {
	HTTP *http.Client
	// Base is the URL of the API, without /v2, and Services are those of services that answer elsewhere, by the names that the ref-schema
	// gives them, such as "dcm".
	Base     string
	Services map[string]string
}

// Reader takes what is found.
type Reader struct {
	Item    func(emco.Item) error
	Finding func(store.Finding)
}

// Read reads everything that the API lists. What it does not list, does not serve or does not answer is a finding, and the rest is read.
//
// Errors: where no request is answered, that of the first one, CodeUnavailable, or CodeInvalid for an answer that cannot be read; those of Item, and the
// codes of an ended context.
func (a *API) Read(ctx context.Context, model *schema.Model, to Reader) error {
	w := &walk{API: a, to: to, children: make(map[*schema.Kind][]*schema.Kind), silent: make(map[string]bool)}
	for _, kind := range model.Kinds() {
		if kind.Parent != nil {
			w.children[kind.Parent] = append(w.children[kind.Parent], kind)
		}
	}
	for _, kind := range model.Kinds() {
		for i := range kind.Routes() {
			if route := &kind.Routes()[i]; !kind.Abstract && !strings.Contains(route.Path, "{") {
				if err := w.collection(ctx, route, nil); err != nil {
					return err
				}
			}
		}
	}
	if !w.answered {
		return w.failure
	}
	return nil
}

// walk is a reading under way.
type walk struct {
	*API
	to       Reader
	children map[*schema.Kind][]*schema.Kind
	silent   map[string]bool // kinds of which it was reported that they are not served
	answered bool            // a request was
	failure  error           // of the first request that was not
}

// unanswered reports what is not migrated since a request for it was not answered. Its error is that of an ended context.
func (w *walk) unanswered(ctx context.Context, id dovetail.ID, what string, failure error) error {
	if err := ctx.Err(); err != nil {
		return dovetail.AsError(err)
	}
	w.failure = cmp.Or(w.failure, failure)
	w.to.Finding(store.Finding{Problem: emco.NotMigrated, ID: id, Message: what + ": " + failure.Error()})
	return nil
}

// collection reads the documents of a collection, and what is below them.
func (w *walk) collection(ctx context.Context, route *schema.Route, key dovetail.Key) error {
	kind := route.Kind
	list, found, err := w.get(ctx, kind, filled(route.Path, key))
	if err != nil {
		return w.unanswered(ctx, key.ID(), "what is of kind "+kind.Name+under(key)+" is not migrated", err)
	}
	w.answered = true
	switch {
	case !found:
		if !w.silent[kind.Name] {
			w.silent[kind.Name] = true
			w.to.Finding(store.Finding{Problem: emco.NotMigrated, Message: fmt.Sprintf("nothing of kind %s is migrated: GET %s answers 404; its service may answer elsewhere (--service), or not run", kind.Name, filled(route.Path, key))})
		}
		return nil
	case list.Kind == value.Null:
		return nil
	case list.Kind != value.List:
		w.to.Finding(store.Finding{Problem: emco.NotMigrated, ID: key.ID(), Message: fmt.Sprintf("what is of kind %s%s is not migrated: GET %s does not say what they are called; take them from the database", kind.Name, under(key), filled(route.Path, key))})
		return nil
	}
	for _, data := range list.Items {
		if err := w.item(ctx, route, key, data); err != nil {
			return err
		}
	}
	return nil
}

// item reads a document of a collection, and what is below it.
func (w *walk) item(ctx context.Context, route *schema.Route, above dovetail.Key, data *value.Value) error {
	kind := route.Kind
	id := above.ID()
	for _, element := range kind.Elements[len(above):] {
		text := route.Fixed[element]
		if text == "" {
			if name, err := manifest.NameIn(kind, element, data); err == nil && name != nil {
				text = name.Text
			}
			if text == "" || dovetail.CheckValue(text) != "" {
				w.to.Finding(store.Finding{Problem: emco.Unreadable, ID: above.ID(), Message: fmt.Sprintf("a %s of GET %s has no usable %s: %s", kind.Name, filled(route.Path, above), element, data.JSON())})
				return nil
			}
		}
		id = id.Child(element, text)
	}
	key := id.Key()
	item := emco.Item{Kind: kind, ID: id, Data: data}
	path := filled(route.Item, key)
	var err error
	if len(kind.Content) > 0 {
		if item.Files, err = w.files(ctx, kind, path); err != nil {
			if err := w.unanswered(ctx, id, "the content of "+string(id)+", which can be uploaded later, is not migrated", err); err != nil {
				return err
			}
		}
	}
	if kind.Lifecycle != nil {
		status, found, err := w.get(ctx, kind, path+"/status")
		switch {
		case err != nil:
			if err := w.unanswered(ctx, id, "the state of "+string(id)+", which becomes "+kind.Lifecycle.Initial+", is not migrated", err); err != nil {
				return err
			}
		case found && status.Kind == value.Map:
			item.States = status.Get("states")
		}
		if item.States == nil && err == nil {
			w.to.Finding(store.Finding{Problem: emco.NotMigrated, ID: id, Message: fmt.Sprintf("the state of %s is not migrated: GET %s/status does not say it; it becomes %s", id, path, kind.Lifecycle.Initial)})
		}
	}
	if err := w.to.Item(item); err != nil {
		return err
	}
	for _, child := range w.children[kind] {
		for i := range child.Routes() {
			below := &child.Routes()[i]
			if rest, is := strings.CutPrefix(below.Path, route.Item+"/"); is && !strings.Contains(rest, "{") && !child.Abstract {
				if err := w.collection(ctx, below, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// under says in a message where a collection is; "" for one at the top.
func under(key dovetail.Key) string {
	if len(key) == 0 {
		return ""
	}
	return " below " + string(key.ID())
}

// filled puts the elements of a key into a template.
func filled(template string, key dovetail.Key) string {
	for _, e := range key {
		template = strings.ReplaceAll(template, "{"+e.Name+"}", url.PathEscape(e.Value))
	}
	return template
}
