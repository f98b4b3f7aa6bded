package dovetail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Code classifies an error. The set is closed; codes are stable and public.
type Code string

// The codes. The HTTP layer maps them to statuses, the CLI to exit codes.
const (
	CodeInvalid       Code = "invalid"       // the input cannot be read, or breaks a rule that needs no store to check
	CodeUnprocessable Code = "unprocessable" // the input is well-formed, but its content violates a rule of its kind
	CodeSchema        Code = "schema"        // a ref-schema is invalid, or stored documents are invalid under it
	CodeTooLarge      Code = "too-large"     // over a limit on size, depth or number
	CodeMediaType     Code = "media-type"    // an unsupported content type
	CodeNotAcceptable Code = "not-acceptable"
	CodeMethod        Code = "method" // the resource does not support this method

	CodeNotFound Code = "not-found" // the document, collection or route does not exist
	CodeExists   Code = "exists"    // the document to create exists already
	CodeMissing  Code = "missing"   // parents or referenced documents do not exist; Missing names them
	CodeInUse    Code = "in-use"    // the document has children or referrers; BlockedBy lists them
	CodeStale    Code = "stale"     // the expected version is not the current one, which is in Current
	CodeRequired Code = "precondition-required"
	CodeConflict Code = "conflict" // concurrent writers, or a state that forbids the change; a retry may succeed
	CodeExpired  Code = "expired"  // a cursor or page token is older than the history that is kept

	CodeUnauthenticated Code = "unauthenticated"
	CodeForbidden       Code = "forbidden"
	CodeRateLimited     Code = "rate-limited"

	CodeUnavailable Code = "unavailable" // the store cannot be reached or cannot write; nothing was changed
	CodeUnknown     Code = "unknown"     // the outcome of a write is not known; repeat it with the same idempotency key
	CodeTimeout     Code = "timeout"
	CodeCanceled    Code = "canceled"
	CodeCorrupt     Code = "corrupt" // stored data is damaged
	CodeInternal    Code = "internal"
)

// Position is a position in the user's input. Zero fields are unknown.
type Position struct {
	File   string
	Line   int // from 1
	Column int // from 1, in bytes
	// Path is that of a value in a document, as a JSON Pointer (RFC 6901): "/spec/apps/0".
	Path string
}

// String returns the known parts of "file:line:column path".
func (p Position) String() string {
	var parts []string
	if p.File != "" {
		parts = append(parts, p.File)
	}
	if p.Line > 0 {
		parts = append(parts, strconv.Itoa(p.Line))
		if p.Column > 0 {
			parts = append(parts, strconv.Itoa(p.Column))
		}
	}
	text := strings.Join(parts, ":")
	switch {
	case p.Path == "":
		return text
	case text == "":
		return p.Path
	}
	return text + " " + p.Path
}

// MaxBlockers is how many blockers an error lists; Blockers.Total counts them all.
const MaxBlockers = 20

// Blockers are the children and referrers that prevent a deletion.
type Blockers struct {
	IDs   []ID `json:"ids"`   // the first MaxBlockers that the principal may read, in the order of ids
	Total int  `json:"total"` // how many there are that the principal may read
	// Unreadable says that there are others, which the principal may not read.
	Unreadable bool `json:"unreadable,omitempty"`
}

// InState is the state of a document in which the requested action is not allowed.
type InState struct {
	State   string   `json:"state"`
	Allowed []string `json:"allowed"` // the actions that are possible in it, sorted
}

// Error is the error type of all packages of Dovetail. It says what is wrong, where, and what to do.
// Only Code and Message are always set.
type Error struct {
	Code Code
	// Reason is a more specific code than Code, defined by a service, such as SD_UNKNOWN_CHUNK. Reasons are stable and
	// public, and shown beside the code; the package that returns them documents them. Most errors have none.
	Reason   string
	Message  string // one sentence in lower case, for users
	Remedy   string // what to do, in the imperative
	Key      ID     // the document that the error is about
	Position Position
	Index    int // the operation of a batch that the error is about, from 1; 0 if it is not about a single operation

	Missing   []ID      // with CodeMissing: what does not exist
	BlockedBy *Blockers // with CodeInUse: the documents that refer to it or are below it
	Current   *Document // with CodeStale and CodeExists: the document as it is now
	InState   *InState  // with CodeConflict, if the state of a document does not allow the action: that state
	Base      *Document // with CodeStale: the expected version, if it is still kept

	// Errors has an error for each problem, if there are several: at most MaxErrors of those that are shown to users.
	Errors []*Error
	// Total is how many problems there are if Errors does not list all of them; otherwise 0.
	Total int

	// Err is the cause. Its text is for logs and is not shown to users.
	Err error
}

// Error returns position, message, remedy and the errors in Errors, each on a line of its own.
func (e *Error) Error() string {
	var b strings.Builder
	if at := e.Position.String(); at != "" {
		b.WriteString(at + ": ")
	}
	b.WriteString(e.Message)
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	for _, part := range e.Errors {
		b.WriteString("\n" + part.Error())
	}
	if more := e.Omitted(); more > 0 {
		b.WriteString("\n... and " + strconv.Itoa(more) + " more")
	}
	return b.String()
}

// Omitted returns how many problems are not listed in Errors.
func (e *Error) Omitted() int { return max(0, e.Total-len(e.Errors)) }

// Unwrap returns the cause and the errors in Errors.
func (e *Error) Unwrap() []error {
	var all []error
	if e.Err != nil {
		all = append(all, e.Err)
	}
	for _, part := range e.Errors {
		all = append(all, part)
	}
	return all
}

// Errorf returns an error with a code and a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of an error: that of the first *Error in its tree, CodeCanceled or
// CodeTimeout for an ended context, "" for nil, CodeUnavailable for what Outside knows, and CodeInternal for anything else.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return CodeCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return CodeTimeout
	case Outside(err) != nil:
		return CodeUnavailable
	}
	return CodeInternal
}

// AsError returns err as an *Error, nil for nil. An error of another type becomes the cause of a new Error, whose message does not
// contain its text.
func AsError(err error) *Error {
	var e *Error
	switch code := CodeOf(err); {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case code == CodeCanceled:
		return &Error{Code: code, Message: "the request was cancelled", Err: err}
	case code == CodeTimeout:
		return &Error{Code: code, Message: "the request took too long", Err: err}
	case code == CodeUnavailable:
		return Outside(err)
	default:
		return &Error{Code: CodeInternal, Message: "an internal error occurred in Dovetail", Remedy: "see the server's log", Err: err}
	}
}

// WithoutIndex returns a copy of err without the Index of any part, for users who did not send a batch; nil for nil.
func WithoutIndex(err error) error {
	if err == nil {
		return nil
	}
	e := *AsError(err)
	e.Index = 0
	e.Errors = slices.Clone(e.Errors)
	for i, part := range e.Errors {
		p := *part
		p.Index = 0
		e.Errors[i] = &p
	}
	return &e
}

// Join combines a list of errors to one, as Errors.Err does.
func Join(what string, errs []*Error) error {
	var c Errors
	c.Add(errs...)
	return c.Err(what)
}

// UnreadableData returns the error for a stored document whose data cannot be parsed. The id is empty if it is not known.
func UnreadableData(id ID, err error) *Error {
	message := "stored data cannot be read"
	if id != "" {
		message = "the stored data of " + string(id) + " cannot be read"
	}
	return &Error{Code: CodeCorrupt, Key: id, Message: message, Remedy: "run dovetail fsck", Err: err}
}
