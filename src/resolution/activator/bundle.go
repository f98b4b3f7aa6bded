package activator

import (
	"archive/tar"
	"bytes"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	apiVersion       = "core.rukpak.io/v1alpha1"
	plainProvisioner = "core-rukpak-io-plain" // of the manifests of a bundle
)

// provisioners are those that unpack bundles, by the media type; most catalogs do not give the one of operators.
var provisioners = map[string]string{
	"":            "core-rukpak-io-registry",
	"registry+v1": "core-rukpak-io-registry",
	"plain+v0":    plainProvisioner,
}

// Manifest is the BundleDeployment of an entity, as YAML.
func Manifest(e Entity) []byte {
	source := object("type", text("image"), "image", object("ref", text(e.Image)))
	return yaml.Marshal(deployment(e.Package, provisioners[e.MediaType], source))
}

// Wrapper is the BundleDeployment, as YAML, that installs a whole bundle: name is that of the
// resolution, url the place where the tar is served.
func Wrapper(name, url string) []byte {
	source := object("type", text("http"), "http", object("url", text(url)))
	return yaml.Marshal(deployment(name, plainProvisioner, source))
}

func deployment(name, provisioner string, source *value.Value) *value.Value {
	return object("apiVersion", text(apiVersion), "kind", text("BundleDeployment"), "metadata", object("name", text(name)),
		"spec", object("provisionerClassName", text(plainProvisioner),
			"template", object("spec", object("provisionerClassName", text(provisioner), "source", source))))
}

// Path is where the manifest of an entity lies in the bundle. Entities has checked that the name of the
// package leads nowhere else.
func Path(e Entity) string { return "manifests/" + e.Package + "-bd.yaml" }

// Bundle is the plain+v0 bundle of the entities, a tar. The same entities in the same order give
// the same bytes: no file has an owner, and all are of the beginning of 1970.
func Bundle(entities []Entity) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b) // a buffer refuses no write, and the headers are right
	for _, e := range entities {
		manifest := Manifest(e)
		_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: Path(e), Mode: 0o644, Size: int64(len(manifest)), ModTime: time.Unix(0, 0)})
		_, _ = w.Write(manifest)
	}
	_ = w.Close()
	return b.Bytes()
}

func text(s string) *value.Value { return value.NewString(s) }

// object makes a map of names, each followed by its value.
func object(pairs ...any) *value.Value {
	m := value.NewMap()
	for i := 0; i < len(pairs); i += 2 {
		m.Set(pairs[i].(string), pairs[i+1].(*value.Value))
	}
	return m
}
