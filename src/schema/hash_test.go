package schema_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/schema"
)

// The hash of a schema without a new field stays what it was, in every release: a field that is
// added to the format must not change what is stored with the documents of older schemas. Only the
// hash of a schema whose file changes may change here.
func TestHashesAreStable(t *testing.T) {
	var b strings.Builder
	add := func(name string, sources []schema.Source, err error) {
		if err != nil {
			t.Fatal(err)
		}
		model, err := schema.Compile(sources)
		if err != nil {
			fmt.Fprintf(&b, "%s %s\n", name, schema.FaultOf(err))
			return
		}
		fmt.Fprintf(&b, "%s %s\n", name, model.Hash())
	}
	shipped, err := schema.ReadFS(refschemas.FS)
	add("built-in", shipped, err)
	examples, err := filepath.Glob(root + "/ref-schemas/examples/*")
	if err != nil || len(examples) == 0 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, dir := range examples {
		sources, err := schema.ReadDir(dir)
		add("examples/"+filepath.Base(dir), sources, err)
	}
	fragments, err := schema.ReadDir(filepath.Join(emco, "fragments-2021-09"))
	add("emco/fragments-2021-09", fragments, err)
	for _, file := range []string{"emco/ref-schema.yaml", "emco/ref-schema-2021-09.yaml", "emco/reference-cases-schema.yaml", "rules.yaml", "warnings/warnings.yaml"} {
		add(file, readSources(t, "testdata", file), nil)
	}
	segments, err := filepath.Glob(emco + "/segments/*.yaml")
	if err != nil || len(segments) == 0 {
		t.Fatalf("%d segments, %v", len(segments), err)
	}
	slices.Sort(segments)
	for _, file := range segments {
		add("emco/segments/"+filepath.Base(file), readSources(t, emco+"/segments", filepath.Base(file)), nil)
	}
	for _, c := range readYAML(t, "emco/schema-cases/cases.yaml").Get("cases").Items {
		files := strs(c.Get("load"))
		add("emco/schema-cases/"+strings.Join(files, "+"), readSources(t, filepath.Join(emco, "schema-cases"), files...), nil)
	}
	golden(t, "hashes.txt", b.String())
}
