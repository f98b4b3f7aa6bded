package kubeapi

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

type handler = func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error)

// item is the document that a path names.
func (a *API) item(call *httpapi.Request) (*resource, dovetail.ID, error) {
	r, err := a.catalog().resource(call.Path["group"], call.Path["version"], call.Path["resource"])
	if err != nil {
		return nil, "", err
	}
	namespace, inNamespace := call.Path["namespace"]
	if inNamespace != r.namespaced() {
		err := &dovetail.Error{Code: dovetail.CodeNotFound, Message: r.plural + " are in namespaces", Remedy: "name one with -n"}
		if inNamespace {
			err.Message, err.Remedy = r.plural+" are not in namespaces", "leave the namespace out"
		}
		return nil, "", err
	}
	id, err := r.id(namespace, call.Path["name"])
	return r, id, err
}

func (a *API) get(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r, id, err := a.item(call)
	if err != nil {
		return nil, err
	}
	doc, err := a.store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.shown(call, r, doc, http.StatusOK)
}

// shown answers a document.
func (a *API) shown(call *httpapi.Request, r *resource, doc *dovetail.Document, status int) (*httpapi.Response, error) {
	text, err := a.shapeOf(call.Header, call.Query.Get(paramObject)).one(r, doc)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Status: status, Text: &httpapi.Text{MediaType: mediaJSON, Data: text}}, nil
}

// list answers a list, a page of it, or a watch.
func (a *API) list(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	s, err := a.selection(call)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{paramWatch, paramBookmarks, paramInitial} {
		if text := call.Query.Get(name); text != "" && text != "false" && text != "0" && !isTrue(text) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: name + " is " + strconv.Quote(text) + ", which is neither true nor false", Remedy: "write " + name + "=true"}
		}
	}
	if watches(call.Query) {
		return a.watch(ctx, call, s)
	}
	token, err := parseToken(call.Query.Get("continue"))
	if err != nil {
		return nil, err
	}
	limit, err := number(call, paramLimit, "items")
	if err != nil {
		return nil, err
	}
	then, err := a.listedAt(ctx, call, token)
	if err != nil {
		return nil, err
	}
	documents, next, err := s.list(ctx, then, token.After, limit)
	if err != nil {
		return nil, err
	}
	shape := a.shapeOf(call.Header, call.Query.Get(paramObject))
	var warnings []string
	if len(documents) == 0 && token.After == "" && (s.nowhere == "" || shape.table) { // programs ask in all namespaces that they know of
		switch lacks, err := s.lacksNamespace(ctx, then); {
		case err != nil:
			return nil, err
		case lacks != "":
			warnings = []string{lacks}
		}
	}
	meta := metav1.ListMeta{ResourceVersion: versionAt(then.Position())}
	if next != "" {
		meta.Continue = pageToken{next, then.Position()}.String()
	}
	text, err := shape.list(s.resource, meta, documents)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Text: &httpapi.Text{MediaType: mediaJSON, Data: text}, Warnings: warnings}, nil
}

// listedAt returns the store as of the page before, as of exactly the resourceVersion that is asked for, or as of now, which is not older
// than any.
func (a *API) listedAt(ctx context.Context, call *httpapi.Request, token pageToken) (*store.Store, error) {
	version := call.Query.Get(paramVersion)
	switch match := metav1.ResourceVersionMatch(call.Query.Get(paramMatch)); {
	case match == "":
	case match != metav1.ResourceVersionMatchExact && match != metav1.ResourceVersionMatchNotOlderThan:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: paramMatch + " is " + strconv.Quote(string(match)), Remedy: "write Exact or NotOlderThan"}
	case version == "" || token.After != "":
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: paramMatch + " is without the " + paramVersion + " of a first page", Remedy: "give both, or leave it out"}
	case match == metav1.ResourceVersionMatchExact:
		at, isPosition := position(version)
		if !isPosition {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the resourceVersion " + strconv.Quote(version) + " is not that of a list", Remedy: "give that of a list, or leave out " + paramMatch}
		}
		then, err := a.store.At(ctx, at)
		if code := dovetail.CodeOf(err); code == dovetail.CodeInvalid || code == dovetail.CodeExpired {
			err = &dovetail.Error{Code: dovetail.CodeExpired, Message: "the list of the resourceVersion " + strconv.Quote(version) + " is not there any more", Remedy: "leave out " + paramMatch, Err: err}
		}
		return then, err
	}
	return a.store.At(ctx, token.Position)
}

// number reads a parameter that is a number of something, 0 if it is not given.
func number(call *httpapi.Request, name, of string) (int, error) {
	text := call.Query.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &dovetail.Error{Code: dovetail.CodeInvalid, Message: name + " is \"" + text + "\", which is no number of " + of, Remedy: "write a number"}
	}
	return n, nil
}

// seconds reads how long a request may take, 0 if that is not given.
func seconds(call *httpapi.Request) (time.Duration, error) {
	const most = int64(math.MaxInt64 / time.Second)
	n, err := number(call, paramSeconds, "seconds")
	if err == nil && int64(n) > most {
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("%s is %d, which is too long", paramSeconds, n), Remedy: fmt.Sprintf("write a number up to %d", most)}
	}
	return time.Duration(n) * time.Second, err
}

// chunk is how many documents are read at a time.
const chunk = 500

// all reads a list, of at most this many documents if the limit is not 0; next is where it goes on.
func all(ctx context.Context, from *store.Store, q store.ListQuery, limit int) (documents []*dovetail.Document, next dovetail.ID, err error) {
	for {
		if q.Limit = chunk; limit > 0 {
			q.Limit = min(chunk, limit-len(documents))
		}
		page, err := from.List(ctx, q)
		if err != nil {
			return nil, "", err
		}
		documents = append(documents, page.Documents...)
		if page.Next == "" || limit > 0 && len(documents) == limit {
			return documents, page.Next, nil
		}
		q.After = page.Next
	}
}

// lacksNamespace tells an empty namespace from one that does not exist: why there can be nothing in it, "" if there can.
func (s *selection) lacksNamespace(ctx context.Context, from *store.Store) (string, error) {
	if s.nowhere != "" {
		return s.nowhere, nil
	}
	parent := s.of.Parent
	for parent != nil && parent.Abstract {
		parent = parent.Parent
	}
	if s.under == "" || parent == nil {
		return "", nil
	}
	id := s.under.Key()[:len(parent.Elements)].ID()
	if !from.MayWithin(ctx, store.Scope{Right: dovetail.RightRead, ID: id}) { // who may read in it need not be able to read the parent
		return "", from.Admit(ctx, store.Scope{Right: dovetail.RightRead, Kinds: []string{s.of.Name}, ID: s.under})
	}
	_, err := from.Get(ctx, id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return "there is no namespace \"" + s.namespace + "\", for which " + string(s.under) + " would have to exist: name another one with -n, or all with -A", nil
	}
	return "", err
}

// parents are the kinds below whose documents there may be others: their documents are namespaces.
func (c *catalog) parents() []*schema.Kind {
	var kinds []*schema.Kind
	for _, kind := range c.model.Kinds() {
		if len(kind.Children) > 0 && !kind.Abstract {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (a *API) listNamespaces(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	then, err := a.store.At(ctx, "")
	if err != nil {
		return nil, err
	}
	list := namespaceList{TypeMeta: metav1.TypeMeta{Kind: "NamespaceList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: versionAt(then.Position())}, Items: []namespace{}}
	seen := make(map[string]bool)
	for _, kind := range a.catalog().parents() {
		documents, _, err := all(ctx, then, store.ListQuery{Kind: kind.Name}, 0)
		if err != nil {
			return nil, err
		}
		for _, doc := range documents {
			if n := namespaceOf(doc); !seen[n.Name] {
				seen[n.Name] = true
				list.Items = append(list.Items, n)
			}
		}
	}
	if s := a.shapeOf(call.Header, ""); s.table {
		return reply(http.StatusOK, s.namespaces(list)), nil
	}
	return reply(http.StatusOK, list), nil
}

func (a *API) getNamespace(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	name := call.Path["namespace"]
	values, err := splitSegment(name)
	if err != nil {
		return nil, err
	}
	for _, kind := range a.catalog().parents() {
		if len(kind.Elements) != len(values) {
			continue
		}
		id := dovetail.ID("")
		for i, element := range kind.Elements {
			id = id.Child(element, values[i])
		}
		doc, err := a.store.Get(ctx, id)
		switch {
		case err == nil:
			n := namespaceOf(doc)
			n.TypeMeta = metav1.TypeMeta{Kind: "Namespace", APIVersion: "v1"}
			if s := a.shapeOf(call.Header, ""); s.table {
				return reply(http.StatusOK, s.namespaces(namespaceList{Items: []namespace{n}})), nil
			}
			return reply(http.StatusOK, n), nil
		case dovetail.CodeOf(err) != dovetail.CodeNotFound:
			return nil, err
		}
	}
	return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no namespace \"" + name + "\"", Remedy: "kubectl get namespaces lists them"}
}

// namespace is a document with others below it, as a Namespace.
type namespace struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

type namespaceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []namespace `json:"items"`
}

func namespaceOf(doc *dovetail.Document) namespace {
	var values []string
	for _, e := range doc.Key() {
		values = append(values, e.Value)
	}
	n := namespace{ObjectMeta: metav1.ObjectMeta{Name: joinSegment(values), UID: "", ResourceVersion: doc.ETag().Version(), CreationTimestamp: metav1.NewTime(doc.Created)}}
	n.Status.Phase = "Active"
	return n
}

func (s shape) namespaces(list namespaceList) metav1.Table {
	t := metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: metaVersion}, ListMeta: list.ListMeta, Rows: []metav1.TableRow{},
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name", Type: "string", Format: "name"}, {Name: "Status", Type: "string"}, {Name: "Age", Type: "string"}}}
	for _, n := range list.Items {
		row := metav1.TableRow{Cells: []any{n.Name, n.Status.Phase, schema.Age(s.now.Sub(n.CreationTimestamp.Time))}}
		n.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: metaVersion}
		row.Object.Raw = encode(struct {
			metav1.TypeMeta   `json:",inline"`
			metav1.ObjectMeta `json:"metadata"`
		}{n.TypeMeta, n.ObjectMeta})
		t.Rows = append(t.Rows, row)
	}
	return t
}
