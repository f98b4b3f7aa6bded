package layering

import (
	"context"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// results is the form of a list in an answer.
func results(count int, all ...*value.Value) *value.Value {
	return value.NewMap(value.Member{Name: "count", Value: value.NewNumber(int64(count))}, value.Member{Name: "results", Value: value.NewList(all...)})
}

// paramOffset is how many items of a list to pass over.
const paramOffset = "offset"

// maxReports is how many reports one list answers. Each may be as large as a body.
const maxReports = 100

// cut returns the part of a list that the query asks for with limit and offset, of at most this many.
func cut[T any](call *httpapi.Request, all []T, most int) ([]T, error) {
	numbers := map[string]int{paramOffset: 0, paramLimit: most}
	for _, name := range []string{paramOffset, paramLimit} {
		if text := call.Query.Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 {
				return nil, badParam(name, text, "give a number")
			}
			numbers[name] = n
		}
	}
	all = all[min(numbers[paramOffset], len(all)):]
	return all[:min(numbers[paramLimit], most, len(all))], nil
}

func (r *Revisions) listRevisions(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	docs, err := r.all(ctx)
	if err != nil {
		return nil, err
	}
	tagged, err := r.below(ctx, 0, elementTag)
	if err != nil {
		return nil, err
	}
	tags := make(map[string][]string) // of a revision, by its number
	for _, doc := range tagged {
		number, _ := doc.Key().Value(elementRevision)
		tags[number] = append(tags[number], lastValue(doc.ID))
	}
	if wanted := call.Query["tag"]; len(wanted) > 0 && wanted[0] != "" {
		docs = slices.DeleteFunc(docs, func(d *dovetail.Document) bool {
			return !slices.ContainsFunc(tags[lastValue(d.ID)], func(tag string) bool { return slices.Contains(wanted, tag) })
		})
	}
	if call.Query.Get(paramOrder) == "desc" && (!r.deckhand() || call.Query.Get(paramSort) != "") {
		slices.Reverse(docs)
	}
	count := len(docs)
	if !r.deckhand() {
		if docs, err = cut(call, docs, count); err != nil {
			return nil, err
		}
	}
	seen, err := r.seenBuckets(ctx, r.scope(ctx), docs)
	if err != nil {
		return nil, err
	}
	var all []*value.Value
	for _, doc := range docs {
		shown, err := describeStored(doc, seen, tags[lastValue(doc.ID)])
		if err != nil {
			return nil, err
		}
		if r.deckhand() {
			shown.Delete("url")
			shown.Set("createdAt", value.NewString(doc.Created.UTC().Format(deckhandTime)))
		}
		all = append(all, shown)
	}
	return yamlReply(results(count, all...)), nil
}

// describeStored shows a revision in a list, by its document alone; seen maps revisions to the buckets that the
// principal may see, nil where it may see all.
func describeStored(doc *dovetail.Document, seen map[int][]string, tags []string) (*value.Value, error) {
	of, err := readRevision(doc)
	if err != nil {
		return nil, err
	}
	shown := describeBriefly(of.Number, of.Created.UTC().Format(timeFormat), seen[of.Number])
	if seen == nil {
		buckets, err := bucketsOf(doc)
		if err != nil {
			return nil, err
		}
		shown.Set("buckets", buckets)
	}
	list := value.NewList()
	for _, tag := range tags {
		list.Items = append(list.Items, value.NewString(tag))
	}
	shown.Set("tags", list)
	return shown, nil
}

// bucketsOf are the names of the buckets of a stored revision. They are in its status, which only a principal that may read
// all documents gets; revisions of earlier versions have them in their data.
func bucketsOf(doc *dovetail.Document) (*value.Value, error) {
	of, err := value.DataOf(doc, nil)
	if of = of.Get("spec"); err == nil && len(doc.Status) > 0 {
		of, err = value.StatusOf(doc)
	}
	if err != nil {
		return nil, err
	}
	return value.NewList(items(of.Get("buckets"))...), nil
}

func (r *Revisions) getTags(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	tags, err := r.Tags(ctx, number)
	if err != nil {
		return nil, err
	}
	if tag := call.Path["tag"]; tag != "" {
		data := tags.Get(tag)
		if data == nil {
			return nil, noTag(number, tag)
		}
		tags = value.NewMap(value.Member{Name: tag, Value: data})
	}
	return yamlReply(tags), nil
}

func (r *Revisions) postTag(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	data, err := oneBody(call)
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = value.NewMap()
	}
	tag := call.Path["tag"]
	reply := yamlReply(value.NewMap(value.Member{Name: tag, Value: data}))
	return reply, r.Tag(ctx, number, tag, data, call.Options(httpapi.Replies(reply)))
}

func (r *Revisions) deleteTag(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	reply := &httpapi.Response{}
	return reply, r.Untag(ctx, number, call.Path["tag"], call.Options(httpapi.Replies(reply)))
}

func (r *Revisions) postValidation(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	result, err := oneBody(call)
	if err != nil {
		return nil, err
	}
	reply := func(*store.Result) (*httpapi.Response, error) {
		return yamlReply(value.NewMap(value.Member{Name: memberStatus, Value: result.Get(memberStatus)},
			value.Member{Name: memberValidator, Value: result.Get(memberValidator)})), nil
	}
	if err := r.Report(ctx, number, call.Path["validation"], result, call.Options(reply)); err != nil {
		return nil, err
	}
	return reply(nil)
}

// validationsOf returns the validations of the revision in the path.
func (r *Revisions) validationsOf(ctx context.Context, call *httpapi.Request) ([]validation, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	return r.validations(ctx, number)
}

func (r *Revisions) listValidations(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	of, err := r.revisionOf(ctx, call)
	if err != nil {
		return nil, err
	}
	found, err := r.validations(ctx, of.Number)
	if err != nil {
		return nil, err
	}
	statuses, err := r.statuses(ctx, of, found)
	if err != nil {
		return nil, err
	}
	var all []*value.Value
	for _, name := range sortedKeys(statuses) {
		all = append(all, value.NewMap(value.Member{Name: "name", Value: value.NewString(name)}, value.Member{Name: memberStatus, Value: value.NewString(statuses[name])}))
	}
	return yamlReply(results(len(all), all...)), nil
}

func (r *Revisions) detailValidations(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	found, err := r.validationsOf(ctx, call)
	if err != nil {
		return nil, err
	}
	type one struct {
		of string
		at int
		report
	}
	var reported []one
	for _, v := range found {
		for i, report := range v.reports {
			reported = append(reported, one{v.name, i, report})
		}
	}
	of, err := r.revisionOf(ctx, call)
	if err != nil {
		return nil, err
	}
	a, err := r.asked(ctx, of)
	if err != nil {
		return nil, err
	}
	if r.deckhand() { // it counts through all validations
		slices.SortStableFunc(reported, func(a, b one) int { return a.created.Compare(b.created) })
		for i := range reported {
			reported[i].at = i
		}
	}
	part, err := cut(call, reported, maxReports)
	if err != nil {
		return nil, err
	}
	var all []*value.Value
	for _, o := range part {
		shown, err := r.entry(ctx, o.of, o.report, a)
		if err != nil {
			return nil, err
		}
		shown.Set("id", value.NewNumber(int64(o.at)))
		all = append(all, shown)
	}
	count := len(reported)
	if slices.ContainsFunc(a.names, func(name string) bool {
		return !slices.ContainsFunc(found, func(v validation) bool { return v.name == name })
	}) {
		never := neverEntry()
		never.Set("id", value.NewNumber(int64(count)))
		all, count = append(all, never), count+1
	}
	return yamlReply(results(count, all...)), nil
}

// revisionOf is the revision in the path.
func (r *Revisions) revisionOf(ctx context.Context, call *httpapi.Request) (*Revision, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	return r.existing(ctx, number)
}

func (r *Revisions) listEntries(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	v, err := r.validationOf(ctx, call)
	if err != nil {
		return nil, err
	}
	of, err := r.revisionOf(ctx, call)
	if err != nil {
		return nil, err
	}
	a, err := r.asked(ctx, of)
	if err != nil {
		return nil, err
	}
	var all []*value.Value
	for i, report := range v.reports {
		status := report.status
		if a.ignores(v.name) {
			status = ignored(status)
		}
		all = append(all, value.NewMap(value.Member{Name: "id", Value: value.NewNumber(int64(i))}, value.Member{Name: memberStatus, Value: value.NewString(status)}))
	}
	return yamlReply(results(len(all), all...)), nil
}

func (r *Revisions) getEntry(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	v, err := r.validationOf(ctx, call)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(call.Path["entry"])
	if err != nil || n < 0 || n >= len(v.reports) {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ClassValidationNotFound, Message: "the validation " + v.name + " has no entry " + call.Path["entry"],
			Remedy: "see the validation for its entries"}
	}
	of, err := r.revisionOf(ctx, call)
	if err != nil {
		return nil, err
	}
	a, err := r.asked(ctx, of)
	if err != nil {
		return nil, err
	}
	shown, err := r.entry(ctx, v.name, v.reports[n], a)
	if err != nil {
		return nil, err
	}
	return yamlReply(shown), nil
}

// validationOf returns the validation in the path.
func (r *Revisions) validationOf(ctx context.Context, call *httpapi.Request) (*validation, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	if _, err := r.existing(ctx, number); err != nil {
		return nil, err
	}
	name := call.Path["validation"]
	found, err := r.reports(ctx, validationID(number, name))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ClassValidationNotFound, Message: "no validation " + name + " reported of revision " + strconv.Itoa(number),
			Remedy: "see " + urlOf(number) + "/validations for those that did"}
	}
	return &found[0], nil
}
