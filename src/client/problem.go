package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// maxProblem bounds how much of a bad answer is read.
const maxProblem = 16 << 20

// refusal is an answer that is not good.
type refusal struct {
	status     int
	isProblem  bool // the answer was Dovetail's own; otherwise something in between wrote it
	retryAfter time.Duration
	problem    *dovetail.Error
}

func (r *refusal) Error() string { return r.problem.Error() }
func (r *refusal) Unwrap() error { return r.problem }

// ErrForeign is the cause of errors of answers that are not Dovetail's, as those of other servers and of proxies.
var ErrForeign = errors.New("the answer is not Dovetail's")

// newRefusal reads an answer that is not good. One to a write that is not the server's own does not report whether the write
// was done.
func newRefusal(answer *http.Response, writes bool) *refusal {
	r := &refusal{status: answer.StatusCode, retryAfter: retryAfter(answer.Header)}
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if mediaType == "application/problem+json" {
		var problem api.Problem
		err := json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(&problem)
		if err == nil && problem.Code != "" {
			r.isProblem, r.problem = true, problem.AsError()
			return r
		}
	}
	if r.problem = layeringFailure(answer); r.problem != nil {
		r.isProblem = true
		return r
	}
	r.problem = &dovetail.Error{Code: dovetail.CodeInternal, Err: ErrForeign,
		Message: fmt.Sprintf("the server answered %s, which is not an answer of a Dovetail server", answer.Status),
		Remedy:  "check the server's URL, and the proxies in between"}
	switch answer.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		r.problem.Code = dovetail.CodeUnavailable
	case http.StatusUnauthorized:
		r.problem.Code = dovetail.CodeUnauthenticated
	case http.StatusForbidden:
		r.problem.Code = dovetail.CodeForbidden
	case http.StatusNotFound:
		r.problem.Code = dovetail.CodeNotFound
	}
	if writes && answer.StatusCode/100 == 5 {
		r.problem.Code = dovetail.CodeUnknown
	}
	return r
}
