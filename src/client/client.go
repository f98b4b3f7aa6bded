package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Options configure a Client. The zero value is ready to use.
type Options struct {
	// HTTP sends the requests; default http.DefaultClient. It should have no timeout, since watches are long-lived: use
	// contexts instead. If its transport returns a *dovetail.Error, that becomes the error of the request.
	HTTP *http.Client
	// Attempts is the maximum number of attempts for one request, including the first; default 5.
	Attempts int
	// Backoff is the maximum wait before the second attempt; it doubles with each further attempt, up to
	// MaxBackoff. A Retry-After of the server takes precedence. Default 100 ms.
	Backoff time.Duration
	// UserAgent identifies the program in the server's log; default "dovetail-client".
	UserAgent string
	// Token is the bearer token; "" sends none.
	Token string
	// TokenSource returns the token for each request, instead of Token, if tokens expire before the client is closed. Its errors
	// become those of the request. It must be safe for concurrent use.
	TokenSource func(ctx context.Context) (string, error)
}

// MaxBackoff is the maximum wait between two attempts, also if Retry-After is longer.
const MaxBackoff = 10 * time.Second

// Client is a client of one server. It is safe for concurrent use.
type Client struct {
	server  string // URL without a slash at the end
	options Options
	model   atomic.Pointer[schema.Model] // as last read
	scope   scope                        // what it reads and writes
}

// New returns a client of the server at a URL such as "http://127.0.0.1:8080". It does not connect yet.
// The default scheme is http. The error has the code CodeInvalid.
func New(server string, options Options) (*Client, error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err,
			Message: "invalid server " + server, Remedy: "give its URL: http://127.0.0.1:8080"}
	}
	if options.HTTP == nil {
		options.HTTP = http.DefaultClient
	}
	if options.Attempts == 0 {
		options.Attempts = 5
	}
	if options.Backoff == 0 {
		options.Backoff = 100 * time.Millisecond
	}
	if options.UserAgent == "" {
		options.UserAgent = "dovetail-client"
	}
	return &Client{server: strings.TrimRight(server, "/"), options: options}, nil
}

// Server returns the URL of the server.
func (c *Client) Server() string { return c.server }

// request is one call of the API.
type request struct {
	method string
	path   string // from the server's root, escaped
	query  url.Values
	header http.Header
	body   []byte // JSON; nil if there is none
	writes bool   // it changes what is stored, so that without an answer it is not known whether it was done
}

// isKeyed reports whether the request has an idempotency key, so that it may be repeated when its outcome is not known.
func (r request) isKeyed() bool { return r.header.Get(keyHeader) != "" }

// call makes the request and decodes the JSON of a good answer into out.
func (c *Client) call(ctx context.Context, r request, out any) error {
	answer, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	text.Grow(int(min(max(answer.ContentLength, 0), maxExpected)) + bytes.MinRead)
	if _, err := text.ReadFrom(answer.Body); err != nil {
		return c.readError(ctx, r.writes, err)
	}
	if fast, ok := out.(interface{ readJSON(text []byte) bool }); ok && fast.readJSON(text.Bytes()) {
		return nil
	}
	if err := json.Unmarshal(text.Bytes(), out); err != nil {
		e := &dovetail.Error{Code: dovetail.CodeInternal, Message: "the server's answer cannot be read", Err: err,
			Remedy: "check the server's URL and version"}
		if r.writes {
			e.Code = dovetail.CodeUnknown
		}
		return e
	}
	return nil
}

// maxExpected is how much memory an answer is given because it says how long it is.
const maxExpected = 16 << 20

// do makes the request, again where that is safe and may help, and returns a good answer, whose
// body the caller closes.
func (c *Client) do(ctx context.Context, r request) (*http.Response, error) {
	if err := c.check(r); err != nil {
		return nil, err
	}
	var unknown error // of an earlier attempt
	for attempt := 1; ; attempt++ {
		answer, err := c.once(ctx, r)
		if err == nil {
			return answer, nil
		}
		var refused *refusal
		var wait time.Duration
		repeat := dovetail.CodeOf(err) == dovetail.CodeUnknown && r.isKeyed() && ctx.Err() == nil
		if errors.As(err, &refused) {
			err, wait, repeat = refused.problem, refused.retryAfter, refused.mayRepeat(r)
		}
		switch dovetail.CodeOf(err) {
		case dovetail.CodeUnknown:
			unknown = err
		case dovetail.CodeUnavailable, dovetail.CodeTimeout, dovetail.CodeCanceled, dovetail.CodeRateLimited: // do not concern the earlier attempt
			err = cmp.Or(unknown, err)
		}
		if attempt >= c.options.Attempts || !repeat {
			return nil, err
		}
		if err := sleep(ctx, c.backoff(attempt, wait)); err != nil {
			return nil, cmp.Or(unknown, err)
		}
	}
}

// once makes the request one time. An answer that is not good is a *refusal; everything else that
// goes wrong is a *dovetail.Error.
func (c *Client) once(ctx context.Context, r request) (*http.Response, error) {
	target := c.server + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(traced, r.method, target, body)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "invalid URL " + target, Err: err}
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	if r.body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	token := c.options.Token
	if c.options.TokenSource != nil {
		if token, err = c.options.TokenSource(ctx); err != nil {
			return nil, dovetail.AsError(err)
		}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.options.HTTP.Do(req)
	var known *dovetail.Error
	switch {
	case errors.As(err, &known): // of a transport of the caller's
		return nil, known
	case err != nil:
		return nil, c.readError(ctx, r.writes && sent.Load(), err)
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, newRefusal(answer, r.writes)
}

// readError explains an error of the connection, on which a write may have been done.
func (c *Client) readError(ctx context.Context, mayBeDone bool, err error) error {
	switch {
	case mayBeDone:
		return &dovetail.Error{Code: dovetail.CodeUnknown, Err: cmp.Or(ctx.Err(), err),
			Message: "the connection to the server at " + c.server + " ended before it answered, so that it is not known whether the request was done",
			Remedy:  "repeat it with the same idempotency key, or ask for its outcome"}
	case ctx.Err() != nil:
		return dovetail.AsError(ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return dovetail.AsError(context.DeadlineExceeded)
	}
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Err: err,
		Message: "the server at " + c.server + " cannot be reached: " + reason(err),
		Remedy:  "start one with `dovetail serve`, or name another one"}
}

// reason is the innermost text of a connection's error: "connection refused".
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// Close closes idle connections. Requests in progress continue.
func (c *Client) Close() error {
	c.options.HTTP.CloseIdleConnections()
	return nil
}
