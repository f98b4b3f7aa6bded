package overridetest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/dovetail-store/dovetail/src/value"
)

const paramSets = "/api/paramset"

// paramSetCases are the ParamSet API and the ParamSetAssociation API.
func paramSetCases(s *Server) {
	const mine = `{"name":"mine","location":"environments/parameters/cluster-01/env-01","parameters":{"A":1},"applications":[{"appName":"my-app","parameters":{"B":2}}]}`
	a := s.Must(201, "POST", paramSets, mine)
	id := a.Body.Get("id").Text
	s.text("Location", a.Header.Get("Location"), paramSets+"/"+id)
	s.text("location", a.Body.Get("location").Text, "environments/cluster-01/env-01/Inventory/parameters")
	again := s.Must(409, "POST", paramSets, strings.Replace(mine, "parameters/cluster-01/env-01", "cluster-01/env-01/Inventory/parameters/", 1))
	s.text("ETag", again.ETag(), a.ETag())
	at := paramSets + "/" + id
	read := s.Must(200, "GET", at, "")
	s.text("ETag", read.ETag(), a.ETag())
	s.is("applications", read.Body.Get("applications"), `[{"appName":"my-app","parameters":{"B":2}}]`)

	changed := `{"parameters":{"A":2}}`
	s.Must(428, "PUT", at, changed)
	stale := s.Must(412, "PUT", at, changed, "If-Match", `"old-1"`)
	s.is("content at 412", stale.Body.At("currentContent", "parameters"), `{"A":1}`)
	next := s.Must(200, "PUT", at, changed, "If-Match", a.ETag())
	s.is("parameters", s.Must(200, "GET", at, "").Body.Get("parameters"), `{"A":2}`)
	s.Must(422, "PUT", at, `{"name":"other","parameters":{}}`, "If-Match", "*")
	s.Must(422, "PUT", at, `{"location":"environments/parameters","parameters":{}}`, "If-Match", "*")
	s.Must(400, "PUT", at, `{"parameters":1}`, "If-Match", "*")
	s.Must(400, "PUT", at, `{}`, "If-Match", "*")

	associationCases(s, at)

	s.Must(428, "DELETE", at, "")
	held := s.Must(409, "DELETE", at, "", "If-Match", "*")
	if held.Body.Get("blockedBy") == nil {
		s.t.Errorf("what holds it is not named: %s", held.Text)
	}
	s.Must(412, "DELETE", at, "", "If-Match", a.ETag())
	s.Must(204, "DELETE", at+"?cascade=true", "", "If-Match", next.ETag())
	s.Must(404, "GET", at, "")
	s.Must(404, "GET", paramSets+"/none", "")
	s.Must(404, "PUT", at, `{"parameters":{}}`, "If-Match", "*")

	for _, test := range []struct {
		name, body string
		status     int
	}{
		{"no name", `{"location":"environments/parameters","parameters":{}}`, 400},
		{"a name with a slash", `{"name":"a/b","location":"environments/parameters","parameters":{}}`, 400},
		{"no location", `{"name":"x","parameters":{}}`, 400},
		{"another location", `{"name":"x","location":"environments/a/b/c","parameters":{}}`, 400},
		{"no such environment", `{"name":"x","location":"environments/parameters/cluster-01/none","parameters":{}}`, 404},
		{"no such cluster", `{"name":"x","location":"environments/none/parameters","parameters":{}}`, 404},
		{"an override with applications", `{"name":"core-deploy-ui-override","location":"environments/parameters/cluster-01/env-01","parameters":{},"applications":[{"appName":"a"}]}`, 422},
		{"an override of an application without them", `{"name":"core-my-app-deploy-ui-override","location":"environments/parameters/cluster-01/env-01","parameters":{"a":1}}`, 422},
		{"associations that are refused with it", `{"name":"x","location":"environments/parameters/cluster-01/env-01","parameters":{},` +
			`"associations":[{"environmentId":"cluster-01/bgd-01","associatedObject":"cloud","context":"deploy"},{"environmentId":"cluster-01/env-01","associatedObject":"none","context":"deploy"}]}`, 422},
	} {
		if a := s.Do("POST", paramSets, test.body); a.Status != test.status {
			s.t.Errorf("%s: %d, want %d: %s", test.name, a.Status, test.status, a.Text)
		}
	}
	// One for the site, together with its associations.
	site := s.Must(201, "POST", paramSets, `{"name":"x","location":"/environments/parameters/","parameters":{"X":1},"commitMessage":"why","commitUser":"A","commitUserEmail":"a@example.com",`+
		`"associations":[{"environmentId":"cluster-01/env-01","associatedObject":"core","context":"runtime"},{"environmentId":"cluster-01/bgd-01","associatedObject":"cloud","context":"deployment"}]}`)
	uses := s.Must(200, "GET", paramSets+"/"+site.Body.Get("id").Text+"/associations", "")
	if len(uses.Body.Items) != 2 {
		s.t.Errorf("associations: %s", uses.Text)
	}
}

func associationCases(s *Server, at string) {
	const body = `{"environmentId":"cluster-01/env-01","associatedObject":"core","context":"deploy"`
	made := s.Must(201, "POST", at+"/associations", body+"}")
	s.is("order", made.Body.Get("order"), `2`)
	s.text("context", made.Body.Get("context").Text, "deploy")
	s.text("ParamSet", paramSets+"/"+made.Body.Get("paramSetId").Text, at)
	one := at + "/associations/" + made.Body.Get("id").Text
	s.text("Location", made.Header.Get("Location"), one)
	s.text("id", s.Must(200, "GET", one, "").Body.Get("id").Text, made.Body.Get("id").Text)
	s.Must(409, "POST", at+"/associations", body+"}")
	s.Must(422, "POST", at+"/associations", strings.Replace(body, "core", "none", 1)+"}")
	s.Must(404, "POST", at+"/associations", strings.Replace(body, "env-01", "none", 1)+"}")
	s.Must(400, "POST", at+"/associations", strings.Replace(body, "deploy", "none", 1)+"}")
	s.Must(400, "POST", at+"/associations", `{}`)
	s.Must(400, "POST", at+"/associations", `[]`)
	s.is("the chain", s.Must(200, "GET", "/api/parameters"+place{environment, "deploy", "env-01-core", ""}.query(), "").Body.Get("parameters"),
		`{"SHARED":"from the site","OVERRIDDEN":"from core-params","CORE":"from core-params","A":2}`)
	s.Must(412, "DELETE", one, "", "If-Match", `"old-1"`)
	s.Must(204, "DELETE", one, "")
	s.Must(404, "DELETE", one, "")
	first := s.Must(201, "POST", at+"/associations", body+`,"order":0}`)
	s.is("the place that was asked for", first.Body.Get("order"), `0`)
	s.text("the other associations", fmt.Sprint(s.order(environment, "deploy", "core")), "[mine shared core-params]")
}

// order are the names of the ParamSets of an object, in their order.
func (s *Server) order(environmentID, context, object string) []string {
	s.t.Helper()
	cluster, name, _ := strings.Cut(environmentID, "/")
	items := s.Must(200, "GET", "/v2/clusters/"+cluster+"/environments/"+name+"/param-set-associations?limit=500", "").Body.Get("items").Items
	names := make([]string, len(items))
	n := 0
	for _, item := range items {
		spec := item.Get("spec")
		if spec.Get("context").Text != context || spec.Get("associatedObject").Text != object {
			continue
		}
		n++
		var i int
		if _, err := fmt.Sscan(spec.Get("order").Text, &i); err != nil || i >= len(names) || names[i] != "" {
			s.t.Fatalf("the orders are not dense: %s", spec.JSON())
		}
		for _, kind := range []string{"environmentParamSet", "clusterParamSet", "siteParamSet"} {
			if v := spec.Get(kind); v != nil {
				names[i] = v.Text
			}
		}
	}
	for _, name := range names[:n] {
		if name == "" {
			s.t.Fatalf("the orders have gaps: %v", names)
		}
	}
	return names[:n]
}

// orderCases see that overrides stay last, also when many are made at once.
func orderCases(s *Server) {
	application := place{environment, "deploy", "env-01-core", "my-app"}
	s.Must(201, "POST", overrides, application.body(`{}`))
	namespace := s.Must(201, "POST", overrides, place{environment, "deploy", "env-01-core", ""}.body(`{}`))
	s.text("order", fmt.Sprint(s.order(environment, "deploy", "core")), "[shared core-params core-deploy-ui-override core-my-app-deploy-ui-override]")
	s.Must(201, "POST", paramSets, `{"name":"late","location":"environments/cluster-01/parameters","parameters":{},`+
		`"associations":[{"environmentId":"cluster-01/env-01","associatedObject":"core","context":"deploy"}]}`)
	s.text("order", fmt.Sprint(s.order(environment, "deploy", "core")), "[shared core-params late core-deploy-ui-override core-my-app-deploy-ui-override]")
	s.Must(204, "DELETE", overrides+place{environment, "deploy", "env-01-core", ""}.query(), "", "If-Match", namespace.ETag())
	s.text("order", fmt.Sprint(s.order(environment, "deploy", "core")), "[shared core-params late core-my-app-deploy-ui-override]")

	var all sync.WaitGroup
	const many = 8
	for i := range many {
		p := place{environment, "runtime", "env-01-core", fmt.Sprintf("app-%d", i)}
		all.Go(func() {
			for { // another writer may push first
				if a := s.Do("POST", overrides, p.body(`{}`)); a.Status == 201 {
					return
				} else if a.Status != 409 || a.Body.Get("reason").Text != "PUSH_CONFLICT" {
					s.t.Errorf("%d: %s", a.Status, a.Text)
					return
				}
			}
		})
	}
	all.Wait()
	if got := s.order(environment, "runtime", "core"); len(got) != many {
		s.t.Errorf("order %v", got)
	}
}

// blueGreenCases see that the namespaces of a domain have overrides of their own.
func blueGreenCases(s *Server) {
	for role, application := range map[string]string{"origin": "", "peer": "web"} {
		p := place{"cluster-01/bgd-01", "deploy", "bgd-01-" + role, application}
		a := s.Must(201, "POST", overrides, p.body(`{"ROLE":"`+role+`"}`))
		name := "app-" + role + "-deploy-ui-override"
		if application != "" {
			name = "app-" + role + "-web-deploy-ui-override"
		}
		s.text("name", a.Body.At("paramSet", "name").Text, name)
		uses := s.Must(200, "GET", paramSets+"/"+a.Body.Get("id").Text+"/associations", "")
		s.text("associated object", strings.Join(texts(uses.Body.Items, "associatedObject"), " "), "app-"+role)
	}
	a := s.Must(200, "GET", effectiveSet+place{"cluster-01/bgd-01", "deployment", "bgd-01-peer", "web"}.query()+"&view=to-be", "")
	if got := a.Body.Get("parameters"); !value.Equal(got.Get("ROLE"), value.NewString("peer")) {
		s.t.Errorf("to be: %s", a.Text)
	}
}
