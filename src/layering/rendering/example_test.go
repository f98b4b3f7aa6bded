package rendering_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

const policy = `
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data:
  layerOrder: [global, site]
`

const network = `
---
schema: example/Network/v1
metadata:
  schema: metadata/Document/v1
  name: network-global
  labels: {network: all}
  layeringDefinition: {layer: global, abstract: true}
data:
  mtu: 1500
  dns: [10.0.0.2]
---
schema: example/Network/v1
metadata:
  schema: metadata/Document/v1
  name: network
  layeringDefinition:
    layer: site
    parentSelector: {network: all}
    actions:
      - {method: merge, path: .}
data:
  mtu: 9000
`

// Documents inherit what the actions let through.
func ExampleRender() {
	documents, err := rendering.Parse("site.yaml", []byte(policy+network))
	if err != nil {
		fmt.Println(err)
		return
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rendered.Documents {
		if !r.Control {
			fmt.Printf("%s\n%s", r.ID, yaml.Marshal(r.Data()))
		}
	}
	// Output:
	// example/Network/v1 network in site
	// mtu: 9000
	// dns:
	//   - 10.0.0.2
}

// Every value knows where it comes from, and what it replaced.
func ExampleRendering_Explain() {
	documents, err := rendering.Parse("site.yaml", []byte(policy+network))
	if err != nil {
		fmt.Println(err)
		return
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	explained, err := rendered.Explain(rendering.ID{Schema: "example/Network/v1", Name: "network", Layer: "site"}, ".mtu", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range explained {
		fmt.Printf("%s is %s by %s of %s\n", e.Path, e.Value.JSON(), e.Origin.How, e.Origin.Document)
		for _, r := range e.Replaced {
			fmt.Printf("it was %s by %s of %s\n", r.Value.JSON(), r.Origin.How, r.Origin.Document)
		}
	}
	// Output:
	// .mtu is 9000 by merge of example/Network/v1 network in site
	// it was 1500 by data of example/Network/v1 network-global in global
}

// What is wrong is reported together, each with its class.
func ExampleDocumentOf() {
	documents, err := rendering.Parse("site.yaml", []byte(policy+`
---
schema: example/Network/v1
metadata:
  schema: metadata/Document/v1
  name: network
  layeringDefinition: {layer: rack}
data: {}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = rendering.Render(documents, rendering.Options{})
	e := dovetail.AsError(err)
	id, _ := rendering.DocumentOf(e)
	fmt.Println(e.Reason, id.Name, e.Position.Line)
	fmt.Println(e.Message)
	// Output:
	// InvalidDocumentLayer network 13
	// the layering policy layering-policy has no layer "rack"
}
