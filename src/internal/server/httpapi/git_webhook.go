package httpapi

import (
	"io"
	"net/http"

	"github.com/dovetail-store/dovetail/src/internal/server/flowcontrol"
)

// GitWebhook takes what a Git host sends after a push.
type GitWebhook interface {
	// Check refuses a request of which neither a header nor a signature shows that its sender knows the secret: CodeUnauthenticated. It reads no more of the body than it needs.
	Check(header http.Header, body io.Reader) error
	// Pull has a repository fetched soon, "" for all. Errors: CodeNotFound.
	Pull(repository string) error
}

// maxGitWebhook is the limit of what a Git host sends after a push, as GitHub has it. The body is not kept.
const maxGitWebhook = 25 << 20

// admitGitHost counts the request among those of its address. It has no principal: the handler checks who sent it.
func (x *requestContext) admitGitHost() (leave func(), err error) {
	x.flow = flowcontrol.Flow{Anonymous: true, Name: x.api.options.Proxies.Source(x.r)}
	return x.enter("")
}

func postGitWebhook(x *requestContext) error {
	p, err := x.parameters("repository")
	if err != nil {
		return err
	}
	hook := x.api.options.GitWebhook
	body := http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, maxGitWebhook)
	if err := bodyError(hook.Check(x.r.Header, body), maxGitWebhook); err != nil {
		return err
	}
	if err := hook.Pull(p.text("repository")); err != nil {
		return err
	}
	return x.answer(http.StatusAccepted, encodeJSON(map[string]any{"pull": "soon"}))
}
