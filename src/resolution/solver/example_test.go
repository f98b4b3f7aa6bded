package solver_test

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

func ExampleResolve() {
	docs, err := yaml.Parse("shop.yaml", []byte(`
name: cat
packages:
- name: app
  versions:
  - {version: 1.1.0, channels: [stable], dependencies: [{name: lib, versionRange: "^2"}]}
  - {version: 1.0.0, channels: [stable], dependencies: [{name: lib, versionRange: "^1"}]}
- name: lib
  versions:
  - {version: 1.4.0, channels: [stable]}
  - {version: 2.0.0, channels: [stable]}
---
constraints:
- required("app")
- prohibited("lib", ">=2.0.0")
`), value.Limits{})
	if err != nil {
		panic(err)
	}
	source := solver.NewParser().Source(docs[0])
	spec, err := solver.ParseSpec(docs[1])
	if err != nil {
		panic(err)
	}
	problem, err := solver.NewProblem(spec, []*solver.Source{source})
	if err != nil {
		panic(err)
	}
	outcome, err := solver.Resolve(context.Background(), problem, solver.Options{Explain: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(outcome.Message)
	for _, s := range outcome.Selections {
		fmt.Println(s)
		for _, r := range s.Ruled {
			fmt.Println("  not", r.Candidate, r.Text)
		}
	}
	// Output:
	// selected 2 packages for 2 constraints
	// cat:app:1.0.0:stable
	//   not cat:app:1.1.0 cannot hold with [1] prohibited("lib", ">=2.0.0"): app 1.1.0 needs lib ^2
	// cat:lib:1.4.0:stable
}
