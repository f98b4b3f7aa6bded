package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// ClusterOptions say which Kubernetes API server is asked, and as whom.
type ClusterOptions struct {
	Server string // its URL
	CAFile string // PEM file with the CA certificates of the server; "" for those of the system
	// TokenFile holds the token of this process, read again for every request, since it is replaced before it expires.
	TokenFile string
	Timeout   time.Duration // of a request, waiting for others included; default 5 s
}

const (
	maxAsking = 16      // requests to the API server at the same time
	maxAnswer = 4 << 20 // bytes of one answer
)

// Cluster is the Kubernetes API server that is asked about tokens, rights and proxies. It is safe for concurrent use.
type Cluster struct {
	options ClusterOptions
	client  *http.Client
	running chan struct{} // a place for each request
}

// NewCluster returns a Cluster. The error, of CodeInvalid, is that of the file of CA certificates or of the URL.
func NewCluster(options ClusterOptions) (*Cluster, error) {
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = maxAsking
	if options.CAFile != "" {
		text, err := os.ReadFile(options.CAFile)
		roots := x509.NewCertPool()
		if err != nil || !roots.AppendCertsFromPEM(text) {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: options.CAFile}, Err: err,
				Message: "the CA certificates of the Kubernetes API server cannot be read", Remedy: "name a PEM file with --kubernetes-ca"}
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	}
	options.Server = strings.TrimSuffix(options.Server, "/")
	if _, err := http.NewRequest(http.MethodPost, options.Server, nil); err != nil || !strings.Contains(options.Server, "://") {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the Kubernetes API server is \"" + options.Server + "\"",
			Remedy: "run in a cluster, or name its URL with --kubernetes-server"}
	}
	return &Cluster{options: options, running: make(chan struct{}, maxAsking),
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// ask sends a request, with a body unless that is nil, and decodes the answer. needs says which right the request takes. It waits
// for others, and gives up in time.
func (c *Cluster) ask(ctx context.Context, method, path, needs string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var text io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(encoded)
	}
	own, err := os.ReadFile(c.options.TokenFile)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.options.Server+path, text)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(own)))
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusOK {
		return fmt.Errorf("the Kubernetes API server answered %s to %s %s; this needs the role %s", response.Status, method, path, needs)
	}
	return limit.Limit{Bytes: maxAnswer, Of: "the answer of the Kubernetes API server to " + method + " " + path}.DecodeJSON(response.Body, answer)
}

// Groups returns the names of the API groups that the cluster serves, those of an APIService too. Errors: those of the answer.
func (c *Cluster) Groups(ctx context.Context) ([]string, error) {
	var list struct {
		Groups []struct {
			Name string `json:"name"`
		} `json:"groups"`
	}
	if err := c.ask(ctx, http.MethodGet, "/apis", "system:discovery", nil, &list); err != nil {
		return nil, err
	}
	var names []string
	for _, group := range list.Groups {
		names = append(names, group.Name)
	}
	return names, nil
}

// roleDelegator is the role of the cluster that lets ask about the tokens and the rights of others.
const roleDelegator = "system:auth-delegator"
