package problem

import (
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// statusClientGone is what the log shows for a client that went away before its answer.
const statusClientGone = 499

// statuses maps every code to its HTTP status, here and nowhere else.
var statuses = map[dovetail.Code]int{
	dovetail.CodeInvalid:       http.StatusBadRequest,
	dovetail.CodeUnprocessable: http.StatusUnprocessableEntity,
	dovetail.CodeSchema:        http.StatusUnprocessableEntity,
	dovetail.CodeTooLarge:      http.StatusRequestEntityTooLarge,
	dovetail.CodeMediaType:     http.StatusUnsupportedMediaType,
	dovetail.CodeNotAcceptable: http.StatusNotAcceptable,
	dovetail.CodeMethod:        http.StatusMethodNotAllowed,

	dovetail.CodeNotFound: http.StatusNotFound,
	dovetail.CodeExists:   http.StatusConflict,
	dovetail.CodeMissing:  http.StatusConflict,
	dovetail.CodeInUse:    http.StatusConflict,
	dovetail.CodeStale:    http.StatusPreconditionFailed,
	dovetail.CodeRequired: http.StatusPreconditionRequired,
	dovetail.CodeConflict: http.StatusConflict,
	dovetail.CodeExpired:  http.StatusGone,

	dovetail.CodeUnauthenticated: http.StatusUnauthorized,
	dovetail.CodeForbidden:       http.StatusForbidden,
	dovetail.CodeRateLimited:     http.StatusTooManyRequests,

	dovetail.CodeUnavailable: http.StatusServiceUnavailable,
	dovetail.CodeUnknown:     http.StatusGatewayTimeout,
	dovetail.CodeTimeout:     http.StatusGatewayTimeout,
	dovetail.CodeCanceled:    statusClientGone,
	dovetail.CodeCorrupt:     http.StatusInternalServerError,
	dovetail.CodeInternal:    http.StatusInternalServerError,
}

// Status returns the status of a code; an unknown one is a defect of the server.
func Status(code dovetail.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// StatusForEMCO returns the status that EMCO's clients know of an error, 0 where it is the usual one: of a body that is malformed, of one
// that a schema refuses, and of a document without its parent.
func StatusForEMCO(e *dovetail.Error, malformed bool) int {
	switch {
	case malformed:
		return http.StatusUnprocessableEntity
	case e.Code == dovetail.CodeSchema || e.Code == dovetail.CodeUnprocessable:
		return http.StatusBadRequest
	case e.Code == dovetail.CodeMissing && lacksParents(e):
		return http.StatusNotFound
	}
	return 0
}

// lacksParents reports whether all that is missing are documents above those that need them.
func lacksParents(e *dovetail.Error) bool {
	parts := e.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{e}
	}
	for _, part := range parts {
		for _, id := range part.Missing {
			if !strings.HasPrefix(string(part.Key), id.Prefix()) {
				return false
			}
		}
	}
	return true
}

// Title names a status.
func Title(status int) string {
	if status == statusClientGone {
		return "Client Closed Request"
	}
	return http.StatusText(status)
}
