package instancerepo_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
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

func ExampleContents_Documents() {
	contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) {
		for name, text := range map[string]string{
			"environments/c/e/Inventory/env_definition.yml": "envTemplate: {name: t, envSpecificParamsets: {cloud: [common]}}\n",
			"environments/parameters/common.yml":            "name: common\nparameters: {REGION: eu}\n",
		} {
			if !yield(instancerepo.File{Path: name, Data: []byte(text)}, nil) {
				return
			}
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	documents := contents.Documents()
	for _, d := range documents {
		fmt.Println(d.ID, string(d.Data.Get("spec").JSON()))
	}
	files, problems := instancerepo.Files(documents)
	for _, f := range files {
		fmt.Printf("-- %s --\n%s", f.Path, f.Data)
	}
	fmt.Println(len(problems), "problems")
	// Output:
	// cluster/c {}
	// cluster/c/environment/e {"definition":{"envTemplate":{"name":"t"}}}
	// cluster/c/environment/e/paramSetAssociation/eba026b1-e148-5c84-8da3-d43d23b7ccdc {"context":"deploy","associatedObject":"cloud","order":0,"siteParamSet":"common"}
	// siteParamSet/common {"name":"common","parameters":{"REGION":"eu"}}
	// -- environments/c/e/Inventory/env_definition.yml --
	// envTemplate:
	//   name: t
	//   envSpecificParamsets:
	//     cloud:
	//       - common
	// -- environments/parameters/common.yaml --
	// name: common
	// parameters:
	//   REGION: eu
	// 0 problems
}

func ExampleEdit() {
	const old = "name: common # of all\nparameters:\n  REGION: eu # west\n"
	contents, err := instancerepo.Survey(func(yield func(instancerepo.File, error) bool) {
		yield(instancerepo.File{Path: "environments/parameters/common.yml", Data: []byte("name: common\nparameters: {REGION: eu, ZONE: a}\n")}, nil)
	})
	if err != nil {
		fmt.Println(err)
	}
	text, err := instancerepo.Edit("environments/parameters/common.yml", []byte(old), contents.Documents())
	fmt.Print(string(text), err, "\n")
	// Output:
	// name: common # of all
	// parameters:
	//   REGION: eu # west
	//   ZONE: a
	// <nil>
}
