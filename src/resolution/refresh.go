package resolution

import (
	"context"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// shownRefresh says which request for a refresh was noted.
type shownRefresh struct {
	Requested time.Time `json:"requested"`
}

// postRefresh notes in the status of a source that it is to be examined now. The process that follows sources sees that.
func (r *Resolutions) postRefresh(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	id := sourcedoc.ID(call.Path["source"])
	requested := r.options.Clock().UTC()
	reply := &httpapi.Response{Body: shownRefresh{requested}}
	err := store.Transact(ctx, func() error {
		doc, err := r.store.Get(ctx, id)
		if err != nil {
			return err
		}
		status, refused := follow.Requested(doc, requested)
		if refused != nil { // who may not ask learns that instead
			status = value.NewMap()
		}
		options := call.Options(httpapi.Replies(reply))
		options.DryRun = refused != nil
		_, err = r.store.Apply(ctx, []store.Operation{{Verb: store.PutStatus, ID: id, Data: status, Inputs: doc.Inputs, IfMatch: []dovetail.ETag{doc.ETag()}}},
			options)
		if err == nil {
			err = refused
		}
		if dovetail.CodeOf(err) == dovetail.CodeStale { // the follower wrote the status
			return store.Retry(err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return reply, nil
}
