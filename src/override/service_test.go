package override_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const environmentID = dovetail.ID("cluster/cluster-01/environment/env-01")

// client calls the service without HTTP.
type client struct {
	t         testing.TB
	endpoints []httpapi.Endpoint
}

func newClient(t testing.TB, documents override.Documents, options override.Options) *client {
	return &client{t, override.New(documents, options).Service().Endpoints}
}

func (c *client) call(method, path, query, body string, versions ...string) (*httpapi.Response, error) {
	c.t.Helper()
	i := slices.IndexFunc(c.endpoints, func(e httpapi.Endpoint) bool { return e.Method == method && e.Path == path })
	values, err := url.ParseQuery(query)
	if err != nil {
		c.t.Fatal(err)
	}
	call := &httpapi.Request{Query: values, Versions: versions, IfExists: len(versions) == 1 && versions[0] == "*"}
	if body != "" {
		if call.Body, err = value.ParseJSON([]byte(body), value.Limits{}); err != nil {
			c.t.Fatal(err)
		}
	}
	return c.endpoints[i].Handle(c.t.Context(), call)
}

// dry is a dry run.
func (c *client) dry(method, path, body string) (*httpapi.Response, error) {
	c.t.Helper()
	i := slices.IndexFunc(c.endpoints, func(e httpapi.Endpoint) bool { return e.Method == method && e.Path == path })
	given, err := value.ParseJSON([]byte(body), value.Limits{})
	if err != nil {
		c.t.Fatal(err)
	}
	return c.endpoints[i].Handle(c.t.Context(), &httpapi.Request{Body: given, DryRun: true})
}

func (c *client) must(method, path, query, body string, versions ...string) *httpapi.Response {
	c.t.Helper()
	reply, err := c.call(method, path, query, body, versions...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply
}

const overrides = "/api/ui-override"

func body(context, namespace, application, parameters string) string {
	return fmt.Sprintf(`{"environmentId":"cluster-01/env-01","context":%q,"namespaceName":%q,"applicationName":%q,"parameters":%s}`, context, namespace, application, parameters)
}

// spec returns the spec of a stored document, at the path of a member.
func spec(t testing.TB, s *store.Store, id dovetail.ID, path ...string) string {
	t.Helper()
	doc, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	data, err := value.ParseJSON(doc.Data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return string(data.At(append([]string{"spec"}, path...)...).JSON())
}

// What each mode writes beside the ParamSet, for every level and context.
func TestModes(t *testing.T) {
	namespace, application := environmentID.Child("deployPostfix", "core"), environmentID.Child("deployPostfix", "core").Child("application", "my-app")
	other := environmentID.Child("deployPostfix", "bss")
	part := func(path string) dovetail.ID { return environmentID.Child("effectiveSetPart", path) }
	deployment, runtime, pipeline := part("deployment/core/my-app/values/deployment-parameters.yaml"), part("runtime/core/my-app/parameters.yaml"), part("pipeline/parameters.yaml")
	type at struct {
		id   dovetail.ID
		path []string
	}
	generated := `{"OVERRIDDEN":%s,"KEPT":"generated","nested":{"a.b":1,"kept":2},"THIRD":"generated"%s}`
	tests := []struct {
		name      string
		body      string
		instance  map[*at]string
		effective map[*at]string
		notice    string
	}{
		{name: "deployment of an environment", body: body("deploy", "", "", `{"OVERRIDDEN":{"x":1}}`),
			instance:  map[*at]string{{namespace, []string{"deployParameters"}}: `{"KEPT":"namespace","OVERRIDDEN":{"x":1}}`, {other, []string{"deployParameters"}}: `{"OVERRIDDEN":{"x":1}}`},
			effective: map[*at]string{{deployment, []string{"parameters"}}: fmt.Sprintf(generated, `{"x":1}`, "")}},
		{name: "deployment of a namespace", body: body("deploy", "env-01-core", "", `{"OVERRIDDEN":1,"nested":{"new":1}}`),
			instance:  map[*at]string{{namespace, []string{"deployParameters"}}: `{"KEPT":"namespace","OVERRIDDEN":1,"nested":{"new":1}}`, {other, []string{"deployParameters"}}: `{}`},
			effective: map[*at]string{{deployment, []string{"parameters"}}: `{"OVERRIDDEN":1,"KEPT":"generated","nested":{"new":1},"THIRD":"generated"}`}},
		{name: "deployment of an application", body: body("deploy", "env-01-core", "my-app", `{"NEW":null}`),
			instance:  map[*at]string{{application, []string{"deployParameters"}}: `{"KEPT":"application","OVERRIDDEN":"application","NEW":null}`, {namespace, []string{"deployParameters"}}: `{"KEPT":"namespace","OVERRIDDEN":"namespace"}`},
			effective: map[*at]string{{deployment, []string{"parameters"}}: fmt.Sprintf(generated, `"generated"`, `,"NEW":null`), {runtime, []string{"parameters"}}: fmt.Sprintf(generated, `"generated"`, "")}},
		{name: "runtime of an application", body: body("runtime", "env-01-core", "my-app", `{"NEW":1}`),
			instance:  map[*at]string{{application, []string{"technicalConfigurationParameters"}}: `{"NEW":1}`},
			effective: map[*at]string{{runtime, []string{"parameters"}}: fmt.Sprintf(generated, `"generated"`, `,"NEW":1`)}},
		{name: "pipeline of an environment", body: body("pipeline", "", "", `{"OVERRIDDEN":1}`),
			instance:  map[*at]string{{namespace, []string{"e2eParameters"}}: `{"OVERRIDDEN":1}`, {other, []string{"e2eParameters"}}: `{"OVERRIDDEN":1}`},
			effective: map[*at]string{{pipeline, []string{"parameters"}}: fmt.Sprintf(generated, "1", "")}},
		{name: "pipeline of a namespace", body: body("pipeline", "env-01-core", "", `{"OVERRIDDEN":1}`),
			instance:  map[*at]string{{namespace, []string{"e2eParameters"}}: `{"OVERRIDDEN":1}`, {other, []string{"e2eParameters"}}: `{}`},
			effective: map[*at]string{{pipeline, []string{"parameters"}}: fmt.Sprintf(generated, `"generated"`, "")}},
		{name: "an application that the instance does not have", body: body("runtime", "env-01-core", "other", `{"NEW":1}`), notice: "no application other"},
	}
	for _, test := range tests {
		for _, mode := range []override.Mode{override.ModeParamSet, override.ModeInstance, override.ModeEffectiveSet} {
			t.Run(test.name+", "+string(mode), func(t *testing.T) {
				s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
				wrote := make(map[*at]bool)
				for _, wants := range []map[*at]string{test.instance, test.effective} {
					for at := range wants {
						wrote[at] = false
					}
				}
				before := make(map[*at]string)
				for at := range wrote {
					before[at] = spec(t, s, at.id, at.path...)
				}
				documents := &counting{Documents: override.Stored{Store: s}}
				reply := newClient(t, documents, override.Options{Mode: mode}).must("POST", overrides, "", test.body)
				if documents.applied != 1 {
					t.Errorf("%d transactions", documents.applied)
				}
				expect := func(wants map[*at]string, happens bool) {
					for at, want := range wants {
						if !happens {
							want = before[at]
						}
						if got := spec(t, s, at.id, at.path...); got != want {
							t.Errorf("%s: %s, want %s", at.id, got, want)
						}
					}
				}
				expect(test.instance, mode != override.ModeParamSet)
				expect(test.effective, mode == override.ModeEffectiveSet)
				if test.notice != "" && mode != override.ModeParamSet && !strings.Contains(strings.Join(reply.Warnings, "\n"), test.notice) {
					t.Errorf("notices %q", reply.Warnings)
				}
			})
		}
	}
}

// counting counts the changes.
type counting struct {
	override.Documents
	applied int
	last    override.Change
	fail    func() error
}

func (c *counting) Apply(ctx context.Context, operations []store.Operation, change override.Change) (*override.Applied, error) {
	c.applied++
	c.last = change
	if c.fail != nil {
		if err := c.fail(); err != nil {
			return nil, err
		}
	}
	return c.Documents.Apply(ctx, operations, change)
}

// What is further down stays above what is further up, whichever came first.
func TestModesKeepLevels(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	c := newClient(t, override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet})
	c.must("POST", overrides, "", body("deploy", "env-01-core", "my-app", `{"OVERRIDDEN":"application"}`))
	c.must("POST", overrides, "", body("deploy", "env-01-core", "", `{"OVERRIDDEN":"namespace","THIRD":"namespace"}`))
	c.must("POST", overrides, "", body("deploy", "", "", `{"OVERRIDDEN":"environment","THIRD":"environment","KEPT":"environment"}`))
	part := environmentID.Child("effectiveSetPart", "deployment/core/my-app/values/deployment-parameters.yaml")
	if got, want := spec(t, s, part, "parameters"), `{"OVERRIDDEN":"application","KEPT":"environment","nested":{"a.b":1,"kept":2},"THIRD":"namespace"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := spec(t, s, environmentID.Child("deployPostfix", "core"), "deployParameters"), `{"KEPT":"environment","OVERRIDDEN":"namespace","THIRD":"namespace"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	reply := c.must("PUT", overrides, "", body("deploy", "", "", `{"KEPT":"environment"}`), "*")
	if notices := strings.Join(reply.Warnings, "\n"); !strings.Contains(notices, "OVERRIDDEN, THIRD") || strings.Contains(notices, "KEPT") {
		t.Errorf("what stays behind: %q", notices)
	}
}

// An effective set keeps the date of its generation when overrides are written into it.
func TestGenerationDateStays(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	c := newClient(t, override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet})
	get := func() *httpapi.Response {
		return c.must("GET", "/api/effective-set", "environmentId=cluster-01/env-01&context=pipeline", "")
	}
	doc, err := s.Get(t.Context(), environmentID.Child("effectiveSetPart", "pipeline/parameters.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if at := get().Modified; !at.Equal(doc.Updated) {
		t.Errorf("generated at %v, stored at %v", at, doc.Updated)
	}
	c.must("POST", overrides, "", body("pipeline", "", "", `{"a":1}`))
	if got, want := spec(t, s, doc.ID, "generated"), fmt.Sprintf("%q", doc.Updated.UTC().Format("2006-01-02T15:04:05Z")); got != want {
		t.Errorf("generated %s, want %s", got, want)
	}
}

// A change carries its author and message, and the version that it was computed from.
func TestChangesSayWhoAndWhy(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	documents := &counting{Documents: override.Stored{Store: s}}
	c := newClient(t, documents, override.Options{})
	with := strings.TrimSuffix(body("deploy", "", "", `{}`), "}") + `,"commitMessage":"try more","commitUser":"Ann","commitUserEmail":"ann@example.com"}`
	version := c.must("POST", overrides, "", with).Version
	if l := documents.last; l.Author != "Ann" || l.Email != "ann@example.com" || l.Message != "try more" || l.Base != "" || l.Of != environmentID.Child("environmentParamSet", "deploy-ui-override") {
		t.Errorf("%+v", l)
	}
	c.must("PUT", overrides, "", body("deploy", "", "", `{"a":1}`), version)
	if l := documents.last; l.Author != "" || l.Base != version || !strings.Contains(l.Message, "deploy override of cluster-01/env-01") {
		t.Errorf("%+v", l)
	}
	c.must("DELETE", overrides, "environmentId=cluster-01/env-01&context=deploy&commitUser=Bob&commitMessage=done", "", "*")
	if l := documents.last; l.Author != "Bob" || l.Message != "done" {
		t.Errorf("%+v", l)
	}
	ctx := dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "carol"})
	call := &httpapi.Request{Body: mustParse(t, body("deploy", "", "", `{}`))}
	i := slices.IndexFunc(c.endpoints, func(e httpapi.Endpoint) bool { return e.Method == http.MethodPost && e.Path == overrides })
	if _, err := c.endpoints[i].Handle(ctx, call); err != nil || documents.last.Author != "carol" {
		t.Errorf("%+v: %v", documents.last, err)
	}
}

func mustParse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A conflict with a push at the same time is answered with the current document.
func TestPushConflict(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	documents := &counting{Documents: override.Stored{Store: s}}
	c := newClient(t, documents, override.Options{})
	version := c.must("POST", overrides, "", body("deploy", "env-01-core", "my-app", `{"a":1}`)).Version
	other := newClient(t, override.Stored{Store: s}, override.Options{})
	var pushed string
	documents.fail = func() error {
		pushed = other.must("PUT", overrides, "", body("deploy", "env-01-core", "my-app", `{"a":"pushed"}`), "*").Version
		return &dovetail.Error{Code: dovetail.CodeConflict, Reason: override.ReasonPushConflict, Message: "another commit was pushed"}
	}
	_, err := c.call("PUT", overrides, "", body("deploy", "env-01-core", "my-app", `{"a":2}`), version)
	refusal, ok := err.(*httpapi.ProblemError)
	if !ok || refusal.Version != pushed || refusal.Cause.Code != dovetail.CodeConflict || pushed == version {
		t.Fatalf("%v", err)
	}
	shown, err := value.FromAny(refusal.Members["currentContent"])
	if err != nil || string(shown.Get("parameters").JSON()) != `{"a":"pushed"}` {
		t.Errorf("shown is %s: %v", shown.JSON(), err)
	}
}

// A change that is done is not answered as failed because the order that it shares with another one was not repaired.
func TestOrderIsMendedLater(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	documents := &counting{Documents: override.Stored{Store: s}}
	c, other := newClient(t, documents, override.Options{}), newClient(t, override.Stored{Store: s}, override.Options{})
	documents.fail = func() error {
		if documents.applied == 1 {
			other.must("POST", overrides, "", body("deploy", "env-01-core", "", `{}`))
			return nil
		}
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the repository does not answer"}
	}
	reply := c.must("POST", overrides, "", body("deploy", "env-01-core", "my-app", `{}`))
	if warnings := strings.Join(reply.Warnings, "\n"); !strings.Contains(warnings, "the repository does not answer") {
		t.Errorf("warnings %q", warnings)
	}
	documents.fail = nil
	c.must("PUT", overrides, "", body("deploy", "env-01-core", "my-app", `{"a":1}`), reply.Version)
	page, err := s.List(t.Context(), store.ListQuery{Under: environmentID, Kind: "paramSetAssociation"})
	if err != nil {
		t.Fatal(err)
	}
	orders := make(map[string]bool)
	for _, doc := range page.Documents {
		in := mustParse(t, string(doc.Data)).Get("spec")
		at := fmt.Sprintf("%s %s %s", in.Get("context").Text, in.Get("associatedObject").Text, in.Get("order").Text)
		if orders[at] {
			t.Errorf("twice: %s", at)
		}
		orders[at] = true
	}
}

// A namespace of a blue-green domain may have a deploy postfix that does not tell its role.
func TestBlueGreenWithoutSuffix(t *testing.T) {
	files := overridetest.Inventory()
	files["environments/cluster-01/bgd-01/Namespaces/green/namespace.yml"] = "name: bgd-01-peer-2\n"
	files["environments/cluster-01/bgd-01/bg_domain.yml"] = "name: d\noriginNamespace:\n  name: bgd-01-origin\npeerNamespace:\n  name: bgd-01-peer-2\n"
	files["environments/cluster-01/bgd-01/effective-set/runtime/green/web/parameters.yaml"] = "A: 1\n"
	s := newStore(t, apitest.OpenBolt(t), files)
	c := newClient(t, override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet})
	where := "environmentId=cluster-01/bgd-01&context=runtime&namespaceName=bgd-01-peer-2&applicationName=web"
	c.must("POST", overrides, where, `{"parameters":{"A":2}}`)
	id := dovetail.ID("cluster/cluster-01/environment/bgd-01")
	if got := spec(t, s, id.Child("environmentParamSet", "green-peer-web-runtime-ui-override"), "parameters"); got != "{}" {
		t.Errorf("the ParamSet is %s", got)
	}
	if got := spec(t, s, id.Child("effectiveSetPart", "runtime/green/web/parameters.yaml"), "parameters"); got != `{"A":2}` {
		t.Errorf("the effective set is %s", got)
	}
	page, err := s.List(t.Context(), store.ListQuery{Under: id, Kind: "paramSetAssociation"})
	if err != nil || len(page.Documents) != 1 || !strings.Contains(string(page.Documents[0].Data), `"associatedObject":"green-peer","deployPostfix":"green"`) {
		t.Errorf("associations %v: %v", page.Documents, err)
	}
}

// An override that no association uses has no effect, says so, and is associated again by the next change.
func TestOverrideWithoutAssociation(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	c := newClient(t, override.Stored{Store: s}, override.Options{})
	const where = "environmentId=cluster-01/env-01&context=pipeline"
	c.must("POST", overrides, where, `{"parameters":{"OVERRIDDEN":1}}`)
	page, err := s.List(t.Context(), store.ListQuery{Under: environmentID, Kind: "paramSetAssociation"})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range page.Documents {
		if strings.Contains(string(doc.Data), "pipeline-ui-override") {
			if _, err := s.Delete(t.Context(), store.Operation{ID: doc.ID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	shown := func(reply *httpapi.Response) string {
		v, err := value.FromAny(reply.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(v.JSON())
	}
	if text := shown(c.must("GET", overrides, where, "")); !strings.Contains(text, "no effect") {
		t.Errorf("no notice: %s", text)
	}
	if text := shown(c.must("GET", "/api/effective-set", where+"&view=to-be", "")); !strings.Contains(text, `"OVERRIDDEN":"generated"`) {
		t.Errorf("it has an effect: %s", text)
	}
	c.must("PUT", overrides, where, `{"parameters":{"OVERRIDDEN":2}}`, "*")
	if text := shown(c.must("GET", "/api/effective-set", where+"&view=to-be", "")); !strings.Contains(text, `"OVERRIDDEN":2`) {
		t.Errorf("it has no effect: %s", text)
	}
}

// Two overrides may get the same name. The first one created has it, and it cannot be read or changed as the other.
func TestNamesThatMeet(t *testing.T) {
	files := overridetest.Inventory()
	files["environments/cluster-01/env-01/Namespaces/core-my-app/namespace.yml"] = "name: env-01-mine\n"
	application, namespace := body("deploy", "env-01-core", "my-app", `{"A":1}`), body("deploy", "env-01-mine", "", `{"A":1}`)
	for name, bodies := range map[string][2]string{"of the application": {application, namespace}, "of the namespace": {namespace, application}} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, override.Stored{Store: newStore(t, apitest.OpenBolt(t), files)}, override.Options{})
			first := c.must("POST", overrides, "", bodies[0])
			refused := func(want dovetail.Code, reason, method string, versions ...string) {
				t.Helper()
				where, sent := "", bodies[1]
				if method == "GET" || method == "DELETE" {
					b := mustParse(t, bodies[1])
					where, sent = url.Values{"environmentId": {"cluster-01/env-01"}, "context": {"deploy"}, "namespaceName": {b.Get("namespaceName").Text}, "applicationName": {b.Get("applicationName").Text}}.Encode(), ""
				}
				_, err := c.call(method, overrides, where, sent, versions...)
				if e := dovetail.AsError(err); e == nil || e.Code != want || e.Reason != reason {
					t.Errorf("%s of the other: %v", method, err)
				}
			}
			refused(dovetail.CodeNotFound, override.ReasonNoParamSet, "GET")
			refused(dovetail.CodeConflict, override.ReasonOtherTarget, "POST")
			refused(dovetail.CodeNotFound, override.ReasonNoParamSet, "PUT", "*")
			refused(dovetail.CodeNotFound, override.ReasonNoParamSet, "DELETE", "*")
			c.must("PUT", overrides, "", bodies[0], first.Version)
		})
	}
}

// ParamSets that were there before the service began are found by their ids, and what associations use
// cannot go.
func TestIntegrity(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), overridetest.Inventory())
	c := newClient(t, override.Stored{Store: s}, override.Options{})
	c.must("POST", overrides, "", body("deploy", "env-01-core", "", `{}`))
	for _, id := range []dovetail.ID{environmentID, environmentID.Child("deployPostfix", "core"), environmentID.Child("environmentParamSet", "core-params"), "siteParamSet/shared"} {
		_, err := s.Delete(t.Context(), store.Operation{ID: id})
		if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeInUse || e.BlockedBy == nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for f, err := range s.Check(t.Context(), false) {
		t.Errorf("fsck: %+v %v", f, err)
	}
}

// TestMessage has the message of a write, in its body or its header, kept with the transaction.
func TestMessage(t *testing.T) {
	s := newStore(t, apitest.OpenBolt(t), inhabited())
	server := serve(t, s, override.Options{})
	for _, tt := range []struct{ name, body, header, want string }{
		{"in the header", `{"environmentId":"c1/e1","context":"deploy","parameters":{}}`, "why", "why"},
		{"in the body", `{"environmentId":"c1/e1","context":"runtime","parameters":{},"commitMessage":"because"}`, "", "because"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+overrides, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			if tt.header != "" {
				request.Header.Set("Dovetail-Message", tt.header)
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			page, err := s.Transactions(t.Context(), store.TransactionQuery{Limit: 1})
			if err != nil || answer.StatusCode != http.StatusCreated || page.Transactions[0].Message != tt.want {
				t.Errorf("%s, %v, the message is %q", answer.Status, err, page.Transactions[0].Message)
			}
		})
	}
}
