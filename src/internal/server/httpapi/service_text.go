package httpapi

import (
	"iter"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Text is an answer that a service wrote itself.
type Text struct {
	Status    int    // of an error; a good answer has that of its Response
	MediaType string // "application/x-yaml"
	Data      []byte
	// Parts are, in place of Data, those of a long answer. Each is sent before the next is asked for, which may use its
	// memory again.
	Parts  iter.Seq[[]byte]
	Header http.Header // more than the common headers
}

// readText reads a body that the service parses itself. It must be of the endpoint's media type, unless
// there is none; of YAML, which has many names, any name will do.
func (x *requestContext) readText(mediaType string) ([]byte, error) {
	data, err := x.readBody(x.api.limits.Body)
	header := x.r.Header.Get("Content-Type")
	if err != nil || len(data) == 0 && header == "" {
		return data, err
	}
	name, parameters, err := mime.ParseMediaType(header)
	given, known := formatOf(name)
	wanted, _ := formatOf(mediaType)
	if err != nil || name != mediaType && (!known || given != wanted || given != formatYAML) {
		return nil, &dovetail.Error{Code: dovetail.CodeMediaType, Err: err,
			Message: "the media type " + strconv.Quote(header) + " is not supported here", Remedy: "send " + mediaType}
	}
	return data, checkCharset(parameters)
}

// answerText sends what a service wrote.
func (x *requestContext) answerText(status int, text *Text) error {
	h := x.w.Header()
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		h["Cache-Control"] = noCache
	}
	maps.Copy(h, text.Header)
	h.Set("Content-Type", text.MediaType)
	if text.Parts == nil {
		if text.Status == 0 { // it is no refusal
			if err := x.holdAnswer(int64(len(text.Data))); err != nil {
				return err
			}
		}
		h.Set("Content-Length", strconv.Itoa(len(text.Data)))
		x.w.WriteHeader(status)
		x.write(text.Data)
		return nil
	}
	x.w.WriteHeader(status)
	for part := range text.Parts {
		if _, err := x.w.Write(part); err != nil {
			break // the client has gone
		}
	}
	return nil
}

// problemOf returns how the service whose path was asked for shows errors, nil for the common form.
func (x *requestContext) problemOf() func(*dovetail.Error) *Text {
	if x.route == nil {
		for _, service := range x.api.options.Services {
			if service.Base != "" && strings.HasPrefix(x.r.URL.Path, service.Base+"/") {
				return service.Problem
			}
		}
		return nil
	}
	for _, m := range x.route.methods {
		return m.problem // all of a path are of one service
	}
	return nil
}
