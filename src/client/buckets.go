package client

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// mediaTypeYAML is that of the bodies and answers of the layering service.
const mediaTypeYAML = "application/x-yaml"

// LayeringFailure is the cause of errors of the layering service. Text is the response, a Status in YAML with the details.
type LayeringFailure struct {
	Text []byte
}

func (*LayeringFailure) Error() string { return "the layering service refuses it" }

// PutBuckets replaces the layered documents of one or more buckets atomically, in one revision. The body is that of
// PUT /api/v1.0/buckets, in YAML. It returns the response in YAML and the number of the revision, "" for a dry run. Errors have a
// LayeringFailure as their cause. After CodeUnknown the revision may exist; a body with ifRevision can safely be sent again.
func (c *Client) PutBuckets(ctx context.Context, body []byte, dryRun bool) (answer []byte, revision string, err error) {
	query := url.Values{}
	if dryRun {
		query.Set("dryRun", "true")
	}
	r := request{method: http.MethodPut, path: "/api/v1.0/buckets", query: query, body: body, writes: !dryRun,
		header: http.Header{"Content-Type": {mediaTypeYAML}, "Accept": {mediaTypeYAML}}}
	got, err := c.do(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer got.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(got.Body); err != nil {
		return nil, "", c.readError(ctx, r.writes, err)
	}
	return text.Bytes(), strings.Trim(got.Header.Get("ETag"), `"`), nil
}

// layeringFailure is the error of an answer of the layering service, nil of any other.
func layeringFailure(answer *http.Response) *dovetail.Error {
	if mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); mediaType != mediaTypeYAML {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxProblem)) // what there is of it
	codes := map[int]dovetail.Code{http.StatusBadRequest: dovetail.CodeInvalid, http.StatusUnauthorized: dovetail.CodeUnauthenticated, http.StatusForbidden: dovetail.CodeForbidden,
		http.StatusNotFound: dovetail.CodeNotFound, http.StatusConflict: dovetail.CodeConflict, http.StatusPreconditionFailed: dovetail.CodeStale,
		http.StatusRequestEntityTooLarge: dovetail.CodeTooLarge, http.StatusTooManyRequests: dovetail.CodeRateLimited, http.StatusServiceUnavailable: dovetail.CodeUnavailable}
	code := codes[answer.StatusCode]
	if code == "" {
		code = dovetail.CodeInternal
	}
	return &dovetail.Error{Code: code, Message: "the layering service answered " + answer.Status, Err: &LayeringFailure{Text: text}}
}
