package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Options returns the options of the transaction that the request makes. answer, if not nil, returns the response, given the result of the
// transaction, which is not committed yet: it is stored with the transaction under the idempotency key, and a repetition of the request is answered
// with it. Without answer the service answers repetitions itself.
func (c *Request) Options(answer func(*store.Result) (*Response, error)) store.Options {
	o := store.Options{DryRun: c.DryRun, Key: c.key, Message: c.Message, Request: c.once}
	if answer != nil {
		o.Answer = Kept(answer)
	}
	return o
}

// Kept returns an answer for store.Options that is kept as the response of a request.
func Kept(answer func(*store.Result) (*Response, error)) func(*store.Result) ([]byte, error) {
	return func(result *store.Result) ([]byte, error) {
		response, err := answer(result)
		if err != nil {
			return nil, err
		}
		return response.Encode(), nil
	}
}

// Replies returns an answer for Options that does not depend on the result.
func Replies(response *Response) func(*store.Result) (*Response, error) {
	return func(*store.Result) (*Response, error) { return response, nil }
}

// digest tells apart requests with the same idempotency key.
func (e *Endpoint) digest(c *Request) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s %q %q %q %q ", e.Method, e.Path, c.Path, c.Query, c.Header["If-Match"], c.Header["If-None-Match"])
	hash.Write(c.Text)
	if c.Body != nil {
		hash.Write(c.Body.AppendJSON(nil))
	}
	return "service " + hex.EncodeToString(hash.Sum(nil))
}

// handle serves the request, or answers what it was answered before under the same idempotency key.
func (e *Endpoint) handle(x *requestContext, call *Request) (*Response, error) {
	repeated := false
	if call.key != "" && !call.DryRun {
		done, err := x.store.Replay(x.ctx, nil, call.Options(nil))
		if err != nil {
			return nil, err
		}
		if done != nil && done.Answer != nil {
			return decodeResponse(done.Answer)
		}
		repeated = done != nil
	}
	response, err := e.Handle(x.ctx, call)
	var before *store.AnsweredError
	switch {
	case errors.As(err, &before): // by a request at the same time
		return decodeResponse(before.Result.Answer)
	case err != nil:
		return nil, err
	}
	response.Repeated = response.Repeated || repeated
	return response, nil
}

// keptResponse is a Response as it is stored under an idempotency key.
type keptResponse struct {
	Status       int
	Body         json.RawMessage `json:",omitempty"`
	Version      string          `json:",omitempty"`
	Location     string          `json:",omitempty"`
	Modified     time.Time
	Warnings     []string    `json:",omitempty"`
	MoreWarnings int         `json:",omitempty"`
	MediaType    string      `json:",omitempty"` // of Text
	Text         []byte      `json:",omitempty"`
	Header       http.Header `json:",omitempty"` // of Text
}

// Encode returns the response as store.Options.Answer returns it. A text in parts becomes one.
func (r *Response) Encode() []byte {
	kept := keptResponse{Status: r.Status, Version: r.Version, Location: r.Location, Modified: r.Modified, Warnings: r.Warnings, MoreWarnings: r.MoreWarnings}
	if r.Body != nil {
		kept.Body = encodeJSON(r.Body)
	}
	if doc := r.Document; doc != nil {
		kept.Version, kept.Modified = doc.ETag().Version(), doc.Updated
		if r.Body == nil {
			kept.Body = doc.Data
		}
	}
	if text := r.Text; text != nil {
		kept.MediaType, kept.Text, kept.Header = text.MediaType, text.Data, text.Header
		if text.Parts != nil {
			for part := range text.Parts {
				kept.Text = append(kept.Text, part...)
			}
		}
	}
	return encodeJSON(kept)
}

// decodeResponse returns the response that Encode has made a text of.
func decodeResponse(text []byte) (*Response, error) {
	k := new(keptResponse)
	if err := json.Unmarshal(text, k); err != nil {
		return nil, dovetail.AsError(err)
	}
	r := &Response{Status: k.Status, Version: k.Version, Location: k.Location, Modified: k.Modified, Warnings: k.Warnings, MoreWarnings: k.MoreWarnings, Repeated: true}
	if k.Body != nil {
		r.Body = k.Body
	}
	if k.MediaType != "" {
		r.Text = &Text{MediaType: k.MediaType, Data: k.Text, Header: k.Header}
	}
	return r, nil
}
