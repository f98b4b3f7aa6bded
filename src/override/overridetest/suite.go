package overridetest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/value"
)

// Start starts a server on an inventory that says what files of an instance repository do, by path, and
// returns its URL. The server ends with the test.
type Start func(t testing.TB, files map[string]string) string

const (
	overrides    = "/api/ui-override"
	effectiveSet = "/api/effective-set"
	environment  = "cluster-01/env-01"
)

// places are the levels of every context, as the use cases number them.
var places = []place{
	{environment, "deploy", "", ""}, {environment, "deploy", "env-01-core", ""}, {environment, "deploy", "env-01-core", "my-app"},
	{environment, "runtime", "", ""}, {environment, "runtime", "env-01-core", ""}, {environment, "runtime", "env-01-core", "my-app"},
	{environment, "pipeline", "", ""}, {environment, "pipeline", "env-01-core", ""},
}

// names of the ParamSets of places, in their order.
var names = []string{
	"deploy-ui-override", "core-deploy-ui-override", "core-my-app-deploy-ui-override",
	"runtime-ui-override", "core-runtime-ui-override", "core-my-app-runtime-ui-override",
	"pipeline-ui-override", "core-pipeline-ui-override",
}

// Run runs all use cases. The names of the subtests begin with their numbers: 1.2.3.1 is the second of 1, to
// override a value, in the third context on the first level.
func Run(t *testing.T, start Start) {
	tests := []struct {
		name string
		run  func(s *Server)
	}{
		{"create, view, update and delete overrides", overrideCases},
		{"override values", secondCases},
		{"effective sets", effectiveCases},
		{"refusals", refusalCases},
		{"values", valueCases},
		{"ParamSets and associations", paramSetCases},
		{"order", orderCases},
		{"blue-green", blueGreenCases},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(&Server{t, start(t, Inventory())}) })
	}
}

// RunConflicts lets many editors change one override at the same time.
func RunConflicts(t *testing.T, start Start) {
	conflictCases(&Server{t, start(t, Inventory())})
}

// each runs a subtest of a use case for each place, all on one server.
func (s *Server) each(useCase, what string, run func(s *Server, p place, name string)) {
	for i, p := range places {
		s.sub(fmt.Sprintf("%s.%d.%d %s, %s", useCase, i/3+1, i%3+1, what, p), func(s *Server) { run(s, p, names[i]) })
	}
}

func (s *Server) sub(name string, run func(s *Server)) {
	s.t.(*testing.T).Run(name, func(t *testing.T) { run(&Server{t, s.url}) })
}

// is fails the test when a value is not the one of a JSON text.
func (s *Server) is(what string, got *value.Value, want string) {
	s.t.Helper()
	v, err := value.ParseJSON([]byte(want), value.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	if !value.Equal(got, v) {
		s.t.Errorf("%s: %s, want %s", what, got.JSON(), want)
	}
}

func (s *Server) text(what, got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// overrideCases are the use cases 1.1, 2, 3.1, 3.2, 3.3 and 4.
func overrideCases(s *Server) {
	versions := make(map[place]string)
	s.each("1.1", "add a parameter", func(s *Server, p place, name string) {
		s.Must(404, "GET", overrides+p.query(), "")
		a := s.Must(201, "POST", overrides, p.body(`{"ADDED":"first"}`))
		s.text("location", a.Header.Get("Location"), overrides)
		s.text("the version in the body", `"`+a.Body.Get("version").Text+`"`, a.ETag())
		s.text("name", a.Body.At("paramSet", "name").Text, name)
		s.text("location of the ParamSet", a.Body.At("paramSet", "location").Text, "environments/cluster-01/env-01/Inventory/parameters")
		versions[p] = a.ETag()
	})
	s.each("2", "view", func(s *Server, p place, _ string) {
		a := s.Must(200, "GET", overrides+p.query(), "")
		s.text("ETag", a.ETag(), versions[p])
		s.text("Cache-Control", a.Header.Get("Cache-Control"), "no-cache")
		s.is("parameters", a.Body.Get("parameters"), `{"ADDED":"first"}`)
		if p.application == "" {
			s.is("those of the ParamSet", a.Body.At("paramSet", "parameters"), `{"ADDED":"first"}`)
			s.is("applications", a.Body.At("paramSet", "applications"), `[]`)
		} else {
			s.is("those of the ParamSet", a.Body.At("paramSet", "parameters"), `{}`)
			s.is("applications", a.Body.At("paramSet", "applications"), `[{"appName":"my-app","parameters":{"ADDED":"first"}}]`)
		}
		if notices := a.Body.Get("notices"); (p.context == "pipeline" && p.namespace != "") != (notices != nil) {
			s.t.Errorf("notices: %s", a.Text)
		}
		s.Must(304, "GET", overrides+p.query(), "", "If-None-Match", a.ETag())
	})
	put := func(s *Server, p place, parameters string) {
		s.t.Helper()
		a := s.Must(200, "PUT", overrides, p.body(parameters), "If-Match", versions[p])
		if a.ETag() == versions[p] || a.ETag() == "" {
			s.t.Errorf("the version is still %s", a.ETag())
		}
		versions[p] = a.ETag()
		read := s.Must(200, "GET", overrides+p.query(), "")
		s.text("ETag", read.ETag(), a.ETag())
		s.is("parameters", read.Body.Get("parameters"), parameters)
	}
	s.each("3.1", "add another", func(s *Server, p place, _ string) { put(s, p, `{"ADDED":"first","MORE":{"nested":[1,2]}}`) })
	s.each("3.2", "change a value", func(s *Server, p place, _ string) { put(s, p, `{"ADDED":"second","MORE":{"nested":[3]}}`) })
	s.each("3.3", "remove a parameter", func(s *Server, p place, _ string) { put(s, p, `{"ADDED":"second"}`) })
	s.each("4", "delete", func(s *Server, p place, _ string) {
		stale := s.Must(412, "DELETE", overrides+p.query(), "", "If-Match", `"of-long-ago-1"`)
		s.text("ETag", stale.ETag(), versions[p])
		s.Must(428, "DELETE", overrides+p.query(), "")
		id := s.Must(200, "GET", overrides+p.query(), "").Body.Get("id").Text
		s.is("associations", value.NewNumber(int64(len(s.Must(200, "GET", "/api/paramset/"+id+"/associations", "").Body.Items))), "1")
		s.Must(204, "DELETE", overrides+p.query(), "", "If-Match", versions[p])
		s.Must(404, "GET", overrides+p.query(), "")
		s.Must(404, "DELETE", overrides+p.query(), "", "If-Match", "*")
		s.Must(404, "GET", "/api/paramset/"+id, "")
	})
}

// secondCases are the use case 1.2: the override of a value that something else gives.
func secondCases(s *Server) {
	s.each("1.2", "override a value", func(s *Server, p place, _ string) {
		s.Must(201, "POST", overrides, p.body(`{"OVERRIDDEN":"by `+p.String()+`"}`))
		s.text("the value that is set", s.Must(200, "GET", overrides+p.query(), "").Body.At("parameters", "OVERRIDDEN").Text, "by "+p.String())
		of, want := place{environment, p.context, "env-01-core", "my-app"}, "by "+p.String()
		if p.context == "pipeline" {
			of = place{environment, p.context, "", ""}
			want = "by " + of.String() // which a namespace does not change
		}
		a := s.Must(200, "GET", effectiveSet+of.query()+"&view=to-be", "")
		s.text("the value", a.Body.At("parameters", "OVERRIDDEN").Text, want)
	})
}

// effectiveCases are the use cases 5, 6 and 7.
func effectiveCases(s *Server) {
	for i, of := range []place{{environment, "deployment", "env-01-core", "my-app"}, {environment, "runtime", "env-01-core", "my-app"}, {environment, "pipeline", "", ""}} {
		s.sub(fmt.Sprintf("5.%d view, %s", i+1, of.context), func(s *Server) {
			a := s.Must(200, "GET", effectiveSet+of.query(), "")
			want := `{"OVERRIDDEN":"generated","KEPT":"generated","nested":{"a.b":1,"kept":2},"THIRD":"generated","PASSWORD":"secret"}`
			if of.context == "deployment" {
				want = strings.Replace(want, `"kept":2`, `"kept":2,"user":"admin"`, 1)
			}
			s.is("parameters", a.Body.Get("parameters"), want)
			s.text("context", a.Body.Get("context").Text, of.context)
		})
		s.sub(fmt.Sprintf("7 date of generation, %s", of.context), func(s *Server) {
			a := s.Must(200, "GET", effectiveSet+of.query(), "")
			at, err := time.Parse(time.RFC3339, a.Body.Get("generated").Text)
			modified, headerErr := http.ParseTime(a.Header.Get("Last-Modified"))
			if now := time.Now(); err != nil || headerErr != nil || at.After(now) || now.Sub(at) > time.Hour || !at.Truncate(time.Second).Equal(modified) {
				s.t.Errorf("generated at %v, %v; Last-Modified %v, %v", at, err, modified, headerErr)
			}
		})
		s.sub(fmt.Sprintf("6.%d to be, %s", i+1, of.context), func(s *Server) { toBe(s, of, places[3*i:min(3*i+3, 7)]) })
	}
	s.sub("overlap", overlapCases)
	// The pipeline has no applications.
	s.Must(200, "GET", effectiveSet+place{environment, "pipeline", "env-01-core", "my-app"}.query(), "")
	s.Must(404, "GET", effectiveSet+place{environment, "deployment", "env-01-core", "none"}.query(), "")
	s.Must(404, "GET", effectiveSet+place{environment, "deployment", "none", "my-app"}.query(), "")
	s.Must(404, "GET", effectiveSet+place{"cluster-01/none", "pipeline", "", ""}.query(), "")
	s.Must(400, "GET", effectiveSet+place{environment, "deployment", "env-01-core", ""}.query(), "")
	for _, tt := range []struct {
		of   place
		body string
	}{
		{place{environment, "pipeline", "", ""}, `{"level":"application","parameters":{}}`},
		{place{environment, "pipeline", "env-01-core", ""}, `{"level":"namespace","parameters":{}}`},
		{place{environment, "deployment", "env-01-core", "my-app"}, `{"level":"cluster","parameters":{}}`},
		{place{environment, "deployment", "env-01-core", "my-app"}, `{"level":"namespace"}`},
		{place{environment, "deployment", "env-01-core", "my-app"}, `{"level":"namespace","parameters":{},"context":"runtime"}`},
	} {
		s.sub("a draft that is refused: "+tt.body, func(s *Server) { s.Must(400, "POST", effectiveSet+tt.of.query(), tt.body) })
	}
}

// toBe sets overrides on all levels and looks at what comes of them.
func toBe(s *Server, of place, levels []place) {
	for i, p := range levels {
		parameters := []string{
			`{"OVERRIDDEN":"environment","nested":{"a.b":2},"KEPT":"generated","NEW":true}`,
			`{"OVERRIDDEN":"namespace","THIRD":{"now":"a map"}}`,
			`{"OVERRIDDEN":"application"}`}[i]
		// What would be with a draft is what is to be once it is stored, whether there is an override already or not.
		drafted := func(view string) *value.Value {
			body := fmt.Sprintf(`{"level":%q,"parameters":%s}`, []string{"environment", "namespace", "application"}[i], parameters)
			return s.Must(200, "POST", effectiveSet+of.query()+view, body).Body
		}
		before := drafted("")
		s.Must(201, "POST", overrides, p.body(`{"OVERRIDDEN":"something else","GONE":1}`))
		s.is("a draft instead of an override", drafted("").Get("parameters"), string(before.Get("parameters").JSON()))
		s.Must(200, "PUT", overrides, p.body(parameters), "If-Match", "*")
		stored := s.Must(200, "GET", effectiveSet+of.query()+"&view=to-be", "").Body
		for _, member := range []string{"parameters", "changes"} {
			s.is("a draft, "+member, before.Get(member), string(stored.Get(member).JSON()))
		}
		explained := s.Must(200, "GET", effectiveSet+of.query()+"&view=explain", "").Body
		s.is("a draft, explained", drafted("&view=explain").Get("parameters"), string(explained.Get("parameters").JSON()))
	}
	a := s.Must(200, "GET", effectiveSet+of.query()+"&view=to-be", "")
	parameters := a.Body.Get("parameters")
	winner := []string{"environment", "namespace", "application"}[len(levels)-1]
	s.text("OVERRIDDEN", parameters.Get("OVERRIDDEN").Text, winner)
	s.is("nested", parameters.At("nested", "kept"), `2`)
	s.is("a name with a dot", parameters.At("nested", "a.b"), `2`)
	var paths []string
	for _, c := range a.Body.Get("changes").Items {
		paths = append(paths, c.Get("path").Text)
		switch c.Get("path").Text {
		case "/OVERRIDDEN":
			s.text("previous", c.Get("previous").Text, "generated")
			s.text("origin", c.At("origin", "level").Text, winner)
		case "/NEW":
			if c.Get("previous") != nil {
				s.t.Errorf("NEW was there before: %s", c.JSON())
			}
		case "/THIRD/now":
			s.text("previous", c.Get("previous").Text, "generated")
			s.text("where it was", c.Get("previousPath").Text, "/THIRD")
		}
	}
	want := "/OVERRIDDEN /nested/a.b /THIRD/now /NEW"
	if len(levels) == 1 {
		want = "/OVERRIDDEN /nested/a.b /NEW"
	}
	s.text("changes", strings.Join(paths, " "), want)
	explained := s.Must(200, "GET", effectiveSet+of.query()+"&view=explain", "")
	if !value.Equal(explained.Body.Get("parameters"), parameters) {
		s.t.Errorf("explained %s", explained.Text)
	}
	for _, e := range explained.Body.Get("explained").Items {
		if e.Get("path").Text != "/OVERRIDDEN" {
			continue
		}
		s.text("why", e.Get("why").Text, "override")
		s.text("source", e.At("source", "level").Text, winner)
		var chain []string
		for _, said := range e.Get("chain").Items {
			chain = append(chain, said.Get("value").Text)
		}
		want := "generated " + strings.Join([]string{"environment", "namespace", "application"}[:len(levels)], " ")
		if of.context == "deployment" {
			want = "from the site from core-params " + want
		}
		s.text("chain", strings.Join(chain, " "), want)
	}
	plain := s.Must(200, "GET", effectiveSet+of.query(), "")
	s.text("what was generated", plain.Body.At("parameters", "OVERRIDDEN").Text, "generated")
}

func overlapCases(s *Server) {
	torn := effectiveSet + place{environment, "deployment", "env-01-core", "torn"}.query()
	a := s.Must(409, "GET", torn, "")
	s.text("reason", a.Body.Get("reason").Text, "EFFECTIVE_SET_OVERLAP")
	var paths []string
	for _, e := range a.Body.Get("errors").Items {
		paths = append(paths, e.Get("path").Text)
	}
	s.text("paths", strings.Join(paths, " "), "/TWICE /map/TWICE")
	s.is("the later one", s.Must(200, "GET", torn+"&onOverlap=last", "").Body.Get("parameters"), `{"ONCE":1,"TWICE":2,"map":{"TWICE":2}}`)
}
