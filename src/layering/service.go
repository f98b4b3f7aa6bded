package layering

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// ServiceName is what the service is called where services are chosen.
const ServiceName = "layering"

const (
	base         = "/api/v1.0"
	revisionsURL = base + "/revisions"
)

// Service returns the HTTP API of the revisions.
func (r *Revisions) Service() httpapi.Service {
	const (
		revision    = revisionsURL + "/{revision}"
		tags        = revision + "/tags"
		validations = revision + "/validations"
	)
	body, answer := httpapi.Schema{"type": "string", "description": "YAML documents"}, httpapi.Schema{"type": "string", "description": "YAML"}
	choose := r.selectionParameters()
	get := func(path, summary string, handle handler, query ...httpapi.Parameter) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodGet, Path: path, Summary: summary, Query: query, OtherQuery: r.deckhand(), MediaType: mediaType, Answer: answer, Long: true, Handle: handle}
	}
	changes := httpapi.Requires(Kinds, dovetail.RightCreate, dovetail.RightDelete, dovetail.RightUpdate)
	put := func(path, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{AnyMediaType: r.deckhand(), Method: http.MethodPut, Path: base + path, Summary: summary, DryRun: true, Versioned: true, OwnVersions: true,
			Query:     []httpapi.Parameter{{Name: "validate", Description: "structure postpones checks over documents to rendering", Values: []string{"structure", "all"}}},
			MediaType: mediaType, Needs: changes, Long: true, Body: body, Answer: answer, Code: http.StatusOK, Handle: handle}
	}
	post := func(path, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{AnyMediaType: r.deckhand(), Method: http.MethodPost, Path: path, Summary: summary, MediaType: mediaType, Needs: changes, Long: true, Body: body, Answer: answer, Code: http.StatusCreated, Handle: handle}
	}
	remove := func(path, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodDelete, Path: path, Summary: summary, Handle: handle}
	}
	service := httpapi.Service{Name: ServiceName, Kinds: Kinds, Problem: failure, Endpoints: []httpapi.Endpoint{
		put("/buckets/{bucket}/documents", "make documents the content of a bucket", r.putBucket),
		put("/buckets", "make documents the contents of several buckets, in one revision", r.putBuckets),
		get(revisionsURL, "list revisions", r.listRevisions, httpapi.Parameter{Name: "tag", Description: "a tag that they have", Repeats: true},
			limitParameter, offsetParameter, r.revisionOrder(), httpapi.Parameter{Name: paramSort, Description: "id; in the profile deckhand order needs it", Repeats: true}),
		remove(revisionsURL, "delete all revisions and all documents", r.deleteAll),
		get(revision, "describe a revision", r.getRevision),
		get(revision+"/documents", "the documents of a revision as they were put", r.getDocuments, choose...),
		get(revision+"/rendered-documents", "the documents that rendering a revision gives", r.getRendered, choose...),
		get(revision+"/origins", "what documents of a revision are made of, and where their values come from", r.getOrigins,
			append(choose, httpapi.Parameter{Name: paramPath, Description: "the place of the values in rendered data; . is all of it"})...),
		get(revision+"/diff/{other}", "what became of buckets between two revisions", pair(r.Diff)),
		get(revision+"/deepdiff/{other}", "what became of rendered documents between two revisions", pair(r.DeepDiff)),
		get(tags, "the tags of a revision", r.getTags),
		remove(tags, "remove all tags of a revision", r.deleteTag),
		get(tags+"/{tag}", "a tag of a revision", r.getTags),
		post(tags+"/{tag}", "tag a revision", r.postTag),
		remove(tags+"/{tag}", "remove a tag of a revision", r.deleteTag),
		get(validations, "the validations that reported of a revision", r.listValidations),
		get(validations+"/detail", "what validations reported of a revision: at most 100 reports, with offset the next ones; count is that of all", r.detailValidations, limitParameter, offsetParameter),
		get(validations+"/{validation}", "what a validation reported of a revision", r.listEntries),
		post(validations+"/{validation}", "report of a revision", r.postValidation),
		get(validations+"/{validation}/entries/{entry}", "one report of a revision", r.getEntry),
		{Method: http.MethodGet, Path: failedValidationsURL, Summary: "the validations of the newest revision that failed, at most 100, with the messages of their reports", Answer: failedValidationsSchema, Long: true, Handle: r.getFailedValidations},
		post(base+"/rollback/{revision}", "make a revision with the documents of an older one", r.postRollback),
		get("/versions", "the versions of this API", getVersions),
		{Method: http.MethodGet, Path: base + "/health", Summary: "whether this API serves", Handle: getHealth},
	}}
	if r.deckhand() {
		asDeckhand(&service)
	}
	if r.options.Policy != nil {
		r.police(&service)
	}
	return service
}

type handler = func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error)

var (
	limitParameter  = httpapi.Parameter{Name: paramLimit, Description: "the maximum number of items of a page"}
	offsetParameter = httpapi.Parameter{Name: paramOffset, Description: "how many to pass over"}
)

var orderParameter = httpapi.Parameter{Name: paramOrder, Description: "asc, or desc", Values: []string{"asc", "desc"}}

func (r *Revisions) selectionParameters() []httpapi.Parameter {
	parameter := func(name, description string) httpapi.Parameter {
		return httpapi.Parameter{Name: name, Description: description, Repeats: true}
	}
	parameters := []httpapi.Parameter{
		parameter(paramSchema, "the schema of the documents, or its first parts"), parameter(paramName, "their name"),
		parameter(paramLabel, "a label that they have, as name=value"), parameter(paramLayer, "their layer"),
		{Name: paramAbstract, Description: "whether they are abstract", Values: []string{"true", "false"}}, parameter(paramBucket, "their bucket"),
		parameter(paramSort, "what to sort by"), orderParameter, parameter(paramLimit, "the maximum number of items of a page"),
		parameter(paramContinue, "where the answer before ended: its header "+continueHeader),
		{Name: paramCleartext, Description: "whether to show secrets", Values: []string{"true", "false"}},
	}
	if r.deckhand() {
		for i := range parameters {
			parameters[i].Values = nil // readSelection has more words
		}
	}
	return parameters
}

// yamlReply answers values as YAML documents.
func yamlReply(values ...*value.Value) *httpapi.Response {
	return &httpapi.Response{Text: &httpapi.Text{MediaType: mediaType, Data: yaml.Marshal(values...)}}
}

// longReply is yamlReply of values that are asked for one by one, while the answer is sent.
func longReply(values iter.Seq[*value.Value]) *httpapi.Response {
	return &httpapi.Response{Text: &httpapi.Text{MediaType: mediaType, Parts: yaml.Parts(values)}}
}

// revisionOf reads the number of a revision in the path. The error has the class ClassInvalidInput.
func revisionOf(call *httpapi.Request, variable string) (int, error) {
	text := call.Path[variable]
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		return 0, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ClassInvalidInput, Message: "there is no revision " + strconv.Quote(text), Remedy: "give its number"}
	}
	return number, nil
}

// oneBody reads a body of one YAML document; nil when it is empty.
func oneBody(call *httpapi.Request) (*value.Value, error) {
	values, err := yaml.Parse("", call.Text, call.Limits)
	if err != nil || len(values) == 0 {
		return nil, err
	}
	if len(values) > 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body has " + strconv.Itoa(len(values)) + " YAML documents, not one", Remedy: "send one"}
	}
	return values[0], nil
}

func getVersions(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	return yamlReply(value.NewMap(value.Member{Name: "v1.0", Value: value.NewMap(
		value.Member{Name: "path", Value: value.NewString(base)}, value.Member{Name: "status", Value: value.NewString("stable")})})), nil
}

func getHealth(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	return &httpapi.Response{Status: http.StatusNoContent}, nil
}
