package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// How many items a page has when the request does not say, and at most.
const (
	defaultPage = 100
	maxPage     = 1000
)

// pageToken is the place where the next page begins. It goes to the client as opaque text and comes
// back only to the list that it was made for: the sum is over that list and the place, so that a
// token that was damaged, or taken to another list, is noticed. It holds no secret.
type pageToken struct {
	After    dovetail.ID  `json:"a"`
	Position store.Cursor `json:"p,omitempty"` // where all pages are read
	View     string       `json:"v,omitempty"` // the version of the change set in whose view they are read
	Sum      uint64       `json:"s"`
}

// encodeToken makes the token of a place in the list that scope describes.
func encodeToken(scope string, token pageToken) string {
	token.Sum = token.sum(scope)
	text, err := json.Marshal(token)
	if err != nil {
		panic(err) // strings and numbers can be written
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// decodeToken reads a token of the list; the error has the code CodeInvalid.
func decodeToken(scope, text string) (token pageToken, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &token)
	}
	if err == nil {
		_, err = dovetail.ParseID(string(token.After))
	}
	if err != nil || token.Sum != token.sum(scope) {
		return pageToken{}, &dovetail.Error{Code: dovetail.CodeInvalid, Err: err, Message: "continue is not a token of this list",
			Remedy: "repeat it as it was returned, with the same selectors, or leave it out to start again"}
	}
	return token, nil
}

func (t pageToken) sum(scope string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(scope + "\x00" + string(t.After) + "\x00" + string(t.Position) + "\x00" + t.View))
	return sum.Sum64()
}

// scopeOf describes a list: pages of one list have it in common.
func scopeOf(q store.ListQuery) string {
	return strings.Join([]string{"list", q.Kind, string(q.Under), q.Labels.String(), q.Fields.String(), q.Text.String()}, "\x00")
}

// pageOf reads limit and continue. From here on the request reads at the position of its first page.
func (x *requestContext) pageOf(p parameters, scope string) (after dovetail.ID, limit int, err error) {
	if limit, err = p.pageSize(); err != nil {
		return "", limit, err
	}
	var token pageToken
	if text := p.text("continue"); text != "" {
		if token, err = decodeToken(x.inView(scope), text); err != nil {
			return "", limit, err
		}
	}
	var then *store.Store
	switch {
	case token.After == "":
		then, err = x.store.Pin(x.ctx)
	case token.View != x.viewVersion():
		return "", limit, &dovetail.Error{Code: dovetail.CodeExpired, Message: "the change set was edited since the previous page was read",
			Remedy: "read the list again from its first page"}
	case token.Position != "":
		then, err = x.store.At(x.ctx, token.Position)
	default: // a list that began without a position goes on so
		return token.After, limit, nil
	}
	if err == nil {
		x.read(then)
	}
	return token.After, limit, err
}

// list reads a page, and has the pages that follow read where it was.
func (x *requestContext) list(q store.ListQuery) (*store.Page, error) {
	page, err := x.store.List(x.ctx, q)
	if err != nil || page.Position == x.store.Position() {
		return page, err
	}
	then, err := x.store.At(x.ctx, page.Position)
	if err == nil {
		x.read(then)
	}
	return page, err
}

// listPage answers one page.
func (x *requestContext) listPage(p parameters, s *selection, write itemWriter) error {
	scope := s.scope()
	after, limit, err := x.pageOf(p, scope)
	if err != nil {
		return err
	}
	q, err := s.list(x)
	if err != nil {
		return err
	}
	q.After, q.Limit = after, limit
	q.Bytes = x.api.limits.pageBytes()
	page, err := x.list(q)
	if err != nil {
		return err
	}
	if len(page.Documents) == 0 && q.After == "" {
		if err := x.checkParent(); err != nil {
			return err
		}
	}
	items := appendItems([]byte(`{"items":[`), page.Documents, write)
	return x.answerPage(p, append(items, ']'), x.tokenOf(scope, page.Next), q.Limit)
}

// tokenOf returns the token of the page that begins after an id, "" if there is none.
func (x *requestContext) tokenOf(scope string, next dovetail.ID) string {
	if next == "" {
		return ""
	}
	return encodeToken(x.inView(scope), pageToken{After: next, Position: x.store.Position(), View: x.viewVersion()})
}

// answerPage closes the object of a page and sends it, with the way to the next page if there is one.
func (x *requestContext) answerPage(p parameters, text []byte, token string, limit int) error {
	if token != "" {
		text = appendText(append(text, `,"continue":`...), token)
		query := url.Values{}
		for name, values := range p {
			query[name] = values
		}
		query.Set("limit", strconv.Itoa(limit))
		query.Set("continue", token)
		x.w.Header().Set("Link", "<"+x.r.URL.EscapedPath()+"?"+query.Encode()+`>; rel="next"`)
	}
	return x.answer(http.StatusOK, append(text, '}'))
}
