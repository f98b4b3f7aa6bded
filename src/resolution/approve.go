package resolution

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// postApprove approves the plan of an ActiveResolution whose digest the request names. The status then holds the approval.
func (r *Resolutions) postApprove(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	plan, given := call.Body.Get("plan").Str()
	if !given || plan == "" {
		position := call.Body.Position()
		position.Path = "/plan"
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: position, Message: "the request names no plan",
			Remedy: `send {"plan": "sha256:..."}, the planDigest of the status`}
	}
	id := dovetail.ID("").Child(state.Kind, call.Path["activeResolution"])
	var reply *httpapi.Response
	err := store.Transact(ctx, func() (err error) {
		reply, err = r.approve(ctx, id, plan, call)
		if dovetail.CodeOf(err) == dovetail.CodeStale { // the controller wrote the status
			return store.Retry(err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return reply, nil
}

func (r *Resolutions) approve(ctx context.Context, id dovetail.ID, plan string, call *httpapi.Request) (*httpapi.Response, error) {
	doc, err := r.store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	req, err := state.ReadRequest(doc)
	if err != nil {
		return nil, err
	}
	status := state.ReadStatus(doc)
	if status.Withheld != "" {
		return nil, &dovetail.Error{Code: dovetail.CodeForbidden, Key: id, Message: "the plan of " + req.Name + " may not be read, and so not be approved: it is " + status.Withheld,
			Remedy: "ask for the right to read its sources"}
	}
	by := ""
	if who := dovetail.PrincipalOf(ctx); who != nil {
		by = who.Name
	}
	approval, err := status.Approve(req, plan, by, r.options.Clock())
	if err != nil {
		e := dovetail.AsError(err)
		e.Key = id
		return nil, e
	}
	reply := &httpapi.Response{Body: approval}
	options := call.Options(httpapi.Replies(reply))
	if approval == status.Approval {
		_, err := r.store.Apply(ctx, nil, options) // keeps the answer
		return reply, err
	}
	whole, err := value.StatusOf(doc)
	if err != nil {
		return nil, err
	}
	added, err := value.FromAny(approval)
	if err != nil {
		return nil, err
	}
	whole = whole.Clone()
	whole.Set("approval", added)
	_, err = r.store.Apply(ctx, []store.Operation{{Verb: store.PutStatus, ID: id, Data: whole, Inputs: doc.Inputs, IfMatch: []dovetail.ETag{doc.ETag()}}},
		options)
	return reply, err
}
