package gitrepo

import (
	"context"
	"errors"
	"io"
	nethttp "net/http"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	"github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// What a remote answers, besides objects: the references, which are all in memory, and reports and errors.
var (
	maxReferences = limit.Limit{Bytes: 16 << 20, Of: "the list of the repository's references", Remedy: "delete branches and tags that are not used"}
	maxReport     = limit.Limit{Bytes: 1 << 20, Of: "the answer of the repository", Remedy: "check its URL"}
)

// maxHaves is the number of commits of the head's history that the remote is told of, so that it sends only what is new.
const maxHaves = 100

// remote returns the transport to the remote, and where it leads. Every connection to a remote is made by it, so that those of http and https are
// made by the client of the options. With such a client, which decides where connections may lead, there are no others.
func (r *Repository) remote() (transport.Transport, *transport.Endpoint, error) {
	endpoint, err := transport.NewEndpoint(r.options.URL)
	if err != nil {
		return nil, nil, err
	}
	if isHTTP(endpoint) {
		asks := nethttp.Client{Transport: nethttp.DefaultTransport}
		if r.options.HTTP != nil {
			asks = *r.options.HTTP
		}
		asks.Transport = &bounded{asks.Transport}
		return http.NewClient(&asks), endpoint, nil
	}
	if r.options.HTTP != nil {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{File: WithoutCredentials(r.options.URL)},
			Message: "a repository that stored data name is read by https only, not by " + endpoint.Protocol, Remedy: "write an https URL"}
	}
	to, err := client.NewClient(endpoint)
	return to, endpoint, err
}

func isHTTP(endpoint *transport.Endpoint) bool {
	return endpoint.Protocol == "http" || endpoint.Protocol == "https"
}

// bounded is a transport of http and https that bounds answers.
type bounded struct{ transport nethttp.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(request *nethttp.Request) (*nethttp.Response, error) {
	response, err := b.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	most := maxReport
	switch at := request.URL.Path; {
	case response.StatusCode >= nethttp.StatusMultipleChoices:
	case strings.HasSuffix(at, "/info/refs"):
		most = maxReferences
	case strings.HasSuffix(at, "/git-upload-pack"):
		most = maxPacked
	}
	response.Body = most.Budget().Body(response.Body)
	return response, nil
}

// uploadPack begins a fetch.
func (r *Repository) uploadPack(ctx context.Context) (transport.UploadPackSession, error) {
	to, endpoint, err := r.remote()
	if err != nil {
		return nil, r.unreachable(ctx, err)
	}
	session, err := to.NewUploadPackSession(endpoint, r.auth)
	if err != nil {
		return nil, r.unreachable(ctx, err)
	}
	return session, nil
}

// receivePack begins a push.
func (r *Repository) receivePack(ctx context.Context) (transport.ReceivePackSession, error) {
	to, endpoint, err := r.remote()
	if err != nil {
		return nil, r.unreachable(ctx, err)
	}
	session, err := to.NewReceivePackSession(endpoint, r.auth)
	if err != nil {
		return nil, r.unreachable(ctx, err)
	}
	return session, nil
}

// limit sets the limit of what a session reads from now on. That of http and https, where each answer has its own, is left to their transport.
func (r *Repository) limit(session transport.Session, most limit.Limit) error {
	endpoint, err := transport.NewEndpoint(r.options.URL)
	if err != nil || isHTTP(endpoint) {
		return err
	}
	return limitOutput(session, most)
}

// advertised returns the references of the remote, as a session has them. What the session then answers has the limit next.
func (r *Repository) advertised(ctx context.Context, session transport.Session, next limit.Limit) (*packp.AdvRefs, error) {
	limited, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if err := r.limit(session, maxReferences); err != nil {
		return nil, r.unreachable(ctx, err)
	}
	refs, err := session.AdvertisedReferencesContext(limited)
	if err == nil {
		err = r.limit(session, next)
	}
	if err != nil {
		return nil, r.unreachable(ctx, err)
	}
	return refs, nil
}

// receive brings the objects of a commit, or of a tag, to a clone that has those of the head.
func (r *Repository) receive(ctx context.Context, session transport.UploadPackSession, offered *capability.List, clone *git.Repository, want plumbing.Hash) error {
	if clone.Storer.HasEncodedObject(want) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request := packp.NewUploadPackRequestFromCapabilities(offered)
	request.Wants, request.Haves = []plumbing.Hash{want}, r.haves(clone)
	response, err := session.UploadPack(ctx, request)
	if errors.Is(err, transport.ErrEmptyUploadPackRequest) {
		return nil
	}
	if err != nil {
		return err
	}
	var pack io.Reader = response
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		pack = sideband.NewDemuxer(sideband.Sideband64k, response)
	case request.Capabilities.Supports(capability.Sideband):
		pack = sideband.NewDemuxer(sideband.Sideband, response)
	}
	err = storePack(ctx, r.options.Dir, pack)
	if err != nil { // the program that sends the rest is ended, not waited for
		cancel()
		_, _ = response.Read(make([]byte, 1))
		_ = response.Close()
		return err
	}
	return response.Close()
}

// haves returns the last commits of the head's history.
func (r *Repository) haves(clone *git.Repository) []plumbing.Hash {
	head, err := clone.CommitObject(r.head)
	if err != nil { // there is none
		return nil
	}
	var all []plumbing.Hash
	_ = object.NewCommitPreorderIter(head, nil, nil).ForEach(func(c *object.Commit) error { // fewer of them only cost more
		if all = append(all, c.Hash); len(all) == maxHaves {
			return storer.ErrStop
		}
		return nil
	})
	return all
}
