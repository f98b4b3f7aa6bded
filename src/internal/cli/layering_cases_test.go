package cli_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

const layeredCases = "../../layering/rendering/testdata/deckhand"

// layeredFlags are what the cases need in which the older engine does not do as its documentation says.
var layeredFlags = map[string]string{
	"015-index-merge-element":              "--array-index=element",
	"016-index-merge-keeps-other-elements": "--array-index=element",
	"058-err-parent-other-schema":          "--strict-parents",
	"059-err-parent-same-layer":            "--strict-parents",
}

// TestLayeringCases runs the conformance vectors of package rendering on the command line.
func TestLayeringCases(t *testing.T) {
	index := parseLayered(t, readLayered(t, "cases.yaml"))
	for _, c := range index[0].Get("cases").Items {
		id := c.Get("id").Text
		if id == "108-err-no-storage-policy" {
			continue // accepted here, which the seed's example shows
		}
		t.Run(id, func(t *testing.T) {
			file := filepath.Join(layeredCases, "cases", id, "documents.yaml")
			args := []string{"layering", "render", "-o", "json", "-f", file}
			if flag := layeredFlags[id]; flag != "" {
				args = append(args, flag)
			}
			var out, errs bytes.Buffer
			code := cli.Run(t.Context(), cli.Deps{Out: &out, Err: &errs}, args)
			if refused := c.Get("expected_error"); refused != nil {
				class := cmp.Or(engineError(t, id), refused.Get("error").Text)
				if first := parseLayered(t, out.Bytes())[0].Get("errors").Items[0]; code != 1 || first.Get("class").Text != class || !strings.HasPrefix(errs.String(), "error: "+class+": ") {
					t.Errorf("code %d, %s %s; want %s", code, out.Bytes(), errs.Bytes(), class)
				}
				return
			}
			if code != 0 {
				t.Fatalf("code %d: %s", code, errs.Bytes())
			}
			compareLayered(t, parseLayered(t, out.Bytes())[0].Items, parseLayered(t, readLayered(t, "cases/"+c.Get("expected").Text)))
		})
	}
}

// TestLayeringSites renders two complete sites, as YAML and as JSON, to what the engine makes of them.
func TestLayeringSites(t *testing.T) {
	for _, site := range []string{"airskiff", "airsloop"} {
		t.Run(site, func(t *testing.T) {
			file := filepath.Join(layeredCases, "real-sites", site, "documents.yaml")
			documents, err := rendering.Parse(file, readLayered(t, filepath.Join("real-sites", site, "documents.yaml")))
			if err != nil {
				t.Fatal(err)
			}
			rendered, err := rendering.Render(documents, rendering.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]*value.Value, len(rendered.Documents))
			for i, r := range rendered.Documents {
				want[i] = r.Whole(r.Data())
			}
			for _, format := range []string{"yaml", "json"} {
				var out, errs bytes.Buffer
				if code := cli.Run(t.Context(), cli.Deps{Out: &out, Err: &errs}, []string{"layering", "render", "-o", format, "-f", file}); code != 0 {
					t.Fatalf("code %d: %s", code, errs.Bytes())
				}
				got := parseLayered(t, out.Bytes())
				if format == "json" {
					got = got[0].Items
				}
				if !value.Equal(value.NewList(got...), value.NewList(want...)) {
					t.Errorf("-o %s gives other documents", format)
				}
			}
		})
	}
}

// engineError is the class that a case has without a server, where it is another one.
func engineError(t *testing.T, id string) string {
	t.Helper()
	text, _ := parseLayered(t, readLayered(t, "cases/"+id+"/expected-error.yaml"))[0].Get("engine_error").Str()
	return text
}

func compareLayered(t *testing.T, got, want []*value.Value) {
	t.Helper()
	name := func(v *value.Value) string {
		return v.Get("schema").Text + " " + v.At("metadata", "name").Text + " " + v.At("metadata", "layeringDefinition", "layer").Text
	}
	rendered := map[string]*value.Value{}
	for _, v := range got {
		if v.At("metadata", "schema").Text == "metadata/Document/v1" {
			rendered[name(v)] = v.Get("data")
		}
	}
	if len(rendered) != len(want) {
		t.Errorf("%d documents, want %d", len(rendered), len(want))
	}
	for _, w := range want {
		if !value.Equal(rendered[name(w)], w.Get("data")) {
			t.Errorf("%s is %s, want %s", name(w), rendered[name(w)].JSON(), w.Get("data").JSON())
		}
	}
}

func readLayered(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(layeredCases, file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parseLayered(t *testing.T, text []byte) []*value.Value {
	t.Helper()
	values, err := yaml.Parse("", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return values
}
