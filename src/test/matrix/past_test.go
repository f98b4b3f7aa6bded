package matrix

import (
	"strings"
	"testing"
)

// TestPastOfEveryRead: whatever can be read with ?at= answers for a position what it answered at that position, after
// everything was changed: documents and their views, collections, and the services.
func TestPastOfEveryRead(t *testing.T) {
	t.Parallel()
	s := &sample{world: newServer(t, rootPolicy, []string{"root"}, nil), who: "root"}
	s.fill(t)
	all := s.reads(t, "at")
	before := s.answers(t, all, nil)
	var page struct{ Items []struct{ Position string } }
	decode(t, s.write(t, "GET", "/v2/transactions?limit=1", "", ""), &page)
	position := page.Items[0].Position

	s.change(t)

	changed, found := 0, 0
	for _, r := range all {
		if before[r].status == 200 {
			found++
			if s.read(t, r) != before[r] {
				changed++
			}
		}
		if then := s.read(t, r.with("at", position)); then.status != before[r].status || withoutRequest(then.text) != withoutRequest(before[r].text) {
			t.Errorf("%s was %d\n%s\nas of then it is %d\n%s", r.path, before[r].status, before[r].text, then.status, then.text)
		}
	}
	if changed < found/2 {
		t.Errorf("of %d reads only %d changed", found, changed)
	}
}

// change changes and deletes something of every service.
func (s *sample) change(t *testing.T) {
	t.Helper()
	s.write(t, "PUT", "/api/sd"+environmentQuery+"&kind=full", "", `{"applications":[]}`)
	s.write(t, "PUT", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":8}}`)
	paramSet := "/api/paramset/" + s.values["id"][0]
	s.write(t, "PUT", paramSet, "", `{"parameters":{"a":2},"applications":[]}`)
	s.write(t, "DELETE", paramSet+"/associations/"+s.values["associationId"][0], "", "")
	s.write(t, "PUT", "/api/v1.0/buckets/a/documents", "application/x-yaml", layeredDocuments[1])
	s.write(t, "DELETE", "/api/v1.0/revisions/2/tags/t", "", "")
	for _, path := range []string{"/v2/clusters/v", "/v2/param-sets/shared", "/v2/sources/s1", "/v2/active-resolutions/every", "/v2/artifact-definitions/own"} {
		s.write(t, "DELETE", path+"?cascade=true", "", "")
	}
}

// withoutRequest leaves out what differs between two answers to the same request: tokens name the position they are of, and
// problems the request.
func withoutRequest(text string) string {
	if i := strings.Index(text, `,"continue":`); i >= 0 {
		text = text[:i]
	}
	return withoutRandom(text)
}
