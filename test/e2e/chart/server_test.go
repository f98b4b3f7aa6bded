package chart_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/schema"
)

// rendered are the objects for values.
func rendered(t *testing.T, values string) []object {
	t.Helper()
	release, err := render(load(t), parse(t, values))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := decode(manifests(release))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// find returns the object of a type with a name.
func find[T object](t *testing.T, objects []object, name string) T {
	t.Helper()
	for _, o := range objects {
		if typed, ok := o.(T); ok && o.GetName() == name {
			return typed
		}
	}
	var none T
	t.Fatalf("there is no %T %s", none, name)
	return none
}

// TestServerTakesIt loads what the pods are given as the server does: flags, settings and environment.
func TestServerTakesIt(t *testing.T) {
	cases := []struct{ name, values string }{
		{"default", ""},
		{"everything", everything},
		{"everything in microservices", everything + "mode: microservices\n"},
		{"TLS", "{tls: {existingSecret: tls}}"},
		{"anonymous", "{access: {anonymous: true}}"},
		{"TLS everywhere", everything + "mode: microservices\ntls: {existingSecret: tls, internal: {existingSecret: tls-internal}}\n"},
		{"tokens of the cluster", "{access: {tokenReview: {enabled: true}}}"},
		{"the Kubernetes API", "{apiService: {enabled: true}}"},
		{"the Kubernetes API of microservices", everything + "mode: microservices\napiService: {enabled: true, from: [{ipBlock: {cidr: 10.0.0.1/32}}]}\n"},
		{"limits of the gateway", everything + "mode: microservices\ntrustedProxies: [10.0.0.0/8, 'fd00::/8']\ngatewayConfig: {rate: 100, max-requests: 1000000, request-timeout: 2m}\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			objects := rendered(t, c.values)
			settings := filepath.Join(t.TempDir(), "settings.yaml")
			text := find[*core.ConfigMap](t, objects, "shop-dovetail-settings").Data["settings.yaml"]
			if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			served := 0
			for _, w := range newChecker(objects).workloads {
				args := w.pod.Spec.Containers[0].Args
				gateway := args[0] == "gateway"
				switch {
				case args[0] == "serve":
					served++
				case !gateway:
					continue
				}
				given := make(map[string]string)
				for _, arg := range args[1:] {
					if gateway && strings.HasPrefix(arg, "http") {
						continue
					}
					name, value, found := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
					if !found {
						t.Errorf("%s: the argument %s has no value", w.GetName(), arg)
					}
					given[name] = value
				}
				if !gateway {
					given["config"] = settings
				}
				for name := range given {
					if !slices.ContainsFunc(app.Settings(), func(s cli.Setting) bool { return s.Name == name }) {
						t.Errorf("%s: the server knows no setting %s", w.GetName(), name)
					}
				}
				config, err := app.Load(given, func(string) (string, bool) { return "", false })
				if err != nil {
					t.Errorf("%s: %v", w.GetName(), err)
				}
				if config.MetricsListen != ":9090" {
					t.Errorf("%s: metrics at %q", w.GetName(), config.MetricsListen)
				}
				if config.LogFormat != "json" {
					t.Errorf("%s: the settings are not read", w.GetName())
				}
			}
			if served == 0 {
				t.Error("nothing serves")
			}
		})
	}
}

// TestServicesAreThoseOfTheServer makes sure that the chart knows every service, and no other.
func TestServicesAreThoseOfTheServer(t *testing.T) {
	config, err := app.Load(map[string]string{"services": "all"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	services, ok := load(t).Values["services"].(map[string]any)
	if !ok {
		t.Fatal("the chart has no services")
	}
	if len(services) != len(config.Services) {
		t.Errorf("the chart has %d services, the server %d", len(services), len(config.Services))
	}
	for _, name := range config.Services {
		if _, known := services[name]; !known {
			t.Errorf("the chart does not know the service %s", name)
		}
	}
}

// TestOwnAccess reads the access policy file that the chart makes by default.
func TestOwnAccess(t *testing.T) {
	objects := rendered(t, "")
	token := find[*core.Secret](t, objects, "shop-dovetail-admin").StringData["token"]
	text := find[*core.Secret](t, objects, "shop-dovetail-access").StringData["access.yaml"]
	if _, err := access.Parse("access.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(token))
	if !strings.HasPrefix(token, "dovetail_") || len(token) < 50 || !strings.Contains(text, hex.EncodeToString(digest[:])) {
		t.Errorf("the token of %d characters is not the one of\n%s", len(token), text)
	}
	if again := find[*core.Secret](t, rendered(t, ""), "shop-dovetail-admin").StringData["token"]; again == token {
		t.Error("two installations have the same token")
	}
}

// TestRefSchemas compiles what the pods mount.
func TestRefSchemas(t *testing.T) {
	dir := t.TempDir()
	for name, text := range find[*core.ConfigMap](t, rendered(t, everything), "shop-dovetail-ref-schemas").Data {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := schema.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"cluster", "shop"} {
		if _, known := model.Kind(kind); !known {
			t.Errorf("the schema has no %s", kind)
		}
	}
}

// TestSettingsOfOne lays the settings of one service over those of all, "no" among them.
func TestSettingsOfOne(t *testing.T) {
	objects := rendered(t, everything+"mode: microservices\nservices: {layering: {replicas: 1, autoscaling: {enabled: false}, podDisruptionBudget: {enabled: false}}}\n")
	counts := make(map[string]int)
	for _, o := range objects {
		counts[o.GetObjectKind().GroupVersionKind().Kind]++
		if kind := o.GetObjectKind().GroupVersionKind().Kind; o.GetName() == "shop-dovetail-layering" && (kind == "HorizontalPodAutoscaler" || kind == "PodDisruptionBudget") {
			t.Errorf("there is a %s of layering", kind)
		}
	}
	if counts["HorizontalPodAutoscaler"] != 6 || counts["PodDisruptionBudget"] != 6 || counts["Deployment"] != 7 {
		t.Errorf("objects: %v", counts)
	}
}
