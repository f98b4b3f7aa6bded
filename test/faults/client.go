package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// answer is what a process answered to one request.
type answer struct {
	status   int
	code     string // of a problem; no-answer or unreachable where there was none
	detail   string
	tag      string // ETag
	position string
	body     []byte
}

// outcome is what the answer tells of a write.
func (a *answer) outcome() Outcome {
	switch a.code {
	case "":
		return Done
	case "no-answer", "unknown", "timeout", "internal", "canceled":
		return Unknown
	}
	return Refused
}

// requestTime is how long a client waits for an answer.
const requestTime = 20 * time.Second

var httpClient = &http.Client{Timeout: requestTime, Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute}}

// call sends one request.
func call(ctx context.Context, address, method, path string, header map[string]string, body any) *answer {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err) // maps, strings and numbers can be written
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, reader)
	if err != nil {
		panic(err) // the paths are ours
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := httpClient.Do(request)
	if err != nil {
		if errors.Is(err, syscall.ECONNREFUSED) {
			return &answer{code: "unreachable", detail: err.Error()}
		}
		return &answer{code: "no-answer", detail: err.Error()}
	}
	defer response.Body.Close()
	a := &answer{status: response.StatusCode, tag: response.Header.Get("ETag"), position: response.Header.Get("Dovetail-Position")}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return &answer{code: "no-answer", detail: err.Error()}
	}
	if a.status >= http.StatusBadRequest {
		var problem struct{ Code, Detail string }
		if err := json.Unmarshal(a.body, &problem); err != nil || problem.Code == "" {
			return &answer{status: a.status, code: "internal", detail: string(a.body)}
		}
		a.code, a.detail = problem.Code, problem.Detail
	}
	return a
}

// stored is a document as the API shows it.
type stored struct {
	ID   string `json:"id"`
	ETag string `json:"etag"`
	Data struct {
		Spec struct {
			N, M   int
			Target string
		}
	}
}

func (s *stored) document() Document {
	d := Document{ID: s.ID, Version: strings.Trim(s.ETag, `"`), State: State{N: s.Data.Spec.N, M: s.Data.Spec.M}}
	if s.Data.Spec.Target != "" {
		d.Target = "cell/" + cellName(s.ID) + "/target/" + s.Data.Spec.Target
	}
	return d
}

// itemPath is the path of a document: cell/c1/item/i0 is at /v2/cells/c1/items/i0.
func itemPath(id string) string {
	elements := strings.Split(id, "/")
	path := "/v2"
	for i := 0; i+1 < len(elements); i += 2 {
		path += "/" + elements[i] + "s" + "/" + elements[i+1]
	}
	return path
}

// collectionPath is where the document is created.
func collectionPath(id string) string {
	path := itemPath(id)
	return path[:strings.LastIndexByte(path, '/')]
}

func nameOf(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// data is what a write sends of a document.
func (w Write) data() map[string]any {
	spec := map[string]any{}
	if w.State.N != 0 {
		spec["n"] = w.State.N
	}
	if w.State.M != 0 {
		spec["m"] = w.State.M
	}
	if w.State.Target != "" {
		spec["target"] = nameOf(w.State.Target)
	}
	if w.Do == "patch" {
		return map[string]any{"spec": spec}
	}
	return map[string]any{"metadata": map[string]any{"name": nameOf(w.ID)}, "spec": spec}
}

// send sends a write operation to a process: a batch if it has several writes, otherwise by the verb of its document.
func (o *Operation) send(ctx context.Context, address string) *answer {
	header := map[string]string{"Dovetail-Message": messageOf(o.Number)}
	if o.Key != "" {
		header["Idempotency-Key"] = o.Key
	}
	if o.Action != nil {
		return call(ctx, address, http.MethodPost, o.Action.Path, header, o.Action.Body)
	}
	if o.Kind == "batch" || o.Kind == "bulk" {
		var operations []map[string]any
		for _, w := range o.Writes {
			operations = append(operations, w.operation())
		}
		return call(ctx, address, http.MethodPost, "/v2/batch", header, operations)
	}
	w := o.Writes[0]
	if w.Tag != "" {
		header["If-Match"] = w.Tag
	}
	switch w.Do {
	case "create":
		return call(ctx, address, http.MethodPost, collectionPath(w.ID), header, w.data())
	case "put":
		return call(ctx, address, http.MethodPut, itemPath(w.ID), header, w.data())
	case "patch":
		header["Content-Type"] = "application/merge-patch+json"
		return call(ctx, address, http.MethodPatch, itemPath(w.ID), header, w.data())
	case "cascade":
		return call(ctx, address, http.MethodDelete, itemPath(w.ID)+"?cascade=true", header, nil)
	}
	return call(ctx, address, http.MethodDelete, itemPath(w.ID), header, nil)
}

// operation is the write as one of a batch.
func (w Write) operation() map[string]any {
	switch w.Do {
	case "delete":
		return map[string]any{"op": "delete", "id": w.ID}
	case "cascade":
		return map[string]any{"op": "delete", "id": w.ID, "cascade": true}
	}
	elements, key := strings.Split(w.ID, "/"), map[string]string{}
	for i := 0; i+1 < len(elements); i += 2 {
		key[elements[i]] = elements[i+1]
	}
	return map[string]any{"op": w.Do, "kind": elements[len(elements)-2], "key": key, "data": w.data()}
}

// get reads a document.
func get(ctx context.Context, address, id, at string) ([]Document, *answer) {
	path := itemPath(id) + "?view=document"
	if at != "" {
		path += "&at=" + url.QueryEscape(at)
	}
	a := call(ctx, address, http.MethodGet, path, nil, nil)
	if a.code == "not-found" {
		return nil, &answer{status: a.status, position: a.position}
	}
	var one stored
	if a.code == "" {
		if err := json.Unmarshal(a.body, &one); err != nil {
			return nil, &answer{code: "internal", detail: err.Error()}
		}
		return []Document{one.document()}, a
	}
	return nil, a
}

// latest is a time that no position is later than.
const latest = "2099-01-01T00:00:00Z"

// snapshot reads all documents of a cell at one position; of now, if none is given.
func snapshot(ctx context.Context, address, cell, at string) ([]Document, *answer) {
	if at == "" {
		at = latest
	}
	below, a := list(ctx, address, "under=cell/"+cell+"&at="+url.QueryEscape(at))
	if a.code != "" {
		return nil, a
	}
	root, b := get(ctx, address, "cell/"+cell, a.position)
	if b.code != "" {
		return nil, b
	}
	return append(root, below...), a
}

// list reads all pages of a list of documents.
func list(ctx context.Context, address, query string) (documents []Document, first *answer) {
	more := ""
	for {
		a := call(ctx, address, http.MethodGet, "/v2/documents?limit=1000&"+query+more, nil, nil)
		if a.code != "" {
			return nil, a
		}
		if first == nil {
			first = a
		}
		var page struct {
			Items    []stored
			Continue string
		}
		if err := json.Unmarshal(a.body, &page); err != nil {
			return nil, &answer{code: "internal", detail: err.Error()}
		}
		for i := range page.Items {
			documents = append(documents, page.Items[i].document())
		}
		if page.Continue == "" {
			return documents, first
		}
		more = "&continue=" + url.QueryEscape(page.Continue)
	}
}
