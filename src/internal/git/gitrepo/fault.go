package gitrepo

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// WithoutCredentials is a URL without its password, of http and https also without the user, in whose place tokens are given.
func WithoutCredentials(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	if u.User = url.User(u.User.Username()); u.Scheme == "http" || u.Scheme == "https" {
		u.User = nil
	}
	return u.String()
}

// unreachable says why the remote could not be asked. Nothing was changed there. The context is that of who asked:
// a remote that is given up earlier does not answer. An error of the client of the options, which refuses a host, stays.
func (r *Repository) unreachable(ctx context.Context, err error) error {
	if unexpected := (&plumbing.UnexpectedError{}); errors.As(err, &unexpected) { // which does not unwrap
		err = unexpected.Err
	}
	e := &dovetail.Error{Code: dovetail.CodeUnavailable, Position: dovetail.Position{File: WithoutCredentials(r.options.URL)},
		Message: "the repository cannot be reached", Remedy: "check its URL and the network, and try again", Err: err}
	var noBranch git.NoMatchingRefSpecError
	var host *knownhosts.KeyError
	var known *dovetail.Error
	switch {
	case ctx.Err() != nil:
		return dovetail.AsError(ctx.Err())
	case errors.As(err, &known) && known.Code == dovetail.CodeTooLarge: // what the remote has, not what the caller asks for
		refused := *known
		refused.Code, refused.Reason, refused.Position = dovetail.CodeUnprocessable, ReasonTooLarge, e.Position
		return &refused
	case errors.As(err, &known):
		return known
	case dovetail.Outside(err) != nil: // this machine fails, not the remote
		return broken(r.options.Dir, err)
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = "the repository does not answer"
	case errors.As(err, &noBranch), errors.Is(err, transport.ErrEmptyRemoteRepository):
		e.Code, e.Message, e.Remedy = dovetail.CodeInvalid, "the repository has no branch "+r.options.Branch, "name another branch, or push a first commit"
		if r.options.Tag != "" {
			e.Message, e.Remedy = "the repository has no tag "+r.options.Tag, "name another tag"
		}
	case errors.Is(err, transport.ErrRepositoryNotFound):
		e.Code, e.Message, e.Remedy = dovetail.CodeInvalid, "there is no repository", "check the URL"
	case errors.Is(err, transport.ErrAuthenticationRequired):
		e.Code, e.Message, e.Remedy = dovetail.CodeUnauthenticated, "the repository asks who you are", "give a user and a token in the URL"
	case errors.Is(err, transport.ErrAuthorizationFailed):
		e.Code, e.Message, e.Remedy = dovetail.CodeForbidden, "the repository does not let this user in", "ask for the right to read and push"
	case errors.As(err, &host) && len(host.Want) == 0:
		e.Code, e.Message, e.Remedy = dovetail.CodeInvalid, "the server's key is not among the known hosts", "compare its key, and add what ssh-keyscan prints to the file of known hosts"
	case errors.As(err, &host):
		e.Code, e.Message, e.Remedy = dovetail.CodeInvalid, "the server has another key than the known hosts say, so that it may be another server", "ask who runs it, and correct the file of known hosts"
	case strings.Contains(err.Error(), "ssh: unable to authenticate"): // which has no type
		e.Code, e.Message, e.Remedy = dovetail.CodeUnauthenticated, "the server does not let this user in with this key or password", "add the public key at the server, or give another private key"
	default:
		e.Message += ": " + r.masked(err.Error())
	}
	return e
}

// masked is the text of an error without what the URL has of a password, or of a token in the place of the user.
func (r *Repository) masked(text string) string {
	u, err := url.Parse(r.options.URL)
	if err != nil || u.User == nil {
		return text
	}
	secret, ok := u.User.Password()
	if !ok && u.Scheme != "ssh" {
		secret = u.User.Username()
	}
	if secret == "" {
		return text
	}
	return strings.NewReplacer(secret, "xxxxx", url.QueryEscape(secret), "xxxxx", url.PathEscape(secret), "xxxxx").Replace(text)
}

func (r *Repository) unknown(err error) error {
	return &dovetail.Error{Code: dovetail.CodeUnknown, Position: dovetail.Position{File: WithoutCredentials(r.options.URL)},
		Message: "the connection broke during a push, so that its outcome is not known", Remedy: "read the current version and decide again", Err: err}
}

// broken says that the local clone cannot be used.
func broken(name string, err error) error {
	if e := dovetail.Outside(err); e != nil {
		e.Position.File, e.Message = name, "the local clone cannot be read or written: "+e.Message
		return e
	}
	return &dovetail.Error{Code: dovetail.CodeInternal, Position: dovetail.Position{File: name}, Message: "the local clone cannot be read or written",
		Remedy: "check the disk; if the clone is damaged, remove its folder: it is cloned again", Err: err}
}
