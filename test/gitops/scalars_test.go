package gitops

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestScalarsOfValues reads plain scalars in values as the YAML library of Helm and kubectl does, and writes them so that it reads the same.
func TestScalarsOfValues(t *testing.T) {
	program, err := program()
	if err != nil {
		t.Fatal(err)
	}
	scalars := strings.Fields(`yes Yes YES yEs no on On off OFF y Y n N true True TRUE tRue false ~ null Null nULL 0 007 010 08 0o10 0o9 0x1F 0xG 0b101 1_000 -1_0 +1 -0
		1.5 1e3 1E3 .5 5. 1.5e3 1_0.5 1:30 22:22 190:20:30 12:30:45.5 2020-01-01 2020-01-01T10:00:00Z v1 1.4.2 1.4-rc 10Mi a:b = 12e03 -.5 0. 00 0x 0b 0o 1__0 _1 -08 09.5 -.0 08e300`)
	var text strings.Builder
	for i, s := range scalars {
		fmt.Fprintf(&text, "k%d: %s\n", i, s)
	}
	folder := t.TempDir()
	for name, content := range map[string]string{"values.yaml": text.String(), "layering.yaml": `apiVersion: layering.dovetail.dev/v1
kind: Layering
metadata: {name: l}
spec: {layerOrder: [one], values: [{file: values.yaml, name: v, layer: one}]}
`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed := func(text []byte) map[string]any {
		converted, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(converted, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := parsed([]byte(text.String()))
	rendered, err := exec.CommandContext(t.Context(), program, "layering", "render", "-f", folder, "--document", "v").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := parsed(rendered)
	for i, s := range scalars {
		if key := fmt.Sprintf("k%d", i); !reflect.DeepEqual(got[key], want[key]) {
			t.Errorf("%s is read as %#v, and by the library as %#v", s, got[key], want[key])
		}
	}
}
