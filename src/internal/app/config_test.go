package app_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

// defaults is the configuration of `dovetail serve`.
func defaults() app.Config {
	return app.Config{Store: "bolt:./data/dovetail.db", Listen: "127.0.0.1:8080", Services: []string{"changeset", "descriptor", "layering", "override", "resolution", "resources"}, OverrideMode: "paramset", History: 100_000, HistorySize: 1 << 30,
		Audit: "off", AuditRetention: 2160 * time.Hour, ScrubInterval: 24 * time.Hour, OIDCAudience: "dovetail", OIDCScopes: "openid profile email", OIDCName: "sub", OIDCGroups: "groups", OIDCNamePrefix: "oidc:", OIDCGroupsPrefix: "oidc:",
		TokenReview:      app.TokenReview{Audience: "dovetail"},
		Kubernetes:       app.Kubernetes{CAFile: "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", TokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token"},
		RepositoryBranch: "main", RepositoryInterval: 30 * time.Second,
		LeaseTime: 15 * time.Second, HistoryTime: -1, APIProfile: "dovetail", LayeringProfile: "dovetail", ArtifactRegistries: true, MaxArtifact: 16 << 20, MaxSource: 32 << 20, ArtifactTimeout: 20 * time.Second,
		LogFormat: "text", LogLevel: slog.LevelInfo, MaxBody: 16 << 20, MaxBatch: 64 << 20, MaxConnections: 20000,
		QueueLength: 1000, QueueWait: 10 * time.Second, Refusals: 20, RequestTimeout: 30 * time.Second, ShutdownTimeout: 15 * time.Second}
}

func hosts(t *testing.T, patterns ...string) outbound.Hosts {
	t.Helper()
	h, err := outbound.ParseHosts(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// load reads a configuration whose file, if it has a text, is named by the flag.
func load(t *testing.T, flags, env map[string]string, file string) (app.Config, error) {
	t.Helper()
	given := make(map[string]string)
	for name, text := range flags {
		given[name] = text
	}
	if file != "" {
		given["config"] = filepath.Join(t.TempDir(), "dovetail.yaml")
		if err := os.WriteFile(given["config"], []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return app.Load(given, func(name string) (string, bool) { text, ok := env[name]; return text, ok })
}

func TestLoad(t *testing.T) {
	for _, test := range []struct {
		name       string
		flags, env map[string]string
		file       string
		want       func(*app.Config)
	}{
		{name: "defaults", want: func(*app.Config) {}},
		{name: "flags go first", flags: map[string]string{"listen": ":1"}, env: map[string]string{"DOVETAIL_LISTEN": ":2"}, file: "listen: :3",
			want: func(c *app.Config) { c.Listen = ":1" }},
		{name: "then the environment", env: map[string]string{"DOVETAIL_LISTEN": ":2"}, file: "listen: :3",
			want: func(c *app.Config) { c.Listen = ":2" }},
		{name: "then the file", file: "listen: ':3'", want: func(c *app.Config) { c.Listen = ":3" }},
		{name: "an empty flag is given", flags: map[string]string{"ref-schemas": ""}, env: map[string]string{"DOVETAIL_REF_SCHEMAS": "x"},
			want: func(*app.Config) {}},
		{name: "all of them", file: `
store: bolt:/tmp/x.db
ref-schemas: schemas
services: [resources, resources]
access: access.yaml
encryption-key-file: main.key
credential-keys: credential.keys
anonymous: anywhere
oidc-issuer: https://issuer
tls-cert: cert.pem
tls-key: key.pem
audit: keep
audit-retention: 2h
audit-policy: audit.yaml
scrub-interval: 3h
oidc-audience: us
oidc-client-id: ui
oidc-scopes: openid offline_access
oidc-name-claim: email
oidc-groups-claim: roles
oidc-username-prefix: 'corp:'
oidc-groups-prefix: '-'
client-ca: ca.pem
client-auth: require
token-review: 'on'
token-review-audience: store
keystone: keystone.yaml
front-proxy: 'on'
front-proxy-ca: proxies.pem
front-proxy-names: front, aggregator
subject-access-review: 'on'
kubernetes-server: https://cluster
kubernetes-ca: k8s.pem
kubernetes-token-file: k8s.token
public-url: https://dovetail/
lease-time: 2s
instance-repo: https://git.example.com/x.git
branch: dev
instance-repo-interval: 5s
instance-repo-webhook-secret-file: hook
instance-repo-credentials: c.yaml
instance-repo-clone: clone
instance-repo-first: replace
instance-repo-commit-url: "https://git.example.com/x/commit/{commit}"
references: warn
api-profile: emco
layering-profile: deckhand
deckhand-policy: policy.yaml
history: 10
history-size: 2MiB
history-time: 1h
sd-namespaces: enforce
override-mode: effective-set
artifact-hosts: [registry-definitions, "http://127.0.0.1:8081"]
max-artifact: 2MiB
artifact-timeout: 5s
webhooks: hooks.yaml
webhook-hosts: ["http://127.0.0.1:8082"]
source-hosts: ["http://127.0.0.1:8083"]
source-credentials: s.yaml
max-source: 3MiB
log-format: json
log-level: debug
max-body: 1MiB
max-batch: 1024
max-bodies: 1GiB
max-connections: 100
rate: 50
rate-burst: 200
max-requests: 10
cors-origins: [https://a.example, "http://b.example:81"]
trace-endpoint: http://collector:4318
pprof: 127.0.0.1:6060
concurrency: 8
queue-length: 20
queue-wait: 5s
request-timeout: 1m30s
shutdown-timeout: 1s
refusal-rate: 7
`, want: func(c *app.Config) {
			*c = app.Config{Store: "bolt:/tmp/x.db", Listen: c.Listen, RefSchemas: "schemas", Services: []string{"resources"}, NamedServices: []string{"resources"},
				TLSCert: "cert.pem", TLSKey: "key.pem", Audit: "keep", AuditRetention: 2 * time.Hour, AuditPolicy: "audit.yaml", ScrubInterval: 3 * time.Hour, Access: "access.yaml", EncryptionKeys: "main.key", CredentialKeys: "credential.keys", Anonymous: true, OIDCIssuer: "https://issuer", OIDCAudience: "us", OIDCClientID: "ui", OIDCScopes: "openid offline_access", OIDCName: "email", OIDCGroups: "roles", OIDCNamePrefix: "corp:",
				ClientCA: "ca.pem", RequireClient: true, TokenReview: app.TokenReview{Enabled: true, Audience: "store"}, Keystone: "keystone.yaml",
				AccessReview: true, FrontProxy: app.FrontProxy{Enabled: true, CAFile: "proxies.pem", Names: []string{"front", "aggregator"}}, Kubernetes: app.Kubernetes{Server: "https://cluster", CAFile: "k8s.pem", TokenFile: "k8s.token"},
				PublicURL: "https://dovetail", LeaseTime: 2 * time.Second,
				Repository: "https://git.example.com/x.git", RepositoryBranch: "dev", RepositoryInterval: 5 * time.Second, RepositoryWebhook: "hook", RepositoryCredentials: "c.yaml",
				RepositoryClone: "clone", RepositoryReplaces: true, RepositoryCommitURL: "https://git.example.com/x/commit/{commit}",
				WeakReferences: true, APIProfile: "emco", LayeringProfile: "deckhand", DeckhandPolicy: "policy.yaml", History: 10, HistorySize: 2 << 20, HistoryTime: time.Hour, EnforceNamespaces: true, OverrideMode: "effective-set", ArtifactHosts: hosts(t, "http://127.0.0.1:8081"), ArtifactRegistries: true, MaxArtifact: 2 << 20, ArtifactTimeout: 5 * time.Second, Webhooks: "hooks.yaml", WebhookHosts: hosts(t, "http://127.0.0.1:8082"), SourceHosts: hosts(t, "http://127.0.0.1:8083"), SourceCredentials: "s.yaml", MaxSource: 3 << 20, LogFormat: "json", LogLevel: slog.LevelDebug, MaxBody: 1 << 20, MaxBatch: 1024,
				MaxBodies: 1 << 30, MaxConnections: 100, Rate: 50, Burst: 200, AtOnce: 10, Origins: []string{"https://a.example", "http://b.example:81"},
				TraceEndpoint: "http://collector:4318", Pprof: "127.0.0.1:6060",
				Concurrency: 8, QueueLength: 20, QueueWait: 5 * time.Second, Refusals: 7, RequestTimeout: 90 * time.Second, ShutdownTimeout: time.Second}
		}},
		{name: "no host of artifacts", flags: map[string]string{"artifact-hosts": "none"}, want: func(c *app.Config) { c.ArtifactRegistries = false }},
		{name: "listed hosts of artifacts only", flags: map[string]string{"artifact-hosts": "maven.example.org, *.example.com:8443"},
			want: func(c *app.Config) {
				c.ArtifactRegistries, c.ArtifactHosts = false, hosts(t, "maven.example.org", "*.example.com:8443")
			}},
		{name: "an empty file", file: "# nothing\n", want: func(*app.Config) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := defaults()
			test.want(&want)
			got, err := load(t, test.flags, test.env, test.file)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
}

// Load reports all errors together, each with its position.
func TestLoadErrors(t *testing.T) {
	for _, test := range []struct {
		name       string
		flags, env map[string]string
		file       string
		want       []string
	}{
		{name: "values", flags: map[string]string{"log-level": "loud", "history": "0", "store": ""},
			env: map[string]string{"DOVETAIL_MAX_BODY": "many", "DOVETAIL_REQUEST_TIMEOUT": "-1s"}, file: "services: [resources, magic]\nreferences: yes\n",
			want: []string{
				`--store is "", but must be given`,
				`dovetail.yaml:1:11: services is "resources,magic", but must be all, or some of resources, descriptor`,
				`dovetail.yaml:2:13: references is "yes", but must be strict or warn`,
				`--history is "0", but must be a whole number from 1`,
				`--log-level is "loud", but must be debug or info or warn or error`,
				`DOVETAIL_MAX_BODY is "many", but must be a size, as 16MiB or 65536`,
				`DOVETAIL_REQUEST_TIMEOUT is "-1s", but must be a time, as 30s or 1m30s`,
			}},
		{name: "members of the file", file: "port: 8080\nlisten: {host: x}\nconfig: other.yaml\nservices: [[a]]\n", want: []string{
			"dovetail.yaml:1:1: unknown setting port", "dovetail.yaml:2:9: listen cannot be a map",
			"dovetail.yaml:3:1: unknown setting config", "dovetail.yaml:4:11: services cannot be a list"}},
		{name: "bounds", flags: map[string]string{"rate": "-1", "max-connections": "0", "cors-origins": "https://a.example, *"}, want: []string{
			`--cors-origins is "https://a.example, *", but must be origins, as https://portal.example.org`,
			`--max-connections is "0", but must be a whole number from 1`, `--rate is "-1", but must be a whole number from 0`}},
		{name: "hosts of artifacts", flags: map[string]string{"artifact-hosts": "none, ftp://x"}, want: []string{
			`--artifact-hosts is "none, ftp://x", but must be registry-definitions, none, or hosts: "ftp://x" is no host such as`}},
		{name: "an address of commits", flags: map[string]string{"instance-repo-commit-url": "https://git.example.com/x"}, want: []string{
			`--instance-repo-commit-url is "https://git.example.com/x", but must be an http or https URL without user and password, and with {commit} once`}},
		{name: "an empty list of hosts", flags: map[string]string{"artifact-hosts": ""}, want: []string{`"" is no host such as`}},
		{name: "a list", file: "- listen\n", want: []string{"dovetail.yaml:1:1: the configuration file must hold one object"}},
		{name: "syntax", file: "listen: [\n", want: []string{"dovetail.yaml:"}},
		{name: "no file", flags: map[string]string{"config": "/nowhere/dovetail.yaml"}, want: []string{"dovetail.yaml: the configuration file cannot be read"}},
		{name: "sizes", flags: map[string]string{"max-body": "9999999GiB", "max-batch": "-1"}, want: []string{
			`--max-body is "9999999GiB", but must be a size, as 16MiB or 65536`, `--max-batch is "-1", but must be a size, as 16MiB or 65536`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, test.flags, test.env, test.file)
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			failure := dovetail.AsError(err)
			parts := failure.Errors
			if len(parts) == 0 {
				parts = []*dovetail.Error{failure}
			}
			if len(parts) != len(test.want) {
				t.Fatalf("got %d errors, want %d: %v", len(parts), len(test.want), err)
			}
			for i, want := range test.want {
				if got := parts[i].Error(); !strings.Contains(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

// Every setting has a usage, and a default that Load accepts.
func TestSettings(t *testing.T) {
	given := make(map[string]string)
	for _, s := range app.Settings() {
		if s.Usage == "" {
			t.Errorf("%s has no usage", s.Name)
		}
		given[s.Name] = s.Default
	}
	got, err := app.Load(given, nil)
	if err != nil || !reflect.DeepEqual(got, defaults()) {
		t.Errorf("got %+v, %v", got, err)
	}
	if name := cli.EnvironmentName("log-format"); name != "DOVETAIL_LOG_FORMAT" {
		t.Errorf("got %s", name)
	}
}
