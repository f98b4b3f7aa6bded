package app

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// A process may serve some of the services only.
func TestServices(t *testing.T) {
	all := start(t, nil)
	all.must(t, 201, "POST", "/v2/clusters", named("c1"))
	all.must(t, 201, "POST", "/v2/clusters/c1/environments", named("dev"))
	const sd = "/api/sd?environmentId=c1/dev&kind=full"
	all.must(t, 201, "PUT", sd, `{"applications":[]}`)
	all.must(t, 422, "POST", "/api/sd/process?environmentId=c1/dev", `{"SD_VERSION":"solution:1"}`)
	if err := all.stop(); err != nil {
		t.Fatal(err)
	}
	only := start(t, map[string]string{"store": all.config.Store, "services": "descriptor", "sd-namespaces": "enforce"})
	only.must(t, 200, "GET", sd, "")
	only.must(t, 404, "GET", "/v2/clusters", "")
	only.must(t, 422, "PUT", sd, `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`)
	only.must(t, 200, "GET", "/readyz", "")
	if err := only.stop(); err != nil {
		t.Fatal(err)
	}
	without := start(t, map[string]string{"store": all.config.Store, "services": "resources"})
	without.must(t, 200, "GET", "/v2/clusters/c1/environments/dev/solution-descriptors/full", "")
	without.must(t, 404, "GET", sd, "")
}

// What ships is described, the services' bodies with schemas that their answers keep to.
func TestDescription(t *testing.T) {
	server := start(t, nil)
	doc, err := openapi3.NewLoader().LoadFromData([]byte(server.must(t, 200, "GET", "/openapi.json", "")))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Fatal(err)
	}
	for path, verbs := range map[string]int{"/v2/clusters": 2, "/api/sd": 3, "/api/sd/process": 1, "/api/sd/merge": 1, "/api/ui-override": 4, "/api/paramset": 1,
		"/api/paramset/{id}": 3, "/api/paramset/{id}/associations": 2, "/api/paramset/{id}/associations/{associationId}": 2, "/api/effective-set": 1, "/api/parameters": 1} {
		if item := doc.Paths.Value(path); item == nil || len(item.Operations()) != verbs {
			t.Errorf("%s is not described as it is", path)
		}
	}
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	server.must(t, 201, "POST", "/v2/clusters/c1/environments", named("dev"))
	report := server.must(t, 200, "POST", "/api/sd/process?environmentId=c1/dev", `{"SD_MERGE_MODE":"basic-exclusion-merge","SD_DATA":{"version":2.1,"type":"x",`+
		`"applications":["a:1",{"version":"a:1","deployPostfix":"x"}],"deployGraph":[{"chunkName":"w","apps":["a:x"]}]},"SD_DELTA":false}`)
	paramSet := server.must(t, 201, "POST", "/api/paramset", `{"name":"x","location":"environments/parameters","parameters":{"a":{"b":1}},"applications":[{"appName":"a","parameters":{}}]}`)
	var made struct{ ID string }
	decode(t, paramSet, &made)
	server.must(t, 201, "POST", "/v2/clusters/c1/environments/dev/effective-set-parts", `{"metadata":{"name":"pipeline/parameters.yaml"},"spec":{"parameters":{"a":1}}}`)
	for name, text := range map[string]string{
		"Override":            server.must(t, 201, "POST", "/api/ui-override", `{"environmentId":"c1/dev","context":"pipeline","parameters":{"a":[1]}}`),
		"ParamSet":            paramSet,
		"ParamSetAssociation": server.must(t, 201, "POST", "/api/paramset/"+made.ID+"/associations", `{"environmentId":"c1/dev","context":"pipeline","associatedObject":"cloud"}`),
		"EffectiveSet":        server.must(t, 200, "GET", "/api/effective-set?environmentId=c1/dev&context=pipeline&view=explain", ""),
		"SolutionReport":      report,
		"SolutionDescriptor":  server.must(t, 200, "GET", "/api/sd?environmentId=c1/dev&kind=full", ""),
		"SolutionMerged": server.must(t, 200, "POST", "/api/sd/merge", `{"mode":"basic-exclusion-merge","full":{"applications":[{"version":"a:1","deployPostfix":"x"}]},`+
			`"deltas":[{"applications":[{"version":"a:2","deployPostfix":"x"},{"version":"b:1","deployPostfix":"x"}]}]}`),
	} {
		var v any
		decode(t, text, &v)
		if err := doc.Components.Schemas[name].Value.VisitJSON(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
