package chart_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// valid are values that the chart accepts.
var valid = []struct {
	name     string
	example  string // one of the chart's own files, below the values
	values   string
	external []string // config maps and secrets that must be there
	kinds    string   // of the workloads, by name
}{
	{name: "default", kinds: "StatefulSet/shop-dovetail"},
	{name: "embedded", example: "values-embedded.yaml", kinds: "StatefulSet/shop-dovetail"},
	{name: "single", example: "values-single.yaml", external: []string{"dovetail-mongodb"}, kinds: "Deployment/shop-dovetail"},
	{name: "microservices", example: "values-microservices.yaml", external: []string{"dovetail-mongodb"},
		kinds: "Deployment/shop-dovetail Deployment/shop-dovetail-changeset Deployment/shop-dovetail-descriptor Deployment/shop-dovetail-layering Deployment/shop-dovetail-override Deployment/shop-dovetail-resolution Deployment/shop-dovetail-resources"},
	{name: "a service left out", example: "values-microservices.yaml", values: "{services: {layering: null, resolution: null}}", external: []string{"dovetail-mongodb"},
		kinds: "Deployment/shop-dovetail Deployment/shop-dovetail-changeset Deployment/shop-dovetail-descriptor Deployment/shop-dovetail-override Deployment/shop-dovetail-resources"},
	{name: "URI in the values", values: "{store: {type: mongodb, mongodb: {uri: 'mongodb://db/dovetail'}}}", kinds: "Deployment/shop-dovetail"},
	{name: "anonymous", values: "{access: {anonymous: true}}", kinds: "StatefulSet/shop-dovetail"},
	{name: "own access policy file", values: "{access: {file: 'bindings: [{role: viewer, users: [\"*\"]}]'}}", kinds: "StatefulSet/shop-dovetail"},
	{name: "secret of access", values: "{access: {existingSecret: who, key: file.yaml}}", external: []string{"who"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "TLS", values: "{tls: {existingSecret: tls}, metrics: {serviceMonitor: {enabled: true}}}", external: []string{"tls"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "TLS everywhere", example: "values-microservices.yaml", values: "{tls: {existingSecret: tls, internal: {existingSecret: tls-internal}}, metrics: {serviceMonitor: {enabled: true}}}",
		external: []string{"dovetail-mongodb", "tls", "tls-internal"},
		kinds:    "Deployment/shop-dovetail Deployment/shop-dovetail-changeset Deployment/shop-dovetail-descriptor Deployment/shop-dovetail-layering Deployment/shop-dovetail-override Deployment/shop-dovetail-resolution Deployment/shop-dovetail-resources"},
	{name: "tokens of the cluster", values: "{access: {tokenReview: {enabled: true}}}", external: []string{"kube-root-ca.crt"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "in the Kubernetes API", values: "{apiService: {enabled: true}}", external: []string{"kube-root-ca.crt"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "in the Kubernetes API by cert-manager", values: "{apiService: {enabled: true, certManager: {issuerRef: {name: internal, kind: ClusterIssuer}}}}", external: []string{"kube-root-ca.crt", "shop-dovetail-api"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "in the Kubernetes API with a certificate", values: "{tls: {existingSecret: tls}, apiService: {enabled: true, caBundle: '-----BEGIN CERTIFICATE-----'}}", external: []string{"kube-root-ca.crt", "tls"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "microservices in the Kubernetes API", example: "values-microservices.yaml", values: "{apiService: {enabled: true}, services: {layering: null, resolution: null}}", external: []string{"kube-root-ca.crt", "dovetail-mongodb"},
		kinds: "Deployment/shop-dovetail Deployment/shop-dovetail-changeset Deployment/shop-dovetail-descriptor Deployment/shop-dovetail-override Deployment/shop-dovetail-resources"},
	{name: "config map of ref-schemas", values: "{refSchemas: {existingConfigMap: kinds}}", external: []string{"kinds"}, kinds: "StatefulSet/shop-dovetail"},
	{name: "everything", values: everything, external: []string{"keys", "pull", "tls-shop", "git-eu", "git-hosts"}, kinds: "Deployment/shop-dovetail"},
	{name: "everything in microservices", values: everything + "mode: microservices\n", external: []string{"keys", "pull", "tls-shop", "git-eu", "git-hosts"},
		kinds: "Deployment/shop-dovetail Deployment/shop-dovetail-changeset Deployment/shop-dovetail-descriptor Deployment/shop-dovetail-layering Deployment/shop-dovetail-override Deployment/shop-dovetail-resolution Deployment/shop-dovetail-resources"},
	{name: "long names", values: "{fullnameOverride: a-name-that-is-much-longer-than-kubernetes-allows-for-the-names-of-services, mode: microservices, store: {type: mongodb, mongodb: {uri: 'mongodb://db/d'}}}",
		kinds: "Deployment/a-name-that-is-much-longer-than-kubernetes-al Deployment/a-name-that-is-much-longer-than-kubernetes-al-changeset Deployment/a-name-that-is-much-longer-than-kubernetes-al-descriptor Deployment/a-name-that-is-much-longer-than-kubernetes-al-layering Deployment/a-name-that-is-much-longer-than-kubernetes-al-override Deployment/a-name-that-is-much-longer-than-kubernetes-al-resolution Deployment/a-name-that-is-much-longer-than-kubernetes-al-resources"},
}

// everything switches on all that can be together.
const everything = `
image: {digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}
imagePullSecrets: [{name: pull}]
commonLabels: {team: stores}
store: {type: mongodb, mongodb: {uri: "mongodb://user:p%40ss@db:27017/dovetail?tls=true"}}
config: {request-timeout: 1m, max-body: 1MiB, audit: log, log-level: debug}
refSchemas: {extra: {shop.yaml: "resources:\n  - name: shop\n"}}
encryption: {existingSecret: keys, key: keys}
instanceRepositories: [{name: eu, url: "https://git/eu.git", branch: live, clusters: ["eu-*"], existingSecret: git-eu, credentialKeys: keys}, {name: us, url: "https://git/us.git", clusters: ["*"], new: true}]
gitWebhook: {existingSecret: git-hosts, key: hook}
replicas: 3
autoscaling: {enabled: true}
podAnnotations: {example.com/a: b}
podLabels: {a: b}
nodeSelector: {disk: fast}
tolerations: [{key: a, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: b}}}]
priorityClassName: high
env: [{name: HTTPS_PROXY, value: "http://proxy:3128"}]
extraVolumes: [{name: more, emptyDir: {}}]
extraVolumeMounts: [{name: more, mountPath: /more}]
serviceAccount: {annotations: {a: b}}
service: {type: NodePort, nodePort: 30080, annotations: {a: b}}
ingress: {enabled: true, className: nginx, annotations: {a: b}, tls: [{secretName: tls-shop, hosts: [dovetail.example]}]}
networkPolicy:
  from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]
  monitoring: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
  egress: [{ports: [{port: 53, protocol: UDP}, {port: 27017, protocol: TCP}]}]
metrics: {serviceMonitor: {enabled: true, labels: {a: b}}, rules: {enabled: true, labels: {a: b}}, dashboards: {enabled: true}}
`

// raising finds where the notes raise the protocol level.
var raising = regexp.MustCompile(`exec deployment/(\S+) -- /dovetail doctor --raise-protocol`)

// withStore reports whether a deployment is there whose pods know the database.
func withStore(objects []object, name string) bool {
	return slices.ContainsFunc(objects, func(o object) bool {
		d, is := o.(*apps.Deployment)
		return is && d.Name == name && slices.ContainsFunc(d.Spec.Template.Spec.Containers[0].Env, func(e core.EnvVar) bool { return e.Name == "DOVETAIL_STORE" })
	})
}

func TestRender(t *testing.T) {
	for _, c := range valid {
		t.Run(c.name, func(t *testing.T) {
			values := parse(t, c.values)
			if c.example != "" {
				values = chartutil.MergeTables(values, parse(t, example(t, c.example)))
			}
			release, err := render(load(t), values)
			if err != nil {
				t.Fatal(err)
			}
			objects, err := decode(manifests(release))
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range check(objects, c.external...) {
				t.Error(problem)
			}
			var kinds []string
			for _, o := range objects {
				if kind := o.GetObjectKind().GroupVersionKind().Kind; kind == "Deployment" || kind == "StatefulSet" {
					kinds = append(kinds, kind+"/"+o.GetName())
				}
			}
			slices.Sort(kinds)
			if got := strings.Join(kinds, " "); got != c.kinds {
				t.Errorf("workloads %s, want %s", got, c.kinds)
			}
			if strings.Contains(release.Info.Notes, "%!") || !strings.Contains(release.Info.Notes, "Dovetail") {
				t.Errorf("notes:\n%s", release.Info.Notes)
			}
			raises := raising.FindStringSubmatch(release.Info.Notes)
			if onMongo := strings.Contains(c.kinds, "Deployment"); onMongo != (raises != nil) || onMongo && !withStore(objects, raises[1]) {
				t.Errorf("on MongoDB the notes name a pod in which the protocol level can be raised:\n%s", release.Info.Notes)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	cases := []struct{ name, values, want string }{
		{"unknown mode", "{mode: both}", "/mode"},
		{"microservices on an embedded store", "{mode: microservices}", "/store/type"},
		{"MongoDB without where", "{store: {type: mongodb}}", "/store/mongodb"},
		{"no URI of MongoDB", "{store: {type: mongodb, mongodb: {uri: 'postgres://db'}}}", "/store/mongodb/uri"},
		{"unknown value", "{replica: 3}", "replica"},
		{"unknown value of a service", "{services: {resources: {replica: 3}}}", "replica"},
		{"unknown service", "{services: {paramset: {}}}", "paramset"},
		{"no replicas", "{replicas: 0}", "/replicas"},
		{"setting of the chart among those of the server", "{config: {listen: ':80'}}", "listen"},
		{"file of ref-schemas without an ending", "{refSchemas: {extra: {shop: 'resources: []'}}}", "shop"},
		{"no ref-schema", "{refSchemas: {builtIn: false}}", "refSchemas.extra"},
		{"anonymous with an access policy file", "{access: {anonymous: true, file: 'roles: []'}}", "access.anonymous"},
		{"TLS of services without a gateway", "{tls: {internal: {existingSecret: tls}}}", "tls.internal"},
		{"a token for metrics of services with certificates", "{mode: microservices, store: {type: mongodb, mongodb: {uri: 'mongodb://db'}}, tls: {internal: {existingSecret: tls}}, metrics: {serviceMonitor: {tokenSecret: {name: t}}}}", "tokenSecret"},
		{"tokens of the cluster where no token is asked for", "{access: {anonymous: true, tokenReview: {enabled: true}}}", "access.tokenReview"},
		{"tokens of the cluster with the service account of all pods", "{access: {tokenReview: {enabled: true}}, serviceAccount: {create: false}}", "serviceAccount"},
		{"the Kubernetes API without authentication", "{access: {anonymous: true}, apiService: {enabled: true}}", "apiService.enabled"},
		{"the Kubernetes API with the service account of all pods", "{apiService: {enabled: true}, serviceAccount: {create: false}}", "serviceAccount"},
		{"the Kubernetes API behind a limit of peers", "{apiService: {enabled: true}, networkPolicy: {from: [{podSelector: {}}]}}", "apiService.from"},
		{"groups that the chart cannot know", "{apiService: {enabled: true}, refSchemas: {existingConfigMap: kinds}}", "apiService.groups"},
		{"a certificate of an unknown CA", "{apiService: {enabled: true}, tls: {existingSecret: tls}}", "apiService.caBundle"},
		{"a group of others", "{apiService: {enabled: true, groups: [apps]}}", "/apiService/groups/0"},
		{"setting of no gateway", "{gatewayConfig: {access: x}}", "access"},
		{"metrics at the port of the API", "{metrics: {port: 8080}}", "/metrics/port"},
		{"metrics by a setting", "{config: {metrics-listen: ':80'}}", "metrics-listen"},
		{"proxy by name", "{trustedProxies: [ingress]}", "/trustedProxies/0"},
		{"unknown destination", "{networkPolicy: {destinations: {internet: {}}}}", "internet"},
		{"port of a destination that is none", "{networkPolicy: {destinations: {git: {ports: [https]}}}}", "/networkPolicy/destinations/git/ports/0"},
		{"limit of memory that is none", "{resources: {limits: {memory: much}}}", "/resources/limits/memory"},
		{"size of a volume that is none", "{scratch: {tmp: big}}", "/scratch/tmp"},
		{"an instance repository without clusters", "{instanceRepositories: [{name: eu, url: u}]}", "clusters"},
		{"one instance repository beside several", "{config: {instance-repo: u}, instanceRepositories: [{name: eu, url: u, clusters: [x]}]}", "instanceRepositories"},
		{"a webhook of no instance repository", "{gitWebhook: {existingSecret: hook}}", "gitWebhook.existingSecret"},
		{"a secret of Git hosts as a setting", "{config: {instance-repo-webhook-secret-file: x}}", "instance-repo-webhook-secret-file"},
		{"keys of no Secret", "{instanceRepositories: [{name: eu, url: u, clusters: [x], credentialKeys: keys}]}", "/instanceRepositories/0"},
		{"digest that is none", "{image: {digest: latest}}", "/image/digest"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := render(load(t), parse(t, c.values))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %s", err, c.want)
			}
		})
	}
}

func TestLint(t *testing.T) {
	for _, c := range valid {
		t.Run(c.name, func(t *testing.T) {
			values := parse(t, c.values)
			if c.example != "" {
				values = chartutil.MergeTables(values, parse(t, example(t, c.example)))
			}
			result := lint.AllWithKubeVersion(dir, values, "store", &chartutil.KubeVersion{Version: "v1.33.4", Major: "1", Minor: "33"})
			for _, m := range result.Messages {
				if m.Severity >= support.WarningSev {
					t.Error(m)
				}
			}
		})
	}
}

// TestCheck makes sure that the check of the other tests finds something.
func TestCheck(t *testing.T) {
	good, err := render(load(t), parse(t, everything))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, from, to, want string }{
		{"selector", "  selector:\n    app.kubernetes.io/name: dovetail", "  selector:\n    app.kubernetes.io/name: other", "selects the pods of []"},
		{"port", "targetPort: http", "targetPort: web", "wants the port web"},
		{"secret", "name: shop-dovetail-store, key", "name: another, key", "reads the secret another"},
		{"config map", "configMap: {name: shop-dovetail-settings}", "configMap: {name: another}", "mounts the config map another"},
		{"part of a volume", "mountPath: /etc/dovetail/ref-schemas,", "subPath: a, mountPath: /etc/dovetail/ref-schemas,", "mounts a part"},
		{"root", "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"},
		{"capabilities", "- ALL", "- CHOWN", "capabilities"},
		{"writable", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "can write"},
		{"probe", "path: /readyz, port: http", "path: /readyz, port: web", "no readiness probe"},
		{"scaled", "kind: Deployment, name: shop-dovetail}", "kind: Deployment, name: another}", "scales another"},
		{"label", "app.kubernetes.io/managed-by: Helm", "other: Helm", "has no label app.kubernetes.io/managed-by"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := manifests(good)
			if !strings.Contains(text, c.from) {
				t.Fatalf("%q does not stand in\n%s", c.from, text)
			}
			objects, err := decode(strings.ReplaceAll(text, c.from, c.to))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(check(objects, "keys", "pull", "tls-shop", "git-eu"), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
	t.Run("unknown field", func(t *testing.T) {
		if _, err := decode(strings.Replace(manifests(good), "revisionHistoryLimit:", "revisionHistory:", 1)); err == nil {
			t.Error("decoded")
		}
	})
}
