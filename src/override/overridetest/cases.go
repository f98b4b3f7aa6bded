package overridetest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/value"
)

// refusalCases are what the API refuses, and how it says so.
func refusalCases(s *Server) {
	p := place{environment, "deploy", "", ""}
	created := s.Must(201, "POST", overrides, p.body(`{"a":1}`))
	exists := s.Must(409, "POST", overrides, p.body(`{"a":2}`))
	s.text("ETag at 409", exists.ETag(), created.ETag())
	s.is("content at 409", exists.Body.At("currentContent", "parameters"), `{"a":1}`)
	s.Must(428, "PUT", overrides, p.body(`{"a":2}`))
	stale := s.Must(412, "PUT", overrides, p.body(`{"a":2}`), "If-Match", `"0123456789abcdef0123456789abcdef01234567"`)
	s.text("ETag at 412", stale.ETag(), created.ETag())
	s.text("version at 412", `"`+stale.Body.Get("version").Text+`"`, created.ETag())
	s.text("expected version at 412", stale.Body.Get("expected").Text, "0123456789abcdef0123456789abcdef01234567")
	s.is("content at 412", stale.Body.At("currentContent", "parameters"), `{"a":1}`)
	s.text("the kind of answer", stale.Header.Get("Content-Type"), "application/problem+json")
	s.Must(412, "PUT", overrides, p.body(`{"a":3}`), "If-None-Match", "*")
	s.Must(412, "PUT", overrides, p.body(`{"a":3}`), "If-None-Match", "*", "If-Match", "*")
	s.Must(400, "DELETE", overrides+p.query(), "", "If-None-Match", "*", "If-Match", "*")
	s.Must(400, "POST", overrides, place{environment, "runtime", "", ""}.body(`{}`), "If-Match", "*")
	s.Must(200, "PUT", overrides, p.body(`{"a":3}`), "If-Match", "*")
	s.Must(404, "PUT", overrides, place{environment, "runtime", "", ""}.body(`{}`), "If-Match", "*")

	core := place{environment, "deploy", "env-01-core", ""}
	application := place{environment, "deploy", "env-01-core", "my-app"}
	for _, test := range []struct {
		name   string
		body   string
		status int
		path   string // of the first problem
	}{
		{"not an object", `[]`, 400, ""},
		{"no environment", `{"context":"deploy","parameters":{}}`, 400, "/environmentId"},
		{"no context", `{"environmentId":"cluster-01/env-01","parameters":{}}`, 400, "/context"},
		{"another context", place{environment, "build", "", ""}.body(`{}`), 400, ""},
		{"no environment of that form", place{"env-01", "deploy", "", ""}.body(`{}`), 400, ""},
		{"no such environment", place{"cluster-01/none", "deploy", "", ""}.body(`{}`), 404, ""},
		{"no such namespace", place{environment, "deploy", "core", ""}.body(`{}`), 404, ""},
		{"an application without namespace", place{environment, "deploy", "", "my-app"}.body(`{}`), 400, "/namespaceName"},
		{"pipeline of an application", place{environment, "pipeline", "env-01-core", "my-app"}.body(`{}`), 400, ""},
		{"no parameters", `{"environmentId":"cluster-01/env-01","context":"deploy"}`, 400, "/parameters"},
		{"parameters that are a list", core.body(`[]`), 400, "/parameters"},
		{"a member that there is not", strings.TrimSuffix(core.body(`{}`), "}") + `,"colour":1}`, 400, "/colour"},
		{"applications for an environment", strings.TrimSuffix(place{environment, "runtime", "", ""}.body(`{}`), "}") + `,"applications":[{"appName":"a","parameters":{}}]}`, 422, "/applications"},
		{"applications for a namespace", strings.TrimSuffix(core.body(`{}`), "}") + `,"applications":[{"appName":"a","parameters":{}}]}`, 422, "/applications"},
		{"applications of the pipeline", strings.TrimSuffix(place{environment, "pipeline", "", ""}.body(`{}`), "}") + `,"applications":[{"appName":"a","parameters":{}}]}`, 422, "/applications"},
		{"parameters beside applications", strings.TrimSuffix(application.body(`{"a":1}`), "}") + `,"applications":[{"appName":"my-app","parameters":{}}]}`, 422, "/parameters"},
		{"another application", strings.TrimSuffix(application.body(`{}`), "}") + `,"applications":[{"appName":"other","parameters":{}}]}`, 422, "/applications"},
		{"an application without name", strings.TrimSuffix(application.body(`{}`), "}") + `,"applications":[{"parameters":{}}]}`, 400, "/applications/0/appName"},
	} {
		s.sub(test.name, func(s *Server) { s.refused(s.Do("POST", overrides, test.body), test.status, test.path) })
	}
	s.Must(400, "GET", overrides+"?environmentId=cluster-01/env-01", "")
	s.Must(400, "GET", overrides+place{environment, "pipeline", "env-01-core", "my-app"}.query(), "")
	s.Must(400, "POST", overrides, place{environment, "deploy", "env-01-core", "../my-app"}.body(`{}`)) // which no file can be called
	// Nothing of all that was written, nor is by a dry run.
	s.Must(404, "GET", overrides+core.query(), "")
	s.Must(201, "POST", overrides+"?dryRun=true", core.body(`{}`))
	s.Must(404, "GET", overrides+core.query(), "")
	// The ParamSet's own form is as good.
	s.Must(201, "POST", overrides, strings.TrimSuffix(application.body(`{}`), "}")+`,"applications":[{"appName":"my-app","parameters":{"a":1}}]}`)
	s.is("parameters", s.Must(200, "GET", overrides+application.query(), "").Body.Get("parameters"), `{"a":1}`)
}

// Values are parameters with names and values that others are tempted to change.
const Values = `{"a.b.c":1,"$set":2,"$a.b":{"$ref":"#/x"},"":"no name","ключ":"значение","日本":"にほん","emoji 🦊":"🦊","a/b~c":"~1",
"null":null,"true":true,"false":"false","int":12345678901234567890,"neg":-0,"float":1.50,"exp":1e-7,"text":"1","yes":"yes","no":"NO","octal":"007","date":"2020-01-01","time":"12:30:45",
"multi":"line one\nline two\n","trailing":"x \n\n","spaces":"  x  ","hash":"# no comment","colon":"a: b","dash":"- x","empty":"","list":[],"map":{},"nested":[[{"a":[null]}],{}],
"macro":"${creds.get('x').password}","macro2":"#{creds.get(\"x\").username}","tmpl":"{{ .Values.x }}","star":"*x","amp":"&x","quote":"it's \"so\"","back":"C:\\temp","tab":"a\tb","nbsp":"\u00a0","bom":"\ufeffx","sep":"\u2028","null2":"~","long":"` +
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789 0123456789012345678901234567890123456789" + `"}`

// valueCases round-trips names and values of every kind, on every level.
func valueCases(s *Server) {
	s.each("1.1", "names and values of every kind", func(s *Server, p place, _ string) {
		s.Must(201, "POST", overrides, p.body(Values))
		a := s.Must(200, "GET", overrides+p.query(), "")
		s.is("parameters", a.Body.Get("parameters"), Values)
		// What was read can be sent back.
		s.Must(200, "PUT", overrides, string(a.Body.JSON()), "If-Match", a.ETag())
		s.is("parameters", s.Must(200, "GET", overrides+p.query(), "").Body.Get("parameters"), Values)
	})
}

// conflictCases are the editors of one override: of those that saw one version, one wins.
func conflictCases(s *Server) {
	const editors, rounds = 16, 8
	p := place{environment, "deploy", "env-01-core", "my-app"}
	version := s.Must(201, "POST", overrides, p.body(`{"winner":-1}`)).ETag()
	for round := range rounds {
		answers := make([]Answer, editors)
		var all sync.WaitGroup
		for i := range editors {
			all.Go(func() {
				answers[i] = s.Do("PUT", overrides, p.body(fmt.Sprintf(`{"winner":%d,"round":%d}`, i, round)), "If-Match", version)
			})
		}
		all.Wait()
		winner := -1
		for i, a := range answers {
			switch {
			case a.Status == 200 && winner < 0:
				winner = i
			case a.Status != 412:
				s.t.Fatalf("editor %d: %d: %s", i, a.Status, a.Text)
			}
		}
		if winner < 0 {
			s.t.Fatal("no editor won")
		}
		next := answers[winner].ETag()
		want := fmt.Sprintf(`{"winner":%d,"round":%d}`, winner, round)
		for i, a := range answers {
			if i == winner {
				continue
			}
			s.text("the version that a loser receives", a.ETag(), next)
			s.is("what a loser is shown", a.Body.At("currentContent", "parameters"), want)
		}
		s.is("what is there", s.Must(200, "GET", overrides+p.query(), "").Body.Get("parameters"), want)
		version = next
	}
}

// strings of a list of values.
func texts(items []*value.Value, member string) []string {
	var all []string
	for _, item := range items {
		all = append(all, item.Get(member).Text)
	}
	return all
}
