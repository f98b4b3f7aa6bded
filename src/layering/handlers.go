package layering

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/value"
)

// continueHeader carries the token for the next part of a list.
const continueHeader = "Dovetail-Continue"

// The lists of documents of a revision.
const (
	listRaw      = "documents"
	listRendered = "rendered-documents"
)

func (r *Revisions) getDocuments(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return r.answerDocuments(ctx, call, listRaw, r.raw)
}

func (r *Revisions) getRendered(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return r.answerDocuments(ctx, call, listRendered, r.rendered)
}

// part is the part of a list of documents of a revision that a query asks for.
type part struct {
	of        *Revision
	documents []chosen
	next      string // token of the next part, "" if there is none
	cleartext bool   // whether to show secrets
	scope     scope  // of the principal
}

// choose reads the documents of a revision that the query chooses. what names the list.
func (r *Revisions) choose(ctx context.Context, call *httpapi.Request, what string, read func(context.Context, scope, *Revision) ([]chosen, error)) (*part, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	of, err := r.existing(ctx, number)
	if err != nil {
		if e := dovetail.AsError(err); e.Reason == ClassRevisionNotFound {
			e.Reason = "" // here the older system has no class of its own
		}
		return nil, err
	}
	name := of.uid + "/" + what
	p := &part{of: of, cleartext: call.Query.Get(paramCleartext) == "true", scope: r.scope(ctx)}
	if r.deckhand() {
		if p.cleartext, err = deckhandCleartext(call.Query, what == listRendered && p.scope.secrets); err != nil {
			return nil, err
		}
	}
	var s selector
	if s, err = r.readSelection(call.Query, name, what); err != nil {
		return nil, err
	}
	if p.cleartext {
		if err := p.scope.maySeeSecrets(); err != nil {
			return nil, err
		}
	}
	all, err := read(ctx, p.scope, of)
	if err != nil {
		return nil, err
	}
	all = r.withoutEncrypted(ctx, p.scope, all)
	for i := range all {
		r.options.shaped(&all[i], what == listRendered && p.scope.secrets)
	}
	p.documents, p.next = s.apply(all, name)
	return p, nil
}

// reply answers what there is to say of the documents.
func (p *part) reply(values iter.Seq[*value.Value]) *httpapi.Response {
	reply := longReply(values)
	if p.next != "" {
		reply.Text.Header = http.Header{continueHeader: {p.next}}
	}
	return reply
}

// answerDocuments answers those of a revision that the query chooses.
func (r *Revisions) answerDocuments(ctx context.Context, call *httpapi.Request, what string, read func(context.Context, scope, *Revision) ([]chosen, error)) (*httpapi.Response, error) {
	p, err := r.choose(ctx, call, what, read)
	if err != nil {
		return nil, err
	}
	return p.reply(func(yield func(*value.Value) bool) {
		for i := range p.documents {
			if !yield(p.documents[i].shown(p.cleartext)) {
				return
			}
		}
	}), nil
}

// pair serves what compares two revisions.
func pair(compare func(ctx context.Context, a, b int) (*value.Value, error)) handler {
	return func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
		a, err := revisionOf(call, "revision")
		if err != nil {
			return nil, err
		}
		b, err := revisionOf(call, "other")
		if err != nil {
			return nil, err
		}
		body, err := compare(ctx, a, b)
		if err != nil {
			return nil, err
		}
		return yamlReply(body), nil
	}
}

func (r *Revisions) postRollback(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	if ctx, err = r.encryptingAgain(ctx, number); err != nil {
		return nil, err
	}
	made, err := r.Rollback(ctx, number, call.Options(nil))
	if err != nil {
		return nil, err
	}
	body, err := r.describe(ctx, made)
	if err != nil {
		return nil, err
	}
	return yamlReply(body), nil
}

func (r *Revisions) getRevision(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	number, err := revisionOf(call, "revision")
	if err != nil {
		return nil, err
	}
	of, err := r.existing(ctx, number)
	if err != nil {
		return nil, err
	}
	body, err := r.describe(ctx, of)
	if err != nil {
		return nil, err
	}
	return yamlReply(body), nil
}

// describe shows a revision, as far as the principal of the context may read its documents. Revision 0, which exists
// before the first write, has only its number.
func (r *Revisions) describe(ctx context.Context, of *Revision) (*value.Value, error) {
	of = r.scope(ctx).visible(of)
	shown, tags, policies := value.NewMap(), value.NewMap(), value.NewMap()
	if of.Number > 0 {
		var err error
		if tags, err = r.Tags(ctx, of.Number); err != nil {
			return nil, err
		}
		if policies, err = r.policies(ctx, of); err != nil {
			return nil, err
		}
	}
	for _, tag := range tags.Members {
		shown.Members = append(shown.Members, value.Member{Name: tag.Name, Value: value.NewMap(
			value.Member{Name: "name", Value: value.NewString(tag.Name)},
			value.Member{Name: "url", Value: value.NewString(urlOf(of.Number) + "/tags/" + tag.Name)})})
	}
	body := describeBriefly(of.Number, of.Created.UTC().Format(timeFormat), of.Buckets())
	body.Set("tags", shown)
	body.Set("validationPolicies", policies)
	if r.deckhand() {
		return body, r.describeAsDeckhand(ctx, body, of, tags)
	}
	return body, nil
}

const timeFormat = "2006-01-02T15:04:05.000Z"

func urlOf(number int) string { return revisionsURL + "/" + strconv.Itoa(number) }

func describeBriefly(number int, created string, buckets []string) *value.Value {
	list := value.NewList()
	for _, b := range buckets {
		list.Items = append(list.Items, value.NewString(b))
	}
	return value.NewMap(
		value.Member{Name: "id", Value: value.NewNumber(int64(number))},
		value.Member{Name: "url", Value: value.NewString(urlOf(number))},
		value.Member{Name: "createdAt", Value: value.NewString(created)},
		value.Member{Name: "buckets", Value: list})
}

func (r *Revisions) deleteAll(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	reply := &httpapi.Response{}
	return reply, r.DeleteAll(ctx, call.Options(httpapi.Replies(reply)))
}
