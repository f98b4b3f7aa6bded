package gitrepo

import (
	"context"
	"errors"
	"io"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
)

// maxHaves is the number of commits of the head's history that the remote is told of, so that it sends only what is new.
const maxHaves = 100

// remote returns the transport to the remote, and where it leads. Every connection to a remote is made by it, so that those of http and https are
// made by the client of the options.
func (r *Repository) remote() (transport.Transport, *transport.Endpoint, error) {
	endpoint, err := transport.NewEndpoint(r.options.URL)
	if err != nil {
		return nil, nil, err
	}
	if endpoint.Protocol == "http" || endpoint.Protocol == "https" {
		return http.NewClient(r.options.HTTP), endpoint, nil
	}
	to, err := client.NewClient(endpoint)
	return to, endpoint, err
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

// advertised returns the references of the remote, as a session has them.
func (r *Repository) advertised(ctx context.Context, session transport.Session) (*packp.AdvRefs, error) {
	limited, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	refs, err := session.AdvertisedReferencesContext(limited)
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
	err = packfile.UpdateObjectStorage(clone.Storer, pack)
	if err != nil { // the program that sends the rest must not be waited for
		cancel()
		_, _ = response.Read(make([]byte, 1))
	}
	return errors.Join(err, response.Close())
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
