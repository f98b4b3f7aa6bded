package httpapi

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// metadataPart is the part of a multipart body that holds the document's data.
const metadataPart = "metadata"

// maxParts bounds the parts of one body.
const maxParts = 1000

// readMultipart reads the data from the part metadata, which older clients send without a content
// type, and the files from the parts that the kind knows, one after the other as they come.
func (x *requestContext) readMultipart(boundary string) (data *value.Value, content []dovetail.File, err error) {
	if boundary == "" {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the content type multipart/form-data lacks its boundary",
			Remedy: "let your HTTP library set the header"}
	}
	limit := x.api.limits.Body
	var metadata *textproto.MIMEHeader
	var described []byte
	size := 0
	reader := multipart.NewReader(x.body(limit), boundary)
	for range maxParts {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			if err := x.occupy(size); err != nil {
				return nil, nil, err
			}
			if metadata != nil {
				if data, err = x.readMetadata(*metadata, described); err != nil {
					return nil, nil, err
				}
			}
			return x.checkMultipart(data, content)
		}
		if err != nil {
			return nil, nil, bodyError(err, limit)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, bodyError(err, limit)
		}
		size += len(text)
		if part.FormName() != metadataPart {
			content = append(content, dovetail.File{Name: part.FormName(), Filename: part.FileName(), MediaType: part.Header.Get("Content-Type"), Data: text})
			continue
		}
		if metadata != nil {
			return nil, nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the part metadata is given more than once", Remedy: "give it once"}
		}
		metadata, described = &part.Header, text
	}
	return nil, nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the body has too many parts", Remedy: "send fewer files"}
}

func (x *requestContext) checkMultipart(data *value.Value, content []dovetail.File) (*value.Value, []dovetail.File, error) {
	if data == nil {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the part metadata is missing", Remedy: "send the data in it, as JSON or YAML"}
	}
	return data, content, nil
}

// readMetadata reads the part metadata. Without a content type of JSON it is read as YAML, of which
// JSON is a part, unless it begins like a JSON object.
func (x *requestContext) readMetadata(header textproto.MIMEHeader, text []byte) (*value.Value, error) {
	f := formatYAML
	name, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if known, ok := formatOf(name); err == nil && ok && known != formatMultipart {
		f = known
	} else if looksLikeJSON(text) {
		f = formatJSON
	}
	values, err := parse(f, text, x.parsing(x.api.limits.Body))
	if err != nil {
		return nil, err
	}
	return oneObject(values)
}

func looksLikeJSON(text []byte) bool {
	for _, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == '{'
		}
	}
	return false
}

// answerMultipart sends the document as a body of several parts, as it could be sent here.
func (x *requestContext) answerMultipart(doc *dovetail.Document) error {
	x.version(doc)
	w := multipart.NewWriter(&x.w)
	h := x.w.Header()
	x.revalidate()
	h.Set("Content-Type", w.FormDataContentType())
	x.w.WriteHeader(http.StatusOK)
	x.writePart(w, metadataPart, "", "application/json", x.api.options.Profile.writeData(nil, doc))
	for _, f := range doc.Content {
		x.writePart(w, f.Name, f.Filename, mediaTypeOf(f), f.Data)
	}
	if err := w.Close(); err != nil {
		return dovetail.AsError(err)
	}
	return nil
}

// answerFiles sends the files of the document, one behind the other, without its data.
func (x *requestContext) answerFiles(doc *dovetail.Document) error {
	if len(doc.Content) == 0 {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Key: doc.ID, Message: string(doc.ID) + " has no file", Remedy: "accept application/json"}
	}
	x.version(doc)
	x.revalidate()
	size := 0
	for _, f := range doc.Content {
		size += len(f.Data)
	}
	h := x.w.Header()
	h.Set("Content-Type", mediaTypes[formatFile][0])
	h.Set("Content-Length", strconv.Itoa(size))
	h.Set("X-Content-Type-Options", "nosniff")
	x.w.WriteHeader(http.StatusOK)
	for _, f := range doc.Content {
		if _, err := x.w.Write(f.Data); err != nil {
			return dovetail.AsError(err)
		}
	}
	return nil
}

func (x *requestContext) writePart(w *multipart.Writer, name, filename, mediaType string, data []byte) {
	fields := map[string]string{"name": name}
	if filename != "" {
		fields["filename"] = filename
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", mime.FormatMediaType("form-data", fields))
	header.Set("Content-Type", mediaType)
	if part, err := w.CreatePart(header); err == nil {
		_, _ = part.Write(data)
	}
}

// mediaTypeOf is the media type that a file was uploaded with.
func mediaTypeOf(f dovetail.File) string {
	if name, _, err := mime.ParseMediaType(f.MediaType); err == nil && name != "" {
		return f.MediaType
	}
	return "application/octet-stream"
}
