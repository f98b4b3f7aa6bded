package layering

import (
	"context"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// putBucket replaces the documents of one bucket by those in the body.
func (r *Revisions) putBucket(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	values, err := r.parse(call)
	if err != nil {
		return nil, err
	}
	documents, err := r.options.Profile.Read("", values)
	if err != nil {
		return nil, err
	}
	return r.putContents(ctx, call, []Content{{call.Path["bucket"], documents}},
		Precondition{Since: call.Versions, Exists: call.IfExists, New: call.IfNew})
}

// putBuckets replaces the documents of several buckets by those in the body, a map of buckets to lists of documents.
func (r *Revisions) putBuckets(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	values, err := r.parse(call)
	if err != nil {
		return nil, err
	}
	if len(values) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body has " + strconv.Itoa(len(values)) + " YAML documents, not one", Remedy: "send buckets: {NAME: [DOCUMENT, ...]}"}
	}
	var contents []Content
	p := Precondition{Since: call.Versions, Exists: call.IfExists, New: call.IfNew}
	if err := decode.Body(values[0], func(body decode.Field) {
		if is := body.Get("ifRevision"); is.Value != nil {
			number := is.Integer(0)
			p.Revision = &number
		}
		body.Require("buckets")
		contents = r.readContentsOf(body.Get("buckets"))
	}, "buckets", "ifRevision"); err != nil {
		return nil, err
	}
	return r.putContents(ctx, call, contents, p)
}

// readContentsOf reads what each bucket shall hold.
func (r *Revisions) readContentsOf(buckets decode.Field) (contents []Content) {
	if buckets.Value == nil || !buckets.IsMap() {
		return nil
	}
	if len(buckets.Value.Members) == 0 {
		buckets.Fail("give those that change", "buckets is empty")
	}
	for name, documents := range buckets.All() {
		c := Content{Bucket: name}
		if documents.Kind() != value.List {
			documents.WrongType("a list", "give a list of documents; an empty one removes all that the bucket has")
			continue
		}
		var err error
		if c.Documents, err = r.options.Profile.Read("", documents.Value.Items); err != nil {
			documents.Join(err)
		}
		contents = append(contents, c)
	}
	return contents
}

// putContents puts, and shows what came of it. The version of the answer is the number of the revision.
func (r *Revisions) putContents(ctx context.Context, call *httpapi.Request, contents []Content, p Precondition) (*httpapi.Response, error) {
	call.Text = nil // the documents are enough
	ctx = r.encrypting(ctx, contents)
	answer := func(written *Written) *httpapi.Response {
		reply := r.putReply(contents, written, call.DryRun)
		if !call.DryRun {
			reply.Version = strconv.Itoa(written.Revision.Number)
		}
		for _, warning := range written.Warnings.Kept() {
			reply.Warnings = append(reply.Warnings, warning.Message)
		}
		reply.MoreWarnings = written.Warnings.Omitted()
		return reply
	}
	o := PutOptions{Options: call.Options(nil), StructureOnly: call.Query.Get("validate") == "structure", Precondition: p}
	o.Answer = func(written *Written) ([]byte, error) { return answer(written).Encode(), nil }
	written, err := r.PutAll(ctx, contents, o)
	if err != nil {
		return nil, err
	}
	return answer(written), nil
}

// putReply shows the documents of the buckets; without any, only where they would be; of a dry run what would change.
func (r *Revisions) putReply(contents []Content, w *Written, dryRun bool) *httpapi.Response {
	if dryRun {
		name := value.Member{Name: "bucket", Value: value.NewString(contents[0].Bucket)}
		if len(contents) > 1 {
			name = value.Member{Name: "buckets", Value: value.NewList()}
			for _, c := range contents {
				name.Value.Items = append(name.Value.Items, value.NewString(c.Bucket))
			}
		}
		return yamlReply(value.NewMap(value.Member{Name: "dryRun", Value: value.NewBool(true)}, name,
			value.Member{Name: "revision", Value: value.NewNumber(int64(w.Revision.Number))}, value.Member{Name: "changes", Value: changesValue(w.Changes)}))
	}
	if len(w.Documents) == 0 && w.Revision.Number > 0 && !(r.deckhand() && w.Unchanged) {
		var empty []*value.Value
		for _, c := range contents {
			empty = append(empty, withStatus(value.NewMap(), c.Bucket, w.Revision.Number))
		}
		return yamlReply(empty...)
	}
	return longReply(func(yield func(*value.Value) bool) {
		for _, d := range w.Documents {
			if r.deckhand() && d.Schema == rendering.ValidationPolicySchema {
				continue // Deckhand does not show them
			}
			if !yield(withStatus(r.options.shape(d.Redacted()), d.Bucket, d.Revision)) {
				return
			}
		}
	})
}
