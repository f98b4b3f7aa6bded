package httpapi

import (
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// Header values that many answers share. They must not be appended to.
var (
	contentJSON = []string{"application/json"}
	contentYAML = []string{"application/yaml"}
	noCache     = []string{"no-cache"}
	varyAccept  = []string{"Accept"}
)

// answer sends a JSON text, as YAML where that was asked for. A status without a body sends none.
func (x *requestContext) answer(status int, text []byte) error {
	h := x.w.Header()
	if status == http.StatusNoContent {
		x.w.WriteHeader(status)
		return nil
	}
	body, err := x.formatted(text)
	if err != nil {
		return err
	}
	if err := x.holdAnswer(int64(len(body))); err != nil {
		return err
	}
	x.contentType()
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.w.WriteHeader(status)
	x.write(body)
	return nil
}

// contentType sets the headers that belong to the format of the answer. Each one less counts: they
// are a good part of the work on a small answer.
func (x *requestContext) contentType() {
	h := x.w.Header()
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		x.revalidate()
	}
	h["Content-Type"] = contentJSON
	if x.format == formatYAML {
		h["Content-Type"] = contentYAML
	}
}

// revalidate tells caches to ask again each time, and that the answer depends on the header Accept.
func (x *requestContext) revalidate() {
	h := x.w.Header()
	h["Cache-Control"] = noCache
	h["Vary"] = varyAccept
}

// formatted turns a JSON text into the format of the answer.
func (x *requestContext) formatted(text []byte) ([]byte, error) {
	if x.format != formatYAML {
		return text, nil
	}
	v, err := value.ParseStored(text, x.holdParsed)
	if err != nil {
		return nil, err
	}
	if err := x.holdAnswer(yaml.Size(v)); err != nil {
		return nil, err
	}
	return yaml.Marshal(v), nil
}

// answerDocument sends the document's data with its version.
func (x *requestContext) answerDocument(status int, doc *dovetail.Document) error {
	if status == http.StatusNoContent {
		return x.answer(status, nil)
	}
	x.version(doc)
	if doc.Data == nil {
		return x.answerUnread(status, doc)
	}
	if len(doc.Status) == 0 {
		return x.answer(status, doc.Data)
	}
	return x.answer(status, x.api.options.Profile.writeData(make([]byte, 0, len(doc.Data)+len(doc.Status)+len(`,"status":`)), doc))
}

// answerUnread answers a write of a document that its principal may not read: which one it is, and its version.
func (x *requestContext) answerUnread(status int, doc *dovetail.Document) error {
	written := struct {
		ID   dovetail.ID `json:"id"`
		Kind string      `json:"kind"`
		ETag string      `json:"etag,omitempty"`
	}{ID: doc.ID, Kind: doc.Kind}
	if !x.dryRun {
		written.ETag = doc.ETag().String()
	}
	return x.answer(status, encodeJSON(written))
}

// version sets the headers that tell the state of the document; of one that a dry run would have
// made there is none.
func (x *requestContext) version(doc *dovetail.Document) {
	h := x.w.Header()
	if x.dryRun || doc.Revision == 0 {
		return
	}
	h["Etag"] = []string{doc.ETag().String()}
	if !doc.Updated.IsZero() {
		h["Last-Modified"] = []string{doc.Updated.UTC().Format(http.TimeFormat)}
	}
}
