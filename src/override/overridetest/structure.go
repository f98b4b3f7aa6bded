package overridetest

import (
	"fmt"
	"strings"
	"testing"
)

// RunStructure sees what a ParamSet of an override may hold on each level of each context, in the two forms in
// which it is sent, when it is created and when it is changed.
func RunStructure(t *testing.T, start Start) {
	s := &Server{t, start(t, Inventory())}
	const none, app, other = `[]`, `[{"appName":"my-app","parameters":{"a":1}}]`, `[{"appName":"my-app","parameters":{}},{"appName":"other","parameters":{}}]`
	for i, p := range places {
		forApplication := p.application != ""
		tests := []struct {
			name, parameters, applications string // "" for a member that is missing
			status                         int    // 201 or 200 when it is accepted
			path                           string // of what is wrong
		}{
			{"neither", "", "", 400, "/parameters"},
			{"no parameters, an empty list", "", none, 400, "/parameters"},
			{"parameters that are no map", `[1]`, "", 400, "/parameters"},
			{"applications that are no list", `{}`, `{}`, 400, "/applications"},
			{"an application without parameters", `{}`, `[{"appName":"my-app"}]`, 422, "/applications"},
			{"both", `{"a":1}`, app, 422, "/applications"},
			{"several applications", `{}`, other, 422, "/applications"},
			{"an application alone", "", app, 400, "/parameters"},
			{"an application beside an empty map", `{}`, app, 422, "/applications"},
			{"parameters", `{"a":1}`, "", 201, ""},
			{"parameters beside an empty list", `{"a":1}`, none, 201, ""},
		}
		for _, test := range tests {
			if forApplication {
				switch test.name {
				case "both":
					test.path = "/parameters"
				case "an application alone", "an application beside an empty map":
					test.status, test.path = 201, ""
				}
			}
			s.sub(p.String()+", "+test.name, func(s *Server) {
				body := strings.TrimSuffix(p.body("0"), `,"parameters":0}`)
				if test.parameters != "" {
					body += `,"parameters":` + test.parameters
				}
				if test.applications != "" {
					body += `,"applications":` + test.applications
				}
				body += "}"
				s.refused(s.Do("POST", overrides, body), test.status, test.path)
				if test.status == 201 {
					s.is("parameters", s.Must(200, "GET", overrides+p.query(), "").Body.Get("parameters"), `{"a":1}`)
				} else {
					s.Must(404, "GET", overrides+p.query(), "")
					s.Must(201, "POST", overrides, p.body(`{"before":1}`))
				}
				if test.status == 201 {
					test.status = 200
				}
				s.refused(s.Do("PUT", overrides, body, "If-Match", "*"), test.status, test.path)
				s.Must(204, "DELETE", overrides+p.query(), "", "If-Match", "*")
			})
		}
		// The ParamSet API knows by the name what it is for.
		named := func(content string) string {
			return fmt.Sprintf(`{"name":%q,"location":"environments/cluster-01/env-01/Inventory/parameters",%s}`, names[i], content)
		}
		good, bad, path := `"parameters":{"a":1}`, `"parameters":{},"applications":`+app, "/applications"
		if forApplication {
			good, bad, path = `"applications":`+app, `"parameters":{"a":1},"applications":`+app, "/parameters"
		}
		s.sub(p.String()+", as ParamSet", func(s *Server) {
			s.refused(s.Do("POST", paramSets, named(bad)), 422, path)
			at := paramSets + "/" + s.Must(201, "POST", paramSets, named(good)).Body.Get("id").Text
			s.refused(s.Do("PUT", at, "{"+bad+"}", "If-Match", "*"), 422, path)
			s.Must(200, "PUT", at, "{"+good+"}", "If-Match", "*")
			s.Must(204, "DELETE", at, "", "If-Match", "*")
		})
	}
	pipeline := place{environment, "pipeline", "env-01-core", "my-app"}
	s.sub(pipeline.String(), func(s *Server) {
		for _, method := range []string{"GET", "DELETE"} {
			s.Must(400, method, overrides+pipeline.query(), "", "If-Match", "*")
		}
		for _, method := range []string{"POST", "PUT"} {
			s.Must(400, method, overrides, pipeline.body(`{}`), "If-Match", "*")
		}
	})
}

// refused checks the status of an answer and, of a refusal, the path of the first thing that is wrong.
func (s *Server) refused(a Answer, status int, path string) {
	s.t.Helper()
	at := ""
	if errs := a.Body.Get("errors"); errs != nil {
		if first := errs.Items[0].Get("path"); first != nil {
			at = first.Text
		}
	}
	if a.Status != status || at != path {
		s.t.Errorf("%d at %q, want %d at %q: %s", a.Status, at, status, path, a.Text)
	}
}
