package httpapi

import (
	"cmp"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// What a route of a resource is.
const (
	collectionRoute = "collection"
	itemRoute       = "item"
	partRoute       = "part"
)

// The names that schema.Kind.Methods has for verbs beside HTTP's own.
const (
	postItem         = "POST-ITEM"
	deleteCollection = "DELETE-COLLECTION"
)

// successCode returns the status of success of a verb: the schema's, or the one by convention.
func successCode(c *schema.Collection, verb string, byConvention int) int {
	return cmp.Or(c.Methods[verb], byConvention)
}

func collectionMethods(kind *schema.Kind, c *schema.Collection) map[string]*method {
	methods := map[string]*method{
		http.MethodGet: {handle: listCollection, past: true, code: successCode(c, "LIST", http.StatusOK), offers: resources | eventStream,
			unlimited: true, long: true, summary: "list the kind " + kind.Name},
		http.MethodPost: {handle: createInCollection, checks: checksNew, code: successCode(c, http.MethodPost, http.StatusCreated), offers: resources,
			summary: "create a document of the kind " + kind.Name},
	}
	if code := c.Methods[deleteCollection]; code != 0 {
		methods[http.MethodDelete] = &method{handle: emptyCollection, code: code, offers: resources, summary: "delete all documents of the collection"}
	}
	return methods
}

func itemMethods(kind *schema.Kind, c *schema.Collection) map[string]*method {
	get := resources | eventStream
	if len(kind.Content) > 0 {
		get |= multipartForm | fileContent
	}
	methods := map[string]*method{
		http.MethodGet:    {handle: getItem, past: true, code: http.StatusOK, offers: get, summary: "read"},
		http.MethodPut:    {handle: putItem, checks: checksMatch | checksNew, needs: []dovetail.Right{dovetail.RightCreate, dovetail.RightUpdate}, code: c.Methods[http.MethodPut], offers: resources, summary: "create or replace"},
		http.MethodPatch:  {handle: patchItem, checks: checksMatch, needs: []dovetail.Right{dovetail.RightUpdate}, code: successCode(c, http.MethodPatch, http.StatusOK), offers: resources, summary: "update with a JSON merge patch"},
		http.MethodDelete: {handle: deleteItem, checks: checksMatch, code: successCode(c, http.MethodDelete, http.StatusNoContent), offers: resources, summary: "delete"},
	}
	if code := c.Methods[postItem]; code != 0 {
		methods[http.MethodPost] = &method{handle: createItem, checks: checksNew, needs: []dovetail.Right{dovetail.RightCreate}, code: code, offers: resources, summary: "create with the name in the path"}
	}
	return methods
}

// partMethods returns what is below an item beside its children: actions, which may take the place
// of the others, the status, and the files.
func partMethods(kind *schema.Kind) map[string]map[string]*method {
	parts := make(map[string]map[string]*method)
	on := func(path, verb string, m *method) {
		if parts[path] == nil {
			parts[path] = make(map[string]*method)
		}
		if parts[path][verb] == nil {
			m.offers |= resources
			parts[path][verb] = m
		}
	}
	for i := range kind.Actions {
		switch action := &kind.Actions[i]; action.Method {
		case http.MethodGet:
			on(action.Path, http.MethodGet, &method{handle: getStatus, past: true, code: cmp.Or(action.Code, http.StatusOK), action: action, summary: "read " + action.Path})
		default:
			on(action.Path, http.MethodPost, &method{handle: postAction, checks: checksMatch, needs: []dovetail.Right{dovetail.RightAct}, code: cmp.Or(action.Code, http.StatusAccepted), action: action, summary: "trigger " + action.Path})
		}
	}
	on("status", http.MethodGet, &method{handle: getStatus, past: true, code: http.StatusOK, summary: "read the status"})
	on("status", http.MethodPut, &method{handle: putStatus, checks: checksMatch, needs: []dovetail.Right{dovetail.RightAct}, code: http.StatusOK, summary: "replace the status"})
	if len(kind.Content) > 0 {
		on("content", http.MethodGet, &method{handle: listContent, past: true, code: http.StatusOK, summary: "list the files"})
		on("content/{part}", http.MethodGet, &method{handle: getContent, past: true, code: http.StatusOK, offers: files, summary: "download a file"})
	}
	return parts
}
