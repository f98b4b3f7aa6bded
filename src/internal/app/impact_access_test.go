package app

import (
	"fmt"
	"strings"
	"testing"
)

// impactRoles let ann read one cluster and bea one without credentials.
const impactRoles = `roles:
- {name: proposer, rules: [{kinds: [changeSet, changeSetOperation], verbs: [read]}]}
- {name: shared, rules: [{kinds: [siteParamSet, configurationFile], verbs: [read]}]}
- {name: environments, rules: [{kinds: [environment], verbs: [read]}]}
bindings:
- {role: proposer, users: [ann, bea, kim]}
- {role: editor, users: [root]}
- {role: shared, users: [ann, bea, kim]}
- {role: viewer, users: [ann], on: [cluster/seen/*]}
- {role: environments, users: [bea], on: [cluster/seen/*]}
- {role: environments, users: [kim], on: [cluster/none/*]}`

// TestImpactAccess: the impact of a change names and counts only environments that the principal may read, and of those that it may not read all of no
// values. What it cannot see is not told by it.
func TestImpactAccess(t *testing.T) {
	file, tokens := accessFile(t, impactRoles, "root", "ann", "bea", "kim")
	server := start(t, map[string]string{"access": file})
	root := func(path, body string) string {
		t.Helper()
		status, _, text := server.as(t, tokens["root"], "POST", path, body)
		if status/100 != 2 {
			t.Fatal(path, status, text)
		}
		return text
	}
	var made struct{ ID string }
	decode(t, root("/api/paramset", `{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"info-marker"}}`), &made)
	for _, cluster := range []string{"seen", "hidden"} {
		root("/v2/clusters", named(cluster))
		for _, environment := range []string{"one", "two"} {
			root("/v2/clusters/"+cluster+"/environments", fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"tenant":{"name":"t","globalE2EParameters":{}},"cloud":{"name":"c","maasConfig":{},"vaultConfig":{},"consulConfig":{},"e2eParameters":{"OWN":"%s-marker"}}}}`, environment, cluster))
			root("/api/paramset/"+made.ID+"/associations", fmt.Sprintf(`{"environmentId":"%s/%s","context":"pipeline","associatedObject":"cloud"}`, cluster, environment))
		}
	}
	const draft = `{"paramSet":{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug","BOTH":"${OWN}"}}}`
	for _, test := range []struct {
		who                                          string
		calculated, changed, failed, differences, of int
		status                                       int
	}{
		{who: "root", calculated: 4, changed: 4, differences: 8, of: 4},
		{who: "ann", calculated: 2, changed: 2, differences: 4, of: 2},
		{who: "bea", calculated: 2, failed: 2, of: 2},
		{who: "kim"},
	} {
		t.Run(test.who, func(t *testing.T) {
			status, _, text := server.as(t, tokens[test.who], "POST", "/api/effective-set/impact", draft)
			if status != 200 {
				t.Fatal(status, text)
			}
			var impact struct {
				Environments                             []struct{ EnvironmentID string }
				Calculated, Changed, Failed, Differences int
			}
			decode(t, text, &impact)
			if impact.Calculated != test.calculated || impact.Changed != test.changed || impact.Failed != test.failed || impact.Differences != test.differences || len(impact.Environments) != test.of {
				t.Errorf("%s", text)
			}
			if test.who != "root" && strings.Contains(text, "hidden") || test.changed == 0 && strings.Contains(text, "marker") {
				t.Errorf("it tells what may not be read: %s", text)
			}
		})
	}
	root("/api/change-sets", `{"name":"one"}`)
	if status, _, text := server.as(t, tokens["root"], "PUT", "/v2/param-sets/common?changeSet=one", `{"metadata":{"name":"common"},"spec":{"parameters":{"LEVEL":"debug","BOTH":"${OWN}"}}}`); status/100 != 2 {
		t.Fatal(status, text)
	}
	for _, test := range []struct {
		who               string
		total, unreadable int
	}{{who: "root", total: 4}, {who: "ann", total: 2}, {who: "bea", unreadable: 2}, {who: "kim"}} {
		status, _, text := server.as(t, tokens[test.who], "GET", "/api/change-sets/one/impact", "")
		var impact struct {
			Items             []struct{ Basis string }
			Total, Unreadable int
		}
		decode(t, text, &impact)
		if status != 200 || impact.Total != test.total || impact.Unreadable != test.unreadable || test.total > 0 && impact.Items[0].Basis != "calculation" {
			t.Errorf("the change set, %s: %d %s", test.who, status, text)
		}
		if test.who != "root" && strings.Contains(text, "hidden") || test.total == 0 && strings.Contains(text, "marker") {
			t.Errorf("the change set tells %s what may not be read: %s", test.who, text)
		}
	}
	for who, want := range map[string]int{"root": 200, "ann": 403, "bea": 403, "kim": 403} {
		status, _, text := server.as(t, tokens[who], "POST", "/api/effective-set/impact", `{"override":{"environmentId":"hidden/one","context":"pipeline","parameters":{"a":1}}}`)
		none, _, other := server.as(t, tokens[who], "POST", "/api/effective-set/impact", `{"override":{"environmentId":"hidden/gone","context":"pipeline","parameters":{"a":1}}}`)
		if status != want || who != "root" && (none != status || strings.ReplaceAll(other, "gone", "one") != text) {
			t.Errorf("%s: %d %s, and of one that does not exist %d %s", who, status, text, none, other)
		}
	}
}
