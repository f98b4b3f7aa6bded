package resolution

import (
	"context"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
)

// shown returns what shows ActiveResolutions with the status that the controller would give them in this store. The sources
// are read once: it is for one request.
func (r *Resolutions) shown() httpapi.Show {
	var once sync.Once
	var from []*solver.Source
	var failed error
	return func(ctx context.Context, doc *dovetail.Document, pause func() (time.Duration, error)) (*dovetail.Document, error) {
		// As the controller reads; what the caller may see of it Show decides.
		all := dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
		once.Do(func() {
			held := newSources()
			if failed = held.load(all, r.store, nil); failed == nil {
				from = held.all()
			}
		})
		if failed != nil {
			return nil, failed
		}
		whole, err := r.store.Get(all, doc.ID)
		if err != nil {
			return nil, err
		}
		req, err := state.ReadRequest(whole)
		if err != nil { // the controller leaves it, too
			return doc, nil //nolint:nilerr // what is damaged is shown as it is stored
		}
		a, _, err := answer(ctx, req, from, solver.Options{Timeout: within(ctx, req.Spec), Deadline: deadline(ctx), Pause: pause})
		if err != nil {
			return nil, err
		}
		op, _, err := r.statusOf(whole, req, a, "")
		if err != nil {
			return nil, err
		}
		made := *whole
		made.Status, made.Inputs = op.Data.JSON(), op.Inputs
		if op.Content != nil {
			made.Content = op.Content
		}
		return r.store.Show(ctx, &made), nil
	}
}
