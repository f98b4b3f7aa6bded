package emcoapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// maxAnswer bounds one answer.
const maxAnswer = 256 << 20

// get reads JSON; found is false where nothing is served at the path.
func (w *walk) get(ctx context.Context, kind *schema.Kind, path string) (v *value.Value, found bool, err error) {
	_, text, found, err := w.request(ctx, kind, path, "application/json")
	if err != nil || !found {
		return nil, false, err
	}
	if v, err = value.ParseJSON(text, value.Limits{Bytes: maxAnswer}); err != nil {
		return nil, false, unreadable(path, err)
	}
	return v, true, nil
}

// files reads the files of a document: the parts of an answer that are not its data. EMCO does not close its multiparts: the last part ends
// where the answer does.
func (w *walk) files(ctx context.Context, kind *schema.Kind, path string) ([]dovetail.File, error) {
	contentType, text, found, err := w.request(ctx, kind, path, "multipart/form-data")
	if err != nil || !found {
		return nil, err
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || parameters["boundary"] == "" {
		return nil, unreadable(path, fmt.Errorf("it is of the type %s, not multipart", cmp.Or(contentType, "none")))
	}
	var files []dovetail.File
	end := strings.NewReader("\r\n--" + parameters["boundary"] + "--\r\n") // of two ends the first counts
	closed := io.MultiReader(bytes.NewReader(text), end)
	for n, parts := 0, multipart.NewReader(closed, parameters["boundary"]); ; n++ {
		part, err := parts.NextRawPart()
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return files, nil
		case errors.Is(err, io.EOF):
			return nil, unreadable(path, errors.New("it has no parts"))
		case err != nil:
			return nil, unreadable(path, err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, unreadable(path, err)
		}
		if part.FormName() == "metadata" || strings.HasPrefix(part.Header.Get("Content-Type"), "application/json") {
			continue
		}
		if len(data) > 0 {
			files = append(files, dovetail.File{Filename: part.FileName(), Data: data})
		}
	}
}

// request asks the service of a kind.
func (w *walk) request(ctx context.Context, kind *schema.Kind, path, accept string) (contentType string, text []byte, found bool, err error) {
	base := cmp.Or(w.Services[kind.Service], w.Base)
	target := strings.TrimSuffix(base, "/") + "/v2" + path
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return "", nil, false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the URL " + base + " cannot be used: " + err.Error(), Err: err}
	}
	r.Header.Set("Accept", accept)
	answer, err := w.HTTP.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return "", nil, false, dovetail.AsError(ctx.Err())
		}
		return "", nil, false, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "EMCO's service " + kind.Service + " cannot be reached at " + base + ": " + err.Error(), Err: err,
			Remedy: "name where it answers with --service " + kind.Service + "=URL"}
	}
	defer answer.Body.Close()
	text, err = limit.Limit{Bytes: maxAnswer, Of: "it"}.ReadAll(answer.Body)
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeTooLarge:
		return "", nil, false, unreadable(path, err)
	case err != nil:
		return "", nil, false, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the answer to GET " + target + " ended early: " + err.Error(), Err: err, Remedy: "try again"}
	case answer.StatusCode == http.StatusNotFound:
		return "", nil, false, nil
	case answer.StatusCode != http.StatusOK:
		return "", nil, false, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: fmt.Sprintf("GET %s answers %d: %.200s", target, answer.StatusCode, strings.TrimSpace(string(text))),
			Remedy: "see the log of the service " + kind.Service}
	}
	return answer.Header.Get("Content-Type"), text, true, nil
}

// unreadable is the error of an answer that is not what EMCO answers.
func unreadable(path string, err error) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the answer to GET /v2" + path + " cannot be read: " + err.Error(), Err: err, Remedy: "see whether it is EMCO that answers there"}
}
