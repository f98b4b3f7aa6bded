package instancerepo_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/instancerepo"
)

func ExampleSurvey() {
	const definition = `envTemplate:
  envSpecificParamsets:
    cloud:
      - deploy-ui-override
      - basics
`
	contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) {
		yield(instancerepo.File{Path: "environments/c/e/Inventory/env_definition.yml", Data: []byte(definition)}, nil)
	})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(contents.Clusters, contents.Environments[0])
	for _, defect := range contents.Defects[:2] {
		fmt.Println(defect)
	}
	// Output:
	// [c] c/e
	// environments/c/e/Inventory/env_definition.yml:4:9 /envTemplate/envSpecificParamsets/cloud/0: there is no ParamSet deploy-ui-override; add it to environments/c/e/Inventory/parameters, or remove the entry
	// environments/c/e/Inventory/env_definition.yml:4:9 /envTemplate/envSpecificParamsets/cloud/0: others come after deploy-ui-override; put the ui-override ParamSets last
}
