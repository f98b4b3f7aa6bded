package sd_test

import (
	"context"
	"fmt"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
)

const stored = `# The solution.
applications:
  - version: postgres:1.32.5 # pinned
    deployPostfix: postgresql
  - version: kafka:2.8.1
    deployPostfix: kafka
`

func ExampleMerge() {
	full, err := sd.Parse("sd.yml", []byte(stored))
	if err != nil {
		fmt.Println(err)
		return
	}
	delta, err := sd.Parse("delta.json", []byte(`{"applications": [
		{"version": "redis:7.2.0", "deployPostfix": "cache"},
		{"version": "postgres:1.33.0", "deployPostfix": "postgresql"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	merged, err := sd.Merge(sd.BasicMerge, full, delta)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(yaml.Edit([]byte(stored), full.Value(), merged.Descriptor.Value())))
	// Output:
	// # The solution.
	// applications:
	//   - version: postgres:1.33.0 # pinned
	//     deployPostfix: postgresql
	//   - version: kafka:2.8.1
	//     deployPostfix: kafka
	//   - version: redis:7.2.0
	//     deployPostfix: cache
}

// Everything that is wrong is reported at once.
func ExampleMerge_errors() {
	full, err := sd.Parse("sd.yml", []byte("type: a\napplications: [core:1.0]\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	delta, err := sd.Parse("delta.yml", []byte("type: b\napplications: [core:1.1, mail]\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = sd.Merge(sd.ExtendedMerge, full, delta)
	fmt.Println(err)
	// Output:
	// the solution descriptors are refused: 2 errors
	// delta.yml:2:26 /applications/1: "mail" is not of the form application:version; write the name, a colon and the version
	// delta.yml:1:7 /type: type is "b" in the delta and "a" in the full SD; make it alike in both
}

// A request goes through three steps, of which only the second may have to wait.
func ExampleRequest_Process() {
	full, err := sd.Parse("sd.yml", []byte(stored))
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := sd.ParseRequest(map[string]string{
		"SD_SOURCE_TYPE": "json",
		"SD_MERGE_MODE":  "basic-exclusion-merge",
		"SD_DATA":        `{"applications": [{"version": "kafka:2.8.1", "deployPostfix": "kafka"}, {"version": "ui:1", "deployPostfix": "web"}]}`,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	incoming, err := request.Fetch(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome, err := request.Process(incoming, sd.State{Full: full})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(outcome.Full.Value().JSON()))
	for _, warning := range outcome.Warnings {
		fmt.Println(warning.Reason, warning)
	}
	// Output:
	// {"applications":[{"version":"postgres:1.32.5","deployPostfix":"postgresql"}]}
	// SD_NEW_APPLICATION_IGNORED SD_DATA:1:73 /applications/1: the application ui:1 (deployPostfix web) is not in the full SD and was ignored
}

func ExampleDiff() {
	before, err := sd.Parse("old.yml", []byte(stored))
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := sd.Parse("new.yml", []byte("type: deploy\napplications:\n  - {version: kafka:3.0.0, deployPostfix: kafka}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, difference := range sd.Diff(before, after) {
		fmt.Println(difference.Message)
	}
	// Output:
	// type is new: "deploy"
	// kafka (deployPostfix kafka) was 2.8.1, is 3.0.0
	// postgres:1.32.5 (deployPostfix postgresql) is gone
}
