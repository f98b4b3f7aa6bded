package httpapi

import (
	"strconv"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// appendData appends what a GET of the item shows: the data exactly as stored, with the status, if
// there is one, as its last member. Who set which fields is in the envelope only.
func appendData(dst []byte, doc *dovetail.Document) []byte {
	status := shownStatus(doc)
	if len(status) == 0 || len(doc.Data) < 2 {
		return append(dst, doc.Data...)
	}
	dst = append(dst, doc.Data[:len(doc.Data)-1]...)
	if len(doc.Data) > len("{}") {
		dst = append(dst, ',')
	}
	dst = append(dst, `"status":`...)
	dst = append(dst, status...)
	return append(dst, '}')
}

// shownStatus is the status without the field managers.
func shownStatus(doc *dovetail.Document) []byte {
	status, _, ok := store.SplitStatus(doc.Status)
	if !ok {
		return doc.Status
	}
	return status
}

// appendEnvelope appends the document with its bookkeeping: what Document.MarshalJSON writes, with
// data and status byte for byte, and the etag. Files have their size instead of their data, unless
// that is asked for.
func appendEnvelope(dst []byte, doc *dovetail.Document, withContent bool) []byte {
	key := doc.Key()
	dst = appendText(append(dst, `{"id":`...), string(doc.ID))
	dst = appendText(append(dst, `,"kind":`...), doc.Kind)
	dst = key.AppendJSON(append(dst, `,"key":`...))
	dst = appendText(append(dst, `,"keyId":`...), key.KeyID())
	dst = append(append(dst, `,"data":`...), doc.Data...)
	if len(doc.Content) > 0 {
		dst = append(dst, `,"content":`...)
		if withContent {
			dst = append(dst, encodeJSON(doc.Content)...)
		} else {
			dst = append(dst, encodeJSON(describeFiles(doc.Content))...)
		}
	}
	if len(doc.Status) > 0 {
		dst = append(append(dst, `,"status":`...), doc.Status...)
	}
	if len(doc.Inputs) > 0 {
		dst = append(append(dst, `,"inputs":`...), encodeJSON(doc.Inputs)...)
	}
	for i, ref := range doc.References {
		before := `,`
		if i == 0 {
			before = `,"references":[`
		}
		dst = ref.AppendJSON(append(dst, before...))
		if i == len(doc.References)-1 {
			dst = append(dst, ']')
		}
	}
	dst = appendText(append(dst, `,"uid":`...), doc.UID)
	dst = strconv.AppendUint(append(dst, `,"revision":`...), doc.Revision, 10)
	dst = appendText(append(dst, `,"created":`...), doc.Created.Format(time.RFC3339Nano))
	dst = appendText(append(dst, `,"updated":`...), doc.Updated.Format(time.RFC3339Nano))
	if doc.Schema != "" {
		dst = appendText(append(dst, `,"schema":`...), doc.Schema)
	}
	dst = appendText(append(dst, `,"etag":`...), doc.ETag().String())
	return append(dst, '}')
}

func appendText(dst []byte, text string) []byte {
	return value.NewString(text).AppendJSON(dst)
}

// fileInfo is a file without its data.
type fileInfo struct {
	Name      string `json:"name"`
	Filename  string `json:"filename,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
	Size      int    `json:"size"`
}

func describeFiles(files []dovetail.File) []fileInfo {
	infos := make([]fileInfo, len(files))
	for i, f := range files {
		infos[i] = fileInfo{f.Name, f.Filename, f.MediaType, len(f.Data)}
	}
	return infos
}
