package layering

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
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
			Query:     []httpapi.Parameter{{Name: "validate", Description: "structure defers checks across documents until rendering", Values: []string{"structure", "all"}}},
			MediaType: mediaType, Needs: changes, Long: true, Body: body, Answer: answer, Code: http.StatusOK, Handle: handle}
	}
	post := func(path, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{AnyMediaType: r.deckhand(), Method: http.MethodPost, Path: path, Summary: summary, MediaType: mediaType, Needs: changes, Long: true, Body: body, Answer: answer, Code: http.StatusCreated, Handle: handle}
	}
	remove := func(path, summary string, handle handler) httpapi.Endpoint {
		return httpapi.Endpoint{Method: http.MethodDelete, Path: path, Summary: summary, Handle: handle}
	}
	service := httpapi.Service{Name: ServiceName, Kinds: Kinds, Problem: failure, Endpoints: []httpapi.Endpoint{
		put("/buckets/{bucket}/documents", "replace the documents of a bucket", r.putBucket),
		put("/buckets", "replace the documents of several buckets, in one revision", r.putBuckets),
		get(revisionsURL, "list revisions", r.listRevisions, httpapi.Parameter{Name: "tag", Description: "only revisions with this tag", Repeats: true},
			limitParameter, offsetParameter, r.revisionOrder(), httpapi.Parameter{Name: paramSort, Description: "id; in the profile deckhand, order requires it", Repeats: true}),
		remove(revisionsURL, "delete all revisions and all documents", r.deleteAll),
		get(revision, "read a revision", r.getRevision),
		get(revision+"/documents", "list the documents of a revision, as they were submitted", r.getDocuments, choose...),
		get(revision+"/rendered-documents", "list the rendered documents of a revision", r.getRendered, choose...),
		get(revision+"/origins", "the sources of the rendered documents of a revision, and the origin of their values", r.getOrigins,
			append(choose, httpapi.Parameter{Name: paramPath, Description: "the path of the values in rendered data; . means all values"})...),
		get(revision+"/diff/{other}", "compare the buckets of two revisions", pair(r.Diff)),
		get(revision+"/deepdiff/{other}", "compare the rendered documents of two revisions", pair(r.DeepDiff)),
		get(tags, "list the tags of a revision", r.getTags),
		remove(tags, "remove all tags of a revision", r.deleteTag),
		get(tags+"/{tag}", "read a tag of a revision", r.getTags),
		post(tags+"/{tag}", "tag a revision", r.postTag),
		remove(tags+"/{tag}", "remove a tag of a revision", r.deleteTag),
		get(validations, "list the validations of a revision", r.listValidations),
		get(validations+"/detail", "list the reports of all validations of a revision, at most 100 per page (use offset for the next ones); count is the total number", r.detailValidations, limitParameter, offsetParameter),
		get(validations+"/{validation}", "list the reports of a validation of a revision", r.listEntries),
		post(validations+"/{validation}", "add a report of a validation to a revision", r.postValidation),
		get(validations+"/{validation}/entries/{entry}", "read a report of a validation of a revision", r.getEntry),
		{Method: http.MethodGet, Path: failedValidationsURL, Summary: "list the failed validations of the newest revision, at most 100, with the messages of their reports", Answer: failedValidationsSchema, Long: true, Handle: r.getFailedValidations},
		post(base+"/rollback/{revision}", "create a revision with the documents of an earlier one", r.postRollback),
		get("/versions", "list the versions of this API", getVersions),
		{Method: http.MethodGet, Path: base + "/health", Summary: "check whether this API is available", Handle: getHealth},
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
	offsetParameter = httpapi.Parameter{Name: paramOffset, Description: "the number of items to skip"}
)

var orderParameter = httpapi.Parameter{Name: paramOrder, Description: "the sort order, asc or desc", Values: []string{"asc", "desc"}}

func (r *Revisions) selectionParameters() []httpapi.Parameter {
	parameter := func(name, description string) httpapi.Parameter {
		return httpapi.Parameter{Name: name, Description: description, Repeats: true}
	}
	parameters := []httpapi.Parameter{
		parameter(paramSchema, "only documents with this schema, or this prefix of it"), parameter(paramName, "only documents with this name"),
		parameter(paramLabel, "only documents with this label, as name=value"), {Name: paramLayer, Description: "only documents in this layer; an empty value selects documents without a layer", Repeats: true, AllowEmpty: true},
		{Name: paramAbstract, Description: "only abstract, or only concrete documents", Values: []string{"true", "false"}}, parameter(paramBucket, "only documents in this bucket"),
		parameter(paramSort, "the field to sort by"), orderParameter, parameter(paramLimit, "the maximum number of items of a page"),
		parameter(paramContinue, "the token of the previous page, from its header "+continueHeader),
		{Name: paramCleartext, Description: "whether to include secrets", Values: []string{"true", "false"}},
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
