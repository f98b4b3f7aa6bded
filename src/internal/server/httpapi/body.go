package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// bodyType says how the request's body is written: formatJSON, formatYAML or formatMultipart, and
// the parameters of its media type. No Content-Type means JSON. The error has the code CodeMediaType.
func (x *requestContext) bodyType() (format, map[string]string, error) {
	header := x.r.Header.Get("Content-Type")
	if header == "" || header == "application/json" {
		return formatJSON, nil, nil
	}
	name, parameters, err := mime.ParseMediaType(header)
	if err == nil {
		switch f, known := formatOf(name); {
		case !known:
		case isMergePatch(name) && x.r.Method != http.MethodPatch:
		case f == formatMultipart && (x.r.Method == http.MethodPatch || x.route.what != itemRoute && x.route.what != collectionRoute):
		default:
			return f, parameters, checkCharset(parameters)
		}
	}
	remedy := "send application/json or application/yaml"
	switch {
	case x.r.Method == http.MethodPatch:
		remedy = "send application/merge-patch+json"
	case x.route.kind != nil && len(x.route.kind.Content) > 0:
		remedy += ", or multipart/form-data with a part metadata and the files"
	}
	return formatJSON, nil, &dovetail.Error{Code: dovetail.CodeMediaType, Err: err,
		Message: fmt.Sprintf("the media type %q is not supported here", header), Remedy: remedy}
}

func formatOf(mediaType string) (format, bool) {
	switch mediaType {
	case "application/json", "text/json":
		return formatJSON, true
	case "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml":
		return formatYAML, true
	case "multipart/form-data":
		return formatMultipart, true
	}
	if name, _, _ := strings.Cut(mediaType, "+"); strings.HasSuffix(name, "-patch") && !isMergePatch(mediaType) {
		return formatJSON, false // a language of its own, as RFC 6902, or strategic merges and applies of Kubernetes
	}
	if strings.HasSuffix(mediaType, "+json") {
		return formatJSON, true
	}
	return formatYAML, strings.HasSuffix(mediaType, "+yaml")
}

// isMergePatch reports whether a media type is that of RFC 7396.
func isMergePatch(mediaType string) bool {
	return mediaType == "application/merge-patch+json" || mediaType == "application/merge-patch+yaml"
}

// checkCharset refuses text of another encoding than UTF-8, whose letters would be others.
func checkCharset(parameters map[string]string) error {
	switch charset := strings.ToLower(parameters["charset"]); charset {
	case "", "utf-8", "utf8", "us-ascii":
		return nil
	default:
		return &dovetail.Error{Code: dovetail.CodeMediaType, Message: fmt.Sprintf("the charset %q is not supported", charset), Remedy: "send UTF-8"}
	}
}

// readBody returns the whole body, of at most this many bytes.
func (x *requestContext) readBody(limit int64) ([]byte, error) {
	if x.kept != nil {
		return x.kept, nil
	}
	if coding := x.r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		x.w.Header().Set("Accept-Encoding", "identity")
		return nil, &dovetail.Error{Code: dovetail.CodeMediaType, Message: fmt.Sprintf("the content encoding %q is not supported", coding),
			Remedy: "send it as it is, without a header Content-Encoding"}
	}
	if x.r.ContentLength > limit {
		return nil, tooLarge(limit, nil)
	}
	body := x.body(limit)
	if x.r.ContentLength >= 0 && x.r.ContentLength <= atOnce {
		data := make([]byte, x.r.ContentLength)
		_, err := io.ReadFull(body, data)
		return x.bodyRead(data, bodyError(err, limit))
	}
	data, err := io.ReadAll(body)
	return x.bodyRead(data, bodyError(err, limit))
}

// bodyRead waits for the seats of the request, whose body is there.
func (x *requestContext) bodyRead(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return data, x.occupy(len(data))
}

// atOnce is how long a body may say that it is and be believed. A longer one gets memory as it comes, since it may
// never come.
const atOnce = 16 << 10

// body is the request's, of at most this many bytes, which count among those that are held.
func (x *requestContext) body(limit int64) io.Reader {
	if x.kept != nil {
		return &heldBody{x, bytes.NewReader(x.kept)}
	}
	return &heldBody{x, http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, limit)}
}

// heldBody counts what is read of a body until the request has been served.
type heldBody struct {
	x     *requestContext
	inner io.Reader
}

// Read implements io.Reader.
func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if refused := b.x.hold(int64(n)); refused != nil {
		return 0, refused
	}
	b.x.api.held.Add(int64(n))
	b.x.held += int64(n)
	return n, err
}

// Bodies is how many bytes the bodies have of the requests that are being served, as far as they were read.
func (a *API) Bodies() int64 { return a.held.Load() }

func tooLarge(limit int64, err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Err: err,
		Message: fmt.Sprintf("the body has more than the %d bytes that are allowed", limit), Remedy: "split it, or ask for a higher limit"}
}

// bodyError explains what goes wrong with reading a body.
func bodyError(err error, limit int64) error {
	var over *http.MaxBytesError
	var refused *dovetail.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &over):
		return tooLarge(limit, err)
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &dovetail.Error{Code: dovetail.CodeTimeout, Message: "the client sent the body too slowly", Err: err}
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body is incomplete", Remedy: "send it again", Err: err}
}

// readValues reads a body of JSON or YAML, which may hold several documents.
func (x *requestContext) readValues(f format, limit int64) ([]*value.Value, error) {
	data, err := x.readBody(limit)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body is empty", Remedy: "send an object"}
	}
	return parse(f, data, x.parsing(limit))
}

func parse(f format, data []byte, limits value.Limits) ([]*value.Value, error) {
	if f == formatYAML {
		return yaml.Parse("", data, limits)
	}
	v, err := value.ParseJSON(data, limits)
	if err != nil {
		return nil, err
	}
	return []*value.Value{v}, nil
}

// bodyValues reads a body of JSON or YAML, as its media type says.
func (x *requestContext) bodyValues(limit int64) ([]*value.Value, error) {
	f, _, err := x.bodyType()
	if err != nil {
		return nil, err
	}
	return x.readValues(f, limit)
}

// readObject reads a body that is one object.
func (x *requestContext) readObject(f format, limit int64) (*value.Value, error) {
	values, err := x.readValues(f, limit)
	if err != nil {
		return nil, err
	}
	return oneObject(values)
}

func oneObject(values []*value.Value) (*value.Value, error) {
	if len(values) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("the body has %d YAML documents, not one", len(values)), Remedy: "send several to /v2/batch"}
	}
	v := values[0]
	if v.Kind != value.Map {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: v.Position(),
			Message: "the body must be an object, not a " + v.Kind.String(), Remedy: "send metadata and spec"}
	}
	return v, nil
}

// readDocument reads the data of a document, and its files from a body of several parts. Without
// any file content is nil.
func (x *requestContext) readDocument() (data *value.Value, content []dovetail.File, err error) {
	f, parameters, err := x.bodyType()
	if err != nil {
		return nil, nil, err
	}
	if f == formatMultipart {
		data, content, err := x.readMultipart(parameters["boundary"])
		return data, content, malformed(err)
	}
	data, err = x.readObject(f, x.api.limits.Body)
	return data, nil, malformed(err)
}

// malformedBody is the error of a body that is not what its media type says, or not an object.
type malformedBody struct{ error }

func (m malformedBody) Unwrap() error { return m.error }

// malformed marks the error of a body that cannot be read; of other errors nothing changes.
func malformed(err error) error {
	if dovetail.CodeOf(err) != dovetail.CodeInvalid {
		return err
	}
	return malformedBody{err}
}
