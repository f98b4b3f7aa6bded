package chart_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	registration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// dir is the folder of the chart.
const dir = "../../../deployments/helm/dovetail"

// load reads the chart.
func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// parse reads values as YAML.
func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	values, err := chartutil.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// example reads one of the chart's own files of values.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// render does what `helm install shop` would send, the test hook last.
func render(c *chart.Chart, values map[string]any) (*release.Release, error) {
	install := action.NewInstall(&action.Configuration{Capabilities: chartutil.DefaultCapabilities, Log: func(string, ...any) {}})
	install.ClientOnly, install.DryRun, install.ReleaseName, install.Namespace = true, true, "shop", "store"
	install.KubeVersion = &chartutil.KubeVersion{Version: "v1.33.4", Major: "1", Minor: "33"}
	return install.Run(c, values)
}

// manifests are those of a release, hooks among them.
func manifests(r *release.Release) string {
	text := r.Manifest
	for _, hook := range r.Hooks {
		text += "\n---\n" + hook.Manifest
	}
	return text
}

// certificates are those of cert-manager.
var certificates = schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}

// types are those of the API that the chart uses.
func types() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(certificates, &unstructured.Unstructured{}) // whose types come with a controller
	for _, add := range []func(*runtime.Scheme) error{kubernetes.AddToScheme, monitoring.AddToScheme, registration.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // they are the same in every run
		}
	}
	return scheme
}

// object is one of the API.
type object interface {
	meta.Object
	runtime.Object
}

// decode reads objects strictly: a field that their type has not, or has twice, is an error.
func decode(text string) ([]object, error) {
	decoder := serializer.NewCodecFactory(types(), serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	var objects []object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(strings.TrimSpace(string(document))) == 0 {
			continue
		}
		decoded, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		objects = append(objects, decoded.(object))
	}
}
