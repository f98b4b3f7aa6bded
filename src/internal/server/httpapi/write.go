package httpapi

import (
	"cmp"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/store"
)

// applyOne does one operation and passes its warnings on.
func (x *requestContext) applyOne(op store.Operation) (*store.Result, error) {
	result, err := x.apply([]store.Operation{op})
	if err != nil {
		return nil, dovetail.WithoutIndex(err)
	}
	return result, nil
}

// apply does the operations, or shows what they would do.
func (x *requestContext) apply(ops []store.Operation) (*store.Result, error) {
	return x.written(func(options store.Options) (*store.Result, error) {
		options.Managed = x.managed
		return x.store.Apply(x.ctx, ops, options)
	})
}

// written writes as the request asks for, waits for what it should wait for, and passes the warnings on.
func (x *requestContext) written(write func(store.Options) (*store.Result, error)) (*store.Result, error) {
	var from store.Cursor
	var err error
	waits := x.wait > 0 && !x.dryRun
	if waits {
		if from, err = x.api.store.Head(x.ctx); err != nil {
			return nil, err
		}
	}
	result, err := write(store.Options{DryRun: x.dryRun, Key: x.key, Message: x.message})
	if err != nil {
		return nil, err
	}
	if waits {
		x.await(from, result)
	}
	if result.Repeated {
		x.w.Header().Set(replayedHeader, "true")
	}
	if result.Unreadable {
		x.warn("documents that you may not read are deleted too")
	}
	for _, outcome := range result.Outcomes {
		for _, warning := range outcome.Warnings {
			x.warn(warning.Message)
		}
	}
	return result, nil
}

// keyHeader has the client's name for a write, under which it is done once however often it is sent.
const keyHeader = "Idempotency-Key"

// replayedHeader says that a write was done before, under the same key.
const replayedHeader = "Idempotency-Replayed"

// writeParameters reads the query of a write, and its idempotency key.
func (x *requestContext) writeParameters(known ...string) (parameters, error) {
	p, err := x.parameters(append(known, "dryRun", waitParameter)...)
	if err != nil {
		return nil, err
	}
	if x.wait, err = x.readWait(p); err != nil {
		return nil, err
	}
	if x.dryRun, err = p.flag("dryRun"); err != nil {
		return nil, err
	}
	if x.dryRun {
		x.w.Header().Set("Dovetail-Dry-Run", "true")
	}
	x.key = x.keyInView(x.r.Header.Get(keyHeader))
	x.message = x.r.Header.Get(messageHeader)
	return p, nil
}

// messageHeader says why the client writes; it is kept with the transaction.
const messageHeader = "Dovetail-Message"

// create creates the document and answers it.
func (x *requestContext) create(op store.Operation) error {
	op.Verb = store.Create
	result, err := x.applyOne(op)
	if err != nil {
		return err
	}
	if path := x.routing.pathOf(x.route.kind, op.ID); path != "" {
		x.w.Header()["Location"] = []string{x.located(path)}
	}
	return x.answerDocument(x.method.code, result.Outcomes[0].Document)
}

// createItem serves POST on an item, as older interfaces have it: the name comes from the path.
func createItem(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	data, content, err := x.readDocument()
	if err != nil {
		return err
	}
	if err := manifest.CheckNames(x.route.kind, x.resource, data); err != nil {
		return err
	}
	return x.create(store.Operation{ID: x.resource, Data: data, Content: content})
}

// putItem creates or replaces the document.
func putItem(x *requestContext) error {
	if _, err := x.writeParameters(); err != nil {
		return err
	}
	op := store.Operation{Verb: store.Put, ID: x.resource}
	var err error
	if op.IfMatch, op.IfExists, err = ifMatch(x.r.Header); err != nil {
		return err
	}
	if op.Data, op.Content, err = x.readDocument(); err != nil {
		return err
	}
	if err := manifest.CheckNames(x.route.kind, x.resource, op.Data); err != nil {
		return err
	}
	if onlyNew(x.r.Header) {
		op.Verb = store.Create
	}
	result, err := x.applyOne(op)
	if err != nil {
		if op.Verb == store.Create && dovetail.CodeOf(err) == dovetail.CodeExists {
			err = stale(err)
		}
		return err
	}
	outcome := result.Outcomes[0]
	code := http.StatusOK
	if outcome.Effect == store.WasCreated {
		code = http.StatusCreated
		if path := x.routing.pathOf(x.route.kind, x.resource); path != "" {
			x.w.Header()["Location"] = []string{x.located(path)}
		}
	}
	return x.answerDocument(cmp.Or(x.method.code, code), outcome.Document)
}

// stale turns "it exists" into the answer to a condition that failed.
func stale(err error) error {
	e := *dovetail.AsError(err)
	e.Code = dovetail.CodeStale
	return &e
}

// readOperation reads an operation on the resource whose data is the body.
func (x *requestContext) readOperation(verb store.Verb) (store.Operation, error) {
	op := store.Operation{Verb: verb, ID: x.resource}
	if _, err := x.writeParameters(); err != nil {
		return op, err
	}
	var err error
	if op.IfMatch, op.IfExists, err = ifMatch(x.r.Header); err != nil {
		return op, err
	}
	f, _, err := x.bodyType()
	if err != nil {
		return op, err
	}
	op.Data, err = x.readObject(f, x.api.limits.Body)
	return op, err
}

// patchItem lays a merge patch over the data.
func patchItem(x *requestContext) error {
	op, err := x.readOperation(store.Patch)
	if err != nil {
		return err
	}
	if err := manifest.CheckNames(x.route.kind, x.resource, op.Data); err != nil {
		return err
	}
	result, err := x.applyOne(op)
	if err != nil {
		return err
	}
	return x.answerDocument(x.method.code, result.Outcomes[0].Document)
}
