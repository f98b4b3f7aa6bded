package kubeapi

import (
	"context"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// selection is what a list or a watch is of.
type selection struct {
	*resource
	namespace string
	under     dovetail.ID // "" for all namespaces
	nowhere   string      // why nothing of the resource can be in the namespace, "" if it can
	labels    selector.Labels
	fields    selector.Fields
	places    []placeRequirement
}

// placeRequirement is a field selector on what the key of a document gives, not its data.
type placeRequirement struct {
	onName  bool // or on the namespace
	differs bool
	text    string
}

// selection reads what a request asks for.
func (a *API) selection(call *httpapi.Request) (*selection, error) {
	r, err := a.catalog().resource(call.Path["group"], call.Path["version"], call.Path["resource"])
	if err != nil {
		return nil, err
	}
	s := &selection{resource: r, namespace: call.Path["namespace"]}
	switch _, inNamespace := call.Path["namespace"]; {
	case inNamespace && !r.namespaced():
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: r.plural + " are not in namespaces", Remedy: "leave the namespace out"}
	case inNamespace:
		switch values, err := splitSegment(s.namespace); {
		case err != nil:
			return nil, err
		case len(values) != r.outer:
			s.nowhere = r.plural + " are in namespaces written as " + strings.Join(r.of.Elements[:r.outer], ":") + ", which \"" + s.namespace + "\" is not"
		default:
			if s.under, err = r.under(s.namespace); err != nil {
				return nil, err
			}
		}
	}
	if s.labels, err = selector.ParseLabels(call.Query.Get("labelSelector")); err != nil {
		return nil, err
	}
	rest, places := placesOf(call.Query.Get("fieldSelector"))
	s.places = places
	s.fields, err = selector.ParseFields(rest)
	return s, err
}

// placesOf takes the requirements on name and namespace out of a field selector.
func placesOf(text string) (rest string, places []placeRequirement) {
	var others []string
	for _, part := range strings.Split(text, ",") {
		name, operator, found := strings.Cut(part, "=")
		differs := strings.HasSuffix(name, "!")
		name = strings.TrimSpace(strings.TrimSuffix(name, "!"))
		if !found || name != "metadata.name" && name != "metadata.namespace" {
			others = append(others, part)
			continue
		}
		places = append(places, placeRequirement{name == "metadata.name", differs, strings.TrimSpace(strings.TrimPrefix(operator, "="))})
	}
	return strings.Join(others, ","), places
}

// query is what a list asks the store for.
func (s *selection) query() store.ListQuery {
	q := store.ListQuery{Under: s.under, Kind: s.of.Name, Labels: s.labels, Fields: s.fields}
	if len(s.places) > 0 {
		q.Fits = s.fits
	}
	return q
}

// list reads what is selected, of at most this many documents if the limit is not 0; next is where it goes on.
func (s *selection) list(ctx context.Context, from *store.Store, after dovetail.ID, limit int) (documents []*dovetail.Document, next dovetail.ID, err error) {
	if s.nowhere != "" {
		return nil, "", nil
	}
	q := s.query()
	q.After = after
	return all(ctx, from, q, limit)
}

// fits reports whether the place of a document is selected.
func (s *selection) fits(id dovetail.ID) bool {
	if s.nowhere != "" {
		return false
	}
	if len(s.places) == 0 {
		return true
	}
	namespace, name := s.place(id)
	return fitPlace(s.places, namespace, name)
}

// fitPlace reports whether all requirements hold for a namespace and a name.
func fitPlace(places []placeRequirement, namespace, name string) bool {
	return !slices.ContainsFunc(places, func(p placeRequirement) bool {
		is := namespace
		if p.onName {
			is = name
		}
		return (is == p.text) == p.differs
	})
}

// one is the id of the only document that can be selected, "" where there may be others.
func (s *selection) one() dovetail.ID {
	namespace := s.namespace
	for _, p := range s.places {
		if !p.onName && !p.differs && namespace == "" {
			namespace = p.text
		}
	}
	for _, p := range s.places {
		if p.onName && !p.differs && (namespace != "" || !s.namespaced()) {
			if id, err := s.id(namespace, p.text); err == nil {
				return id
			}
		}
	}
	return ""
}

// onData reports whether what the data says decides what is selected, so that a document may come to be selected, or no longer be.
func (s *selection) onData() bool { return !s.labels.Empty() || !s.fields.Empty() }

// matches reports whether a document is selected.
func (s *selection) matches(doc *dovetail.Document) (bool, error) {
	if !s.fits(doc.ID) || !s.onData() {
		return s.fits(doc.ID), nil
	}
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return false, err
	}
	return s.labels.Matches(data) && s.fields.Matches(data), nil
}
