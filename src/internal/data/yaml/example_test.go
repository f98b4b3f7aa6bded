package yaml_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

func ExampleParse() {
	documents, err := yaml.Parse("app.yaml", []byte("name: nginx\nmode: 0644\nid: 12345678901234567890\n---\nname: web\n"), value.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range documents {
		fmt.Println(string(v.JSON()))
	}

	_, err = yaml.Parse("app.yaml", []byte("name: nginx\nspec:\n  size: .inf\n  size: 1\n"), value.Limits{})
	fmt.Println(err)
	// Output:
	// {"name":"nginx","mode":420,"id":12345678901234567890}
	// {"name":"web"}
	// invalid YAML: 2 errors
	// app.yaml:3:9 /spec/size: .inf is not a number that JSON has; write it as a string, in quotes
	// app.yaml:4:3 /spec/size: duplicate key "size", first in line 3 column 3; remove one of the two
}

func ExampleMarshal() {
	v, _ := value.ParseJSON([]byte(`{"name":"nginx","ports":[80,443],"enabled":"yes","script":"set -e\nrun\n"}`), value.Limits{})
	fmt.Print(string(yaml.Marshal(v, value.NewMap())))
	// Output:
	// name: nginx
	// ports:
	//   - 80
	//   - 443
	// enabled: "yes"
	// script: |
	//   set -e
	//   run
	// ---
	// {}
}
