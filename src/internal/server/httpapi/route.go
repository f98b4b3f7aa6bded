package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// route is a path template and what can be done with it.
type route struct {
	template string // "/v2/projects/{project}"
	what     string // what it is, for documentation: "item", "collection", ...
	methods  map[string]*method
	allow    string // the verbs, as the header Allow lists them

	// The rest only for resources.
	kind     *schema.Kind
	segments []segment // of the template
	elements []element // of the id that the path stands for: of the item, or of what the collection is under
}

// method is one verb of a route.
type method struct {
	handle     handler
	code       int                             // of success
	offers     offers                          // what it can answer
	past       bool                            // it can be read as of an earlier moment: ?at=
	handleAt   func(then *store.Store) handler // in place of handle then; nil where that reads what x.store says
	ownAt      bool                            // it reads ?at= itself
	view       bool                            // beside methods of documents: it can be read or written in the view of a change set
	noBody     bool                            // a POST that takes no body
	batch      bool                            // its body may be as large as that of a batch
	unlimited  bool                            // no limit on the time of the whole
	whole      bool                            // it reads everything, which is hard work
	long       bool                            // it may take long by computing
	repeats    string                          // a query parameter that may be given several times; those of kinds may, too
	name       string                          // with the route's template
	action     *schema.Action
	checks     conditions       // of a write; see conditions
	needs      []dovetail.Right // of a body: one of them, on the item of the path or, of other paths, on any document
	everywhere bool             // needs are for all documents there are and may come to be
	summary    string           // for documentation
	query      []string         // the names of shared parameters, where the route is of no kind
	body       object           // content by media type, where the route is of no kind; nil if there is none
	answer     object           // as body
	endpoint   *Endpoint
	service    string                      // whose endpoint it is
	problem    func(*dovetail.Error) *Text // how that shows errors; nil for the common form

	series series
}

// segment is a part of a path between slashes: a word, or a place for the value of an element.
type segment struct {
	word    string
	element string
}

// element is one element of the key: its value is the next variable segment, unless it is fixed.
type element struct {
	name  string
	fixed string // escaped; "" for a variable
}

func templateOf(segments []segment) string {
	var b strings.Builder
	b.WriteString(api.Root)
	for _, s := range segments {
		if b.WriteByte('/'); s.word != "" {
			b.WriteString(s.word)
		} else {
			b.WriteString("{" + s.element + "}")
		}
	}
	return b.String()
}

// on adds a verb.
func (r *route) on(verb string, m *method) *route {
	if r.methods == nil {
		r.methods = make(map[string]*method)
	}
	r.methods[verb] = m
	m.name = verb + " " + r.template
	verbs := []string{http.MethodOptions}
	for verb := range r.methods {
		if verbs = append(verbs, verb); verb == http.MethodGet {
			verbs = append(verbs, http.MethodHead)
		}
	}
	slices.Sort(verbs)
	r.allow = strings.Join(verbs, ", ")
	return r
}

// methodOf returns the method that serves the verb; HEAD is served as GET.
func (r *route) methodOf(verb string) *method {
	if verb == http.MethodHead {
		verb = http.MethodGet
	}
	return r.methods[verb]
}

// id builds the id that the path stands for from its variable segments.
func (r *route) id(values []string) (dovetail.ID, error) {
	size := 0
	for _, e := range r.elements {
		size += len(e.name) + len(e.fixed) + 2
	}
	for _, v := range values {
		size += len(v)
	}
	id := make([]byte, 0, size)
	next := 0
	for i, e := range r.elements {
		if i > 0 {
			id = append(id, '/')
		}
		id = append(append(id, e.name...), '/')
		if e.fixed != "" {
			id = append(id, e.fixed...)
			continue
		}
		canonical, err := canonicalValue(e.name, values[next])
		if err != nil {
			return "", err
		}
		id = append(id, canonical...)
		next++
	}
	return dovetail.ID(id), nil
}

// canonicalValue turns a segment of a URL into the spelling of its value in an id.
func canonicalValue(name, raw string) (string, error) {
	if isUnreserved(raw) && len(raw) <= dovetail.MaxValueLength && raw != "." && raw != ".." {
		return raw, nil
	}
	text, err := url.PathUnescape(raw)
	if err != nil {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Err: err,
			Message: "the path segment for " + name + " has an invalid escape", Remedy: "write % as %25"}
	}
	if why := dovetail.CheckValue(text); why != "" {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the value of " + name + " in the path " + why}
	}
	return url.PathEscape(text), nil
}

// isUnreserved reports whether the text consists of characters that are the same in every escaping.
func isUnreserved(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.' || c == '~' {
			continue
		}
		return false
	}
	return text != ""
}

// serves reports whether the item of the id is served here: its fixed elements have the values of the key.
func (r *route) serves(key dovetail.Key) bool {
	if len(key) != len(r.elements) {
		return false
	}
	for i, e := range r.elements {
		if e.name != key[i].Name || e.fixed != "" && e.fixed != url.PathEscape(key[i].Value) {
			return false
		}
	}
	return true
}

// path fills the template with the values of the key.
func (r *route) path(key dovetail.Key) string {
	var b strings.Builder
	b.WriteString(api.Root)
	for _, s := range r.segments {
		b.WriteByte('/')
		if s.word != "" {
			b.WriteString(s.word)
			continue
		}
		text, _ := key.Value(s.element)
		b.WriteString(url.PathEscape(text))
	}
	return b.String()
}

// isTop reports whether the path has no variable before its last words: a collection at the root.
func (r *route) isTop() bool {
	return !slices.ContainsFunc(r.segments, func(s segment) bool { return s.element != "" })
}
