package httpapi

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// addServices registers the endpoints of the services. Their paths are fixed by the program, so that
// a wrong one is a defect of it.
func (a *API) addServices(add func(template, verb string, m *method) bool) {
	names := make(map[string]bool)
	for _, service := range a.options.Services {
		for name := range service.Schemas {
			if names[name] {
				panic("httpapi: two services have the schema " + name)
			}
			names[name] = true
		}
		for _, e := range service.Endpoints {
			if !strings.HasPrefix(e.Path, "/") || e.Path == api.Root || strings.HasPrefix(e.Path, api.Root+"/") {
				panic("httpapi: the service " + service.Name + " cannot be at " + e.Path)
			}
			if e.Body != nil && len(e.Needs) == 0 {
				panic("httpapi: " + e.Method + " " + e.Path + " has a body, but does not declare the right that it needs")
			}
			m := &method{handle: e.serve, code: e.code(), offers: resources, summary: e.Summary, endpoint: &e, long: e.Long, service: service.Name, problem: service.Problem}
			if e.MediaType != "" {
				m.offers = anything
			}
			if service.At != nil {
				m.past, m.view, m.handleAt = e.reads(), true, func(then *store.Store) handler { return service.at(then, &e) }
			}
			if !add(e.Path, e.Method, m) {
				panic("httpapi: two endpoints are at " + e.Method + " " + e.Path)
			}
		}
	}
}

// at returns the handler of an endpoint as of a position.
func (s *Service) at(then *store.Store, now *Endpoint) handler {
	past := s.At(then)
	i := slices.IndexFunc(past.Endpoints, func(e Endpoint) bool { return e.Method == now.Method && e.Path == now.Path })
	return past.Endpoints[i].serve
}

// isHard reports whether a request keeps a processor busy for long.
func (e *Endpoint) isHard(x *requestContext) bool { return e.Hard || e.HardDryRun && x.dryRun }

// read makes the call of a request.
func (e *Endpoint) read(x *requestContext) (*Request, error) {
	call := &Request{Header: x.r.Header, Limits: x.parsing(x.api.limits.Body)}
	if e.isHard(x) {
		call.Pause = x.pause
	}
	var err error
	if call.Path, err = x.variables(); err != nil {
		return nil, err
	}
	if call.Query, err = e.readQuery(x); err != nil {
		return nil, err
	}
	call.DryRun = x.dryRun
	if !e.reads() {
		call.key, call.Message = x.keyInView(x.r.Header.Get(keyHeader)), x.r.Header.Get(messageHeader)
	}
	if e.Versioned && e.Method != http.MethodGet {
		if e.OwnVersions {
			call.Versions, call.IfExists, err = ifMatchOwn(x.r.Header)
		} else {
			call.IfMatch, call.IfExists, err = ifMatch(x.r.Header)
		}
		if err != nil {
			return nil, err
		}
		call.IfNew = onlyNew(x.r.Header)
	}
	switch {
	case e.Body == nil, e.BodyOptional && x.r.ContentLength == 0:
	case e.AnyMediaType:
		call.Text, err = x.readBody(x.api.limits.Body)
	case e.MediaType != "":
		call.Text, err = x.readText(e.MediaType)
	case e.BodyOptional:
		call.Body, err = x.readOptional(x.api.limits.Body)
	default:
		call.Body, err = x.readOne()
	}
	if err == nil && call.key != "" {
		call.once = e.digest(call)
	}
	return call, err
}

// variables returns the values of the template's variables.
func (x *requestContext) variables() (map[string]string, error) {
	values := make(map[string]string, len(x.values))
	for i, name := range templateElements(x.route.template) {
		text, err := url.PathUnescape(x.values[i])
		if err != nil {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err,
				Message: "the path segment for " + name + " has an invalid escape", Remedy: "write % as %25"}
		}
		values[name] = text
	}
	return values, nil
}

// readQuery reads the query and checks it. All that is wrong with its values is reported together.
func (e *Endpoint) readQuery(x *requestContext) (url.Values, error) {
	var known []string
	for _, q := range e.Query {
		known = append(known, q.Name)
	}
	read := x.parameters
	if e.DryRun {
		read = x.writeParameters
	}
	p, err := read(known...)
	if err != nil {
		return nil, err
	}
	values := make(url.Values)
	var errs dovetail.Errors
	for _, q := range e.Query {
		text := p.text(q.Name)
		switch {
		case text == "" && q.Required:
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "the query lacks " + q.Name, Remedy: "give " + q.Description})
		case text != "" && q.Values != nil && !slices.Contains(q.Values, text):
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid,
				Message: fmt.Sprintf("%s is %q", q.Name, text), Remedy: cmp.Or(q.Instead[text], "give "+strings.Join(q.Values, " or "))})
		case p.has(q.Name):
			values[q.Name] = p[q.Name]
		}
	}
	return values, errs.Err("the query is refused")
}

// readOne reads a body that is one value.
func (x *requestContext) readOne() (*value.Value, error) {
	values, err := x.bodyValues(x.api.limits.Body)
	if err != nil {
		return nil, err
	}
	return onlyOne(values)
}

// readOptional reads a body that is nothing, or one value.
func (x *requestContext) readOptional(limit int64) (*value.Value, error) {
	data, err := x.readBody(limit)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return nil, err
	}
	f, _, err := x.bodyType()
	if err != nil {
		return nil, err
	}
	values, err := parse(f, data, x.parsing(limit))
	if err != nil || len(values) == 0 { // comments only
		return nil, err
	}
	return onlyOne(values)
}

func onlyOne(values []*value.Value) (*value.Value, error) {
	if len(values) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("the body has %d YAML documents, not one", len(values)), Remedy: "send one"}
	}
	return values[0], nil
}

func (e *Endpoint) answer(x *requestContext, reply *Response) error {
	status := cmp.Or(reply.Status, e.code(), http.StatusOK)
	h := x.w.Header()
	if reply.Location != "" {
		h["Location"] = []string{x.located(reply.Location)}
	}
	if !reply.Modified.IsZero() {
		h["Last-Modified"] = []string{reply.Modified.UTC().Format(http.TimeFormat)}
	}
	if reply.Version != "" {
		tag := quoted(reply.Version)
		h["Etag"] = []string{tag}
		if e.Method == http.MethodGet {
			if unchanged, err := x.checkRead(tag); unchanged || err != nil {
				return err
			}
		}
	}
	if doc := reply.Document; doc != nil {
		if e.Method == http.MethodGet {
			if unchanged, err := x.unchanged(doc); unchanged || err != nil {
				return err
			}
		}
		x.version(doc)
		if reply.Body == nil && status != http.StatusNoContent {
			return x.answer(status, doc.Data)
		}
	}
	if status == http.StatusNoContent {
		return x.answer(status, nil)
	}
	if reply.Stream != nil {
		return x.answerStream(reply.Stream)
	}
	if reply.Lines != nil {
		return x.answerLines(reply.Lines)
	}
	if reply.Text != nil {
		return x.answerText(status, reply.Text)
	}
	return x.answer(status, encodeJSON(reply.Body))
}
