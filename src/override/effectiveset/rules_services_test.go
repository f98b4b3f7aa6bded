package effectiveset

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// inSBOM is an edit of the SBOM.
func inSBOM(from, to string) edit { return edit{sbomFile, from, to} }

// withBaseline gives the service of the SBOM a baseline of resources.
func withBaseline(name, text string) edit {
	const image = `    {
     "type": "container",
     "mime-type": "application/vnd.docker.image",`
	return inSBOM(image, `    {"mime-type": "application/vnd.qubership.resource-profile-baseline", "data": [{"name": "`+name+`", "contents": {"attachment": {"content": "`+base64.StdEncoding.EncodeToString([]byte(text))+`"}}}]},
`+image)
}

// oneMore is one more component of the SBOM.
func oneMore(text string) edit {
	return inSBOM(` "components": [
  {
   "type": "container",`, ` "components": [
  `+text+`,
  {
   "type": "container",`)
}

// TestRulesOfServices has what comes from SBOMs and profiles.
func TestRulesOfServices(t *testing.T) {
	const (
		perService = "deployment/core/app-a/values/per-service-parameters/svc-a/deployment-parameters.yaml"
		descriptor = "deployment/core/app-a/values/deploy-descriptor.yaml"
		noServices = `{"metadata": {"component": {"name": "app-a", "version": "1", "components": []}}, "components": []}`
	)
	image := func(more string) string {
		properties := []string{more}
		for _, name := range []string{"docker_registry", "git_branch", "git_revision", "git_url", "image_type", "promote_artifacts", "qualifier"} {
			properties = append(properties, `{"name": "`+name+`", "value": ""}`)
		}
		return strings.Join(properties, ", ")
	}
	profile := func(text string) string { return "name: e1-core\nprofile: " + text + "\n" }
	const override = "name: ov\nbaseline: dev\napplications: [{name: app-a, services: [{name: svc-a, parameters: [{name: a.b, value: 2}, {name: N, value: 1.50}, {name: SERVICE_NAME, value: mine}, {name: MANAGED_BY, value: mine}]}]}]\n"
	runRules(t, []ruleCase{
		{name: "an SBOM with a byte order mark", edits: []edit{inSBOM("{", "\ufeff{")}, want: map[string][]string{plainFile: {"APPLICATION_NAME: app-a"}}},
		{name: "a registry that there is not", edits: []edit{inSBOM("registry_id=reg", "registry_id=nowhere")}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_MAVEN_REPO: null"}}},
		{name: "no file of registries", files: map[string]string{"configuration/registry.yml": ""}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_MAVEN_REPO: null"}}},
		{name: "a package URL of another kind", edits: []edit{inSBOM("pkg:maven/", "pkg:docker/")}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_MAVEN_REPO: null"}}},
		{name: "a registry with a blank", edits: []edit{inSBOM("registry_id=reg&repository_id=targetRelease", "registry_id=my%20reg&repository_id=targetSnapshot")}, files: map[string]string{"configuration/registry.yml": "my reg:\n  mavenConfig: {fullRepositoryUrl: http://r, targetSnapshot: snap}\n"}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_MAVEN_REPO: http://r/snap"}}},
		{name: "no services and no artifact", files: map[string]string{sbomFile: noServices}, want: map[string][]string{descriptor: {"global:\n  deployDescriptor: &id001 {}\ndeployDescriptor: *id001"}, hiddenFile: {"K8S_TOKEN: tok\nglobal:\n  K8S_TOKEN: tok"}}, not: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR"}, descriptor: {"APPLICATION_NAME"}}},
		{name: "an image without a deploy_param, and one with", edits: []edit{oneMore(`{"mime-type": "application/octet-stream", "name": "img", "version": "3", "properties": [` + image(`{"name": "full_image_name", "value": "r:5/x:1"}, {"name": "deploy_param", "value": "IMG"}`) + `]}`)},
			want: map[string][]string{plainFile: {"IMG: r:5/x:1"}, "deployment/core/app-a/values/per-service-parameters/img/deployment-parameters.yaml": {"DOCKER_TAG: r:5/x:1\nIMAGE_REPOSITORY: r:5/x\nMANAGED_BY: argocd\nSERVICE_NAME: img\nTAG: ''"}, descriptor: {"      deploy_param: IMG\n      docker_digest: ''"}}},
		{name: "a property that is there and empty", edits: []edit{inSBOM(`"value": "main"`, `"value": ""`)}, want: map[string][]string{descriptor: {"      git_branch: ''"}}},
		{name: "a configuration of another kind", edits: []edit{oneMore(`{"mime-type": "application/vnd.qubership.configuration.frontend", "name": "conf", "version": "3", "properties": [` + strings.NewReplacer("docker_registry", "build_id_dtrust", "image_type", "maven_repository").Replace(image(`{"name": "type", "value": "cdn"}`)) + `]}`)},
			want: map[string][]string{plainFile: {"conf: *id001\nsvc-a: *id001"}, descriptor: {"    conf:\n      artifact: {}\n      artifacts: []\n      build_id_dtrust: ''", "      tArtifactNames: {}\n      type: cdn\n      version: '3'"}}},
		{name: "the baseline of the cloud, where the namespace has none", files: map[string]string{namespaceFile: profile("{name: nowhere, baseline: ''}")}, edits: []edit{withBaseline("dev.yaml", "CPU: 1\n"), {cloudFile, "productionMode: false", "productionMode: false\nprofile: {baseline: dev}"}}, want: map[string][]string{perService: {"CPU: 1"}}},
		{name: "an override with the baseline of its own", files: map[string]string{namespaceFile: profile("{name: ov, baseline: prod}"), envFolder + "Profiles/x.yml": override}, edits: []edit{withBaseline("dev.json", `{"a.b": 1, "a.c": 2, "TAG": "mine"}`)},
			want: map[string][]string{perService: {"MANAGED_BY: argocd", "N: 1.5", "SERVICE_NAME: mine", "TAG: mine", "a:\n  b: 2\n  c: 2"}}},
		{name: "no baseline of that name, and no override either", files: map[string]string{namespaceFile: profile("{name: ov, baseline: dev}"), envFolder + "Profiles/ov.yaml": override}, edits: []edit{withBaseline("prod.yaml", "CPU: 1\n")}, want: map[string][]string{perService: {"SERVICE_NAME: svc-a"}}, not: map[string][]string{perService: {"CPU", "\na:", "\nN:"}}, finds: ProfileWithoutData},
		{name: "no baselines at all, and no override either", files: map[string]string{namespaceFile: profile("{name: ov, baseline: dev}"), envFolder + "Profiles/ov.yaml": override}, not: map[string][]string{perService: {"\na:", "\nN:"}}},
		{name: "an override that is not there and not used", files: map[string]string{namespaceFile: profile("{name: nowhere, baseline: dev}")}, fails: "there is no resource profile nowhere"},
		{name: "a chart with capitals", edits: []edit{oneMore(`{"mime-type": "application/vnd.qubership.app.chart", "name": "My_Chart"}`)}, want: map[string][]string{"deployment/core/app-a/values/per-service-parameters/my-chart-40/deployment-parameters.yaml": {"svc-a:\n  ARTIFACT_DESCRIPTOR_VERSION: '1.0'"}}, missing: []string{perService}},
	})
}

// TestRulesOfExternalCredentials has references to credentials that are elsewhere.
func TestRulesOfExternalCredentials(t *testing.T) {
	const (
		stores   = "v: {type: vault, url: http://v, mountPath: kv}\naz: {type: azure, url: http://a, vaultName: vn}\naw: {type: aws, url: http://w, region: eu}\ngc: {type: gcp, url: http://g, projectId: pid}\n"
		external = "deployment/core/app-a/values/external-credentials.yaml"
		created  = "external-credential/external-credentials.yaml"
	)
	in := func(credentials string, lines ...string) map[string]string {
		return map[string]string{credentialsFile: credentials, namespaceFile: namespaceWith(lines...), "configuration/secret-stores.yml": stores}
	}
	long := strings.Repeat("x", 60)
	runRules(t, []ruleCase{
		{name: "a reference among local credentials", files: map[string]string{namespaceFile: namespaceWith("A: {$type: credRef, credId: up}")}, fails: "the credentials of the environment are local"},
		{name: "no stores", files: map[string]string{credentialsFile: "x: {type: external, secretStore: v, remoteRefPath: p}\n"}, fails: "secret-stores.yml"},
		{name: "an unknown store", files: in("x: {type: external, secretStore: nowhere, remoteRefPath: p}\n", "A: {$type: credRef, credId: x}"), fails: `"nowhere"`},
		{name: "an unknown credential", files: in("x: {type: external, secretStore: v, remoteRefPath: p}\n", "A: {$type: credRef, credId: y}"), fails: "there is no credential y"},
		{name: "a credential to create in an unknown store", files: in("x: {type: external, secretStore: nowhere, remoteRefPath: p, create: true}\n", "A: 1"), fails: `"nowhere"`},
		{name: "a calculated member in an unknown store", files: in("x: {type: external, secretStore: nowhere, remoteRefPath: p}\n", "A: 1"), edits: platform("x", "''", "''"), fails: `"nowhere"`},
		{name: "a blank path", files: in("x: {type: external, secretStore: v, remoteRefPath: ' '}\n", "A: {$type: credRef, credId: x}"), fails: "no remoteRefPath"},
		{name: "a property that there is not", files: in("x: {type: external, secretStore: v, remoteRefPath: p}\n", "A: {$type: credRef, credId: x, property: y}"), fails: "has no property y"},
		{name: "a property that is missing", files: in("x: {type: external, secretStore: v, remoteRefPath: p, properties: [{name: a}]}\n", "A: {$type: credRef, credId: x}"), fails: "the reference names none"},
		{name: "a flow that there is not", files: in("x: {type: external, secretStore: v, remoteRefPath: p}\n", "SECRET_FLOW: other"), fails: "neither helm-values nor external-values"},
		{name: "characters that a store does not take", files: in("x_y: {type: external, secretStore: az, remoteRefPath: p}\n", "A: {$type: credRef, credId: x_y}"), fails: "does not take"},
		{name: "an id that is too long", files: in(strings.Repeat("x", 33)+": {type: external, secretStore: gc, remoteRefPath: p}\n", "A: {$type: credRef, credId: "+strings.Repeat("x", 33)+"}"), fails: "more than 32 characters"},
		{name: "long segments are cut", files: in("x: {type: external, secretStore: gc, remoteRefPath: a/"+long+"}\ny: {type: external, secretStore: az, remoteRefPath: a/b/c/d/e}\nz: {type: external, secretStore: az, remoteRefPath: 'aaaaaaaaaaaaaaaaaaaaa'}\n", "A: {$type: credRef, credId: x}", "B: {$type: credRef, credId: y}", "C: {$type: credRef, credId: z}"),
			want: map[string][]string{external: {"A: ref+gcpsecrets://pid/a--" + long[:47] + "-" + hashOf(long) + "--x", "B: ref+azurekeyvault://vn/a--b--c--d--y", "C: ref+azurekeyvault://vn/aaaaaaaaaaaaaa-" + hashOf("aaaaaaaaaaaaaaaaaaaaa") + "--z"}}},
		{name: "a vault without a property, and nothing to create", files: in("x: {type: external, secretStore: v, remoteRefPath: p}\n", "A: {$type: credRef, credId: x}", "L: [{$type: credRef, credId: x}, 1]"),
			want: map[string][]string{external: {"A: ref+vault://kv/data/p/x#/value\nL:\n- ref+vault://kv/data/p/x#/value"}, created: {"secretStores: {}\ncredentials: {}"}, plainFile: {"L: &id001\n- 1"}, hiddenFile: {"K8S_TOKEN: ''"}, topoSecret: {"  e1-core: ''"}}, not: map[string][]string{gonePlain: {"\nA:"}}, edits: inCloud("defaultCredentialsId: token", "defaultCredentialsId: x")},
		{name: "macros that refer to references", files: in("x: {type: external, secretStore: v, remoteRefPath: p}\n", "A: {$type: credRef, credId: x}", "B: ${A}", "M: {k: '${A}', v: 1}"), want: map[string][]string{external: {"A: ref+vault://kv/data/p/x#/value\nB: ref+vault://kv/data/p/x#/value\nM:\n  k: ref+vault://kv/data/p/x#/value"}, plainFile: {"M: &id001\n  v: 1"}}, not: map[string][]string{plainFile: {"\nB:"}}},
		{name: "no references, no file", files: in("x: {type: external, secretStore: v, remoteRefPath: p}\n", "A: 1"), missing: []string{external}},
		{name: "calculated members", files: in("x: {type: external, secretStore: aw, remoteRefPath: p, properties: [{name: password}]}\n", "A: 1"), edits: platform("x", "x", "x"),
			want: map[string][]string{external: {"CONSUL_ADMIN_TOKEN: ref+awssecrets://p/x?region=eu\nMAAS_CREDENTIALS_PASSWORD: ref+awssecrets://p/x?region=eu#/password\nMAAS_CREDENTIALS_USERNAME: ref+awssecrets://p/x?region=eu\nVAULT_TOKEN: ref+awssecrets://p/x?region=eu"}}, not: map[string][]string{gonePlain: {"MAAS_CRED"}, hiddenFile: {"MAAS_CRED"}}},
	})
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:5]
}
