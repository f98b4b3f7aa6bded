package override_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// fleet are three environments with a namespace core, each with overrides of it.
func fleet(t *testing.T) (*store.Store, *client) {
	t.Helper()
	files := map[string]string{"environments/parameters/shared.yaml": "name: shared\nparameters:\n  THERE: site\napplications: []\n"}
	for _, e := range []string{"env-01", "env-02", "env-03", "env-04"} {
		at := "environments/cluster-01/" + e + "/"
		associated := ""
		if e == "env-04" { // it uses what the others do not
			associated = "envTemplate:\n  envSpecificParamsets:\n    core:\n      - shared\n"
		}
		files[at+"Inventory/env_definition.yml"] = "inventory:\n  environmentName: " + e + "\n" + associated
		files[at+"Namespaces/core/namespace.yml"] = "name: " + e + "-core\ndeployParameters:\n  OWN: namespace\n"
	}
	s := newStore(t, apitest.OpenBolt(t), files)
	c := newClient(t, override.Stored{Store: s}, override.Options{})
	for e, values := range map[string]string{"env-01": `{"LEVEL":"debug","REST":1,"OWN":"o"}`, "env-02": `{"LEVEL":"debug","OWN":"o"}`, "env-03": `{"LEVEL":"trace"}`} {
		c.must("POST", overrides, "", fmt.Sprintf(`{"environmentId":"cluster-01/%s","context":"deploy","namespaceName":"%s-core","parameters":%s}`, e, e, values))
	}
	return s, c
}

func moveBody(names, environments, to, more string) string {
	return fmt.Sprintf(`{"context":"deploy","associatedObject":"core","names":[%s],"environments":[%s],"to":%s%s}`, names, environments, to, more)
}

const (
	firstTwo = `"cluster-01/env-01","cluster-01/env-02"`
	all3     = firstTwo + `,"cluster-01/env-03"`
	toNew    = `{"name":"common","location":"environments/cluster-01/parameters"}`
	toShared = `{"name":"shared","location":"environments/parameters"}`
)

func answer(t *testing.T, body any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCommonParameters finds what overrides of several environments say alike.
func TestCommonParameters(t *testing.T) {
	_, c := fleet(t)
	tests := []struct{ name, query, want string }{
		{name: "of two at least", query: "context=deploy", want: `{"items":[` +
			`{"context":"deploy","associatedObject":"core","parameter":"LEVEL","value":"debug","environments":["cluster-01/env-01","cluster-01/env-02"],"others":["cluster-01/env-03"]},` +
			`{"context":"deploy","associatedObject":"core","parameter":"OWN","value":"o","environments":["cluster-01/env-01","cluster-01/env-02"],"others":[]}]}`},
		{name: "of three", query: "context=deploy&minimum=3", want: `{"items":[]}`},
		{name: "of another context", query: "context=runtime", want: `{"items":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := answer(t, c.must("GET", overrides+"/common", tt.query, "").Body); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
	if _, err := c.call("GET", overrides+"/common", "context=deploy&minimum=none", ""); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("a minimum that is no number: %v", err)
	}
}

// TestMove moves parameters of two overrides into a ParamSet, after which all values are as before.
func TestMove(t *testing.T) {
	s, c := fleet(t)
	before := merged(t, c)
	request := moveBody(`"LEVEL"`, firstTwo, toNew, "")
	dry := answer(t, mustDry(t, c, request))
	for _, says := range []string{`"created":true`, `"differences":[]`, `"applied":false`, `"environmentId":"cluster-01/env-01","override":"core-deploy-ui-override","deleted":false,"associated":true`} {
		if !strings.Contains(dry, says) {
			t.Errorf("the dry run lacks %s: %s", says, dry)
		}
	}
	if got := merged(t, c); got != before {
		t.Errorf("the dry run changed %s", got)
	}
	if got := answer(t, c.must("POST", overrides+"/move", "", request).Body); !strings.Contains(got, `"applied":true`) {
		t.Error(got)
	}
	if got := merged(t, c); got != before {
		t.Errorf("%s\nbefore %s", got, before)
	}
	if got := spec(t, s, "cluster/cluster-01/clusterParamSet/common", "parameters"); got != `{"LEVEL":"debug"}` {
		t.Error(got)
	}
	if got := spec(t, s, "cluster/cluster-01/environment/env-01/environmentParamSet/core-deploy-ui-override", "parameters"); got != `{"REST":1,"OWN":"o"}` {
		t.Error(got)
	}
	c.must("POST", overrides+"/move", "", moveBody(`"OWN"`, firstTwo, toNew, ""))
	if _, err := s.Get(t.Context(), "cluster/cluster-01/environment/env-02/environmentParamSet/core-deploy-ui-override"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("an override of which nothing is left stays: %v", err)
	}
	if got := merged(t, c); got != before {
		t.Errorf("%s\nbefore %s", got, before)
	}
}

// merged is what ParamSets come to in all environments.
func merged(t *testing.T, c *client) string {
	t.Helper()
	var all []string
	for _, e := range []string{"env-01", "env-02", "env-03", "env-04"} {
		set := answer(t, c.must("GET", "/api/parameters", "environmentId=cluster-01/"+e+"&context=deploy&namespaceName="+e+"-core", "").Body)
		_, values, _ := strings.Cut(set, `"parameters":`)
		parsed, err := value.ParseJSON([]byte(strings.TrimSuffix(values, "}")), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		members := make([]string, 0, len(parsed.Members))
		for _, member := range parsed.Members {
			members = append(members, member.Name+"="+string(member.Value.JSON()))
		}
		slices.Sort(members)
		all = append(all, e+" "+strings.Join(members, " "))
	}
	return strings.Join(all, "\n")
}

func mustDry(t *testing.T, c *client, body string) any {
	t.Helper()
	reply, err := c.dry("POST", overrides+"/move", body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.Body
}

// TestMoveIsRefused names each conflict and each difference, and changes nothing.
func TestMoveIsRefused(t *testing.T) {
	tests := []struct {
		name, body string
		code       dovetail.Code
		says       []string
	}{
		{name: "overrides that do not agree", body: moveBody(`"LEVEL"`, all3, toNew, ""), code: dovetail.CodeConflict, says: []string{"cluster-01/env-03 gives LEVEL another value than cluster-01/env-01"}},
		{name: "one that does not set it", body: moveBody(`"REST"`, firstTwo, toNew, ""), code: dovetail.CodeConflict, says: []string{"core-deploy-ui-override of cluster-01/env-02 does not set REST"}},
		{name: "a ParamSet with another value", body: moveBody(`"LEVEL"`, firstTwo, `{"name":"taken","location":"environments/parameters"}`, ""), code: dovetail.CodeConflict, says: []string{"the ParamSet taken gives LEVEL another value"}},
		{name: "others get it, too", body: moveBody(`"LEVEL"`, firstTwo, toShared, ""), code: dovetail.CodeConflict, says: []string{"/LEVEL of core in cluster-01/env-04 would be another value", "/THERE of core in cluster-01/env-01 would be another value"}},
		{name: "a namespace sets it itself", body: moveBody(`"OWN"`, firstTwo, `{"name":"common","location":"environments/parameters","associatedObject":"cloud"}`, ""), code: dovetail.CodeConflict, says: []string{"/OWN of core in cluster-01/env-01 would be another value"}},
		{name: "out of reach", body: moveBody(`"LEVEL"`, firstTwo, `{"name":"common","location":"environments/cluster-01/env-01/Inventory/parameters"}`, ""), code: dovetail.CodeUnprocessable, says: []string{"cluster-01/env-02 does not look for ParamSets"}},
		{name: "no such environment", body: moveBody(`"LEVEL"`, `"cluster-01/never"`, toNew, ""), code: dovetail.CodeNotFound, says: []string{"cluster-01/never does not exist"}},
		{name: "into an override", body: moveBody(`"LEVEL"`, firstTwo, `{"name":"core-deploy-ui-override","location":"environments/parameters"}`, ""), code: dovetail.CodeInvalid, says: []string{"name of an override"}},
		{name: "twice", body: moveBody(`"LEVEL","LEVEL"`, firstTwo, toNew, ""), code: dovetail.CodeInvalid, says: []string{"named twice"}},
		{name: "nothing", body: moveBody("", firstTwo, toNew, ""), code: dovetail.CodeInvalid},
		{name: "misspelt", body: moveBody(`"LEVEL"`, firstTwo, toNew, `,"diferences":"accept"`), code: dovetail.CodeInvalid, says: []string{"did you mean differences"}},
		{name: "another object", body: moveBody(`"LEVEL"`, firstTwo, `{"name":"common","location":"environments/parameters","associatedObject":"bss"}`, ""), code: dovetail.CodeInvalid, says: []string{"give core or cloud"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := fleet(t)
			c.must("POST", "/api/paramset", "", `{"name":"taken","location":"environments/parameters","parameters":{"LEVEL":"info"}}`)
			before := merged(t, c)
			_, err := c.call("POST", overrides+"/move", "", tt.body)
			text := fmt.Sprintf("%+v", err)
			if e := dovetail.AsError(err); e != nil {
				for _, part := range e.Errors {
					text += "\n" + part.Message + " " + part.Remedy
				}
				text += e.Remedy
			}
			if dovetail.CodeOf(err) != tt.code {
				t.Fatalf("%s: %s, want %s", dovetail.CodeOf(err), text, tt.code)
			}
			for _, says := range tt.says {
				if !strings.Contains(text, says) {
					t.Errorf("%s\nlacks %s", text, says)
				}
			}
			if after := merged(t, c); after != before {
				t.Errorf("it changed\n%s\nto\n%s", before, after)
			}
			if _, err := s.Get(t.Context(), "cluster/cluster-01/clusterParamSet/common"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
				t.Errorf("a ParamSet was made: %v", err)
			}
		})
	}
}

// TestMoveWithDifferences does what was refused once its differences are accepted.
func TestMoveWithDifferences(t *testing.T) {
	_, c := fleet(t)
	dry := answer(t, mustDry(t, c, moveBody(`"LEVEL"`, firstTwo, toShared, "")))
	if !strings.Contains(dry, `{"environmentId":"cluster-01/env-04","associatedObject":"core","path":"/LEVEL","to":"debug"}`) {
		t.Error(dry)
	}
	c.must("POST", overrides+"/move", "", moveBody(`"LEVEL"`, firstTwo, toShared, `,"differences":"accept"`))
	if got := merged(t, c); !strings.Contains(got, `env-04 LEVEL="debug" THERE="site"`) || !strings.Contains(got, `env-02 LEVEL="debug" OWN="o" THERE="site"`) {
		t.Error(got)
	}
}
