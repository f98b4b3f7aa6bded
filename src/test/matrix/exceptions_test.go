package matrix

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An exception is why some routes do not have a column.
type exception struct{ promises, routes, why string } // the first two are patterns, of routes as "PUT /api/sd"

// exceptions are all of them. Those of a column that a parameter asks for are refused as soon as a route takes the parameter.
var exceptions = []exception{
	{".*", `DELETE /v2/(sessions|idempotency-keys)/.*|POST /v2/(webhooks/.*|encryption/rotate)`, "no document says anything else afterwards"},
	{"protection", `[A-Z]+ /api/change-sets(/.*)?`, "change sets are how protected documents are changed; their merge is a way of the other table"},
	{"versions", `POST .*`, "a creation has no version, and operations have theirs in the body"},
	{"versions", `[A-Z]+ /apis/.*`, "the version is in the object: metadata.resourceVersion"},
	{"versions", `PUT /api/sources/.*|DELETE /api/v1.0/revisions.*`, "all is replaced, whatever it was"},
	{"versions", `DELETE /api/change-sets/{name}/operations`, "operations are taken back by their ids"},
	{"repetition", `POST /v2/schema/migrate`, "the same migration finds nothing to do"},
	{"dry run", `POST /api/change-sets/{name}/revert`, "a change set is made, and foretold by its check"},
	{"dry run", `(POST|DELETE) /api/v1.0/.*`, "Deckhand has none, except of documents"},
	{"dry run", `POST /v2/documents`, "an import fills a store that is not in use yet"},
}

// excepted returns why a route does not have a column, or "".
func excepted(promise string, r route) string {
	for _, e := range exceptions {
		if matches(e.promises, promise) && matches(e.routes, r.String()) {
			return e.why
		}
	}
	return ""
}

// matches reports whether a pattern is of a whole text. Braces in it are those of variables.
func matches(pattern, text string) bool {
	return regexp.MustCompile("^(" + strings.NewReplacer("{", `\{`, "}", `\}`).Replace(pattern) + ")$").MatchString(text)
}

// TestExceptions has every exception match a route that writes.
func TestExceptions(t *testing.T) {
	for _, e := range exceptions {
		if !slices.ContainsFunc(ownRoutes, func(r route) bool { return r.writes() && r.answer == 0 && matches(e.routes, r.String()) }) {
			t.Errorf("no route is %s", e.routes)
		}
	}
}
