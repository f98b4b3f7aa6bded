package app

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/server/forwarded"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/resolution"
)

// defaultBranch is that of --instance-repo.
const defaultBranch = "main"

// Config is the configuration of a server. Load makes it.
type Config struct {
	Store      string // "bolt:PATH", or "mongodb://..."
	Listen     string // "HOST:PORT"; an empty host is every interface, port 0 any free one
	RefSchemas string // directory or file; "" means those built into the program
	Services   []string
	// NamedServices are those of Services that are named, rather than meant by "all".
	NamedServices []string

	TLSCert, TLSKey string // PEM files; "" serves without TLS

	// Proxies are believed about the address that a request comes from.
	Proxies forwarded.Proxies
	// Upstream* are PEM files of a gateway: the CA of its servers, "" for what the machine trusts, and the certificate
	// that it shows them, "" if there is none.
	UpstreamCA, UpstreamCert, UpstreamKey string
	// MetricsListen is "HOST:PORT" to serve /metrics on without a token; "" for nowhere.
	MetricsListen string

	Access    string // file of roles, bindings and tokens; "" disables authentication
	Anonymous bool   // without Access, listen on addresses that others reach all the same
	// OIDCClientID and OIDCScopes are of the web UI at the provider; without the ID one cannot sign in there.
	OIDCClientID, OIDCScopes string
	// OIDC* are the provider whose tokens are accepted, "" if there is none, and what its tokens must and do say.
	OIDCIssuer, OIDCAudience, OIDCName, OIDCGroups string
	OIDCNamePrefix, OIDCGroupsPrefix               string // in front of its names and groups; "" if there is none

	ClientCA      string // PEM file with the CA certificates of client certificates; "" if there is none
	RequireClient bool   // refuse connections without a client certificate
	// Kubernetes is the API server that is asked about tokens, front proxies and rights.
	Kubernetes Kubernetes
	// Keystone is a file with the OpenStack Keystone that checks tokens, and the account to ask it with; "" if there is none.
	Keystone    string
	TokenReview TokenReview
	FrontProxy  FrontProxy
	// AccessReview asks the API server what its users may do.
	AccessReview bool

	Audit          string        // "off", "log" or "keep": where records of who did what go
	ScrubInterval  time.Duration // how often to check the whole store in the background; 0 for never
	AuditRetention time.Duration // how long they are kept
	Webhooks       string        // file of subscriptions; "" if there is none
	WebhookHosts   outbound.Hosts

	// What sources of packages may follow: hosts, the file with their credentials, "" if there is none, and how much of one is read.
	SourceHosts       outbound.Hosts
	SourceCredentials string
	MaxSource         int64

	AuditPolicy string // file that says what is recorded; "" for access.DefaultAuditPolicy

	Origins   []string      // whose pages may use the API from browsers, beside our own
	PublicURL string        // where others reach the API; "" for the address that it listens on
	LeaseTime time.Duration // after which another process does the work of one that is silent

	WeakReferences  bool // every reference may dangle, with a warning
	APIProfile      httpapi.Profile
	LayeringProfile rendering.Profile
	DeckhandPolicy  string        // a policy file of Deckhand; "" if there is none
	History         int           // commits that the embedded store keeps, for watches that resume and to read the past
	HistorySize     int64         // bytes of the earlier versions of documents that it keeps
	HistoryTime     time.Duration // how long commits and earlier versions are kept; 0 is forever, and below 0 what suits the database

	LogFormat string // "text" or "json"
	LogLevel  slog.Level

	TraceEndpoint string // URL of a collector of OpenTelemetry; "" for what the environment says
	Pprof         string // "HOST:PORT" of loopback to serve profiles on; "" if there is none

	EnforceNamespaces     bool   // applications of SDs need a namespace of their environment
	Repository            string // instance repository in Git to attach: a URL or the path of a folder; "" if there is none
	RepositoriesFile      string // file that names several instance repositories; "" if there is none
	RepositoryBranch      string
	RepositoryInterval    time.Duration // how often to pull it
	RepositoryWebhook     string        // file with the secret of Git hosts that say when to pull it; "" if there is none
	RepositoryCredentials string        // file with what it asks for; "" for what the URL says
	RepositoryClone       string        // folder of the local clone; "" for one of the server's choice
	RepositoryClear       bool          // sensitive data that are encrypted in the store may be committed in plaintext
	RepositoryReplaces    bool          // what the store has when it is attached for the first time
	RepositoryCommitURL   string        // of commits on the pages of its Git host, with {commit}; "" for what its URL says

	OverrideMode   override.Mode // where overrides go beside their ParamSets
	EncryptionKeys string        // file with the keys that secrets are encrypted with; "" refuses what must be encrypted
	CredentialKeys string        // file with the keys that open credentials of instance repositories; "" if there is none
	Encrypted      bool          // do not start where sensitive kinds would be stored in plaintext

	// ArtifactHosts are those that definitions may lead to; ArtifactRegistries trusts those of registryDefinitions, too.
	ArtifactHosts      outbound.Hosts
	ArtifactRegistries bool

	MaxArtifact     int64         // bytes of one artifact
	ArtifactTimeout time.Duration // for one artifact

	MaxBody        int64 // bytes of one request
	MaxBatch       int64 // bytes of one batch
	MaxBodies      int64 // bytes of memory for the bodies of all requests, parsed; 0 for what fits the memory of the process
	MaxConnections int
	// Rate is how many requests one principal may send in a second, and Burst how many in one burst; AtOnce is
	// how many of them may be under way. 0 is no bound, for Burst that of Rate.
	Rate, Burst, AtOnce int
	// Concurrency is how many seats there are for requests that are being worked on, 0 for as many as fit the processors
	// and the memory; QueueLength is how many requests of one principal may wait for them, and QueueWait how long.
	Concurrency, QueueLength int
	QueueWait                time.Duration
	Refusals                 int // refused requests of one principal that are answered at once in a second; 0 for any number
	RequestTimeout           time.Duration
	ShutdownTimeout          time.Duration // for requests under way when the server gets the signal to stop
}

// Kubernetes says which Kubernetes API server is asked, "" for that of the cluster that the process runs in, and as whom.
type Kubernetes struct{ Server, CAFile, TokenFile string }

// TokenReview reports whether tokens are checked by the Kubernetes API server, and for whom they must be.
type TokenReview struct {
	Enabled  bool
	Audience string
}

// FrontProxy reports whether proxies are believed about whose a request is: those with a certificate of the CAs of a file and one of the
// names, "" for those that the Kubernetes API server tells.
type FrontProxy struct {
	Enabled bool
	CAFile  string
	Names   []string
}

// ServiceResources serves the documents of the ref-schema.
const ServiceResources = httpapi.ServiceResources

// allServices is what the word "all" means.
var allServices = []string{ServiceResources, descriptor.ServiceName, override.ServiceName, layering.ServiceName, resolution.ServiceName, changeset.ServiceName}

// registryHosts stands for the hosts that stored registryDefinitions name.
const registryHosts = "registry-definitions"

// configSetting is the one that names the file with others.
const configSetting = "config"

// setting is one member of Config with its name in flags, environment and file.
type setting struct {
	cli.Setting
	set func(c *Config, text string) error
}

var settings = []setting{
	{cli.Setting{Name: "store", Default: cli.DefaultStore, Usage: "database, as bolt:FILE or mongodb://HOST/DATABASE"},
		func(c *Config, text string) error { return notEmpty(&c.Store, text) }},
	{cli.Setting{Name: "listen", Default: "127.0.0.1:8080", Usage: "address to listen on, as HOST:PORT"},
		func(c *Config, text string) error { return notEmpty(&c.Listen, text) }},
	{cli.Setting{Name: "ref-schemas", Usage: "directory or file of ref-schemas, watched for changes (default those built in)"},
		func(c *Config, text string) error { c.RefSchemas = text; return nil }},
	{cli.Setting{Name: "services", Default: "all", Usage: "services to run, separated by commas: " + strings.Join(allServices, ", ")},
		func(c *Config, text string) (err error) {
			c.Services, c.NamedServices, err = parseServices(text)
			return err
		}},
	{cli.Setting{Name: "tls-cert", Usage: "PEM file with the certificate to serve with, watched for changes (default none: HTTP)"},
		func(c *Config, text string) error { c.TLSCert = text; return nil }},
	{cli.Setting{Name: "tls-key", Usage: "PEM file with the key of --tls-cert"},
		func(c *Config, text string) error { c.TLSKey = text; return nil }},
	{cli.Setting{Name: "trusted-proxies", Usage: "networks of the gateway and other proxies in front, such as 10.0.0.0/8, whose X-Forwarded-For names the client (default none)"},
		func(c *Config, text string) (err error) { c.Proxies, err = parseProxies(text); return err }},
	{cli.Setting{Name: "upstream-ca", Usage: "PEM file with the CA certificates of the servers behind the gateway, watched for changes (default those of the system)"},
		func(c *Config, text string) error { c.UpstreamCA = text; return nil }},
	{cli.Setting{Name: "upstream-cert", Usage: "PEM file with the client certificate for the servers behind the gateway, watched for changes (default none)"},
		func(c *Config, text string) error { c.UpstreamCert = text; return nil }},
	{cli.Setting{Name: "upstream-key", Usage: "PEM file with the key of --upstream-cert"},
		func(c *Config, text string) error { c.UpstreamKey = text; return nil }},
	{cli.Setting{Name: "metrics-listen", Usage: "address to serve /metrics on, and nothing else, without TLS and without a token, such as :9090 (default none)"},
		func(c *Config, text string) error { c.MetricsListen = text; return nil }},
	{cli.Setting{Name: "access", Usage: "access policy file in YAML, watched for changes (default no access control, on loopback only)"},
		func(c *Config, text string) error { c.Access = text; return nil }},
	{cli.Setting{Name: "anonymous", Default: "loopback", Usage: "loopback or anywhere: where to listen without --access"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "loopback", "anywhere")
			c.Anonymous = word == "anywhere"
			return err
		}},
	{cli.Setting{Name: "oidc-issuer", Usage: "URL of the OpenID Connect provider whose tokens are accepted, with --access"},
		func(c *Config, text string) error { c.OIDCIssuer = text; return nil }},
	{cli.Setting{Name: "oidc-audience", Default: "dovetail", Usage: "audience required of those tokens"},
		func(c *Config, text string) error { return notEmpty(&c.OIDCAudience, text) }},
	{cli.Setting{Name: "oidc-client-id", Usage: "client ID of the web UI at that provider: users sign in there"},
		func(c *Config, text string) error { c.OIDCClientID = text; return nil }},
	{cli.Setting{Name: "oidc-scopes", Default: "openid profile email", Usage: "scopes that the web UI asks for, separated by spaces"},
		func(c *Config, text string) error { return notEmpty(&c.OIDCScopes, text) }},
	{cli.Setting{Name: "oidc-name-claim", Default: "sub", Usage: "claim with the name of a user"},
		func(c *Config, text string) error { return notEmpty(&c.OIDCName, text) }},
	{cli.Setting{Name: "oidc-groups-claim", Default: "groups", Usage: "claim with the groups of a user"},
		func(c *Config, text string) error { return notEmpty(&c.OIDCGroups, text) }},
	{cli.Setting{Name: "oidc-username-prefix", Default: access.OIDCPrefix, Usage: "prefix of the names of those users; - for none"},
		func(c *Config, text string) (err error) { c.OIDCNamePrefix, err = parsePrefix(text); return err }},
	{cli.Setting{Name: "oidc-groups-prefix", Default: access.OIDCPrefix, Usage: "prefix of the names of their groups; - for none"},
		func(c *Config, text string) (err error) { c.OIDCGroupsPrefix, err = parsePrefix(text); return err }},
	{cli.Setting{Name: "client-ca", Usage: "PEM file with CA certificates whose client certificates authenticate, watched for changes, with --access and --tls-cert"},
		func(c *Config, text string) error { c.ClientCA = text; return nil }},
	{cli.Setting{Name: "client-auth", Default: "request", Usage: "request or require: whether a client may connect without a certificate, with --client-ca"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "request", "require")
			c.RequireClient = word == "require"
			return err
		}},
	{cli.Setting{Name: "token-review", Default: "off", Usage: "off or on: check other tokens with the Kubernetes API server, with --access"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "off", "on")
			c.TokenReview.Enabled = word == "on"
			return err
		}},
	{cli.Setting{Name: "token-review-audience", Default: "dovetail", Usage: "audience required of those tokens"},
		func(c *Config, text string) error { return notEmpty(&c.TokenReview.Audience, text) }},
	{cli.Setting{Name: "keystone", Usage: "YAML file with the OpenStack Keystone that checks other tokens, and the account for it, like a cloud in clouds.yaml, with --access"},
		func(c *Config, text string) error { c.Keystone = text; return nil }},
	{cli.Setting{Name: "front-proxy", Default: "off", Usage: "off or on: let a front proxy with a trusted certificate, such as kube-apiserver for an APIService, name the user of a request, with --access and --tls-cert"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "off", "on")
			c.FrontProxy.Enabled = word == "on"
			return err
		}},
	{cli.Setting{Name: "front-proxy-ca", Usage: "PEM file with the CA certificates of front proxies, watched for changes (default those from the Kubernetes API server)"},
		func(c *Config, text string) error { c.FrontProxy.CAFile = text; return nil }},
	{cli.Setting{Name: "front-proxy-names", Usage: "common names (CN) of front proxies, separated by commas, with --front-proxy-ca"},
		func(c *Config, text string) error { c.FrontProxy.Names = parseNames(text); return nil }},
	{cli.Setting{Name: "subject-access-review", Default: "off", Usage: "off or on: let the Kubernetes API server allow its users what the access policy does not (RBAC of the cluster), with --access"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "off", "on")
			c.AccessReview = word == "on"
			return err
		}},
	{cli.Setting{Name: "kubernetes-server", Usage: "URL of the Kubernetes API server (default that of the cluster that the server runs in)"},
		func(c *Config, text string) error { c.Kubernetes.Server = text; return nil }},
	{cli.Setting{Name: "kubernetes-ca", Default: "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", Usage: "PEM file with its CA certificates"},
		func(c *Config, text string) error { c.Kubernetes.CAFile = text; return nil }},
	{cli.Setting{Name: "kubernetes-token-file", Default: "/var/run/secrets/kubernetes.io/serviceaccount/token", Usage: "file with the token to call it with"},
		func(c *Config, text string) error { return notEmpty(&c.Kubernetes.TokenFile, text) }},
	{cli.Setting{Name: "audit", Default: "off", Usage: "off, log or keep: log writes audit records to the log, keep also stores them, with each transaction"},
		func(c *Config, text string) (err error) { c.Audit, err = oneOf(text, "off", "log", "keep"); return err }},
	{cli.Setting{Name: "scrub-interval", Default: "24h", Usage: "interval of background checks of all documents and indexes; 0 for none"},
		func(c *Config, text string) (err error) {
			if text == "0" {
				c.ScrubInterval = 0
				return nil
			}
			c.ScrubInterval, err = parseDuration(text)
			return err
		}},
	{cli.Setting{Name: "audit-policy", Usage: "audit policy file in YAML: which events are recorded, and at which level (default writes, refused requests, and reads of sensitive kinds)"},
		func(c *Config, text string) error { c.AuditPolicy = text; return nil }},
	{cli.Setting{Name: "audit-retention", Default: "2160h", Usage: "how long to keep audit records"},
		func(c *Config, text string) (err error) { c.AuditRetention, err = parseDuration(text); return err }},
	{cli.Setting{Name: "cors-origins", Usage: "origins whose pages may use the API from browsers, separated by commas, such as https://portal.example.org (default none)"},
		func(c *Config, text string) (err error) { c.Origins, err = parseOrigins(text); return err }},
	{cli.Setting{Name: "public-url", Usage: "URL under which clients reach the server, for bundles that refer to it (default its address)"},
		func(c *Config, text string) error { c.PublicURL = strings.TrimSuffix(text, "/"); return nil }},
	{cli.Setting{Name: "lease-time", Default: "15s", Usage: "lease duration: how long a process may miss heartbeats before another takes over its work"},
		func(c *Config, text string) (err error) { c.LeaseTime, err = parseDuration(text); return err }},
	{cli.Setting{Name: "api-profile", Default: "dovetail", Usage: "API to imitate: with emco, the API answers like EMCO's, with documents without the status"},
		func(c *Config, text string) error {
			word, err := oneOf(text, string(httpapi.ProfileDovetail), string(httpapi.ProfileEMCO))
			c.APIProfile = httpapi.Profile(word)
			return err
		}},
	{cli.Setting{Name: "layering-profile", Default: "dovetail", Usage: "API to imitate: with deckhand, the layering service answers like Airship Deckhand"},
		func(c *Config, text string) error {
			word, err := oneOf(text, string(rendering.ProfileDovetail), string(rendering.ProfileDeckhand))
			c.LayeringProfile = rendering.Profile(word)
			return err
		}},
	{cli.Setting{Name: "deckhand-policy", Usage: "policy file of Airship Deckhand (oslo.policy), watched for changes: grants further rights, with --layering-profile deckhand and --access"},
		func(c *Config, text string) error { c.DeckhandPolicy = text; return nil }},
	{cli.Setting{Name: "references", Default: "strict", Usage: "strict rejects dangling references, warn accepts them with a warning"},
		func(c *Config, text string) (err error) {
			word, err := oneOf(text, "strict", "warn")
			c.WeakReferences = word == "warn"
			return err
		}},
	{cli.Setting{Name: "history", Default: "100000", Usage: "number of commits to keep, for resuming watches and reading the past, on the embedded store, or forever"},
		func(c *Config, text string) (err error) {
			c.History, err = unless(text, forever, math.MaxInt, parseCount)
			return err
		}},
	{cli.Setting{Name: "history-size", Default: "1GiB", Usage: "maximum size of the earlier versions of documents, on the embedded store, or forever"},
		func(c *Config, text string) (err error) {
			c.HistorySize, err = unless(text, forever, math.MaxInt64, parseSize)
			return err
		}},
	{cli.Setting{Name: "history-time", Usage: "how long to keep commits and earlier versions of documents, such as 720h, or forever (default 24h on MongoDB, forever on the embedded store)"},
		func(c *Config, text string) (err error) {
			if c.HistoryTime = historyOfDatabase; text != "" {
				c.HistoryTime, err = unless(text, forever, 0, parseDuration)
			}
			return err
		}},
	{cli.Setting{Name: "sd-namespaces", Default: "warn", Usage: "enforce rejects SDs with a deployPostfix that no namespace has, warn reports it"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "warn", "enforce")
			c.EnforceNamespaces = word == "enforce"
			return err
		}},
	{cli.Setting{Name: "instance-repo", Usage: "instance repository in Git that the store follows and writes through, as an https, ssh or file URL or a folder"},
		func(c *Config, text string) error { c.Repository = text; return nil }},
	{cli.Setting{Name: "instance-repos", Usage: "YAML file that names several instance repositories, with the clusters of each, instead of --instance-repo"},
		func(c *Config, text string) error { c.RepositoriesFile = text; return nil }},
	{cli.Setting{Name: "branch", Default: defaultBranch, Usage: "branch of --instance-repo"},
		func(c *Config, text string) error { return notEmpty(&c.RepositoryBranch, text) }},
	{cli.Setting{Name: "instance-repo-interval", Default: "30s", Usage: "interval of fetches from --instance-repo or --instance-repos"},
		func(c *Config, text string) (err error) { c.RepositoryInterval, err = parseDuration(text); return err }},
	{cli.Setting{Name: "instance-repo-webhook-secret-file", Usage: "file with the secret (16 characters or more) with which a Git host triggers a fetch after a push, by POST /git-webhook; several secrets are on separate lines (default none)"},
		func(c *Config, text string) error { c.RepositoryWebhook = text; return nil }},
	{cli.Setting{Name: "instance-repo-credentials", Usage: "YAML file with user and password, or sshKey, for --instance-repo (default those in the URL), and the signingKey of commits"},
		func(c *Config, text string) error { c.RepositoryCredentials = text; return nil }},
	{cli.Setting{Name: "instance-repo-clone", Usage: "folder for this process's clone of --instance-repo, or with the clones of --instance-repos (default beside the store)"},
		func(c *Config, text string) error { c.RepositoryClone = text; return nil }},
	{cli.Setting{Name: "instance-repo-first", Default: "refuse", Usage: "refuse or replace: what to do with other documents in the store when a repository is attached for the first time"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "refuse", "replace")
			c.RepositoryReplaces = word == "replace"
			return err
		}},
	{cli.Setting{Name: "instance-repo-sensitive", Default: "refuse", Usage: "refuse or clear: what to do with writes that would commit sensitive data in clear to a repository, where --encryption-key-file encrypts them"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "refuse", "clear")
			c.RepositoryClear = word == "clear"
			return err
		}},
	{cli.Setting{Name: "instance-repo-commit-url", Usage: "URL of the web page of a commit of --instance-repo, with {commit} for its hash, such as https://git.example.com/group/repository/commit/{commit} (default derived from the URL for GitHub, GitLab, Gitea, Bitbucket and Azure DevOps)"},
		func(c *Config, text string) (err error) {
			c.RepositoryCommitURL, err = parseCommitURL(text)
			return err
		}},
	{cli.Setting{Name: "override-mode", Default: string(override.ModeParamSet), Usage: "where overrides of parameters are written: " + strings.Join(override.Modes(), ", ") + "; each includes the ones before it"},
		func(c *Config, text string) error {
			word, err := oneOf(text, override.Modes()...)
			c.OverrideMode = override.Mode(word)
			return err
		}},
	{cli.Setting{Name: "encryption-key-file", Usage: "file with the keys that protect secrets, as dovetail secrets keygen writes it"},
		func(c *Config, text string) error { c.EncryptionKeys = text; return nil }},
	{cli.Setting{Name: "credential-keys", Usage: "file with the keys that open encrypted credentials of registries and environments, one a line: of Fernet, and identities of age for files of SOPS"},
		func(c *Config, text string) error { c.CredentialKeys = text; return nil }},
	{cli.Setting{Name: "artifact-hosts", Default: registryHosts, Usage: "hosts that artifacts may be downloaded from, as [http://]HOST[:PORT] separated by commas, or none; registry-definitions allows those in RegistryDefinitions"},
		func(c *Config, text string) (err error) {
			c.ArtifactHosts, c.ArtifactRegistries, err = parseArtifactHosts(text)
			return err
		}},
	{cli.Setting{Name: "source-hosts", Default: "none", Usage: "hosts that sources of packages may follow, as [http://]HOST[:PORT] separated by commas, or none"},
		func(c *Config, text string) (err error) { c.SourceHosts, err = parseHosts(text); return err }},
	{cli.Setting{Name: "source-credentials", Usage: "YAML file with user and password, or token, for hosts of --source-hosts (default none)"},
		func(c *Config, text string) error { c.SourceCredentials = text; return nil }},
	{cli.Setting{Name: "max-source", Default: "32MiB", Usage: "maximum size of the catalog of a followed source, unpacked"},
		func(c *Config, text string) (err error) { c.MaxSource, err = parseSize(text); return err }},
	{cli.Setting{Name: "webhooks", Usage: "YAML file with the subscriptions of other systems to events (default none)"},
		func(c *Config, text string) error { c.Webhooks = text; return nil }},
	{cli.Setting{Name: "webhook-hosts", Default: "none", Usage: "hosts that webhooks may go to without TLS or at reserved addresses such as loopback, as [http://]HOST[:PORT] separated by commas, or none"},
		func(c *Config, text string) (err error) { c.WebhookHosts, err = parseHosts(text); return err }},
	{cli.Setting{Name: "require-encryption", Default: "false", Usage: "true refuses to start if sensitive kinds would be stored in clear"},
		func(c *Config, text string) error {
			word, err := oneOf(text, "false", "true")
			c.Encrypted = word == "true"
			return err
		}},
	{cli.Setting{Name: "max-artifact", Default: "16MiB", Usage: "maximum size of a downloaded artifact"},
		func(c *Config, text string) (err error) { c.MaxArtifact, err = parseSize(text); return err }},
	{cli.Setting{Name: "artifact-timeout", Default: "20s", Usage: "timeout of the download of an artifact"},
		func(c *Config, text string) (err error) { c.ArtifactTimeout, err = parseDuration(text); return err }},
	{cli.Setting{Name: "log-format", Default: "text", Usage: "text or json"},
		func(c *Config, text string) (err error) { c.LogFormat, err = oneOf(text, "text", "json"); return err }},
	{cli.Setting{Name: "log-level", Default: "info", Usage: "debug, info, warn or error"},
		func(c *Config, text string) (err error) {
			word, err := oneOf(text, "debug", "info", "warn", "error")
			if err != nil {
				return err
			}
			return c.LogLevel.UnmarshalText([]byte(word))
		}},
	{cli.Setting{Name: "trace-endpoint", Usage: "URL of a collector that receives traces by OTLP over HTTP (default $OTEL_EXPORTER_OTLP_ENDPOINT, or none)"},
		func(c *Config, text string) error { c.TraceEndpoint = text; return nil }},
	{cli.Setting{Name: "pprof", Usage: "loopback address to serve /debug/pprof on, such as 127.0.0.1:6060 (default none)"},
		func(c *Config, text string) error { c.Pprof = text; return nil }},
	{cli.Setting{Name: "max-body", Default: "16MiB", Usage: "maximum size of a request body"},
		func(c *Config, text string) (err error) { c.MaxBody, err = parseSize(text); return err }},
	{cli.Setting{Name: "max-batch", Default: "64MiB", Usage: "maximum size of a batch"},
		func(c *Config, text string) (err error) { c.MaxBatch, err = parseSize(text); return err }},
	{cli.Setting{Name: "max-bodies", Default: "auto", Usage: "memory for the parsed bodies of all requests, and the same amount for responses that are not sent yet; auto is an eighth of the memory limit, at most 512MiB"},
		func(c *Config, text string) (err error) {
			if c.MaxBodies = 0; text != "auto" {
				c.MaxBodies, err = parseSize(text)
			}
			return err
		}},
	{cli.Setting{Name: "max-connections", Default: "20000", Usage: "maximum number of open connections; a further one closes the least recently used; fewer if memory or file descriptors are scarce; a 64th of them, or two for each kind, may be watches of one principal"},
		func(c *Config, text string) (err error) { c.MaxConnections, err = parseCount(text); return err }},
	{cli.Setting{Name: "rate", Default: "0", Usage: "rate limit: requests per second of one principal or address; 0 for no limit"},
		func(c *Config, text string) (err error) { c.Rate, err = parseBound(text); return err }},
	{cli.Setting{Name: "rate-burst", Default: "0", Usage: "burst of the rate limit; 0 for the requests of one second"},
		func(c *Config, text string) (err error) { c.Burst, err = parseBound(text); return err }},
	{cli.Setting{Name: "max-requests", Default: "0", Usage: "maximum number of concurrent requests of one principal or address, including watches; 0 for no limit"},
		func(c *Config, text string) (err error) { c.AtOnce, err = parseBound(text); return err }},
	{cli.Setting{Name: "concurrency", Default: "0", Usage: "number of concurrency seats for requests being executed; 0 to derive it from processors and memory"},
		func(c *Config, text string) (err error) { c.Concurrency, err = parseBound(text); return err }},
	{cli.Setting{Name: "queue-length", Default: "1000", Usage: "maximum number of requests of one principal or address that wait for seats"},
		func(c *Config, text string) (err error) { c.QueueLength, err = parseCount(text); return err }},
	{cli.Setting{Name: "queue-wait", Default: "10s", Usage: "maximum time that a request waits for seats"},
		func(c *Config, text string) (err error) { c.QueueWait, err = parseDuration(text); return err }},
	{cli.Setting{Name: "refusal-rate", Default: "20", Usage: "unauthorized requests per second of one principal or address that are answered without delay; further ones wait for up to a second; 0 for no limit"},
		func(c *Config, text string) (err error) { c.Refusals, err = parseBound(text); return err }},
	{cli.Setting{Name: "request-timeout", Default: "30s", Usage: "timeout of one request"},
		func(c *Config, text string) (err error) { c.RequestTimeout, err = parseDuration(text); return err }},
	{cli.Setting{Name: "shutdown-timeout", Default: "15s", Usage: "maximum time to wait for active requests on shutdown"},
		func(c *Config, text string) (err error) { c.ShutdownTimeout, err = parseDuration(text); return err }},
	{cli.Setting{Name: configSetting, Usage: "YAML file with settings"}, nil},
}

// Settings are what Load knows, in the order of help.
func Settings() []cli.Setting {
	all := make([]cli.Setting, len(settings))
	for i, s := range settings {
		all[i] = s.Setting
	}
	return all
}

// Load reads the configuration: of each setting the one given as a flag, or that of the environment,
// or that of the file, or its default. given holds what was given as flags, by name; env looks up
// an environment variable. All that is wrong is reported together, with its place; the codes are
// CodeInvalid.
func Load(given map[string]string, env func(name string) (string, bool)) (Config, error) {
	sources := []source{flagSource(given), envSource(env)}
	file, _ := first(sources, configSetting)
	var errs dovetail.Errors
	if file.text != "" {
		read, wrong := readConfigFile(file.text)
		errs.Add(wrong...)
		sources = append(sources, read)
	}
	var c Config
	for _, s := range settings {
		if s.set == nil {
			continue
		}
		found, ok := first(sources, s.Name)
		if !ok {
			found.text = s.Default
		}
		if err := s.set(&c, found.text); err != nil {
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: found.at,
				Message: fmt.Sprintf("%s is %q, but must be %v", cmp.Or(found.name, s.Name), found.text, err), Remedy: s.Usage})
		}
	}
	return c, errs.Err("the configuration is invalid")
}
