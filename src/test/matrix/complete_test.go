package matrix

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere says of the writes that no way uses why that is so. A pattern is of templates of paths.
var elsewhere = []struct{ pattern, why string }{
	{"/v2/(racks|devices|sites)(/{[a-z]+}(/(status|open|close))?)?", "things have the same routes"},
	{"/v2/sites/{site}/machines.*", "things have the same routes"},
	{"/v2/sites/{site}/things/{thing}/(halt|run|build)", "the actions are tried by another name"},
	{"/apis/{group}/{version}/{resource}(/{name})?", "there are the same routes in a namespace"},
	{"/v2/change-sets.*", "change sets are managed, as machines are"},
	{"/api/change-sets/{name}(/(close|reopen|rebase|propose|operations|reviews))?", "only the change set is changed"},
	{"/v2/schema/impact|/apis/authorization.k8s.io/.*", "nothing is changed"},
	{"/v2/(sessions|webhooks|idempotency-keys)/.*|/v2/work/(claim|renew)", "no document is changed"},
	{"/v2/encryption/rotate", "the same values are sealed anew"},
}

// complete checks that each write of the description was used by a way, or is listed in elsewhere.
func (w *world) complete(t *testing.T) {
	t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(w.must(t, "GET", "/openapi.json", nil).text), &described); err != nil {
		t.Fatal(err)
	}
	reason := func(template string) bool {
		return slices.ContainsFunc(elsewhere, func(e struct{ pattern, why string }) bool {
			return regexp.MustCompile("^(" + strings.NewReplacer("{", `\{`, "}", `\}`).Replace(e.pattern) + ")$").MatchString(template)
		})
	}
	element := regexp.MustCompile(`\\\{[^}]*\\\}`)
	for template, verbs := range described.Paths {
		pattern := regexp.MustCompile("^" + element.ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$")
		for verb := range verbs {
			method := strings.ToUpper(verb)
			if !slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, method) {
				continue
			}
			used := false
			for call := range w.used {
				by, path, _ := strings.Cut(call, " ")
				used = used || by == method && pattern.MatchString(path)
			}
			if !used && !reason(template) {
				t.Errorf("no way uses %s %s", method, template)
			}
		}
	}
}
