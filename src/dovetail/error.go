package dovetail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Code says what kind of thing went wrong. The set is closed; codes are stable and public.
type Code string

// The codes. Only the HTTP layer, which maps them to statuses, and the CLI, which maps them to exit codes, translate them.
const (
	CodeInvalid       Code = "invalid"       // the input cannot be read, or breaks a rule that needs no store to check
	CodeUnprocessable Code = "unprocessable" // the input reads well, but its content breaks a rule of its kind
	CodeSchema        Code = "schema"        // a ref-schema is invalid, or does not fit what is stored
	CodeTooLarge      Code = "too-large"     // over a limit on size, depth or number
	CodeMediaType     Code = "media-type"    // a content type that is not understood
	CodeNotAcceptable Code = "not-acceptable"
	CodeMethod        Code = "method" // the resource does not know this verb

	CodeNotFound Code = "not-found" // the document, collection or route does not exist
	CodeExists   Code = "exists"    // the document to create exists already
	CodeMissing  Code = "missing"   // parents or referenced documents do not exist; Missing names them
	CodeInUse    Code = "in-use"    // the document has children or referrers; BlockedBy names them
	CodeStale    Code = "stale"     // the expected version is not the current one; Current holds it
	CodeRequired Code = "precondition-required"
	CodeConflict Code = "conflict" // competing writers, or a state that forbids the change; trying again may help
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

// ReasonDiskFull is the reason of CodeUnavailable where the database refuses writes for lack of space, and serves reads.
const ReasonDiskFull = "disk-full"

// Position is a place in the user's input. Zero fields are not known.
type Position struct {
	File   string
	Line   int // from 1
	Column int // from 1, in bytes
	// Path leads to a value inside a document, in the form of JSON Pointer (RFC 6901): "/spec/apps/0".
	Path string
}

// String gives "file:line:column" of what is known, then the path.
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
	Total int  `json:"total"` // of all that the principal may read
	// Unreadable says that there are others that the principal may not read; not how many.
	Unreadable bool `json:"unreadable,omitempty"`
}

// InState is the state of a document that does not allow what was asked for.
type InState struct {
	State   string   `json:"state"`
	Allowed []string `json:"allowed"` // the actions that are possible in it, sorted
}

// Error is the one error type of Dovetail. It says what is wrong, where, and what to do.
// Only Code and Message are always there.
type Error struct {
	Code Code
	// Reason says more exactly than Code what is wrong, where a service has codes of its own, as
	// SD_UNKNOWN_CHUNK. Reasons are stable and public, and shown beside the code; the package that
	// makes them documents them. Most errors have none.
	Reason   string
	Message  string // one sentence in lower case, for users
	Remedy   string // what to do, in the imperative
	Key      ID     // the document that the error is about
	Position Position
	Index    int // the operation of a batch that the error is about, from 1; 0 when it is about no single one

	Missing   []ID      // with CodeMissing: what does not exist
	BlockedBy *Blockers // with CodeInUse: the documents that refer to it or are below it
	Current   *Document // with CodeStale and CodeExists: the document as it is now
	InState   *InState  // with a conflict with the state of a document: that state
	Base      *Document // with CodeStale: the version that was expected, where it is kept

	// Errors are the parts, when several things are wrong at once: at most MaxErrors of those that are shown to users.
	Errors []*Error
	// Total is how many parts there are, where Errors does not have them all; otherwise 0.
	Total int

	// Err is the cause. Its text is for logs; users never see it.
	Err error
}

// Error gives position, message, remedy and parts, each part on a line of its own.
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

// Omitted is how many parts the error has beside those in Errors.
func (e *Error) Omitted() int { return max(0, e.Total-len(e.Errors)) }

// Unwrap returns the cause and the parts.
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

// Errorf makes an error of a code and a message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of an error: that of the first *Error in its tree, CodeCanceled or
// CodeTimeout for an ended context, "" for nil, and CodeInternal for anything else.
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
	}
	return CodeInternal
}

// AsError returns err as *Error. A foreign error becomes the cause of one whose message does not
// show it; nil stays nil.
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
	default:
		return &Error{Code: CodeInternal, Message: "an internal error occurred in Dovetail", Remedy: "see the server's log", Err: err}
	}
}

// WithoutIndex returns err without the places in a batch that it and its parts are about, for users who sent no batch;
// nil stays nil. err itself is not changed.
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

// Join is Errors.Err of a list of errors.
func Join(what string, errs []*Error) error {
	var c Errors
	c.Add(errs...)
	return c.Err(what)
}

// UnreadableData is the error for a stored document whose data cannot be read. The id is empty where it is not known.
func UnreadableData(id ID, err error) *Error {
	message := "stored data cannot be read"
	if id != "" {
		message = "the stored data of " + string(id) + " cannot be read"
	}
	return &Error{Code: CodeCorrupt, Key: id, Message: message, Remedy: "run dovetail fsck", Err: err}
}
