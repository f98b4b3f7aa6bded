package matrix

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A sample is a server with documents of every service, which can be read by every route that there is.
type sample struct {
	*world
	who    string              // who sends the requests
	values map[string][]string // of the variables in paths of services
}

const environmentQuery = "?environmentId=v/dev"

func (s *sample) send(t *testing.T, method, path, media, body string) shown {
	t.Helper()
	r := request{who: s.who, method: method, path: path, media: media, body: body}
	if method != http.MethodPost && (strings.HasPrefix(path, "/api/ui-override") || strings.HasPrefix(path, "/api/paramset")) {
		r.header = map[string]string{"If-Match": "*"} // which these require
	}
	a := s.world.send(t, r)
	return shown{a.status, a.text}
}

// write sends a request that must succeed.
func (s *sample) write(t *testing.T, method, path, media, body string) string {
	t.Helper()
	a := s.send(t, method, path, media, body)
	if a.status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.text)
	}
	return a.text
}

// fill stores something of every service.
func (s *sample) fill(t *testing.T) {
	t.Helper()
	s.write(t, "POST", "/v2/batch", "application/yaml", visible)
	s.write(t, "PUT", "/api/sd"+environmentQuery+"&kind=full", "", `{"applications":[{"version":"app:1","deployPostfix":"core"}]}`)
	s.write(t, "POST", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":7}}`)
	paramSet := s.made(t, "/api/paramset", `{"name":"x","location":"environments/parameters","parameters":{"a":1},"applications":[]}`)
	association := s.made(t, "/api/paramset/"+paramSet+"/associations", `{"environmentId":"v/dev","context":"pipeline","associatedObject":"cloud"}`)
	s.write(t, "PUT", "/api/v1.0/buckets/common/documents", "application/x-yaml", commonBucket)
	s.write(t, "PUT", "/api/v1.0/buckets/a/documents", "application/x-yaml", layeredDocuments[0])
	s.write(t, "POST", "/api/v1.0/revisions/2/tags/t", "application/x-yaml", "{}")
	s.write(t, "POST", "/api/v1.0/revisions/2/validations/v", "application/x-yaml", "status: failure\nvalidator: {name: x, version: 1.0}\nerrors: [{documents: [{schema: example/Kind/v1, name: own}], message: m}]\n")
	s.write(t, "PUT", "/v2/clusters/v/status", "", `{"phase":"ready"}`)
	s.write(t, "PUT", "/v2/active-resolutions/every?wait=2m", "", `{"metadata":{"name":"every"},"spec":{"constraints":["required(\"p\")"]}}`)
	s.values = map[string][]string{"id": {paramSet}, "associationId": {association}, "source": {"s1"}, "package": {"p"}, "revision": {"1", "2"}, "other": {"0", "1"},
		"tag": {"t"}, "validation": {"v"}, "entry": {"0"}}
}

// made is the id of what a request makes.
func (s *sample) made(t *testing.T, path, body string) string {
	t.Helper()
	var made struct{ ID string }
	decode(t, s.write(t, "POST", path, "", body), &made)
	return made.ID
}

// query is a request that only reads.
type query struct{ template, method, path string }

// with adds a parameter.
func (r query) with(parameter, value string) query {
	r.path += map[bool]string{true: "&", false: "?"}[strings.Contains(r.path, "?")] + parameter + "=" + url.QueryEscape(value)
	return r
}

// readBodies are the bodies of reads that have one.
var readBodies = map[string]string{
	"/api/resolve":              `{"spec":{"constraints":["required(\"p\")"]}}`,
	"/api/effective-set/impact": `{"paramSet":{"name":"x","location":"environments/parameters","parameters":{"a":9}}}`,
}

// shown is an answer that can be compared with another one.
type shown struct {
	status int
	text   string
}

func (s *sample) read(t *testing.T, r query) shown {
	t.Helper()
	return s.send(t, r.method, r.path, "", readBodies[r.template])
}

// answers reads everything, each query changed by with unless it is nil. Every route of a service must give something.
func (s *sample) answers(t *testing.T, all []query, with func(query) query) map[query]shown {
	t.Helper()
	answers := make(map[query]shown)
	gives := make(map[string]bool)
	for _, q := range all {
		changed := q
		if with != nil {
			changed = with(q)
		}
		answers[q] = s.read(t, changed)
		gives[q.template] = gives[q.template] || answers[q].status/100 == 2 || strings.HasPrefix(q.template, "/v2/")
	}
	for template, given := range gives {
		if !given {
			t.Errorf("%s gives nothing", template)
		}
	}
	return answers
}

// reads are requests for everything that can be read with a parameter: with every route that only reads, and, of documents,
// every id there is and every view.
func (s *sample) reads(t *testing.T, parameter string) []query {
	t.Helper()
	return s.readsOf(t, parameter, "/v2/documents?limit=1000")
}

// readsOf is reads with the ids of a list of documents.
func (s *sample) readsOf(t *testing.T, parameter, list string) []query {
	t.Helper()
	var documents struct {
		Items []struct{ Key map[string]string }
	}
	decode(t, s.write(t, "GET", list, "", ""), &documents)
	var all []query
	for _, op := range s.operations(t) {
		template := op.template
		if !op.takes(parameter) || op.verb != "GET" && !op.takes("at") {
			continue
		}
		add := func(paths ...string) {
			for _, path := range paths {
				if r := (query{template, op.verb, path}); !slices.Contains(all, r) {
					all = append(all, r)
				}
			}
		}
		switch {
		case template == "/v2/backup" || template == "/v2/schema" || template == "/v2/idempotency-keys/{key}": // of no documents
		case template == "/v2/documents":
			add("/v2/documents?content=true&limit=1000", "/v2/documents?limit=2", "/v2/documents?view=tree", "/v2/documents?labelSelector=team%3Down")
		case strings.HasPrefix(template, "/v2/"):
			for _, doc := range documents.Items {
				path, known := filled(template, func(name string) []string { return only(doc.Key[name]) })
				if add(path...); known && strings.HasSuffix(template, "}") {
					for _, view := range []string{"document", "references", "referrers", "children", "tree", "graph"} {
						add(path[0] + "?view=" + view)
					}
				}
			}
		default:
			paths, known := filled(template, func(name string) []string { return s.values[name] })
			if !known {
				t.Errorf("%s has a variable of which no value is known here", template)
			}
			for i := range paths {
				if template == "/api/ui-override/common" {
					paths[i] += "?context=pipeline&minimum=1"
				} else if strings.HasPrefix(template, "/api/sd") {
					paths[i] += environmentQuery + "&kind=full"
				} else if op.takes("environmentId") {
					paths[i] += environmentQuery + "&context=pipeline"
				}
			}
			add(paths...)
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d reads take %s", len(all), parameter)
	}
	return all
}

func only(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// filled returns the paths that a template becomes with all values of its variables. known is false where one has none.
func filled(template string, values func(name string) []string) (paths []string, known bool) {
	before, rest, variable := strings.Cut(template, "{")
	if !variable {
		return []string{template}, true
	}
	name, after, _ := strings.Cut(rest, "}")
	tails, known := filled(after, values)
	for _, value := range values(name) {
		for _, tail := range tails {
			paths = append(paths, before+url.PathEscape(value)+tail)
		}
	}
	return paths, known && len(paths) > 0
}
