package activator_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/activator"
	"github.com/dovetail-store/dovetail/src/value"
)

var selections = []activator.Selected{
	{Package: "foo-package", Image: "quay.io/redhat-operators/foo-package:v1.2.0"},
	{Package: "bar-package", Image: "quay.io/redhat-operators/bar-package:v1.1.0"},
}

func TestBundle(t *testing.T) {
	entities, err := activator.Entities(activator.ResolveSet, selections)
	if err != nil {
		t.Fatal(err)
	}
	bundle := activator.Bundle(entities)
	// The digest stands in statuses: it must be the same with the next release, too.
	const digest = "43dd2b126fec34b5325b43018f6bd9a134560493660508f236a8bf1d2a2a4a92"
	if sum := sha256.Sum256(bundle); hex.EncodeToString(sum[:]) != digest || !bytes.Equal(bundle, activator.Bundle(entities)) {
		t.Errorf("the bytes are others: %x", sum)
	}
	r := tar.NewReader(bytes.NewReader(bundle))
	for _, want := range []string{"manifests/foo-package-bd.yaml", "manifests/bar-package-bd.yaml"} {
		h, err := r.Next()
		if err != nil || h.Name != want || h.Uid != 0 || h.Uname != "" || h.ModTime.Unix() != 0 {
			t.Fatalf("got %+v, %v, want %s", h, err, want)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		golden, err := os.ReadFile(path.Join("testdata/resolveset", want))
		if err != nil {
			t.Fatal(err)
		}
		if !value.Equal(parse(t, got), parse(t, golden)) {
			t.Errorf("got\n%swant\n%s", got, golden)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last file: %v", err)
	}
}

// TestProvisioners has each bundle unpacked as its media type says.
func TestProvisioners(t *testing.T) {
	for _, tt := range []struct{ mediaType, want string }{
		{"", "core-rukpak-io-registry"},
		{"registry+v1", "core-rukpak-io-registry"},
		{"plain+v0", "core-rukpak-io-plain"},
	} {
		t.Run(tt.mediaType, func(t *testing.T) {
			entities, err := activator.Entities(activator.ResolveSet, []activator.Selected{{Package: "a", Image: "i", MediaType: tt.mediaType}})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := parse(t, activator.Manifest(entities[0])).Get("spec").Get("template").Get("spec").Get("provisionerClassName").Str()
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWrapper(t *testing.T) {
	got := parse(t, activator.Wrapper("foo", "http://store/foo.tar"))
	if got.At("spec", "template", "spec", "source", "http", "url").Text != "http://store/foo.tar" ||
		got.At("spec", "template", "spec", "provisionerClassName").Text != "core-rukpak-io-plain" {
		t.Errorf("got %s", got.JSON())
	}
}

func TestEntitiesRefused(t *testing.T) {
	for _, c := range []struct {
		name       string
		class      activator.Class
		selections []activator.Selected
		reason     string
		mentions   string
	}{
		{"unknown class", "Helm", selections, activator.ReasonUnknownClass, `"Helm"`},
		{"no image", activator.Operator, []activator.Selected{{Package: "a"}, selections[0], {Package: "b"}}, activator.ReasonImageMissing, "a, b"},
		{"a way out of the bundle", activator.ResolveSet, []activator.Selected{{Package: "../a", Image: "i"}, selections[0], {Package: "B", Image: "i"}}, activator.ReasonPackageName, `"../a", "B"`},
		{"a media type that nothing unpacks", activator.ResolveSet, []activator.Selected{{Package: "a", Image: "i", MediaType: "helm"}, selections[0]}, activator.ReasonMediaType, `"helm" of a`},
		{"no name", activator.ResolveSet, []activator.Selected{{Image: "i"}}, activator.ReasonPackageName, `""`},
		{"a name too long", activator.ResolveSet, []activator.Selected{{Package: strings.Repeat("a", 248), Image: "i"}}, activator.ReasonPackageName, "aaa"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := activator.Entities(c.class, c.selections)
			if err == nil {
				t.Fatal("accepted")
			}
			if e := dovetail.AsError(err); e.Reason != c.reason || !strings.Contains(e.Message, c.mentions) {
				t.Errorf("got %s: %v", e.Reason, e)
			}
		})
	}
}

func TestNamesOfOperatorsAreFree(t *testing.T) {
	if _, err := activator.Entities(activator.Operator, []activator.Selected{{Package: "Foo/bar", Image: "i"}}); err != nil {
		t.Error(err)
	}
}

func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		name        string
		annotations map[string]string
		want        activator.Class
		asked       bool
	}{
		{"none", nil, "", false},
		{"short", map[string]string{"deppy.io/activator-class": "Operator"}, activator.Operator, true},
		{"versioned first", map[string]string{"deppy.io/activator-class": "Operator", "deppy.io/v1alpha1/activator-class": "ResolveSet"}, activator.ResolveSet, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, asked := activator.ClassOf(c.annotations); got != c.want || asked != c.asked {
				t.Errorf("got %q, %v", got, asked)
			}
		})
	}
}

func parse(t *testing.T, text []byte) *value.Value {
	t.Helper()
	docs, err := yaml.Parse("manifest", text, value.Limits{})
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	return docs[0]
}
