package selector_test

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

func ExampleParseLabels() {
	app, _ := value.ParseJSON([]byte(`{"metadata":{"name":"nginx","labels":{"tier":"front","zone":"a"}}}`), value.Limits{})
	for _, text := range []string{"tier=front,!old,zone in (a,b)", "zone notin (a)", "tier=front zone=a"} {
		labels, err := selector.ParseLabels(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(labels, labels.Matches(app))
	}
	// Output:
	// !old,tier=front,zone in (a,b) true
	// zone notin (a) false
	// 1:12: invalid label selector: expected a comma, found "z"; write it as in tier=front,!old,zone in (a,b)
}

func ExampleParseFields() {
	app, _ := value.ParseJSON([]byte(`{"metadata":{"name":"nginx"},"spec":{"replicas":3,"a.b":"c"}}`), value.Limits{})
	for _, text := range []string{"metadata.name=nginx,spec.replicas=3", "/spec/a.b!=c", "metadata.name"} {
		fields, err := selector.ParseFields(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(fields, fields.Matches(app))
	}
	// Output:
	// metadata.name=nginx,spec.replicas=3 true
	// /spec/a.b!=c false
	// 1:14: invalid field selector: expected =, !=, < or >, found the end; write it as in metadata.name=nginx,spec.app!=web
}
