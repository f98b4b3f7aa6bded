package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// changeSetParameter names the change set whose view a request reads, and that what it writes is staged in.
const changeSetParameter = "changeSet"

// changeSetHeader says which change set an answer is of.
const changeSetHeader = "Dovetail-Change-Set"

// ReasonEdited is that of a write to the view of a change set which was edited since the view was made.
const ReasonEdited = "CHANGE_SET_EDITED"

// View is the store as a change set proposes it.
type View struct {
	Store   *store.Store
	Version string // of the change set: no two states of it have the same
}

// readChangeSet returns the change set that the request asks for, "" if there is none. It refuses one that the request cannot be
// served in.
func (x *requestContext) readChangeSet() (string, error) {
	query := x.r.URL.Query()
	if !query.Has(changeSetParameter) {
		return "", nil
	}
	refused := func(message, remedy string) (string, error) {
		return "", &dovetail.Error{Code: dovetail.CodeInvalid, Message: message, Remedy: remedy}
	}
	switch name := query.Get(changeSetParameter); {
	case x.api.options.ChangeSet == nil:
		return refused("there are no change sets here", "leave out "+changeSetParameter)
	case name == "":
		return refused(changeSetParameter+" is empty", "give the name of a change set, or leave it out")
	case x.watching():
		return refused("a change set cannot be watched", "watch without "+changeSetParameter)
	case !x.method.view && x.route.kind == nil, query.Get("view") == viewHistory, query.Has("sealed"):
		return refused("this cannot be read or written in a change set", "leave out "+changeSetParameter)
	case query.Has(atParameter):
		return refused("a change set can only be read at its base", "leave out "+atParameter+" or "+changeSetParameter)
	case query.Has(waitParameter):
		return refused("a change set waits for no status: that of its documents is made when they are read", "leave out "+waitParameter)
	default:
		return name, nil
	}
}

// handleIn serves the request in the view of a change set. A write is repeated in a new view where the change set was edited
// meanwhile.
func (x *requestContext) handleIn(now handler) error {
	if x.reads() {
		return x.handleOnce(now, false)
	}
	if err := x.keepBody(); err != nil {
		return err
	}
	memory := x.memory
	return store.Transact(x.ctx, func() error {
		_ = x.hold(memory - x.memory) // never refused: it is freed
		x.reading.free()
		x.warned = 0
		x.w.Header().Del("Warning")
		err := x.handleOnce(now, true)
		if err != nil && x.w.status == 0 && dovetail.AsError(err).Reason == ReasonEdited {
			return store.Retry(err)
		}
		return err
	})
}

func (x *requestContext) handleOnce(now handler, write bool) error {
	view, err := x.api.options.ChangeSet(x.ctx, x.changeSet, write)
	if err != nil {
		return err
	}
	x.proposed = view
	x.w.Header().Set(changeSetHeader, url.PathEscape(x.changeSet))
	x.read(view.Store)
	x.store = x.shownIn(view.Store)
	return x.handlerAt(view.Store, now)(x)
}

// reads reports whether the request only reads.
func (x *requestContext) reads() bool {
	if e := x.method.endpoint; e != nil {
		return e.reads()
	}
	return x.r.Method == http.MethodGet || x.r.Method == http.MethodHead
}

// keepBody reads the body, so that it can be read again.
func (x *requestContext) keepBody() error {
	if !x.method.readsBody(x.r.Method) {
		return nil
	}
	limit := x.api.limits.Body
	switch {
	case x.method.batch:
		limit = x.api.limits.Batch
	case x.method.action != nil:
		limit = x.api.limits.Action
	}
	body, err := x.readBody(limit)
	if body == nil {
		body = []byte{}
	}
	x.kept = body
	return err
}

// located returns the path of a document, in the change set where it is one that the request wrote there.
func (x *requestContext) located(path string) string {
	if x.proposed != nil {
		path += "?" + url.Values{changeSetParameter: {x.changeSet}}.Encode()
	}
	return path
}

// keyInView returns the name under which the store keeps the outcome of what is written with an idempotency key: a write to
// the view of a change set is another one than the same write to the store.
func (x *requestContext) keyInView(key string) string {
	if x.proposed == nil || key == "" || len(key) > store.MaxKey { // that one is refused
		return key
	}
	sum := sha256.Sum256([]byte(x.changeSet + "\x00" + key))
	return "changeSet:" + hex.EncodeToString(sum[:])
}

// inView makes the scope of a token one of the change set.
func (x *requestContext) inView(scope string) string {
	if x.proposed == nil {
		return scope
	}
	return scope + "\x00" + changeSetParameter + "\x00" + x.changeSet
}

// viewVersion is the version of the change set whose view is read, "" if there is none.
func (x *requestContext) viewVersion() string {
	if x.proposed == nil {
		return ""
	}
	return x.proposed.Version
}
