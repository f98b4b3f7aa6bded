package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// resultJSON is what the server did to one document.
type resultJSON struct {
	Index    int          `json:"index"` // from 1; 0 for what a cascade took along
	Effect   store.Effect `json:"effect"`
	ID       dovetail.ID  `json:"id"`
	Kind     string       `json:"kind"`
	ETag     string       `json:"etag"`
	Because  *store.Cause `json:"because"`
	Warnings []string     `json:"warnings"`
	// Document is what the document would be, in dry runs of Revert and Rollback.
	Document *dovetail.Document `json:"document"`
}

// Apply executes operations in one atomic transaction, as store.Store.Apply does,
// with the same errors: each has the Position of its operation or of the invalid value in its
// data. The documents in the result have only id, kind, uid and revision. With options.Key, Apply also retries
// if the outcome is unknown. The result never has Repeated.
func (c *Client) Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error) {
	if slices.ContainsFunc(operations, isFaulty) {
		return nil, c.refuse(ctx, operations)
	}
	manifests := value.NewList()
	for _, op := range operations {
		m, err := manifestOf(op)
		if err != nil {
			return nil, err
		}
		manifests.Items = append(manifests.Items, m)
	}
	r := request{method: http.MethodPost, path: api.Batch, body: manifests.JSON(), writes: !options.DryRun, header: headerOf(options)}
	r.query = c.scope.into(url.Values{})
	if options.DryRun {
		r.query.Set("dryRun", "true")
	}
	if options.Managed {
		r.query.Set("managed", "true")
	}
	var answer resultsJSON
	if err := c.call(ctx, r, &answer); err != nil {
		return nil, placed(err, operations)
	}
	return answer.result(operations), nil
}

// resultsJSON is what a transaction did.
type resultsJSON struct {
	Results    []resultJSON `json:"results"`
	Unreadable bool         `json:"unreadable"`
	References int          `json:"references"`
}

// result gives the outcomes of operations, where they are known, their positions.
func (a resultsJSON) result(operations []store.Operation) *store.Result {
	result := &store.Result{Unreadable: a.Unreadable, References: a.References}
	for _, r := range a.Results {
		if r.Index == 0 {
			result.Cascaded = append(result.Cascaded, r.outcome(dovetail.Position{}))
			continue
		}
		var at dovetail.Position
		if r.Index <= len(operations) {
			at = operations[r.Index-1].Position
		}
		result.Outcomes = append(result.Outcomes, r.outcome(at))
	}
	return result
}

// headerOf returns what the options say about a transaction beside its operations.
func headerOf(options store.Options) http.Header {
	header := http.Header{}
	if options.Key != "" {
		header.Set(keyHeader, options.Key)
	}
	if options.Message != "" {
		header.Set(messageHeader, options.Message)
	}
	return header
}

func isFaulty(op store.Operation) bool { return len(op.Faults) > 0 }

// refuse reports the faults of operations together with what the server finds wrong with the others,
// which are sent as a dry run. A missing document may be one of the faulty ones, so missing documents are not reported.
func (c *Client) refuse(ctx context.Context, operations []store.Operation) error {
	var sound []store.Operation
	var index []int // of the sound ones among all
	var errs dovetail.Errors
	for i, op := range operations {
		if !isFaulty(op) {
			sound, index = append(sound, op), append(index, i+1)
		}
		for _, fault := range op.Faults {
			copied := *fault
			copied.Index = i + 1
			errs.Add(&copied)
		}
		errs.Count(op.MoreFaults)
	}
	if len(sound) > 0 {
		_, err := c.Apply(ctx, sound, store.Options{DryRun: true})
		for _, part := range parts(err) {
			if part.Index == 0 {
				return part // not about the operations
			}
			if part.Code != dovetail.CodeMissing {
				part.Index = index[part.Index-1]
				errs.Add(part)
			}
		}
		if err != nil {
			errs.Count(dovetail.AsError(err).Omitted())
		}
	}
	errs.Sort(func(a, b *dovetail.Error) int { return a.Index - b.Index })
	return errs.Err("the transaction was refused")
}

// parts returns the errors that an error is made of, copied.
func parts(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	switch {
	case e == nil:
		return nil
	case len(e.Errors) == 0:
		copied := *e
		return []*dovetail.Error{&copied}
	}
	var all []*dovetail.Error
	for _, part := range e.Errors {
		copied := *part
		all = append(all, &copied)
	}
	return all
}

// Delete deletes a document; with cascade also its descendants and referrers, and theirs, recursively.
func (c *Client) Delete(ctx context.Context, id dovetail.ID, cascade bool) (*store.Result, error) {
	return c.Apply(ctx, []store.Operation{{Verb: store.Delete, ID: id, Cascade: cascade}}, store.Options{})
}

// manifestOf writes an operation as the server reads it.
func manifestOf(op store.Operation) (*value.Value, error) {
	m := value.NewMap(
		value.Member{Name: "op", Value: value.NewString(string(op.Verb))},
		value.Member{Name: "id", Value: value.NewString(string(op.ID))})
	var versions []*value.Value
	for _, tag := range op.IfMatch {
		versions = append(versions, value.NewString(tag.String()))
	}
	if op.IfExists {
		versions = append(versions, value.NewString("*"))
	}
	if len(versions) > 0 {
		m.Set("ifMatch", value.NewList(versions...))
	}
	if op.Cascade {
		m.Set("cascade", value.NewBool(true))
	}
	if op.Content != nil {
		files, err := value.FromAny(op.Content)
		if err != nil {
			return nil, err
		}
		m.Set("content", files)
	}
	if op.Action != "" {
		m.Set("op", value.NewString("action"))
		m.Set("action", value.NewString(op.Action))
	}
	if op.FieldManager != "" && op.Verb != store.Delete && op.Verb != store.PutStatus {
		m.Set("fieldManager", value.NewString(op.FieldManager))
	}
	if op.Verb == store.ApplyFields {
		switch op.Force {
		case store.ForceAll:
			m.Set("force", value.NewBool(true))
		case store.ForceUnowned: // which is what the server takes without force
		default:
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Key: op.ID, Message: "the server also takes fields without a known manager", Remedy: "apply with ForceUnowned"}
		}
	}
	if op.Data != nil && op.Verb != store.Delete {
		m.Set("data", op.Data)
	}
	return m, nil
}

func (r resultJSON) outcome(at dovetail.Position) store.Outcome {
	doc := cmp.Or(r.Document, &dovetail.Document{ID: r.ID, Kind: r.Kind})
	if tag, err := dovetail.ParseETag(r.ETag); err == nil {
		doc.UID, doc.Revision = tag.UID, tag.Revision
	}
	outcome := store.Outcome{Effect: r.Effect, Document: doc, Cause: r.Because}
	for _, text := range r.Warnings {
		outcome.Warnings = append(outcome.Warnings, &dovetail.Error{Code: dovetail.CodeMissing, Message: text, Key: r.ID, Position: at})
	}
	return outcome
}

// placed turns the places that the server knows, paths in the manifests that it was sent, into those
// of the user's input.
func placed(err error, operations []store.Operation) error {
	e := *dovetail.AsError(err)
	if len(e.Errors) > 0 {
		parts := make([]*dovetail.Error, len(e.Errors))
		for i, part := range e.Errors {
			parts[i] = placeOne(*part, operations)
		}
		e.Errors = parts
		return &e
	}
	return placeOne(e, operations)
}

func placeOne(e dovetail.Error, operations []store.Operation) *dovetail.Error {
	if e.Index < 1 || e.Index > len(operations) {
		return &e
	}
	op := operations[e.Index-1]
	path, inData := strings.CutPrefix(e.Position.Path, "/data")
	e.Position = op.Position
	if inData && path != "" {
		e.Position.Path += path
		if v, found := op.Data.Find(path); found && v.Line > 0 {
			e.Position.Line, e.Position.Column = int(v.Line), int(v.Column)
		}
	}
	return &e
}

// encode writes JSON for a request, without the escapes that only web pages need.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the request cannot be written as JSON", Err: err}
	}
	return b.Bytes(), nil
}

// Import stores exported documents with their uids, revisions, times and status in one transaction,
// as store.Store.Import does, with the same errors.
func (c *Client) Import(ctx context.Context, documents []*dovetail.Document, options store.Options) (*store.Result, error) {
	if documents == nil {
		documents = []*dovetail.Document{} // which is a list in JSON
	}
	body, err := encode(documents)
	if err != nil {
		return nil, err
	}
	var answer resultsJSON
	if err := c.call(ctx, request{method: http.MethodPost, path: api.Documents, body: body, writes: true, header: headerOf(options)}, &answer); err != nil {
		return nil, err
	}
	return answer.result(nil), nil
}
