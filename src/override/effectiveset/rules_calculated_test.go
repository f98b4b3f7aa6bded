package effectiveset

import "testing"

// platform are edits of the cloud that enable its platform services, with credentials of ids.
func platform(maas, vault, consul string) []edit {
	return []edit{
		{cloudFile, "maasConfig:\n  credentialsId: ''\n  enable: false\n  maasUrl: ''\n  maasInternalAddress: ''", "maasConfig: {credentialsId: " + maas + ", enable: true, maasUrl: http://m, maasInternalAddress: http://mi}"},
		{cloudFile, "vaultConfig:\n  credentialsId: ''\n  enable: false\n  url: ''", "vaultConfig: {credentialsId: " + vault + ", enable: true, url: http://v}"},
		{cloudFile, "consulConfig:\n  tokenSecret: ''\n  enabled: false\n  publicUrl: ''\n  internalUrl: ''", "consulConfig: {tokenSecret: " + consul + ", enabled: true, publicUrl: http://cp, internalUrl: http://ci}"},
	}
}

// inCloud are edits of single lines of the cloud.
func inCloud(lines ...string) []edit {
	var edits []edit
	for i := 0; i < len(lines); i += 2 {
		edits = append(edits, edit{cloudFile, lines[i], lines[i+1]})
	}
	return edits
}

// TestRulesOfCalculatedParameters has what is calculated for the cloud and for namespaces.
func TestRulesOfCalculatedParameters(t *testing.T) {
	runRules(t, []ruleCase{
		{name: "hosts without a public one", edits: inCloud("publicUrl: c1.example.com", "publicUrl: ''", "protocol: https", "protocol: ''", "productionMode: false", "productionMode: true"),
			want: map[string][]string{plainFile: {"SERVER_HOSTNAME: api.c1.example.com", "CUSTOM_HOST: api.c1.example.com", "CLOUD_PUBLIC_HOST: ''", "CLOUD_PRIVATE_HOST: ''", "CLOUD_PROTOCOL: https", "PRODUCTION_MODE: true",
				"PUBLIC_GATEWAY_URL: https://public-gateway-e1-core.api.c1.example.com", "PRIVATE_GATEWAY_URL: https://private-gateway-e1-core.api.c1.example.com"}}},
		{name: "blanks count as missing", edits: inCloud("privateUrl: ''", "privateUrl: ' '", "apiPort: '6443'", "apiPort: ' '"), want: map[string][]string{plainFile: {"CUSTOM_HOST: c1.example.com", "CLOUD_PRIVATE_HOST: c1.example.com", "CLOUD_API_PORT: '8443'", "OPENSHIFT_SERVER: 'https://api.c1.example.com: '"}}},
		{name: "an empty port leaves the colon", edits: inCloud("apiPort: '6443'", "apiPort: ''"), want: map[string][]string{plainFile: {"OPENSHIFT_SERVER: 'https://api.c1.example.com:'"}, topoPlain: {"  api_port: ''"}}},
		{name: "the protocol of the namespace's URLs is that of the cloud", edits: append(inCloud("protocol: https", "protocol: HTTP"), edit{cloudFile, "deployParameters: {}", "deployParameters: {CLOUD_PROTOCOL: ftp}"}),
			want: map[string][]string{plainFile: {"CLOUD_PROTOCOL: ftp", "PUBLIC_GATEWAY_URL: http://public-gateway-e1-core.c1.example.com"}, topoPlain: {"  protocol: HTTP"}}},
		{name: "platform services with unknown credentials", edits: platform("nobody", "nobody", "nobody"),
			want: map[string][]string{hiddenFile: {"MAAS_CREDENTIALS_PASSWORD: ''\nMAAS_CREDENTIALS_USERNAME: ''", "CONSUL_ADMIN_TOKEN: ''", "VAULT_TOKEN: ''"}, plainFile: {"MAAS_EXTERNAL_ROUTE: http://m\nMAAS_INTERNAL_ADDRESS: http://mi\nMAAS_SERVICE_ADDRESS: http://m", "VAULT_ADDR: http://v", "PUBLIC_VAULT_URL: http://v", "CONSUL_PUBLIC_URL: http://cp\nCONSUL_URL: http://ci"}}},
		{name: "platform services with credentials of another kind", edits: platform("sec", "up", "up"), want: map[string][]string{hiddenFile: {"MAAS_CREDENTIALS_PASSWORD: ''", "CONSUL_ADMIN_TOKEN: ''", "VAULT_TOKEN: ''"}}},
		{name: "platform services without credentials", edits: platform("''", "''", "''"), not: map[string][]string{hiddenFile: {"MAAS_CRED", "CONSUL_ADMIN", "VAULT_TOKEN"}, plainFile: {"CONSUL_ENABLED", "VAULT_ENABLED"}}},
		{name: "a token of Vault is not fetched", edits: platform("up", "role", "sec"), files: map[string]string{credentialsFile: "role: {type: vaultAppRole, data: {roleId: r, secretId: s, path: p, namespace: n}}\nup: {type: usernamePassword, data: {username: u, password: p}}\nsec: {type: secret, data: {secret: s3}}\n"},
			want: map[string][]string{hiddenFile: {"VAULT_TOKEN: ''", "CONSUL_ADMIN_TOKEN: s3", "MAAS_CREDENTIALS_PASSWORD: p\nMAAS_CREDENTIALS_USERNAME: u"}, gonePlain: {"MAAS_CREDENTIALS_PASSWORD: p", "CONSUL_ADMIN_TOKEN: s3"}}, finds: TokenNotFetched},
		{name: "soft values give way, hard ones do not", edits: append(platform("up", "''", "''"), edit{cloudFile, "deployParameters: {}", "deployParameters: {MAAS_SERVICE_ADDRESS: mine, MAAS_CREDENTIALS_USERNAME: mine, VAULT_ADDR: mine, CONSUL_URL: mine, CUSTOM_HOST: mine, OPENSHIFT_SERVER: mine}"}),
			want: map[string][]string{plainFile: {"MAAS_SERVICE_ADDRESS: http://m", "VAULT_ADDR: mine", "CONSUL_URL: mine", "CUSTOM_HOST: mine", "OPENSHIFT_SERVER: mine"}, hiddenFile: {"MAAS_CREDENTIALS_USERNAME: mine"}}, finds: ValueReplaced},
		{name: "the first database service that is enabled", edits: inCloud("dbaasConfigs: []", "dbaasConfigs: [{enable: false, apiUrl: a1, aggregatorUrl: g1}, {enable: true, apiUrl: a2, aggregatorUrl: g2, credentialsId: up}, {enable: true, apiUrl: a3}]"),
			want: map[string][]string{plainFile: {"DBAAS_ENABLED: true", "API_DBAAS_ADDRESS: a2", "DBAAS_AGGREGATOR_ADDRESS: g2"}, hiddenFile: {"DBAAS_AGGREGATOR_PASSWORD: p\nDBAAS_AGGREGATOR_USERNAME: u\nDBAAS_CLUSTER_DBA_CREDENTIALS_PASSWORD: p\nDBAAS_CLUSTER_DBA_CREDENTIALS_USERNAME: u"}}},
		{name: "no database service", not: map[string][]string{plainFile: {"DBAAS"}}},
		{name: "gateway URLs of tenant and cloud have no effect", edits: []edit{{cloudFile, "deployParameters: {}", "deployParameters: {PUBLIC_GATEWAY_URL: mine, PRIVATE_IDENTITY_PROVIDER_URL: mine}"}},
			want: map[string][]string{plainFile: {"PUBLIC_GATEWAY_URL: https://public-gateway-e1-core.c1.example.com", "PRIVATE_IDENTITY_PROVIDER_URL: https://private-gateway-e1-core.c1.example.com"}}, finds: ValueReplaced},
		{name: "an application's value beats calculated ones of the namespace", files: map[string]string{envFolder + "Namespaces/core/Applications/app-a.yml": "name: app-a\ndeployParameters: {CLIENT_PREFIX: app, PUBLIC_GATEWAY_URL: app, NAMESPACE: app, APPLICATION_NAME: mine, SSL_SECRET: mine}\n"},
			want: map[string][]string{plainFile: {"CLIENT_PREFIX: app", "PUBLIC_GATEWAY_URL: app", "NAMESPACE: app", "APPLICATION_NAME: app-a", "SSL_SECRET: mine"}}},
		{name: "no client prefix in cleanup", not: map[string][]string{gonePlain: {"CLIENT_PREFIX", "SSL_SECRET", "APPLICATION_NAME"}}},
		{name: "a bundle that is secret", files: map[string]string{namespaceFile: namespaceWith("DEFAULT_SSL_CERTIFICATES_BUNDLE: ${creds.get('sec').secret}")},
			want: map[string][]string{hiddenFile: {"CA_BUNDLE_CERTIFICATE: s3\nDEFAULT_SSL_CERTIFICATES_BUNDLE: s3", "SSL_SECRET_VALUE: s3"}, plainFile: {"SSL_SECRET: defaultsslcertificate", "CERTIFICATE_BUNDLE_MD5SUM: 2a6dd109efb0fe8a2bc0a4f86902e4c0"}}},
		{name: "an empty bundle has no sum", files: map[string]string{namespaceFile: namespaceWith("DEFAULT_SSL_CERTIFICATES_BUNDLE: ''")}, want: map[string][]string{hiddenFile: {"SSL_SECRET_VALUE: ''", "CA_BUNDLE_CERTIFICATE: ''"}}, not: map[string][]string{plainFile: {"MD5SUM"}}},
	})
}

// TestRulesOfDomains has blue-green domains and composite structures.
func TestRulesOfDomains(t *testing.T) {
	const (
		domain = "name: bg\ntype: bgdomain\noriginNamespace: {name: e1-o, type: namespace}\npeerNamespace: {name: e1-p, type: namespace}\ncontrollerNamespace: {name: e1-c, type: namespace, credentials: up}\n"
		out    = "name: e1-core\ncredentialsId: ''\n"
	)
	spaces := map[string]string{envFolder + "bg_domain.yml": domain, envFolder + "Namespaces/o/namespace.yml": "name: e1-o\n", envFolder + "Namespaces/p/namespace.yml": "name: e1-p\n", envFolder + "Namespaces/c/namespace.yml": "name: e1-c\n", namespaceFile: out,
		sdFile: "applications: [{version: 'app-a:1.0', deployPostfix: o}, {version: 'app-a:1.0', deployPostfix: p}, {version: 'app-a:1.0', deployPostfix: c}, {version: 'app-a:1.0', deployPostfix: core}]\n"}
	with := func(more map[string]string) map[string]string {
		all := make(map[string]string)
		for _, files := range []map[string]string{spaces, more} {
			for name, text := range files {
				all[name] = text
			}
		}
		return all
	}
	plainOf := func(folder string) string { return "deployment/" + folder + "/app-a/values/deployment-parameters.yaml" }
	const three = "ORIGIN_NAMESPACE"
	runRules(t, []ruleCase{
		{name: "what the four namespaces know", files: spaces, finds: SecretInPlainFile, want: map[string][]string{
			plainOf("o"): {"ORIGIN_NAMESPACE: e1-o", "PEER_NAMESPACE: e1-p", "CONTROLLER_NAMESPACE: e1-c"},
			plainOf("c"): {"ORIGIN_NAMESPACE: e1-o", "PEER_NAMESPACE: e1-p", "CONTROLLER_NAMESPACE: e1-c", "BG_CONTROLLER_LOGIN: u\nBG_CONTROLLER_PASSWORD: p\nBG_CONTROLLER_URL: https://bluegreen-controller-e1-c.c1.example.com", "CMDB_CALLBACK_TOKEN: ''\nCMDB_CALLBACK_URL: ''"},
			plainOf("p"): {"PUBLIC_GATEWAY_URL: https://public-gateway-e1-o.c1.example.com", "PUBLIC_IDENTITY_PROVIDER_URL: https://public-gateway-bg.c1.example.com"},
			plainFile:    {"PRIVATE_GATEWAY_URL: https://private-gateway-e1-o.c1.example.com", "PRIVATE_IDENTITY_PROVIDER_URL: https://private-gateway-bg.c1.example.com"},
		}, not: map[string][]string{plainOf("o"): {"BG_CONTROLLER", "CMDB_CALLBACK"}, plainOf("p"): {three, "PEER_NAMESPACE", "CONTROLLER"}, plainFile: {three, "PEER_NAMESPACE", "CONTROLLER"}}},
		{name: "the URL of the controller is at the private host", files: spaces, edits: inCloud("privateUrl: ''", "privateUrl: priv.example.com", "protocol: https", "protocol: HTTP"), want: map[string][]string{plainOf("c"): {"BG_CONTROLLER_URL: http://bluegreen-controller-e1-c.priv.example.com"}}},
		{name: "a domain of another type", files: with(map[string]string{envFolder + "bg_domain.yml": "type: other\n" + domain[len("name: bg\ntype: bgdomain\n"):]}), want: map[string][]string{plainFile: {"PUBLIC_GATEWAY_URL: https://public-gateway-e1-core.c1.example.com"}, topoPlain: {"bg_domain:\n  name: null\n  type: other"}}, not: map[string][]string{plainFile: {three}}},
		{name: "a controller without credentials", files: with(map[string]string{envFolder + "bg_domain.yml": domain[:len(domain)-len(", credentials: up}\n")] + "}\n"}), fails: "needs a credential of the type usernamePassword"},
		{name: "the baseline itself", files: map[string]string{envFolder + "composite_structure.yml": "name: cs\nbaseline: {name: e1-core, type: namespace}\n"}, not: map[string][]string{plainFile: {"BASELINE_"}}, want: map[string][]string{topoPlain: {"  satellites: []"}}},
		{name: "a baseline that is a domain", files: with(map[string]string{envFolder + "composite_structure.yml": "name: cs\nid: 7\nversion: 2\nbaseline: {name: bg, type: bgdomain}\nsatellites: [{name: x}]\n"}),
			want: map[string][]string{plainFile: {"BASELINE_CONTROLLER: e1-c\nBASELINE_ORIGIN: e1-o\nBASELINE_PEER: e1-p\nBASELINE_PROJ: e1-c"}, topoPlain: {"composite_structure:\n  name: cs\n  version: 2.0\n  id: '7'\n  baseline:\n    name: bg\n    type: bgdomain\n  satellites:\n  - name: x\n    type: null"}}},
		{name: "a baseline that is a domain, without one", files: map[string]string{envFolder + "composite_structure.yml": "name: cs\nbaseline: {name: bg, type: bgdomain}\n"}, not: map[string][]string{plainFile: {"BASELINE_"}},
			want: map[string][]string{plainFile: {"PUBLIC_IDENTITY_PROVIDER_URL: https://public-gateway-bg.c1.example.com", "PUBLIC_GATEWAY_URL: https://public-gateway-e1-core.c1.example.com", "ORIGIN_NAMESPACE: e1-core"}}},
	})
}
