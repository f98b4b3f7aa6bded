package chart_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// environment returns a variable of a container.
func environment(c core.Container, name string) string {
	for _, env := range c.Env {
		if env.Name == name {
			return env.Value
		}
	}
	return ""
}

// TestMemory makes sure that Go begins to collect before the kernel ends the process.
func TestMemory(t *testing.T) {
	for _, c := range []struct{ name, values, want string }{
		{"default", "", "429496729"}, // 512 MiB
		{"MiB", "{resources: {limits: {memory: 100Mi}}}", "83886080"},
		{"half a GiB more", "{resources: {limits: {memory: 1.5Gi}}}", "1288490188"},
		{"decimal", "{resources: {limits: {memory: 2G}}}", "1600000000"},
		{"bytes", "{resources: {limits: {memory: '1000000'}}}", "800000"},
		{"bytes as a number", "{resources: {limits: {memory: 4294967296}}}", "3435973836"},
		{"no limit", "{resources: {limits: {memory: null}}}", ""},
		{"own", "{env: [{name: GOMEMLIMIT, value: 10MiB}]}", "10MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, w := range newChecker(rendered(t, c.values)).workloads {
				container := w.pod.Spec.Containers[0]
				if container.Name != "dovetail" {
					continue
				}
				if got := environment(container, "GOMEMLIMIT"); got != c.want {
					t.Errorf("%s: %q, want %q", w.GetName(), got, c.want)
				}
				if n := len(slices.DeleteFunc(slices.Clone(container.Env), func(e core.EnvVar) bool { return e.Name != "GOMEMLIMIT" })); n > 1 {
					t.Errorf("%s has it %d times", w.GetName(), n)
				}
			}
		})
	}
}

// TestMemoryOfOne computes it from the limit of the service itself.
func TestMemoryOfOne(t *testing.T) {
	objects := rendered(t, everything+"mode: microservices\nservices: {layering: {resources: {limits: {memory: 1Gi}}}}\n")
	for _, w := range newChecker(objects).workloads {
		want := "429496729"
		if w.GetName() == "shop-dovetail-layering" {
			want = "858993459"
		}
		if container := w.pod.Spec.Containers[0]; container.Name == "dovetail" && environment(container, "GOMEMLIMIT") != want {
			t.Errorf("%s: %s, want %s", w.GetName(), environment(container, "GOMEMLIMIT"), want)
		}
	}
}

// TestNoAdminToken makes sure that the admin token is only for users: no pod and no monitor has it.
func TestNoAdminToken(t *testing.T) {
	release, err := render(load(t), parse(t, "{metrics: {serviceMonitor: {enabled: true}}}"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(manifests(release), "shop-dovetail-admin"); n != 1 { // the secret's own name
		t.Errorf("the secret is named %d times", n)
	}
	objects := rendered(t, "{metrics: {serviceMonitor: {enabled: true}}}")
	monitor := find[*monitoring.ServiceMonitor](t, objects, "shop-dovetail").Spec.Endpoints
	if len(monitor) != 1 || monitor[0].Authorization != nil || monitor[0].TargetPort.StrVal != "metrics" || monitor[0].Port != "" {
		t.Errorf("the monitor reads %+v", monitor)
	}
	test := find[*core.Pod](t, objects, "shop-dovetail-test").Spec.Containers[0]
	if !slices.Equal(test.Args, []string{"ready"}) || slices.ContainsFunc(test.Env, func(e core.EnvVar) bool { return e.ValueFrom != nil }) {
		t.Errorf("the test runs %v with %v", test.Args, test.Env)
	}
	for _, o := range objects { // and what needs no token is in no Service
		if service, ok := o.(*core.Service); ok {
			for _, port := range service.Spec.Ports {
				if port.TargetPort.StrVal != "http" {
					t.Errorf("the service %s has the port %s", o.GetName(), port.TargetPort.String())
				}
			}
		}
	}
	t.Run("a token of one's own", func(t *testing.T) {
		objects := rendered(t, "{metrics: {serviceMonitor: {enabled: true, tokenSecret: {name: prometheus}}}, test: {tokenSecret: {name: tester}}}")
		endpoint := find[*monitoring.ServiceMonitor](t, objects, "shop-dovetail").Spec.Endpoints[0]
		if endpoint.Port != "http" || endpoint.Authorization.Credentials.Name != "prometheus" {
			t.Errorf("the monitor reads %+v", endpoint)
		}
		test := find[*core.Pod](t, objects, "shop-dovetail-test").Spec.Containers[0]
		if !slices.Equal(test.Args, []string{"get", "cluster"}) {
			t.Errorf("the test runs %v", test.Args)
		}
	})
}

// TestScratch makes sure that no pod fills the disk of its node.
func TestScratch(t *testing.T) {
	for _, c := range valid {
		if strings.Contains(c.values, "emptyDir: {}") {
			continue // volumes of the user's own
		}
		t.Run(c.name, func(t *testing.T) {
			values := parse(t, c.values)
			if c.example != "" {
				values = parse(t, example(t, c.example)+"\n")
			}
			release, err := render(load(t), values)
			if err != nil {
				t.Fatal(err)
			}
			objects, err := decode(manifests(release))
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range newChecker(objects).workloads {
				resources := w.pod.Spec.Containers[0].Resources
				limit := resources.Limits[core.ResourceEphemeralStorage]
				if limit.IsZero() || resources.Requests.StorageEphemeral().IsZero() {
					t.Errorf("%s has no request or limit of ephemeral storage", w.GetName())
				}
				sum := resource.Quantity{}
				for _, v := range w.pod.Spec.Volumes {
					if v.EmptyDir == nil {
						continue
					}
					if v.EmptyDir.SizeLimit == nil {
						t.Errorf("%s: the volume %s has no limit", w.GetName(), v.Name)
						continue
					}
					sum.Add(*v.EmptyDir.SizeLimit)
				}
				if sum.Cmp(limit) >= 0 {
					t.Errorf("%s: the volumes may hold %s of %s", w.GetName(), sum.String(), limit.String())
				}
			}
		})
	}
}

// reaches describes what the pods of a component may reach: "53/TCP", and "80/TCP to 1" where there are peers.
func reaches(t *testing.T, objects []object, name string) []string {
	t.Helper()
	policy := find[*networking.NetworkPolicy](t, objects, name)
	if !slices.Contains(policy.Spec.PolicyTypes, networking.PolicyTypeEgress) {
		return []string{"everything"}
	}
	all := []string{}
	for _, rule := range policy.Spec.Egress {
		if len(rule.Ports) == 0 {
			all = append(all, fmt.Sprintf("all ports to %d", len(rule.To)))
		}
		for _, port := range rule.Ports {
			text := port.Port.String() + "/" + string(*port.Protocol)
			if len(rule.To) > 0 {
				text += fmt.Sprintf(" to %d", len(rule.To))
			}
			all = append(all, text)
		}
	}
	return all
}

func TestEgress(t *testing.T) {
	const mongo = "store: {type: mongodb, mongodb: {uri: 'mongodb://db'}}\n"
	for _, c := range []struct {
		name, values, object string
		want                 string
	}{
		{"an embedded store reaches nothing", "", "shop-dovetail", "53/TCP, 53/UDP"},
		{"the database", mongo, "shop-dovetail", "53/TCP, 53/UDP, 27017/TCP"},
		{"the database at its port", mongo + "networkPolicy: {destinations: {mongodb: {ports: [10255], to: [{ipBlock: {cidr: 10.1.2.3/32}}]}}}", "shop-dovetail", "53/TCP, 53/UDP, 10255/TCP to 1"},
		{"what settings name", "config: {oidc-issuer: 'https://issuer', instance-repo: 'https://git/repo', trace-endpoint: 'http://traces:4318'}", "shop-dovetail",
			"53/TCP, 53/UDP, 443/TCP, 443/TCP, 22/TCP, 4318/TCP"},
		{"several instance repositories", "instanceRepositories: [{name: eu, url: 'https://git/eu', clusters: [x]}]", "shop-dovetail", "53/TCP, 53/UDP, 443/TCP, 22/TCP"},
		{"Keystone", "config: {keystone: /etc/keystone/keystone.yaml}", "shop-dovetail", "53/TCP, 53/UDP, 443/TCP, 5000/TCP"},
		{"registries where they are named", "networkPolicy: {destinations: {registries: {to: [{ipBlock: {cidr: 10.0.0.0/8}}]}}}", "shop-dovetail", "53/TCP, 53/UDP, 443/TCP to 1"},
		{"the API server", "access: {tokenReview: {enabled: true}}", "shop-dovetail", "53/TCP, 53/UDP, 443/TCP, 6443/TCP"},
		{"the name service of the cluster", "networkPolicy: {destinations: {dns: {to: [{namespaceSelector: {}}]}}}", "shop-dovetail", "53/TCP to 1, 53/UDP to 1"},
		{"further rules", "networkPolicy: {egress: [{to: [{ipBlock: {cidr: 10.9.0.0/16}}]}]}", "shop-dovetail", "53/TCP, 53/UDP, all ports to 1"},
		{"without restriction", "networkPolicy: {restrictEgress: false}", "shop-dovetail", "everything"},
		{"a gateway reaches services only", "mode: microservices\nconfig: {oidc-issuer: 'https://issuer'}\n" + mongo, "shop-dovetail", "53/TCP, 53/UDP, 8080/TCP to 6"},
		{"a service behind it", "mode: microservices\n" + mongo, "shop-dovetail-layering", "53/TCP, 53/UDP, 27017/TCP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects := rendered(t, c.values)
			if got := strings.Join(reaches(t, objects, c.object), ", "); got != c.want {
				t.Errorf("reaches %s, want %s", got, c.want)
			}
		})
	}
}

// TestIngress makes sure of who reaches what: services behind a gateway are reached by it alone, metrics by the monitoring.
func TestIngress(t *testing.T) {
	objects := rendered(t, everything+"mode: microservices\n")
	pods := map[string]map[string]string{ // by who they are
		"gateway": {"app.kubernetes.io/name": "dovetail", "app.kubernetes.io/instance": "shop", "app.kubernetes.io/component": "gateway"},
		"test":    {"app.kubernetes.io/name": "dovetail", "app.kubernetes.io/instance": "shop", "app.kubernetes.io/component": "test"},
		"other":   {"app": "other"},
	}
	for _, c := range []struct {
		object, port, from string
		want               bool
	}{
		{"shop-dovetail", "http", "test", true},
		{"shop-dovetail", "http", "other", false},
		{"shop-dovetail", "metrics", "test", false},
		{"shop-dovetail-resources", "http", "gateway", true},
		{"shop-dovetail-resources", "http", "other", false},
		{"shop-dovetail-resources", "http", "test", false},
		{"shop-dovetail-resources", "metrics", "gateway", false},
	} {
		t.Run(c.object+" "+c.port+" from "+c.from, func(t *testing.T) {
			got := false
			for _, rule := range find[*networking.NetworkPolicy](t, objects, c.object).Spec.Ingress {
				if rule.Ports[0].Port.StrVal != c.port {
					continue
				}
				got = got || len(rule.From) == 0
				for _, peer := range rule.From {
					if peer.NamespaceSelector != nil || peer.PodSelector == nil {
						continue // the ingress controller and the monitoring, in namespaces of their own
					}
					selector, err := meta.LabelSelectorAsSelector(peer.PodSelector)
					if err != nil {
						t.Fatal(err)
					}
					got = got || selector.Matches(labels.Set(pods[c.from]))
				}
			}
			if got != c.want {
				t.Errorf("reaches it: %v", got)
			}
		})
	}
}

// TestTLSOfGateway makes sure that the gateway has a certificate of its own, and of the services' only the CA.
func TestTLSOfGateway(t *testing.T) {
	objects := rendered(t, everything+"mode: microservices\ntls: {existingSecret: tls, internal: {existingSecret: tls-internal}}\n")
	for _, w := range newChecker(objects).workloads {
		container := w.pod.Spec.Containers[0]
		secrets := map[string]int{}
		for _, v := range w.pod.Spec.Volumes {
			if v.Secret != nil && strings.HasPrefix(v.Secret.SecretName, "tls") {
				secrets[v.Secret.SecretName] = len(v.Secret.Items) // 0 is all of it
			}
		}
		args := strings.Join(container.Args, " ")
		switch name := w.GetName(); name {
		case "shop-dovetail":
			if !strings.Contains(args, "--upstream-ca=/etc/dovetail/internal/ca.crt") || !strings.Contains(args, " https://shop-dovetail-resources:8080") || strings.Contains(args, "http://") {
				t.Errorf("the gateway runs %s", args)
			}
			if secrets["tls"] != 0 || secrets["tls-internal"] != 1 || len(secrets) != 2 {
				t.Errorf("the gateway mounts %v", secrets)
			}
		case "shop-dovetail-test":
			continue
		default:
			if _, has := secrets["tls-internal"]; !has || len(secrets) != 1 {
				t.Errorf("%s mounts %v", name, secrets)
			}
		}
		if !strings.Contains(args, "--tls-cert=/etc/dovetail/tls/tls.crt") || container.ReadinessProbe.HTTPGet.Scheme != core.URISchemeHTTPS {
			t.Errorf("%s runs %s, probed by %s", w.GetName(), args, container.ReadinessProbe.HTTPGet.Scheme)
		}
	}
}

// TestTokenReview makes sure that pods get the right to ask whose a token is, and no other.
func TestTokenReview(t *testing.T) {
	for _, o := range rendered(t, "") {
		if _, ok := o.(*rbac.ClusterRoleBinding); ok {
			t.Error("there is a binding without access.tokenReview")
		}
	}
	objects := rendered(t, everything+"mode: microservices\naccess: {tokenReview: {enabled: true, audience: store}}\n")
	binding := find[*rbac.ClusterRoleBinding](t, objects, "store-shop-dovetail-tokens")
	if binding.RoleRef.Name != "system:auth-delegator" || len(binding.Subjects) != 1 || binding.Subjects[0].Name != "shop-dovetail" || binding.Subjects[0].Namespace != "store" {
		t.Errorf("%+v", binding)
	}
	for _, w := range newChecker(objects).workloads {
		args := strings.Join(w.pod.Spec.Containers[0].Args, " ")
		mounted := slices.ContainsFunc(w.pod.Spec.Containers[0].VolumeMounts, func(m core.VolumeMount) bool { return m.MountPath == "/var/run/secrets/kubernetes.io/serviceaccount" })
		serves := strings.HasPrefix(args, "serve ")
		if mounted != serves || serves != strings.Contains(args, "--token-review=on --token-review-audience=store") {
			t.Errorf("%s runs %s, with a token of the cluster: %v", w.GetName(), args, mounted)
		}
	}
}
