package kubeapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	// definitionGroup is the group of the definitions of custom resources, which say which kinds there are.
	definitionGroup = "apiextensions.k8s.io"
	definitionKind  = "CustomResourceDefinition"
	// parentType is the label by which kubectl knows the kinds whose objects may be parents of an ApplySet: any here.
	parentType = "applyset.kubernetes.io/is-parent-type"
)

// definitionResource is the resource as discovery shows it. It is only read: the ref-schema defines kinds.
var definitionResource = metav1.APIResource{Name: "customresourcedefinitions", SingularName: "customresourcedefinition", Kind: definitionKind,
	ShortNames: []string{"crd", "crds"}, Verbs: metav1.Verbs{"get", "list"}}

// definitions is the group of it.
var definitions = servedGroup{definitionGroup, []metav1.APIResource{definitionResource}}

// definitionLabels are metadata with the labels that every definition has.
var definitionLabels = value.NewMap(value.Member{Name: memberMetadata, Value: value.NewMap(value.Member{Name: "labels",
	Value: value.NewMap(value.Member{Name: parentType, Value: value.NewString("true")})})})

// definition shows a kind as the definition of a custom resource.
func (c *catalog) definition(r *resource) description {
	scope := "Cluster"
	if r.namespaced() {
		scope = "Namespaced"
	}
	schema := r.schema(description{"type": "object"})
	delete(schema, "x-kubernetes-group-version-kind")
	names := description{"plural": r.plural, "singular": r.singular, memberKind: r.kind, "listKind": r.kind + "List"}
	if short := r.shortNames(); len(short) > 0 {
		names["shortNames"] = short
	}
	condition := func(kind, reason string) description {
		return description{"type": kind, memberStatus: "True", "reason": reason, "message": "the ref-schema defines it"}
	}
	return description{memberAPIVersion: definitionGroup + "/" + version, memberKind: definitionKind,
		memberMetadata: description{memberName: r.definitionName(), paramVersion: c.model.Hash(), "labels": description{parentType: "true"}},
		"spec": description{"group": r.group, "names": names, "scope": scope, "conversion": description{"strategy": "None"},
			"versions": []any{description{memberName: version, "served": true, "storage": true, "schema": description{"openAPIV3Schema": schema}}}},
		memberStatus: description{"acceptedNames": names, "storedVersions": []string{version},
			"conditions": []any{condition("NamesAccepted", "NoConflicts"), condition("Established", "InitialNamesAccepted")}}}
}

// definitionName is the name of the definition of a resource.
func (r *resource) definitionName() string { return r.plural + "." + r.group }

// resources are those of all groups, by the names of their definitions.
func (c *catalog) resources() []*resource {
	var all []*resource
	for _, g := range c.groups {
		all = append(all, g.resources...)
	}
	slices.SortFunc(all, func(a, b *resource) int { return strings.Compare(a.definitionName(), b.definitionName()) })
	return all
}

// listDefinitions answers the definitions that labels and names select.
func (a *API) listDefinitions(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	labels, err := selector.ParseLabels(call.Query.Get("labelSelector"))
	if err != nil {
		return nil, err
	}
	rest, places := placesOf(call.Query.Get("fieldSelector"))
	if rest != "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the field selector \"" + rest + "\" is not supported: definitions are selected by metadata.name", Remedy: "leave it out"}
	}
	if watches(call.Query) {
		return nil, &dovetail.Error{Code: dovetail.CodeMethod, Message: "definitions are not watched", Remedy: "list them"}
	}
	c := a.catalog()
	items := []any{}
	if labels.Matches(definitionLabels) {
		for _, r := range c.resources() {
			if fitPlace(places, "", r.definitionName()) {
				items = append(items, c.definition(r))
			}
		}
	}
	return reply(http.StatusOK, description{memberAPIVersion: definitionGroup + "/" + version, memberKind: definitionKind + "List",
		memberMetadata: description{paramVersion: c.model.Hash()}, "items": items}), nil
}

// getDefinition answers one of them.
func (a *API) getDefinition(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	c, name := a.catalog(), call.Path["name"]
	var names []string
	for _, r := range c.resources() {
		if r.definitionName() == name {
			return reply(http.StatusOK, c.definition(r)), nil
		}
		names = append(names, r.definitionName())
	}
	return nil, notServed("the resource "+name, suggest.Nearest(name, names))
}
