package app

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestPastOfEveryRead: whatever can be read with ?at= answers for a position what it answered at that position, after
// everything was changed: documents and their views, collections, and the services.
func TestPastOfEveryRead(t *testing.T) {
	t.Parallel()
	server := start(t, map[string]string{"log-level": "error"})
	send := func(method, path, media, body string) (int, string) {
		t.Helper()
		request := server.request(t, method, path, body)
		if media != "" {
			request.Header.Set("Content-Type", media)
		}
		if strings.HasPrefix(path, "/api/ui-override") || strings.HasPrefix(path, "/api/paramset") {
			request.Header.Set("If-Match", "*") // which these want
		}
		status, _, text := roundTrip(t, request)
		return status, text
	}
	write := func(method, path, media, body string) string {
		t.Helper()
		status, text := send(method, path, media, body)
		if status/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
		return text
	}
	const environment = "?environmentId=v/dev"
	write("POST", "/v2/batch", "application/yaml", visible)
	write("PUT", "/api/sd"+environment+"&kind=full", "", `{"applications":[{"version":"app:1","deployPostfix":"core"}]}`)
	write("POST", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":7}}`)
	var made struct{ ID string }
	decode(t, write("POST", "/api/paramset", "", `{"name":"x","location":"environments/parameters","parameters":{"a":1},"applications":[]}`), &made)
	var associated struct{ ID string }
	decode(t, write("POST", "/api/paramset/"+made.ID+"/associations", "", `{"environmentId":"v/dev","context":"pipeline","associatedObject":"cloud"}`), &associated)
	write("PUT", "/api/v1.0/buckets/common/documents", "application/x-yaml", commonBucket)
	write("PUT", "/api/v1.0/buckets/a/documents", "application/x-yaml", layeredDocuments[0])
	write("POST", "/api/v1.0/revisions/2/tags/t", "application/x-yaml", "{}")
	write("POST", "/api/v1.0/revisions/2/validations/v", "application/x-yaml", "status: failure\nvalidator: {name: x, version: 1.0}\nerrors: [{documents: [{schema: example/Kind/v1, name: own}], message: m}]\n")
	write("PUT", "/v2/clusters/v/status", "", `{"phase":"ready"}`)
	write("PUT", "/v2/active-resolutions/all?wait=2m", "", `{"metadata":{"name":"all"},"spec":{"constraints":["required(\"p\")"]}}`)

	// By route; what its answer tells of the process, or of the request, is not compared.
	requests := map[string][]string{
		"/v2/documents":                   {"/v2/documents?content=true", "/v2/documents?view=tree", "/v2/documents?labelSelector=team%3Down"},
		"/api/sd":                         {"/api/sd" + environment + "&kind=full"},
		"/api/ui-override":                {"/api/ui-override" + environment + "&context=pipeline"},
		"/api/effective-set":              {"/api/effective-set" + environment + "&context=pipeline"},
		"/api/parameters":                 {"/api/parameters" + environment + "&context=pipeline"},
		"/api/paramset/{id}":              {"/api/paramset/" + made.ID},
		"/api/paramset/{id}/associations": {"/api/paramset/" + made.ID + "/associations"},
		"/api/paramset/{id}/associations/{associationId}":                         {"/api/paramset/" + made.ID + "/associations/" + associated.ID},
		"/api/sources/{source}":                                                   {"/api/sources/s1"},
		"/api/resolve":                                                            {"/api/resolve?explain=true"},
		"/api/v1.0/health":                                                        nil,
		"/versions":                                                               nil,
		"/api/v1.0/revisions":                                                     {"/api/v1.0/revisions"},
		"/api/v1.0/revisions/{revision}":                                          {"/api/v1.0/revisions/2"},
		"/api/v1.0/revisions/{revision}/documents":                                {"/api/v1.0/revisions/2/documents"},
		"/api/v1.0/revisions/{revision}/rendered-documents":                       {"/api/v1.0/revisions/2/rendered-documents"},
		"/api/v1.0/revisions/{revision}/origins":                                  {"/api/v1.0/revisions/2/origins"},
		"/api/v1.0/revisions/{revision}/diff/{other}":                             {"/api/v1.0/revisions/2/diff/0"},
		"/api/v1.0/revisions/{revision}/deepdiff/{other}":                         {"/api/v1.0/revisions/2/deepdiff/0"},
		"/api/v1.0/revisions/{revision}/tags":                                     {"/api/v1.0/revisions/2/tags"},
		"/api/v1.0/revisions/{revision}/tags/{tag}":                               {"/api/v1.0/revisions/2/tags/t"},
		"/api/v1.0/revisions/{revision}/validations":                              {"/api/v1.0/revisions/2/validations"},
		"/api/v1.0/revisions/{revision}/validations/detail":                       {"/api/v1.0/revisions/2/validations/detail"},
		"/api/v1.0/revisions/{revision}/validations/{validation}":                 {"/api/v1.0/revisions/2/validations/v"},
		"/api/v1.0/revisions/{revision}/validations/{validation}/entries/{entry}": {"/api/v1.0/revisions/2/validations/v/entries/0"},
	}
	documents := []string{"/v2/clusters", "/v2/clusters?limit=1", "/v2/clusters/v", "/v2/clusters/v/status", "/v2/clusters/v/environments", "/v2/clusters/v/environments/dev",
		"/v2/clusters/v/environments/dev/param-sets/ps", "/v2/param-sets", "/v2/sources/s1",
		"/v2/active-resolutions", "/v2/active-resolutions/all", "/v2/active-resolutions/all/status"}
	read := func(path string) (int, string) {
		if strings.HasPrefix(path, "/api/resolve") {
			return send("POST", path, "", `{"spec":{"constraints":["required(\"p\")"]}}`)
		}
		return send("GET", path, "", "")
	}
	for _, path := range []string{"/v2/clusters/v", "/v2/clusters/v/environments/dev", "/v2/param-sets/shared"} {
		for _, view := range []string{"document", "references", "referrers", "children", "tree", "graph"} {
			documents = append(documents, path+"?view="+view)
		}
	}
	all := documents
	for _, template := range readsOfThePast(t, server) {
		paths, known := requests[template]
		if !known && !strings.HasPrefix(template, "/v2/") {
			t.Errorf("%s takes at, and is not tried here", template)
		}
		all = append(all, paths...)
	}
	before := make(map[string]string)
	for _, path := range all {
		status, text := read(path)
		if status != 200 && !strings.Contains(path, "/entries/") {
			t.Errorf("%s: %d %s", path, status, text)
		}
		before[path] = text
	}
	var page struct{ Items []struct{ Position string } }
	decode(t, write("GET", "/v2/transactions?limit=1", "", ""), &page)
	position := page.Items[0].Position

	write("PUT", "/api/sd"+environment+"&kind=full", "", `{"applications":[]}`)
	write("PUT", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":8}}`)
	write("PUT", "/api/paramset/"+made.ID, "", `{"parameters":{"a":2},"applications":[]}`)
	write("DELETE", "/api/paramset/"+made.ID+"/associations/"+associated.ID, "", "")
	write("PUT", "/api/v1.0/buckets/a/documents", "application/x-yaml", layeredDocuments[1])
	write("DELETE", "/api/v1.0/revisions/2/tags/t", "", "")
	write("DELETE", "/v2/clusters/v?cascade=true", "", "")
	write("DELETE", "/v2/param-sets/shared?cascade=true", "", "")
	write("DELETE", "/v2/sources/s1?cascade=true", "", "")

	changed := 0
	for _, path := range all {
		join := "?"
		if strings.Contains(path, "?") {
			join = "&"
		}
		if _, now := read(path); now != before[path] {
			changed++
		}
		status, text := read(path + join + "at=" + position)
		if withoutRequest(text) != withoutRequest(before[path]) {
			t.Errorf("%s was\n%s\nas of then it is\n%d %s", path, before[path], status, text)
		}
	}
	if changed < len(all)*2/3 {
		t.Errorf("of %d reads only %d changed", len(all), changed)
	}
}

// readsOfThePast are the routes of which a verb takes at.
func readsOfThePast(t *testing.T, server *running) (templates []string) {
	t.Helper()
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	_, _, text := roundTrip(t, server.request(t, "GET", "/openapi.json", ""))
	decode(t, text, &api)
	for template, verbs := range api.Paths {
		for _, verb := range verbs {
			if strings.Contains(string(verb), `"#/components/parameters/at"`) {
				templates = append(templates, template)
			}
		}
	}
	slices.Sort(templates)
	if len(templates) < 50 {
		t.Fatalf("only %d routes take at", len(templates))
	}
	return templates
}

// withoutRequest leaves out what differs between two answers to the same request: tokens name the position they are of.
func withoutRequest(text string) string {
	if i := strings.Index(text, `,"continue":`); i >= 0 {
		text = text[:i]
	}
	return text
}
