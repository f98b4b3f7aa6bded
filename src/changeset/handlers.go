package changeset

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
)

type handler = func(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error)

// How many change sets a page has when the request does not say, and at most.
const (
	defaultPage = 100
	maxPage     = 1000
)

// reply answers a change set with its version.
func reply(shown *Shown, err error) (*httpapi.Response, error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: shown, Document: shown.doc, Repeated: shown.repeated}, nil
}

// created answers a new one.
func created(shown *Shown, err error) (*httpapi.Response, error) {
	r, err := reply(shown, err)
	if r != nil {
		r.Location = pathAll + "/" + url.PathEscape(shown.Name)
	}
	return r, err
}

func body[T any](result *T, err error) (*httpapi.Response, error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: result}, nil
}

// request reads the body of a request, an object of which these are the members.
func request(call *httpapi.Request, read func(decode.Field), members ...string) error {
	if call.Body == nil {
		return nil
	}
	return decode.Body(call.Body, read, members...)
}

// optional is a text that may be missing or empty.
func optional(f decode.Field) string {
	if f.Value == nil {
		return ""
	}
	text, _ := f.AnyText()
	return text
}

func (c *ChangeSets) getList(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	q := Query{State: api.ChangeSetState(call.Query.Get("state")), Author: call.Query.Get("author"), Mine: call.Query.Get("reviewer") == reviewerMe, Limit: defaultPage}
	if text := call.Query.Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > maxPage {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "limit is " + decode.Quote(text), Remedy: "give a number from 1 to " + strconv.Itoa(maxPage)}
		}
		q.Limit = limit
	}
	after, err := base64.RawURLEncoding.DecodeString(call.Query.Get("continue"))
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "continue is not a token of this list", Remedy: "leave it out for the first page"}
	}
	q.After = string(after)
	return body(c.List(ctx, q))
}

func (c *ChangeSets) postCreate(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	var name, title, description string
	if err := request(call, func(f decode.Field) {
		name, title, description = f.Get("name").Text(), optional(f.Get("title")), optional(f.Get("description"))
	}, "name", "title", "description"); err != nil {
		return nil, err
	}
	return created(c.Create(ctx, name, title, description, call.Options(nil)))
}

func (c *ChangeSets) getOne(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return reply(c.Get(ctx, call.Path["name"]))
}

func (c *ChangeSets) patchOne(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	var title, description *string
	text := func(f decode.Field) *string {
		if f.Value == nil {
			return nil
		}
		t, _ := f.AnyText()
		return &t
	}
	if err := request(call, func(f decode.Field) { title, description = text(f.Get("title")), text(f.Get("description")) }, "title", "description"); err != nil {
		return nil, err
	}
	return reply(c.Update(ctx, call.Path["name"], title, description, call.IfMatch, call.Options(nil)))
}

func (c *ChangeSets) deleteOne(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	reply := &httpapi.Response{Status: http.StatusNoContent}
	return reply, c.Delete(ctx, call.Path["name"], call.IfMatch, call.Options(httpapi.Replies(reply)))
}

func (c *ChangeSets) getDiff(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return body(c.Diff(ctx, call.Path["name"]))
}

func (c *ChangeSets) getCheck(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return body(c.Check(ctx, call.Path["name"]))
}

func (c *ChangeSets) getImpact(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return body(c.Impact(ctx, call.Path["name"]))
}

func (c *ChangeSets) deleteOperation(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	id, err := dovetail.ParseID(call.Query.Get("id"))
	if err != nil {
		return nil, err
	}
	return reply(c.Drop(ctx, call.Path["name"], id, call.Options(nil)))
}

func (c *ChangeSets) postReview(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	var decision api.Decision
	var comment string
	if err := request(call, func(f decode.Field) {
		decision = api.Decision(f.Get("decision").Text())
		if decision != "" && decision != api.Approve && decision != api.Reject && decision != api.Comment {
			f.Get("decision").Fail("write approve, reject or comment", "the decision is %s", decode.Quote(string(decision)))
		}
		comment = optional(f.Get("comment"))
	}, "decision", "comment"); err != nil {
		return nil, err
	}
	return reply(c.Review(ctx, call.Path["name"], decision, comment, call.Options(nil)))
}

func (c *ChangeSets) postMerge(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	options := call.Options(nil)
	if err := request(call, func(f decode.Field) { options.Message = cmp.Or(optional(f.Get("message")), options.Message) }, "message"); err != nil {
		return nil, err
	}
	merged, err := c.Merge(ctx, call.Path["name"], options)
	if err != nil {
		return nil, err
	}
	return &httpapi.Response{Body: merged, Repeated: merged.repeated}, nil
}

func (c *ChangeSets) postPropose(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	var branch string
	if err := request(call, func(f decode.Field) { branch = optional(f.Get("branch")) }, "branch"); err != nil {
		return nil, err
	}
	return reply(c.Propose(ctx, call.Path["name"], branch, call.Options(nil)))
}

func (c *ChangeSets) postRebase(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	resolve := store.Resolutions{}
	if err := request(call, func(f decode.Field) {
		for _, item := range f.Get("resolve").Items("a resolution") {
			if !item.Map("id", "path", "take") {
				continue
			}
			id, take := dovetail.ID(item.Get("id").Text()), api.Take(item.Get("take").Text())
			path, _ := item.Get("path").AnyText()
			if take != "" && take != api.TakeStaged && take != api.TakeNow {
				item.Get("take").Fail("write staged or now", "take is %s", decode.Quote(string(take)))
			}
			if resolve[id] == nil {
				resolve[id] = make(map[string]api.Take)
			}
			resolve[id][path] = take
		}
	}, "resolve"); err != nil {
		return nil, err
	}
	return reply(c.Rebase(ctx, call.Path["name"], resolve, call.Options(nil)))
}

func (c *ChangeSets) postClose(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return reply(c.Close(ctx, call.Path["name"], call.Options(nil)))
}

func (c *ChangeSets) postReopen(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	return reply(c.Reopen(ctx, call.Path["name"], call.Options(nil)))
}

func (c *ChangeSets) postRevert(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	var name, title string
	if err := request(call, func(f decode.Field) { name, title = optional(f.Get("name")), optional(f.Get("title")) }, "name", "title"); err != nil {
		return nil, err
	}
	return created(c.Revert(ctx, call.Path["name"], name, title, call.Options(nil)))
}
