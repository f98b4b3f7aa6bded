package schema

import "testing"

func TestKebab(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"app", "app"},
		{"compositeApp", "composite-app"},
		{"genericK8sIntent", "generic-k8s-intent"},
		{"clusterKv", "cluster-kv"},
		{"caCertLc", "ca-cert-lc"},
		{"HTTPRoute", "http-route"},
		{"paramSetURL", "param-set-url"},
		{"v2Intent", "v2-intent"},
		{"snake_case", "snake-case"},
		{"Snake_Case", "snake-case"},
		{"already-kebab", "already-kebab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := kebab(c.name); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPlural(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"app", "apps"}, {"policy", "policies"}, {"class", "classes"}, {"key", "keys"}, {"public-key", "public-keys"},
		{"status", "statuses"}, {"alias", "aliases"}, {"analysis", "analyses"}, {"settings", "settings"}, {"proxy", "proxies"},
		{"index", "indexes"}, {"branch", "branches"}, {"mesh", "meshes"}, {"generic-k8s-intent", "generic-k8s-intents"},
		{"hpa-consumer", "hpa-consumers"}, {"y", "ys"}, {"k8s", "k8s"}, {"day", "days"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plural(c.name); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
