package resolution

import (
	"context"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/value"
)

// views shows documents with the status that the controllers would give them in this store. The sources are read once: it is for one
// request. It is safe for concurrent use.
type views struct {
	*Resolutions
	once    sync.Once
	from    []*solver.Source
	failed  error
	answers answers
}

func (r *Resolutions) views() *views { return &views{Resolutions: r} }

// reader is the principal that the controllers read as; what the caller may see of what they make, Show decides.
func reader(ctx context.Context) context.Context {
	return dovetail.WithPrincipal(ctx, &dovetail.Principal{Name: dovetail.SystemPrefix + ServiceName})
}

// resolution shows an ActiveResolution.
func (v *views) resolution(ctx context.Context, doc *dovetail.Document, pause func() (time.Duration, error)) (*dovetail.Document, error) {
	whole, err := v.store.Get(reader(ctx), doc.ID)
	if err != nil {
		return nil, err
	}
	made, err := v.resolve(ctx, whole, pause)
	if err != nil {
		return nil, err
	}
	return v.store.Show(ctx, made), nil
}

// resolve returns an ActiveResolution with its status.
func (v *views) resolve(ctx context.Context, whole *dovetail.Document, pause func() (time.Duration, error)) (*dovetail.Document, error) {
	v.once.Do(func() {
		held := newSources()
		if v.failed = held.load(reader(ctx), v.store, nil); v.failed == nil {
			v.from = held.all()
		}
	})
	if v.failed != nil {
		return nil, v.failed
	}
	req, err := state.ReadRequest(whole)
	if err != nil { // the controller leaves it, too
		return whole, nil //nolint:nilerr // what is damaged is shown as it is stored
	}
	of := v.answers.get(req.Problem, v.from)
	if of == nil {
		a, reach, err := answer(ctx, req, v.from, solver.Options{Timeout: within(ctx, req.Spec), Deadline: v.deadline(ctx), Pause: pause, Now: v.options.Timer.Now})
		if err != nil {
			return nil, err
		}
		of = &answered{a, req.Spec, reach}
		v.answers.put(req.Problem, v.from, of)
	}
	op, _, err := v.statusOf(whole, req, of.Answer)
	if err != nil {
		return nil, err
	}
	made := *whole
	made.Status, made.Inputs = op.Data.JSON(), op.Inputs
	if op.Content != nil {
		made.Content = op.Content
	}
	return &made, nil
}

// set shows an ActiveResolutionSet.
func (v *views) set(ctx context.Context, doc *dovetail.Document, pause func() (time.Duration, error)) (*dovetail.Document, error) {
	whole, err := v.store.Get(reader(ctx), doc.ID)
	if err != nil {
		return nil, err
	}
	set, status, _, err := v.members(ctx, whole, pause)
	if err != nil {
		return nil, err
	}
	status.Date(fleet.ReadStatus(whole), v.options.Clock())
	data, err := value.FromAny(status)
	if err != nil {
		return nil, err
	}
	made := *whole
	made.Status, made.Inputs = data.JSON(), set.Inputs()
	return v.store.Show(ctx, &made), nil
}

// members returns a set with its status and its members, as they would be.
func (v *views) members(ctx context.Context, whole *dovetail.Document, pause func() (time.Duration, error)) (*fleet.Set, *fleet.Status, []*dovetail.Document, error) {
	set, err := fleet.Read(whole)
	if err != nil {
		return nil, nil, nil, err
	}
	clusters, err := fleet.Clusters(reader(ctx), v.store)
	if err != nil {
		return nil, nil, nil, err
	}
	stored := func(doc *dovetail.Document) (*dovetail.Document, error) {
		was, err := v.store.Get(reader(ctx), doc.ID)
		if dovetail.CodeOf(err) == dovetail.CodeNotFound {
			return nil, nil //nolint:nilnil // there is none
		}
		return was, err
	}
	status, documents, err := set.Preview(clusters, stored, func(doc *dovetail.Document) (*dovetail.Document, error) { return v.resolve(ctx, doc, pause) })
	return set, status, documents, err
}
