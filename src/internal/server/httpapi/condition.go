package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// conditions are those of a write that a method checks.
type conditions uint8

const (
	checksMatch conditions = 1 << iota // If-Match
	checksNew                          // If-None-Match: *
)

// conditions returns what the method checks.
func (m *method) conditions() conditions {
	if m.endpoint == nil {
		return m.checks
	}
	return m.endpoint.conditions()
}

func (e *Endpoint) conditions() conditions {
	switch {
	case !e.Versioned:
		return 0
	case e.Method == http.MethodPut:
		return checksMatch | checksNew
	case e.Method == http.MethodPost: // creates
		return checksNew
	}
	return checksMatch
}

// checkConditions refuses conditions that the method does not check: who sends one relies on it, and would overwrite or delete
// what it was to keep.
func (x *requestContext) checkConditions() error {
	h, checked := x.r.Header, x.method.conditions()
	refused := func(message, remedy string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy}
	}
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		tags, exists, err := ifMatchTexts(h) // * is true of every answer
		if len(tags) > 0 && !exists && !x.answersVersion() {
			return refused("the header If-Match is not checked here: the answer has no ETag", "leave it out")
		}
		return err
	}
	switch _, since := h["If-Unmodified-Since"]; {
	case since:
		return refused("times are too coarse for a condition: the header If-Unmodified-Since is not checked", "send the ETag of a read in If-Match")
	case len(h["If-Match"]) > 0 && checked&checksMatch == 0:
		return refused("the header If-Match is not checked by "+x.method.name, "leave it out")
	case len(h["If-None-Match"]) > 0 && checked&checksNew == 0:
		return refused("the header If-None-Match is not checked by "+x.method.name, "leave it out")
	case len(h["If-None-Match"]) > 0 && !onlyNew(h):
		return refused("the header If-None-Match of a write can only be *", "send *, so that it only creates, or the version that it must have in If-Match")
	}
	return nil
}

// warnUnused names headers that ask for something which the method does not do: who sends an idempotency key relies on it.
func (x *requestContext) warnUnused() {
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead {
		return
	}
	var taken []string
	for _, name := range []string{keyHeader, messageHeader} {
		if _, sent := x.r.Header[name]; !sent {
			continue
		}
		if taken == nil {
			taken = x.method.parametersOn(x.route, x.r.Method)
		}
		if !slices.Contains(taken, name) {
			x.warn("the header " + name + " has no effect on " + x.method.name)
		}
	}
}

// checkSingle refuses headers that are there several times though they have one value: which of them counts, programs on the way
// may see otherwise.
func (x *requestContext) checkSingle() error {
	for _, name := range []string{"Content-Type", keyHeader, messageHeader, "Last-Event-Id"} {
		if n := len(x.r.Header[name]); n > 1 {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the header " + name + " is there " + strconv.Itoa(n) + " times", Remedy: "give it once"}
		}
	}
	return nil
}

// ifMatch reads the header If-Match: the versions one of which the document must have, or that it
// must only exist ("*"). A tag that this server never gave is kept as one that no document has.
func ifMatch(h http.Header) (tags []dovetail.ETag, exists bool, err error) {
	texts, exists, err := ifMatchTexts(h)
	for _, text := range texts {
		tag, err := dovetail.ParseETag(text)
		isTag := strings.HasSuffix(text, `"`) && strings.ContainsAny(text[:1], `"W`)
		if err != nil && !isTag {
			return nil, false, err
		}
		if err != nil {
			tag = dovetail.ETag{UID: text}
		}
		tags = append(tags, tag)
	}
	return tags, exists, err
}

// ifMatchOwn is ifMatch for versions that are texts of a service's own. The quotes may be missing; a weak
// tag keeps its W/, and so is no version at all.
func ifMatchOwn(h http.Header) (versions []string, exists bool, err error) {
	texts, exists, err := ifMatchTexts(h)
	for _, text := range texts {
		if !strings.HasPrefix(text, "W/") {
			text = strings.Trim(text, `"`)
		}
		versions = append(versions, text)
	}
	return versions, exists, err
}

// ifMatchTexts splits the header If-Match into tags as they are written, without "*", which sets exists.
func ifMatchTexts(h http.Header) (texts []string, exists bool, err error) {
	lines := h["If-Match"]
	if len(lines) == 0 {
		return nil, false, nil
	}
	for _, text := range splitTags(strings.Join(lines, ",")) {
		if text == "*" {
			exists = true
			continue
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 && !exists {
		return nil, false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the header If-Match is empty", Remedy: "give the ETag of a read, or *"}
	}
	return texts, exists, nil
}

// quoted makes an entity tag of a version.
func quoted(version string) string { return `"` + version + `"` }

// splitTags cuts a list of entity tags at the commas between them.
func splitTags(list string) []string {
	var tags []string
	quoted := false
	for _, text := range strings.FieldsFunc(list, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ',' && !quoted
	}) {
		if text = strings.TrimSpace(text); text != "" {
			tags = append(tags, text)
		}
	}
	return tags
}

// answersVersion reports whether the answer to a read has an entity tag.
func (x *requestContext) answersVersion() bool {
	query := x.r.URL.Query()
	switch {
	case x.watching() || query.Has("key"):
		return false
	case x.method.endpoint != nil:
		return x.method.endpoint.Versioned
	case x.route.what == itemRoute:
		view := query.Get("view")
		return view == "" || view == viewDocument
	}
	return x.route.what == partRoute || x.route.template == api.Schema && !query.Has("version") && !query.Has(atParameter)
}

// checkRead evaluates the conditions of a read whose answer has an entity tag, in the order of RFC 9110, section 13.2.2. It reports whether
// the client has the answer already: it then answers 304. Errors: CodeStale where If-Match has other tags.
func (x *requestContext) checkRead(tag string) (unchanged bool, err error) {
	x.w.Header()["Etag"] = []string{tag}
	if err := x.checkMatch(tag); err != nil {
		return false, err
	}
	return x.notModified(tag), nil
}

func (x *requestContext) checkMatch(tag string) error {
	tags, exists, err := ifMatchTexts(x.r.Header)
	if err != nil || len(tags) == 0 || exists || slices.Contains(tags, tag) || slices.Contains(tags, strings.Trim(tag, `"`)) {
		return err
	}
	return &dovetail.Error{Code: dovetail.CodeStale, Key: x.resource, Message: "the version is " + tag + ", which If-Match does not have", Remedy: "read it without If-Match"}
}

// notModified answers 304 when the header If-None-Match has the tag.
func (x *requestContext) notModified(tag string) bool {
	if !matchesTag(x.r.Header, tag) {
		return false
	}
	x.revalidate()
	x.w.WriteHeader(http.StatusNotModified)
	return true
}

// matchesTag reports whether the header If-None-Match has the tag, compared weakly.
func matchesTag(h http.Header, wanted string) bool {
	lines := h["If-None-Match"]
	if len(lines) == 0 {
		return false
	}
	for _, text := range splitTags(strings.Join(lines, ",")) {
		if text == "*" || strings.TrimPrefix(text, "W/") == wanted {
			return true
		}
	}
	return false
}

// onlyNew reports whether a write shall only create: If-None-Match: *.
func onlyNew(h http.Header) bool {
	return strings.TrimSpace(h.Get("If-None-Match")) == "*"
}
