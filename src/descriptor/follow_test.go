package descriptor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestFollow renames a namespace: the SDs of its environment have its new name, and no others.
func TestFollow(t *testing.T) {
	st := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(descriptor.Rules()), "../inventory/ref-schemas/v1.yaml", "ref-schemas/v1.yaml")
	s := serve(t, st, descriptor.New(st, descriptor.Options{}))
	const descriptorOf = `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`
	s.must(201, "POST", "/v2/clusters/c/environments", `{"metadata":{"name":"other"}}`)
	for _, environment := range []string{"e", "other"} {
		s.must(201, "POST", "/v2/clusters/c/environments/"+environment+"/namespaces", `{"metadata":{"name":"x"}}`)
		s.must(201, "PUT", "/api/sd?kind=full&environmentId=c/"+environment, descriptorOf)
	}
	s.must(200, "POST", "/v2/rename", `{"id":"cluster/c/environment/e/deployPostfix/x","to":"cluster/c/environment/e/deployPostfix/z"}`)
	if got, want := s.sd(fullPath), strings.Replace(descriptorOf, `"x"`, `"z"`, 1); got != want {
		t.Errorf("the SD is %s, want %s", got, want)
	}
	if got := s.sd("/api/sd?kind=full&environmentId=c/other"); got != descriptorOf {
		t.Errorf("the SD of another environment is %s", got)
	}
}

// TestRenameSaysWhatDoesNotFollow renames applications: the SD that names one stays, and the answers of the dry run and of the rename say so.
func TestRenameSaysWhatDoesNotFollow(t *testing.T) {
	st := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(descriptor.Rules()), "../inventory/ref-schemas/v1.yaml", "ref-schemas/v1.yaml")
	s := serve(t, st, descriptor.New(st, descriptor.Options{}))
	s.must(201, "POST", "/v2/clusters/c/environments/e/namespaces", `{"metadata":{"name":"x"}}`)
	for _, name := range []string{"a", "b"} {
		s.must(201, "POST", "/v2/clusters/c/environments/e/namespaces/x/applications", `{"metadata":{"name":"`+name+`"}}`)
	}
	s.must(201, "PUT", "/api/sd?kind=full&environmentId=c/e", `{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"b:1","deployPostfix":"y"}]}`)
	const x = "cluster/c/environment/e/deployPostfix/x"
	for _, test := range []struct{ from, to, want string }{
		{x + "/application/a", x + "/application/z", "deploys the application a to the namespace x"},
		{x + "/application/b", x + "/application/y", ""},
	} {
		for _, query := range []string{"?dryRun=true", ""} {
			answer := s.must(200, "POST", "/v2/rename"+query, `{"id":"`+test.from+`","to":"`+test.to+`"}`).text
			if warned := strings.Contains(answer, `"warnings"`); warned != (test.want != "") || !strings.Contains(answer, test.want) {
				t.Errorf("%s%s is answered with %s, want %q", test.from, query, answer, test.want)
			}
		}
	}
}

// TestVerify has a document that is no solution descriptor, as an own ref-schema permits.
func TestVerify(t *testing.T) {
	loose := filepath.Join(t.TempDir(), "loose.yaml")
	if err := os.WriteFile(loose, []byte("resources: [{name: cluster}, {name: environment, parent: cluster}, {name: solutionDescriptor, parent: environment}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	st := apitest.NewStore(t, apitest.Closing(t, apitest.OpenBolt(t)), store.Config{}.With(descriptor.Rules()), loose)
	for _, d := range []struct {
		id   dovetail.ID
		data string
	}{
		{"cluster/c", `{}`}, {"cluster/c/environment/e", `{}`}, {"cluster/c/environment/e/solutionDescriptor/full", `{"spec":{"applications":[]}}`},
		{"cluster/c/environment/e/solutionDescriptor/delta", `{"spec":{"applications":"all"}}`},
	} {
		if _, err := st.Create(t.Context(), store.NewOperation(store.Create, d.id, json.RawMessage(d.data))); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	for f, err := range st.Check(t.Context(), false) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, f.Problem+" "+string(f.ID))
	}
	if want := descriptor.ProblemDescriptor + " cluster/c/environment/e/solutionDescriptor/delta"; len(found) != 1 || found[0] != want {
		t.Errorf("fsck finds %v, want %s", found, want)
	}
}
