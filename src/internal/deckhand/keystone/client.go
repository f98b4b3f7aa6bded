package keystone

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// Options configure a Client.
type Options struct {
	// File says where Keystone is, and as whom to ask it: a YAML file with a cloud as clouds.yaml has them. It is read again
	// whenever the account authenticates, so that its password can be replaced.
	File    string
	Timeout time.Duration    // of a request, waiting for others included; default 5 s
	Now     func() time.Time // default time.Now
}

const (
	maxAsking = 16      // requests to Keystone at the same time
	maxAnswer = 4 << 20 // bytes of one answer
	// early is how long before it expires the token of the account is replaced.
	early = 30 * time.Second
)

// Client asks Keystone. It is safe for concurrent use.
type Client struct {
	options Options
	running chan struct{} // a place for each request

	mu      sync.Mutex // for what follows; it is held while the account authenticates, so that it does so once
	own     string     // token of the account
	expires time.Time
	account *account
	http    *http.Client
}

// ErrUnknown is the error for a token that Keystone does not know: it never made it, it expired, or it was revoked.
var ErrUnknown = errors.New("the token is not known to Keystone")

// New returns a Client. The error, of CodeInvalid, is that of the file.
func New(options Options) (*Client, error) {
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	c := &Client{options: options, running: make(chan struct{}, maxAsking)}
	return c, c.read()
}

// read reads the file.
func (c *Client) read() error {
	a, err := readAccount(c.options.File)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = maxAsking
	if a.caFile != "" {
		text, err := os.ReadFile(a.caFile)
		roots := x509.NewCertPool()
		if err != nil || !roots.AppendCertsFromPEM(text) {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: a.caFile}, Err: err, Message: "the CA certificates of Keystone cannot be read",
				Remedy: "name a PEM file as cacert in " + c.options.File}
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	}
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
	c.account = a
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return nil
}

// Timeout returns how long a question takes at most.
func (c *Client) Timeout() time.Duration { return c.options.Timeout }

// session is a token of the account, and where it is good.
type session struct {
	token string
	url   string
	http  *http.Client
}

// session returns the token of the account, a new one where the last one expires or is the refused one.
func (c *Client) session(ctx context.Context, refused string) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == "" || c.own == refused || !c.options.Now().Add(early).Before(c.expires) {
		if err := c.authenticate(ctx); err != nil {
			return nil, err
		}
	}
	return &session{c.own, c.account.url, c.http}, nil
}

// authenticate gets a token for the account. It is called with the lock.
func (c *Client) authenticate(ctx context.Context) error {
	if err := c.read(); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"auth": c.account.auth})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.account.url+"/auth/tokens?nocatalog", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	var made answer
	header, err := ask(c.http, request, http.StatusCreated, &made)
	if err != nil {
		return err
	}
	own := header.Get("X-Subject-Token")
	if own == "" || made.Token == nil {
		return errors.New("an answer of Keystone has no token for the account")
	}
	c.own, c.expires = own, made.Token.Expires
	return nil
}

// Do sends a request without a body to another service of OpenStack, with a token of the account; with a new one, if that service does not accept the
// first. Its time ends with the context of the request, each try of it after a minute.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	refused := ""
	for {
		ctx, cancel := context.WithTimeout(request.Context(), c.options.Timeout)
		s, err := c.session(ctx, refused)
		cancel()
		if err != nil {
			return nil, err
		}
		request.Header.Set("X-Auth-Token", s.token)
		client := *s.http
		client.Timeout = time.Minute
		response, err := client.Do(request)
		if err != nil || response.StatusCode != http.StatusUnauthorized || refused != "" {
			return response, err
		}
		refused = s.token
		_ = response.Body.Close() // nothing of it is needed
	}
}

// Validate asks whose a token is. It waits for others, and gives up in time. Errors: ErrUnknown, and those of an account or a Keystone that
// does not answer as it should.
func (c *Client) Validate(ctx context.Context, token string) (*Token, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s, err := c.session(ctx, "")
	if err != nil {
		return nil, err
	}
	found, err := s.validate(ctx, token)
	if isStatus(err, http.StatusUnauthorized) { // the token of the account was revoked
		if s, err = c.session(ctx, s.token); err == nil {
			found, err = s.validate(ctx, token)
		}
	}
	switch {
	case isStatus(err, http.StatusNotFound):
		return nil, ErrUnknown
	case isStatus(err, http.StatusForbidden):
		return nil, fmt.Errorf("%w: the account may not check tokens; give it the role admin or service on its project", err)
	case err != nil:
		return nil, err
	case !c.options.Now().Before(found.Expires):
		return nil, ErrUnknown
	}
	return found, nil
}

func (s *session) validate(ctx context.Context, token string) (*Token, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/auth/tokens?nocatalog", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Auth-Token", s.token)
	request.Header.Set("X-Subject-Token", token)
	var found answer
	if _, err := ask(s.http, request, http.StatusOK, &found); err != nil {
		return nil, err
	}
	if t := found.Token; t == nil || t.User.ID == "" || t.User.Name == "" || t.Expires.IsZero() {
		return nil, errors.New("an answer of Keystone lacks user or expires_at of the token")
	}
	return found.Token, nil
}

// statusError is an answer with another status than the one hoped for.
type statusError struct {
	status int
	what   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("Keystone answered %d %s to %s", e.status, http.StatusText(e.status), e.what)
}

func isStatus(err error, status int) bool {
	var e *statusError
	return errors.As(err, &e) && e.status == status
}

// ask sends a request, decodes the answer, and returns its header.
func ask(client *http.Client, request *http.Request, hoped int, into *answer) (http.Header, error) {
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != hoped {
		return nil, &statusError{response.StatusCode, request.Method + " " + request.URL.Path}
	}
	if err := (limit.Limit{Bytes: maxAnswer, Of: "the answer to " + request.Method + " " + request.URL.Path}).DecodeJSON(response.Body, into); err != nil {
		return nil, fmt.Errorf("the answer of Keystone cannot be read: %w", err)
	}
	return response.Header, nil
}
