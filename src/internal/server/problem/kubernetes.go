package problem

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// forKubernetes are the reasons of the Kubernetes API, and the statuses where those differ from the usual ones.
var forKubernetes = map[dovetail.Code]struct {
	reason string
	status int
}{
	dovetail.CodeInvalid:         {"BadRequest", 0},
	dovetail.CodeUnprocessable:   {"Invalid", 0},
	dovetail.CodeSchema:          {"Invalid", 0},
	dovetail.CodeTooLarge:        {"RequestEntityTooLarge", 0},
	dovetail.CodeMediaType:       {"UnsupportedMediaType", 0},
	dovetail.CodeNotAcceptable:   {"NotAcceptable", 0},
	dovetail.CodeMethod:          {"MethodNotAllowed", 0},
	dovetail.CodeNotFound:        {"NotFound", 0},
	dovetail.CodeExists:          {"AlreadyExists", 0},
	dovetail.CodeMissing:         {"Invalid", http.StatusUnprocessableEntity},
	dovetail.CodeInUse:           {"Conflict", 0},
	dovetail.CodeStale:           {"Conflict", http.StatusConflict},
	dovetail.CodeRequired:        {"Invalid", http.StatusUnprocessableEntity},
	dovetail.CodeConflict:        {"Conflict", 0},
	dovetail.CodeExpired:         {"Expired", 0},
	dovetail.CodeUnauthenticated: {"Unauthorized", 0},
	dovetail.CodeForbidden:       {"Forbidden", 0},
	dovetail.CodeRateLimited:     {"TooManyRequests", 0},
	dovetail.CodeUnavailable:     {"ServiceUnavailable", 0},
	dovetail.CodeUnknown:         {"Timeout", 0},
	dovetail.CodeTimeout:         {"Timeout", 0},
	dovetail.CodeCanceled:        {"Timeout", 0},
	dovetail.CodeCorrupt:         {"InternalError", 0},
	dovetail.CodeInternal:        {"InternalError", 0},
}

// ForKubernetes is the status and the reason of an error code in the Kubernetes API.
func ForKubernetes(code dovetail.Code) (status int, reason string) {
	k, known := forKubernetes[code]
	if !known {
		return http.StatusInternalServerError, "InternalError"
	}
	if k.status != 0 {
		return k.status, k.reason
	}
	return Status(code), k.reason
}
