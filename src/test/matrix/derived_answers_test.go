package matrix

import (
	"regexp"
	"strings"
	"testing"
)

// derivedRoles let ann and bea read parts of what parameters and solution descriptors are computed from.
const derivedRoles = `roles:
- {name: environments, rules: [{kinds: [cluster, environment, effectiveSetPart, environmentParamSet, application], verbs: [read]}, {kinds: [solutionDescriptor], verbs: [read, create, update, delete]}]}
- {name: overrider, rules: [{kinds: [deployPostfix], verbs: [read]}, {kinds: [environmentParamSet, paramSetAssociation], verbs: [read, create, update, delete]}]}
bindings:
- {role: editor, users: [root]}
- {role: environments, users: [ann, bea]}
- {role: overrider, users: [bea]}`

var derivedPrincipals = []string{"root", "ann", "bea"}

// accidental are texts that differ from server to server: versions, times and ports.
var accidental = regexp.MustCompile(`[a-z2-7]{26}-\d+|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// TestDerivedAnswersTellNothing asks two servers, which differ only in what the principal may not read, for everything
// that is computed from it: they answer the same.
func TestDerivedAnswersTellNothing(t *testing.T) {
	const env = "/v2/clusters/m1/environments/dev"
	common := [][2]string{{"/v2/clusters", named("m1")}, {"/v2/clusters/m1/environments", named("dev")},
		{env + "/effective-set-parts", `{"metadata":{"name":"pipeline/parameters.yaml"},"spec":{"parameters":{"a":1}}}`},
		{env + "/effective-set-parts", `{"metadata":{"name":"deployment/x/app/values/deployment-parameters.yaml"},"spec":{"parameters":{"a":1}}}`}}
	const paramSet = `{"name":"hidden-set","location":"environments/parameters","parameters":{"hidden":"marker"},"applications":[]}`
	for _, test := range []struct {
		name, who string
		common    [][2]string // besides
		hidden    [][2]string // what the principal may not read
		requests  [][3]string // method, path, body
		refused   bool        // at least one request is
	}{
		{name: "associations and ParamSets of all", who: "ann", refused: true,
			hidden: [][2]string{{"/api/paramset", paramSet}, {"/api/paramset/ID/associations", `{"environmentId":"m1/dev","context":"pipeline","associatedObject":"cloud"}`}},
			requests: [][3]string{{"GET", "/api/effective-set" + envPath + "&context=pipeline"}, {"GET", "/api/effective-set" + envPath + "&context=pipeline&view=explain"},
				{"GET", "/api/effective-set" + envPath + "&context=pipeline&view=to-be"}, {"GET", "/api/parameters" + envPath + "&context=pipeline"},
				{"GET", "/api/parameters" + envPath + "&context=pipeline&view=explain"}, {"GET", "/api/ui-override" + envPath + "&context=pipeline"},
				{"GET", "/api/ui-override/common?context=pipeline&minimum=1"},
				{"POST", "/api/ui-override/move?dryRun=true", `{"context":"pipeline","associatedObject":"cloud","names":["a"],"environments":["m1/dev"],"to":{"name":"hidden-set","location":"environments/parameters"}}`},
				{"GET", "/api/paramset/ID"}, {"PUT", "/api/paramset/ID", `{"parameters":{},"applications":[]}`}, {"DELETE", "/api/paramset/ID?cascade=true"},
				{"POST", "/api/effective-set/impact", `{"override":{"environmentId":"m1/dev","context":"pipeline","parameters":{"a":2}}}`},
				{"POST", "/api/effective-set/impact", `{"paramSet":{"name":"hidden-set","location":"environments/parameters","parameters":{"a":2},"applications":[]}}`},
				{"GET", "/api/paramset/ID/associations"}, {"POST", "/api/paramset/ID/associations", `{"environmentId":"m1/dev","context":"deploy","associatedObject":"cloud"}`}}},
		{name: "namespaces", who: "ann", refused: true,
			hidden: [][2]string{{env + "/namespaces", `{"metadata":{"name":"x"},"spec":{"namespace":"hidden-ns"}}`}},
			requests: [][3]string{{"GET", "/api/ui-override" + envPath + "&context=deploy&namespaceName=hidden-ns"}, {"GET", "/api/effective-set" + envPath + "&context=deploy&namespaceName=hidden-ns&applicationName=app"},
				{"GET", "/api/effective-set/calculated" + envPath + "&context=topology"}, {"GET", "/api/effective-set/calculated" + envPath + "&context=pipeline"},
				{"POST", "/api/effective-set/impact", `{"override":{"environmentId":"m1/dev","context":"deploy","namespaceName":"hidden-ns","parameters":{"a":2}}}`},
				{"POST", "/api/effective-set/impact", `{"paramSet":{"name":"y","location":"environments/parameters","parameters":{"a":2},"associations":[{"environmentId":"m1/dev","context":"deploy","associatedObject":"x"}]}}`},
				{"POST", "/api/sd/process" + envPath + "&dryRun=true", `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"x"}]}}`},
				{"POST", "/api/sd/process" + envPath + "&dryRun=true", `{"SD_DATA":{"applications":[{"version":"a:1","deployPostfix":"y"}]}}`},
				{"PUT", "/api/sd" + envPath + "&kind=full&dryRun=true", `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`}}},
		{name: "a blue-green domain", who: "bea", refused: true,
			common: [][2]string{{env + "/namespaces", `{"metadata":{"name":"x"},"spec":{"namespace":"ns"}}`}},
			hidden: [][2]string{{env + "/bg-domains", `{"metadata":{"name":"hidden"},"spec":{"originNamespace":{"name":"ns"}}}`}},
			requests: [][3]string{{"GET", "/api/ui-override" + envPath + "&context=deploy&namespaceName=ns"}, {"GET", "/api/effective-set" + envPath + "&context=deploy&namespaceName=ns&applicationName=app"},
				{"GET", "/api/parameters" + envPath + "&context=deploy&namespaceName=ns"}, {"GET", "/api/effective-set/calculated" + envPath + "&context=topology"},
				{"POST", "/api/effective-set/impact", `{"override":{"environmentId":"m1/dev","context":"deploy","namespaceName":"ns","parameters":{"a":2}}}`},
				{"POST", "/api/ui-override?dryRun=true", `{"environmentId":"m1/dev","context":"deploy","namespaceName":"ns","parameters":{"a":1}}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			id := ""
			with, without := newServer(t, derivedRoles, derivedPrincipals, nil), newServer(t, derivedRoles, derivedPrincipals, nil)
			at := func(path string) string { return strings.ReplaceAll(path, "ID", id) }
			for _, server := range []*world{with, without} {
				steps := append(append([][2]string{}, common...), test.common...)
				if server == with {
					steps = append(steps, test.hidden...)
				}
				for _, step := range steps {
					status, text := server.as(t, "root", "POST", at(step[0]), step[1])
					if status != 201 {
						t.Fatal(step, status, text)
					}
					if step[0] == "/api/paramset" {
						var made struct{ ID string }
						decode(t, text, &made)
						id = made.ID
					}
				}
			}
			refused := false
			for _, r := range test.requests {
				ask := func(server *world) (int, string) {
					sent := request{who: test.who, method: r[0], path: at(r[1]), body: r[2]}
					if r[0] == "PUT" || r[0] == "DELETE" {
						sent.header = map[string]string{"If-Match": "*"}
					}
					a := server.send(t, sent)
					return a.status, accidental.ReplaceAllString(a.text, "X")
				}
				status, text := ask(with)
				otherStatus, other := ask(without)
				if status != otherStatus || text != other {
					t.Errorf("%s %s: %d %s\nbut without what may not be read: %d %s", r[0], r[1], status, text, otherStatus, other)
				}
				if strings.Contains(text, "marker") || status >= 500 {
					t.Errorf("%s %s: %d %s", r[0], r[1], status, text)
				}
				refused = refused || status == 403
			}
			if refused != test.refused {
				t.Errorf("refused is %t", refused)
			}
		})
	}
}
