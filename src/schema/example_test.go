package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

const shop = `
resources:
  - name: clusterProvider
  - name: cluster
    parent: clusterProvider
  - name: project
  - name: compositeApp.compositeAppVersion
    parent: project
  - name: app
    parent: compositeAppVersion
    schema:
      properties:
        spec:
          properties:
            replicas: {type: integer, minimum: 1}
  - name: placement
    parent: compositeAppVersion
    references:
      - name: app
      - name: cluster
        type: many
`

func ExampleCompile() {
	model, err := schema.Compile([]schema.Source{{Name: "shop.yaml", Data: []byte(shop)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	app, _ := model.Kind("app")
	fmt.Println(app.KeyID)
	fmt.Println(app.Routes()[0].Item)
	// Output:
	// {app,compositeApp,compositeAppVersion,project,}
	// /projects/{project}/composite-apps/{compositeApp}/{compositeAppVersion}/apps/{app}
}

// All that is wrong is reported at once, in the order of places.
func ExampleCompile_errors() {
	_, err := schema.Compile([]schema.Source{
		{Name: "a.yaml", Data: []byte("resources:\n- name: cluster\n  parent: clusterProvidr\n")},
		{Name: "b.yaml", Data: []byte("resources:\n- name: clusterProvider\n  parents: none\n")},
	})
	fmt.Println(err)
	fmt.Println(schema.FaultOf(err))
	// Output:
	// invalid schema: 2 errors
	// a.yaml:3:11: cluster: unknown parent "clusterProvidr"; did you mean "clusterProvider"?
	// b.yaml:3:3: a resource has the unknown member "parents"; did you mean parent?
	// missing-parent
}

func ExampleKind_Extract() {
	model, err := schema.Compile([]schema.Source{{Name: "shop.yaml", Data: []byte(shop)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	placement, _ := model.Kind("placement")
	id, err := placement.ID("p1", "shop", "v2", "everywhere")
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := value.ParseJSON([]byte(`{"spec": {"app": "nginx", "on": [
		{"clusterProvider": "edge", "cluster": "c1"},
		{"clusterProvider": "edge", "cluster": "c2"}]}}`), value.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, reference := range schema.References(placement.Extract(id, data)) {
		fmt.Println(reference.ID)
	}
	// Output:
	// project/p1/compositeApp/shop/compositeAppVersion/v2/app/nginx
	// clusterProvider/edge/cluster/c1
	// clusterProvider/edge/cluster/c2
}

func ExampleCandidate_Keys() {
	model, err := schema.Compile([]schema.Source{{Name: "shop.yaml", Data: []byte(shop)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	placement, _ := model.Kind("placement")
	data := value.NewMap(value.Member{Name: "spec", Value: value.NewMap(value.Member{Name: "app", Value: value.NewString("nginx")})})
	for _, candidate := range placement.Extract("project/p1/compositeApp/shop/compositeAppVersion/v2/placement/x", data) {
		text, _ := json.Marshal(candidate.Keys())
		fmt.Println(string(text))
	}
	// Output:
	// [{"key":{"app":"nginx","compositeApp":"shop","compositeAppVersion":"v2","project":"p1"},"keyId":"{app,compositeApp,compositeAppVersion,project,}"}]
}

func ExampleKind_Validate() {
	model, err := schema.Compile([]schema.Source{{Name: "shop.yaml", Data: []byte(shop)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	app, _ := model.Kind("app")
	data, err := value.ParseJSON([]byte("{\"spec\":\n {\"replicas\": 0}}"), value.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	violations := app.Validate(data)
	for _, violation := range violations.Kept() {
		fmt.Println(violation)
	}
	// Output:
	// 2:15 /spec/replicas: must be at least 1; `dovetail explain app` shows what is allowed
}

func ExampleDiff() {
	before, err := schema.Compile([]schema.Source{{Name: "a.yaml", Data: []byte("- name: project\n- name: app\n")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := schema.Compile([]schema.Source{{Name: "a.yaml", Data: []byte("- name: project\n- name: app\n  parent: project\n")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, difference := range schema.Diff(before, after) {
		fmt.Println(difference.Message)
	}
	// Output:
	// app: the parent is project, not none
	// app: the key is project, app, not app
}

func ExampleAggregate() {
	aggregate, err := schema.Aggregate([]schema.Source{
		{Name: "clm.yaml", Data: []byte("# (c) the owner\nname: clm\nresources:\n- name: cluster\n")},
		{Name: "gac.yaml", Data: []byte("name: gac\nresources:\n- {name: intent, references: [cluster]}\n")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(aggregate))
	// Output:
	// # Aggregated by `dovetail schema aggregate`. Do not edit: edit the sources named below.
	// resources:
	// # clm.yaml
	// # (c) the owner
	//   - name: cluster
	//     service: clm
	// # gac.yaml
	//   - name: intent
	//     references:
	//       - cluster
	//     service: gac
}

func ExampleModel_KindOf() {
	model, err := schema.Compile([]schema.Source{{Name: "shop.yaml", Data: []byte(shop)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	kind, _ := model.KindOf("clusterProvider/edge/cluster/c1")
	fmt.Println(kind.Name, kind.ParentID("clusterProvider/edge/cluster/c1"))
	_, err = model.KindOf("cluster/c1")
	fmt.Println(err)
	// Output:
	// cluster clusterProvider/edge
	// unknown kind: no kind has the key elements cluster; the key elements of cluster are clusterProvider, cluster
}
