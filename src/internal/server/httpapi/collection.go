package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// createInCollection creates a document whose name its data gives.
func createInCollection(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	data, content, err := x.readDocument()
	if err != nil {
		return err
	}
	id, err := nameBelow(x.route.kind, x.resource, len(x.route.elements), data)
	if err != nil {
		return err
	}
	return x.create(store.Operation{ID: id, Data: data, Content: content})
}

// nameBelow completes the id of a collection, which has so many elements, with what the data says.
func nameBelow(kind *schema.Kind, under dovetail.ID, elements int, data *value.Value) (dovetail.ID, error) {
	var errs dovetail.Errors
	id := under
	for _, element := range kind.Elements[elements:] {
		name, err := manifest.NameIn(kind, element, data)
		switch {
		case err != nil:
			errs.Join(err)
		case name == nil:
			errs.Add(unnamed(kind, element, data))
		default:
			if why := dovetail.CheckValue(name.Text); why != "" {
				errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: name.At, Message: "the value of " + element + " " + why})
			}
			id = id.Child(element, name.Text)
		}
	}
	return id, errs.Err("the document is not named")
}

func unnamed(kind *schema.Kind, element string, data *value.Value) *dovetail.Error {
	paths := manifest.NamePaths(kind, element)
	at, empty := manifest.PlaceOfName(kind, element, data)
	message := "the body has no " + element
	if empty {
		message += ": " + strings.Join(paths[0], ".") + " is empty"
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message,
		Remedy: "give it as " + strings.Join(paths[0], ".") + " or as " + strings.Join(paths[1], ".")}
}

// listQuery reads the selectors.
func listQuery(p parameters, under dovetail.ID, kind string) (store.ListQuery, error) {
	q := store.ListQuery{Under: under, Kind: kind}
	var err error
	if text := p.text("labelSelector"); text != "" {
		if q.Labels, err = selector.ParseLabels(text); err != nil {
			return q, err
		}
	}
	if text := p.text("fieldSelector"); text != "" {
		q.Fields, err = selector.ParseFields(text)
	}
	return q, err
}

// listCollection answers the items: all of them as an array, or with limit or continue a page.
func listCollection(x *requestContext) error {
	p, err := x.parameters(x.withQueries("labelSelector", "fieldSelector", "limit", "continue", "view", "content", "watch")...)
	if err != nil {
		return err
	}
	write, err := x.itemWriter(p)
	if err != nil {
		return err
	}
	q, err := x.selection(p)
	if err != nil {
		return err
	}
	if p.has("limit") || p.has("continue") {
		return x.listPage(p, q, write)
	}
	if list := x.api.options.Profile.lister(x.route.kind); list != nil && !p.has("view") {
		return list(x, q)
	}
	return x.listAll(q, write)
}

// itemWriter appends one item of a list: its data, or with view=document its envelope.
type itemWriter func(dst []byte, doc *dovetail.Document) []byte

func (x *requestContext) itemWriter(p parameters) (itemWriter, error) {
	switch view := p.text("view"); view {
	case "":
		if p.has("content") {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "content has no effect on a list without a view", Remedy: "add view=document, or leave it out"}
		}
		return x.api.options.Profile.writeData, nil
	case viewDocument:
		content, err := p.flag("content")
		return func(dst []byte, doc *dovetail.Document) []byte { return appendEnvelope(dst, doc, content) }, err
	default:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a collection has no view \"" + view + "\"", Remedy: "use view=document, or none"}
	}
}

// checkParent tells an empty collection from one below a document that does not exist.
func (x *requestContext) checkParent() error {
	if x.route.kind == nil {
		return nil
	}
	parent := concreteParent(x.route.kind)
	if parent == nil {
		return nil
	}
	n := len(parent.Elements)
	key := x.resource.Key()
	if len(key) < n {
		return nil
	}
	_, err := x.store.Get(x.ctx, key[:n].ID())
	return err
}

// concreteParent returns the nearest ancestor that has documents of its own, nil at the top.
func concreteParent(kind *schema.Kind) *schema.Kind {
	parent := kind.Parent
	for parent != nil && parent.Abstract {
		parent = parent.Parent
	}
	return parent
}

// chunk is how many documents are read at a time for a whole list.
const chunk = 1000

// pageBytes is how much memory the documents of a page take, unless it is one document: pages of large documents are short.
func (l Limits) pageBytes() int64 {
	const usual, share = 8 << 20, 16
	return min(usual, l.Bodies/share)
}

// listAll streams the whole list as one array. Once it has begun an error can only break it off.
func (x *requestContext) listAll(s *selection, write itemWriter) error {
	then, err := x.store.Pin(x.ctx)
	if err != nil {
		return err
	}
	x.read(then)
	q, err := s.list(x)
	if err != nil {
		return err
	}
	q.Limit, q.Bytes = chunk, x.api.limits.pageBytes()
	page, err := x.list(q)
	if err != nil {
		return err
	}
	if page.Next == "" {
		return x.listOne(page, write)
	}
	x.contentType()
	defer x.stream()()
	for first := true; ; first = false {
		text, err := x.partOfList(page, first, write)
		if err != nil {
			return err
		}
		x.reading.mustHold(int64(len(text)))
		if err := x.send(text); err != nil || page.Next == "" {
			return err
		}
		x.reading.free()
		q.After = page.Next
		x.level = x.api.hard // what is read as a whole must not be in the way of short requests
		if err := x.resume(); err != nil {
			return err
		}
		if page, err = x.list(q); err != nil {
			return err
		}
	}
}

// listOne answers a list that is one page.
func (x *requestContext) listOne(page *store.Page, write itemWriter) error {
	if len(page.Documents) == 0 {
		if err := x.checkParent(); err != nil {
			return err
		}
	}
	return x.answer(http.StatusOK, append(appendItems([]byte{'['}, page.Documents, write), ']'))
}

// partOfList writes one page of the array of all. In YAML the lists of the pages just follow each other.
func (x *requestContext) partOfList(page *store.Page, first bool, write itemWriter) ([]byte, error) {
	open, isYAML := byte('['), x.format == formatYAML
	if !first && !isYAML {
		open = ','
	}
	var text []byte
	if len(page.Documents) > 0 {
		text = appendItems([]byte{open}, page.Documents, write)
		if isYAML {
			return x.formatted(append(text, ']'))
		}
	}
	if page.Next == "" && !isYAML {
		text = append(text, ']')
	}
	return text, nil
}

// appendItems appends the items with commas between them.
func appendItems(dst []byte, documents []*dovetail.Document, write itemWriter) []byte {
	size := 1
	for _, doc := range documents {
		size += len(doc.Data) + len(doc.Status) + len(`,"status":,`)
	}
	dst = slices.Grow(dst, size)
	for i, doc := range documents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(dst, doc)
	}
	return dst
}
