package descriptor_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
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
