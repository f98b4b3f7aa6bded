package schema_test

import (
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// placement is a document of about 1 KB with two rules, one of type many with eight targets.
const placement = `{"metadata":{"name":"nginx-placement","description":"where the nginx application goes","userData1":"","userData2":""},
"spec":{"app":"nginx","intent":{
"allOf":[{"clusterProvider":"provider-one","cluster":"edge-01"},{"clusterProvider":"provider-one","cluster":"edge-02"},
{"anyOf":[{"clusterProvider":"provider-two","cluster":"edge-03"},{"clusterProvider":"provider-two","clusterLabel":"east"},
{"clusterProvider":"provider-two","cluster":"edge-04"}]},
{"clusterProvider":"provider-one","cluster":"edge-05"}],
"anyOf":[{"clusterProvider":"provider-three","cluster":"edge-06"},{"clusterProvider":"provider-three","cluster":"edge-07"},
{"clusterProvider":"provider-three","clusterLabel":"west"},{"clusterProvider":"provider-one","cluster":"edge-08"}]},
"notes":"an application is placed on all clusters of allOf and on one of each anyOf","replicas":3,"strategy":"spread","weight":0.5}}`

// group is a document of about 1 KB with two rules of the default type.
const group = `{"metadata":{"name":"collection-group","description":"a group of intents","userData1":"test1","userData2":"test2"},
"spec":{"compositeProfile":"collection-composite-profile","version":"r1","logicalCloud":"default-cloud","overrideValues":[
{"app":"prometheus-operator","values":{"image.repository":"registry.example.com/prometheus","image.tag":"v2.30.0","resources.limits.cpu":"2","resources.limits.memory":"4Gi"}},
{"app":"collectd","values":{"image.repository":"registry.example.com/collectd","image.tag":"5.12","resources.limits.cpu":"1","resources.limits.memory":"1Gi"}},
{"app":"http-server","values":{"image.repository":"registry.example.com/http-server","image.tag":"1.0.3","service.type":"NodePort","service.port":"8080"}},
{"app":"http-client","values":{"image.repository":"registry.example.com/http-client","image.tag":"1.0.3","target":"http-server:8080","interval":"10s"}}],
"policy":{"rolling":true,"surge":1,"unavailable":0}}}`

func BenchmarkExtract(b *testing.B) {
	model := compileEMCO(b, "ref-schema.yaml")
	for _, c := range []struct {
		name, kind, data string
		values           []string
		want             int
	}{
		{"default", "deploymentIntentGroup", group, []string{"p1", "ca", "v1", "d1"}, 2},
		{"many", "genericAppPlacementIntent", placement, []string{"p1", "ca", "v1", "d1", "g", "a1"}, 9},
	} {
		b.Run(c.name, func(b *testing.B) {
			kind := kindOf(b, model, c.kind)
			id, err := kind.ID(c.values...)
			if err != nil {
				b.Fatal(err)
			}
			data, err := value.ParseJSON([]byte(c.data), value.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if got := kind.Extract(id, data); len(got) != c.want {
					b.Fatalf("%d references, want %d", len(got), c.want)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	shipped, err := schema.ReadFS(refschemas.FS)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		sources []schema.Source
	}{
		{"EMCO", readSources(b, emco, "ref-schema.yaml")},
		{"shipped", shipped},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schema.Compile(c.sources); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	kind := kindOf(b, compile(b, shop), "app")
	data, err := value.ParseJSON([]byte(group), value.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if errs := kept(kind.Validate(data)); errs != nil {
			b.Fatal(errs)
		}
	}
}
