package matrix

import (
	"regexp"
	"slices"
	"testing"
)

// elsewhere has why no way and no route of ownRoutes is one of these templates.
var elsewhere = []struct{ pattern, why string }{
	{"/v2/(racks|controllers|devices|sites)(/{[^}]*}(/(status|open|close))?)?", "things have the same routes"},
	{"/v2/sites/{site}/machines.*", "things have the same routes"},
	{"/v2/sites/{site}/things/{thing}/(halt|run|build)", "the actions are tried by another name"},
	{"/v2/change-sets.*", "change sets are managed, as machines are"},
}

// complete checks that each write of the description was used by a way, is one of ownRoutes, or is listed in elsewhere.
func (w *world) complete(t *testing.T) {
	t.Helper()
	reason := func(template string) bool {
		return slices.ContainsFunc(elsewhere, func(e struct{ pattern, why string }) bool { return matches(e.pattern, template) })
	}
	element := regexp.MustCompile(`\\\{[^}]*\\\}`)
	for _, op := range w.operations(t) {
		pattern := regexp.MustCompile("^" + op.verb + " " + element.ReplaceAllString(regexp.QuoteMeta(op.template), "[^/]+") + "$")
		used := slices.ContainsFunc(ownRoutes, func(r route) bool { return r.String() == op.String() })
		for call := range w.used {
			used = used || pattern.MatchString(call)
		}
		if op.verb != "GET" && !used && !reason(op.template) {
			t.Errorf("no way uses %s", op)
		}
	}
}
