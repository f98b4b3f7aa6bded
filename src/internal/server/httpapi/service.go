package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Service is a part of the API with endpoints of its own, beside the documents of the ref-schema.
// It is described, measured, logged and limited as all endpoints are. Its dependencies, such as a store,
// come from its constructor; httpapi knows only the fields of this type.
type Service struct {
	Name      string // groups its endpoints in /openapi.json
	Endpoints []Endpoint
	// Kinds are those of the documents that it keeps, as its part of the ref-schema has them; shown at /.
	Kinds []string
	// Later are those of Kinds that ref-schemas of earlier versions lack: the service is on without them.
	Later []string
	// Schemas are JSON Schemas that those of endpoints may refer to: SchemaRef of their names, which
	// are unique over all services.
	Schemas map[string]Schema
	// Settled are, by kind, the documents whose status the service keeps: each reports whether the status of one
	// speaks of its data as it is. A write with ?wait=30s waits for that.
	Settled map[string]func(doc *dovetail.Document) bool
	// Shown, of a service that At returned, are the kinds of Settled: each returns a document as it shall be shown there, with
	// the status that the service would make of it. pause is Request.Pause.
	Shown map[string]Show
	// At, where not nil, returns the service on another store: as of a position, for ?at= of endpoints that only read; or the
	// view of a change set, which writes go to, too.
	At func(then *store.Store) Service
	// Base is where all paths are the service's: also errors of unknown ones have the form of Problem. It may be "".
	Base string
	// Problem, where not nil, writes the errors of the service's paths, in the form that its clients know.
	Problem func(e *dovetail.Error) *Text
}

// Off returns an error that explains why the service is off under a ref-schema, which lacks kinds that the service keeps. It
// returns nil if the service is on.
func (s *Service) Off(model *schema.Model) *dovetail.Error {
	var missing []string
	for _, name := range s.Kinds {
		if _, known := model.Kind(name); !known && !slices.Contains(s.Later, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	noun := "kind "
	if len(missing) > 1 {
		noun = "kinds "
	}
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "the service " + s.Name + " is off: the ref-schema in force has no " + noun + strings.Join(missing, ", "),
		Remedy: "name the service with --services, which brings its kinds"}
}

// Show returns a document as it shall be shown; what it is given is not changed.
type Show func(ctx context.Context, doc *dovetail.Document, pause func() (time.Duration, error)) (*dovetail.Document, error)

// Schema is a JSON Schema under construction. It documents bodies in /openapi.json; handlers check
// what they get.
type Schema = map[string]any

// SchemaRef refers to one of a service's Schemas.
func SchemaRef(name string) Schema { return refTo("schemas", name) }

// Endpoint is one verb of one path.
type Endpoint struct {
	Method string // GET, POST, PUT, PATCH or DELETE; HEAD and OPTIONS come by themselves
	// Path is a template outside of /v2: "/api/sd/{kind}". Of several that fit a path the first one
	// serves it.
	Path    string
	Summary string

	// Query are the parameters that there are; others are refused.
	Query []Parameter
	// OtherQuery says of a read that it passes over other parameters, with a warning, since the clients that it is there for send some.
	OtherQuery bool
	// DryRun says that there is also dryRun, for Request.DryRun.
	DryRun bool
	// Versioned says that the answer tells the version of a document, and that a write takes If-Match
	// and If-None-Match.
	Versioned bool
	// OwnVersions says of a versioned endpoint that its versions are texts of the service's own, not those
	// of a document: see Request.Versions and Response.Version.
	OwnVersions bool
	// MediaType is set where the service reads bodies and writes answers itself, as Request.Text and Response.Text:
	// that of both. Body and Answer then only describe them.
	MediaType string
	// AnyMediaType says that the service checks the media type of bodies itself.
	AnyMediaType bool

	// Needs are rights one of which, at least, a request needs: without any of them it is refused before its body is
	// read. Every endpoint with a Body has some. What the request asks for is checked where it is done.
	Needs []store.Scope

	Body         Schema // of the request; nil when it has none
	BodyOptional bool   // a request may have no body; then Request.Body is nil
	Answer       Schema // of success; nil when it has none
	Code         int    // of success; default 204 without Answer, otherwise 200, on PUT also 201

	// ReadOnly says of an endpoint that is no GET that it only reads, too.
	ReadOnly bool
	// Hard says that it keeps a processor busy for long: it is worked on among few at a time, and shall call Request.Pause.
	Hard bool
	// HardDryRun says that a dry run of it is Hard.
	HardDryRun bool
	// Long says that it may take long by computing, rather than by waiting for others: where requests of the same
	// principal took long before, it is worked on as what is Hard.
	Long bool

	// Watches reports whether a request with a query is answered with a Stream or with Lines, so that it has no limit of time; nil where none is.
	Watches func(query url.Values) bool
	// Line describes one of Lines; nil if there are none.
	Line Schema

	// Enter, where there is one, returns the context in which a request is decided about and served.
	Enter func(ctx context.Context, query url.Values) context.Context

	// Handle serves a request. ctx ends with the request or its time limit. An error becomes a problem
	// by its code.
	Handle func(ctx context.Context, call *Request) (*Response, error)
}

// Parameter is one of a query.
type Parameter struct {
	Name        string
	Description string
	Required    bool
	Repeats     bool              // it may be given several times; others are refused then
	AllowEmpty  bool              // an empty value is not refused
	Values      []string          // all that it may be; nil for any text
	Instead     map[string]string // what to do instead, by values that are refused and have a place elsewhere
}

// Request is a request to a service, with the parameters that the endpoint declares, checked.
type Request struct {
	Path   map[string]string // the template's variables
	Query  url.Values
	Header http.Header
	Body   *value.Value // from JSON or YAML; nil when the endpoint takes none
	Text   []byte       // the body as it came, where the endpoint has a MediaType; it may be empty
	// Limits are for parsing Text, or texts that Body holds: what is made of them counts as memory of the request.
	Limits value.Limits

	// Pause lets requests go first that were worked on for less time, and returns for how long: an endpoint that is Hard
	// calls it often. It is nil for others. Its error ends the request.
	Pause func() (time.Duration, error)

	DryRun bool // check everything, change nothing
	// Message is the reason of a write, for the history: see Options, which also has the idempotency key.
	Message   string
	key, once string // the key, and the digest of the request that belongs to it
	// IfMatch and IfExists are the header If-Match, as store.Operation has them.
	IfMatch  []dovetail.ETag
	IfExists bool
	IfNew    bool // If-None-Match: *
	// Versions are those of If-Match, without quotes, where the endpoint has OwnVersions; IfMatch is then
	// empty.
	Versions []string
}

// Stop is for what calls it every few hundred items: its error says that the request has ended.
func (c *Request) Stop(ctx context.Context) func() error {
	return func() error {
		if err := ctx.Err(); err != nil {
			return dovetail.AsError(err)
		}
		return nil
	}
}

// Charge counts memory of the request, in values, before it is taken.
func (c *Request) Charge(values int) error {
	if c.Limits.Charge == nil {
		return nil
	}
	return c.Limits.Charge(values)
}

// Response is the successful response of a service.
type Response struct {
	Status int // default that of the endpoint
	// Body is anything that encoding/json writes; nil for the data of Document, if there is one.
	Body any
	// Document is whose version the answer tells. A GET with the same version in If-None-Match gets
	// 304 instead.
	Document *dovetail.Document
	Version  string // that the answer tells in the place of Document's, without quotes
	Location string // of what was created
	Repeated bool   // it was done before, under the same idempotency key
	// Modified is when what the answer shows was made, for the header; zero to leave it out.
	Modified time.Time
	Warnings []string // for humans, in the header
	Text     *Text    // in place of Body, where the endpoint has a MediaType
	Stream   *Stream  // in place of Body, where the endpoint Watches
	Lines    Lines    // in place of Body, where the endpoint Watches
	// MoreWarnings is how many there are beside Warnings, and were left out because there are too many.
	MoreWarnings int
}

// ProblemError is an error of a service with an ETag or additional members of the problem (RFC 9457).
type ProblemError struct {
	Cause   *dovetail.Error
	Version string         // the current version, without quotes, for the header ETag; "" if there is none
	Members map[string]any // of the problem, beside its own; they must not have names of those
}

// Error gives the text of the error.
func (r *ProblemError) Error() string { return r.Cause.Error() }

// Unwrap returns the error itself.
func (r *ProblemError) Unwrap() error { return r.Cause }

// reads reports whether the endpoint only reads.
func (e *Endpoint) reads() bool { return e.Method == http.MethodGet || e.ReadOnly }

// code is that of success, 0 for those of PUT.
func (e *Endpoint) code() int {
	switch {
	case e.Code != 0:
		return e.Code
	case e.Answer == nil:
		return http.StatusNoContent
	case e.Method == http.MethodPut:
		return 0
	}
	return http.StatusOK
}

// serve is the handler of the endpoint.
func (e *Endpoint) serve(x *requestContext) error {
	call, err := e.read(x)
	if err != nil {
		return err
	}
	reply, err := e.handle(x, call)
	if err != nil {
		return err
	}
	if reply.Repeated {
		x.w.Header().Set(replayedHeader, "true")
	}
	for _, warning := range reply.Warnings {
		x.warn(warning)
	}
	x.warnMore(reply.MoreWarnings)
	return e.answer(x, reply)
}
