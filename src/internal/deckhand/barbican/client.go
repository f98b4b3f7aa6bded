package barbican

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone"
)

const (
	maxAsking  = 4        // secrets that are read at the same time
	maxPayload = 20 << 20 // bytes of one secret
)

// Client reads secrets. It is safe for concurrent use.
type Client struct {
	endpoint string // without /v1
	account  *keystone.Client
}

// New returns a Client of the Barbican at a URL, which the account of Keystone may read. The error, of CodeInvalid, is that of the URL.
func New(endpoint string, account *keystone.Client) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the URL of Barbican is \"" + endpoint + "\"", Remedy: "write it as https://barbican.example.org:9311"}
	}
	return &Client{endpoint: strings.TrimSuffix(strings.TrimSuffix(endpoint, "/"), "/v1"), account: account}, nil
}

// Secret is what a reference leads to.
type Secret struct {
	Type    string // such as passphrase, certificate or opaque
	Payload []byte
	// Refused says why there is no payload, and Forbidden that the account may not read it.
	Refused   string
	Forbidden bool
}

// Read reads what references lead to. Whatever host they name, requests go to Barbican's own URL, so that no other host gets the token of the account.
// The error, of CodeUnavailable, is for a Barbican or Keystone that does not answer as it should.
func (c *Client) Read(ctx context.Context, references []string) (map[string]Secret, error) {
	found := make(map[string]Secret, len(references))
	var mu sync.Mutex
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(maxAsking)
	for _, reference := range references {
		all.Go(func() error {
			s, err := c.read(ctx, reference)
			mu.Lock()
			defer mu.Unlock()
			found[reference] = s
			return err
		})
	}
	return found, all.Wait()
}

// read reads one secret: what it is, and then its payload in the form that it has.
func (c *Client) read(ctx context.Context, reference string) (Secret, error) {
	_, id, is := strings.Cut(reference, "/v1/secrets/")
	if !is || id == "" || strings.ContainsAny(id, "/?#%") || strings.Trim(id, ".") == "" {
		return Secret{Refused: "it is no URL of a secret of Barbican"}, nil
	}
	at := c.endpoint + "/v1/secrets/" + id
	text, refused, err := c.ask(ctx, at, "application/json")
	if err != nil || refused != nil {
		return refused.secret(), err
	}
	var described struct {
		Type  string            `json:"secret_type"`
		Forms map[string]string `json:"content_types"`
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return Secret{}, unanswered(fmt.Errorf("what it says of a secret cannot be read: %w", err))
	}
	form := described.Forms["default"]
	if form == "" {
		return Secret{Refused: "Barbican has no payload of it"}, nil
	}
	payload, refused, err := c.ask(ctx, at+"/payload", form)
	if err != nil || refused != nil {
		return refused.secret(), err
	}
	return Secret{Type: described.Type, Payload: payload}, nil
}

// refusal is an answer that concerns one secret.
type refusal int

func (r *refusal) secret() Secret {
	if r == nil {
		return Secret{}
	}
	return Secret{Refused: fmt.Sprintf("Barbican answers %d %s", int(*r), http.StatusText(int(*r))), Forbidden: *r == http.StatusForbidden}
}

// ask sends a GET, and returns the body of the answer.
func (c *Client) ask(ctx context.Context, at, form string) ([]byte, *refusal, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, nil, unanswered(err)
	}
	request.Header.Set("Accept", form)
	response, err := c.account.Do(request)
	if err != nil {
		return nil, nil, unanswered(err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusForbidden, http.StatusNotFound, http.StatusNotAcceptable, http.StatusGone:
		status := refusal(response.StatusCode)
		return nil, &status, nil
	default:
		return nil, nil, unanswered(fmt.Errorf("it answered %s to GET %s", response.Status, request.URL.Path))
	}
	body, err := limit.Limit{Bytes: maxPayload, Of: "the answer to GET " + request.URL.Path}.ReadAll(response.Body)
	if err != nil {
		return nil, nil, unanswered(err)
	}
	return body, nil, nil
}

func unanswered(err error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the secrets cannot be read from Barbican: " + err.Error(), Remedy: "try again; nothing was stored", Err: err}
}
