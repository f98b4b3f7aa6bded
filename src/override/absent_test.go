package override_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// An override that names what the environment does not have is accepted with notices that name it.
func TestNoticesOfWhatIsAbsent(t *testing.T) {
	for _, test := range []struct {
		name, application, parameters string
		credential, descriptor        string
		want                          []string // in the notices, one each
	}{
		{name: "an application of the namespace", application: "my-app", parameters: `{"A":1}`},
		{name: "an application of the SD", application: "later", parameters: `{"A":1}`, descriptor: `{"version":"later:1","deployPostfix":"core"}`},
		{name: "an application of the SD elsewhere", application: "later", parameters: `{"A":1}`, descriptor: `{"version":"later:1","deployPostfix":"bss"}`, want: []string{"no application later"}},
		{name: "no application", application: "nowhere", parameters: `{"A":1}`, want: []string{"no application nowhere"}},
		{name: "a credential", parameters: `{"A":"x ${creds.get(\"db\").password}"}`, credential: "db"},
		{name: "no credential", parameters: `{"A":["${envgen.creds.get('db').username}"],"#creds{U,P}":"two","C":{"$type":"credRef","credId":"three"}}`,
			want: []string{"no credential db", "no credential three", "no credential two"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
			create := func(kind, name, spec string) {
				t.Helper()
				if name == "" {
					return
				}
				data, err := value.ParseJSON([]byte(`{"metadata":{"name":"`+name+`"},"spec":`+spec+`}`), value.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: environmentID.Child(kind, name), Data: data}}, store.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			create("environmentCredential", test.credential, `{"type":"usernamePassword"}`)
			if test.descriptor != "" {
				create("solutionDescriptor", "full", `{"applications":[`+test.descriptor+`]}`)
			}
			reply := newClient(t, override.Stored{Store: s}, override.Options{}).must(http.MethodPost, overrides, "", body("deploy", "env-01-core", test.application, test.parameters))
			if len(reply.Warnings) != len(test.want) {
				t.Fatalf("notices %q", reply.Warnings)
			}
			for _, want := range test.want {
				if !slices.ContainsFunc(reply.Warnings, func(notice string) bool { return strings.Contains(notice, want) }) {
					t.Errorf("notices %q, want %s", reply.Warnings, want)
				}
			}
		})
	}
}
