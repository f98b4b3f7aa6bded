package effectiveset

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestRulesOfLevels has how levels are merged and macros resolved.
func TestRulesOfLevels(t *testing.T) {
	const (
		app      = envFolder + "Namespaces/core/Applications/app-a.yml"
		cloudApp = envFolder + "Applications/app-a.yml"
	)
	tenant := func(parameters string) edit {
		return edit{envFolder + "tenant.yml", "deployParameters: {}", "deployParameters: " + parameters}
	}
	runRules(t, []ruleCase{
		{name: "lists of namespace and application", files: map[string]string{namespaceFile: namespaceWith("L: [1, 2]"), app: "name: app-a\ndeployParameters: {L: [2, 3]}\n"}, want: map[string][]string{plainFile: {"L: &id001\n- 2\n- 3\n- 1"}}, finds: ListsUnited},
		{name: "lists of tenant and application of the cloud", edits: []edit{tenant("{L: [t]}")}, files: map[string]string{namespaceFile: namespaceWith("L: [n]"), cloudApp: "name: app-a\ndeployParameters: {L: [a]}\n"}, want: map[string][]string{plainFile: {"L: &id001\n- t\n- a\n- n"}, gonePlain: {"L:\n- t\n- n"}}},
		{name: "lists of maps are compared as values", edits: []edit{tenant("{L: [{a: 1, b: 2}]}")}, files: map[string]string{namespaceFile: namespaceWith("L: [{b: 2, a: 1}, {a: 2}]")}, want: map[string][]string{plainFile: {"L: &id001\n- a: 1\n  b: 2\n- a: 2"}}},
		{name: "the application of the namespace hides that of the environment right after the tenant", files: map[string]string{namespaceFile: namespaceWith("L: [n]"), cloudApp: "name: app-a\ndeployParameters: {L: [c], A: c, B: c}\n", app: "name: app-a\ndeployParameters: {L: [a], A: a}\n"},
			want: map[string][]string{plainFile: {"L: &id001\n- a\n- c\n- n", "A: a", "B: c"}}},
		{name: "members of maps replace those of earlier levels", edits: []edit{tenant("{M: {a: 1, b: 1}, L: [x], S: x}")}, files: map[string]string{namespaceFile: namespaceWith("M: {a: 2}", "L: y", "S: [y]")}, want: map[string][]string{gonePlain: {"M:\n  a: 2\n  b: 1", "L: y", "S:\n- y"}}},
		{name: "an empty map does not replace", edits: []edit{tenant("{M: {a: 1}, S: x}")}, files: map[string]string{namespaceFile: namespaceWith("M: {}", "S:")}, want: map[string][]string{plainFile: {"M: &id001\n  a: 1", "S: ''"}}},
		{name: "runtime levels, and names of the deployment context", edits: []edit{{cloudFile, "technicalConfigurationParameters: {}", "technicalConfigurationParameters: {A: cloud, B: cloud, L: [1]}"}},
			files: map[string]string{namespaceFile: "name: e1-core\ndeployParameters: {D: d}\ntechnicalConfigurationParameters: {B: ns, L: [2], N: '${D} ${APPLICATION_NAME} ${CLOUDNAME} ${A}'}\n", app: "name: app-a\ntechnicalConfigurationParameters: {C: app}\n", cloudApp: "name: app-a\ntechnicalConfigurationParameters: {A: capp}\n"},
			want:  map[string][]string{techFile: {"A: capp\nB: ns\nC: app\nL:\n- 1\n- 2\nN: d app-a cl_1 capp"}}, not: map[string][]string{techFile: {"CLOUDNAME:"}}},
		{name: "a name of the merged result comes before a calculated one", files: map[string]string{namespaceFile: namespaceWith("NAMESPACE: mine", "A: ${NAMESPACE} ${tenant.cloud.namespace.NAMESPACE}", "CLOUDNAME: n", "B: ${CLOUDNAME} ${tenant.cloud.CLOUDNAME}")},
			want: map[string][]string{plainFile: {"A: mine mine", "B: n cl_1"}}},
		{name: "merging with calculated members, and the level of the pipeline's cloud", edits: append(inCloud("mergeDeployParametersAndE2EParameters: false", "mergeDeployParametersAndE2EParameters: true", "e2eParameters: {}", "e2eParameters: {L: [2], A: '${CLOUDNAME}'}"), edit{cloudFile, "deployParameters: {}", "deployParameters: {L: [1]}"}),
			want: map[string][]string{pipePlain: {"L:\n- 1\n- 2", "A: cl_1", "PRODUCTION_MODE: false"}}, not: map[string][]string{pipePlain: {"TENANTNAME", "NAMESPACE"}}},
		{name: "a secret of a list that refers to a map", files: map[string]string{namespaceFile: namespaceWith("M: {u: '${creds.get(\"up\").username}', v: 1}", "L: [x, '${M}', {n: ['${creds.get(\"sec\").secret}']}]")},
			want: map[string][]string{plainFile: {"L: &id001\n- x\n- v: 1", "M: &id002\n  v: 1"}, hiddenFile: {"L: &id001\n- u: u\n- n:\n  - s3", "M: &id002\n  u: u"}}},
		{name: "lists that have nothing but secrets", files: map[string]string{namespaceFile: namespaceWith("L: ['${creds.get(\"sec\").secret}']", "M: [{}, [x]]", "N: [[], ['${creds.get(\"sec\").secret}']]")}, want: map[string][]string{hiddenFile: {"L: &id001\n- s3"}, plainFile: {"M: &id001\n- - x"}}, not: map[string][]string{plainFile: {"\nL:"}}},
		{name: "a macro that is a map within a map", files: map[string]string{namespaceFile: namespaceWith("M: {a: {b: 1}}", "N: {c: '${M.a}', d: '${M.a.b}', e: ' ${ M . a } '}")}, want: map[string][]string{plainFile: {"N: &id002\n  c:\n    b: 1\n  d: 1\n  e:\n    b: 1"}}},
		{name: "keys have no macros", files: map[string]string{namespaceFile: namespaceWith("A: 1", "M: {'${A}': 1}", "'${A}': 2")}, want: map[string][]string{plainFile: {"${A}: 2", "M: &id001\n  ${A}: 1"}}},
		{name: "macros without braces end at the first other character", files: map[string]string{namespaceFile: namespaceWith("B: b", "A: $B-$B/$B$B.")}, want: map[string][]string{plainFile: {"A: b-b/bb."}}},
		{name: "an application that fails", files: map[string]string{namespaceFile: namespaceWith("A: ${NOTHING}")}, fails: "application app-a, namespace e1-core: the parameter A: there is no parameter NOTHING", want: map[string][]string{topoPlain: {"  api_port: '6443'"}, pipePlain: {""}}, missing: []string{plainFile}, not: map[string][]string{"deployment/mapping.yaml": {"core"}}},
	})
}

// TestRulesOfContexts has what becomes of secrets, credentials and custom parameters in each context.
func TestRulesOfContexts(t *testing.T) {
	const runtimeSecret = "name: e1-core\ntechnicalConfigurationParameters: {A: 1, S: '${creds.get(\"sec\").secret}'}\n"
	consumer := func(schema string) func(t *testing.T, in *Input) {
		return func(t *testing.T, in *Input) {
			t.Helper()
			in.Consumers = map[string]*value.Value{"ci.v1.json": mustJSON(t, schema)}
		}
	}
	runRules(t, []ruleCase{
		{name: "the nine secrets, whoever sets them", files: map[string]string{namespaceFile: namespaceWith("DBAAS_AGGREGATOR_USERNAME: 1", "DBAAS_AGGREGATOR_PASSWORD: 2", "DBAAS_CLUSTER_DBA_CREDENTIALS_USERNAME: 3", "DBAAS_CLUSTER_DBA_CREDENTIALS_PASSWORD: 4", "MAAS_CREDENTIALS_USERNAME: 5", "MAAS_CREDENTIALS_PASSWORD: 6", "VAULT_TOKEN: 7", "CONSUL_ADMIN_TOKEN: 8", "SSL_SECRET_VALUE: 9")},
			want: map[string][]string{hiddenFile: {"CONSUL_ADMIN_TOKEN: 8\nDBAAS_AGGREGATOR_PASSWORD: 2\nDBAAS_AGGREGATOR_USERNAME: 1\nDBAAS_CLUSTER_DBA_CREDENTIALS_PASSWORD: 4\nDBAAS_CLUSTER_DBA_CREDENTIALS_USERNAME: 3\nK8S_TOKEN: tok\nMAAS_CREDENTIALS_PASSWORD: 6\nMAAS_CREDENTIALS_USERNAME: 5\nSSL_SECRET_VALUE: 9\nVAULT_TOKEN: 7"},
				gonePlain: {"MAAS_CREDENTIALS_PASSWORD: 6", "SSL_SECRET_VALUE: 9", "VAULT_TOKEN: 7"}}, not: map[string][]string{plainFile: {"TOKEN", "PASSWORD", "SECRET_VALUE"}}, finds: SecretInPlainFile},
		{name: "no credential for the token", edits: inCloud("defaultCredentialsId: token", "defaultCredentialsId: ''"), want: map[string][]string{hiddenFile: {"K8S_TOKEN: null"}, goneSecret: {"K8S_TOKEN: null"}, topoSecret: {"k8s_tokens: {}"}}},
		{name: "a token of another kind", edits: inCloud("defaultCredentialsId: token", "defaultCredentialsId: up"), want: map[string][]string{hiddenFile: {"K8S_TOKEN: ''"}, topoSecret: {"  e1-core: ''"}}},
		{name: "a token that there is not", edits: inCloud("defaultCredentialsId: token", "defaultCredentialsId: nobody"), want: map[string][]string{hiddenFile: {"K8S_TOKEN: ''"}}},
		{name: "a credential of an unknown type", files: map[string]string{credentialsFile: "x: {type: token, data: {}}\n"}, fails: `of the type "token"`},
		{name: "a secret of the runtime context is lost", files: map[string]string{namespaceFile: runtimeSecret}, want: map[string][]string{techFile: {"A: 1"}, "runtime/core/app-a/credentials.yaml": {""}}, not: map[string][]string{techFile: {"s3"}, "runtime/core/app-a/credentials.yaml": {"s3"}}, finds: SecretLost},
		{name: "beside custom parameters, too", files: map[string]string{namespaceFile: runtimeSecret}, with: custom(`{"runtime": {"C": "${A}"}}`), want: map[string][]string{"runtime/core/app-a/credentials.yaml": {"C: 1"}, goneSecret: {"C: 1\nK8S_TOKEN: tok"}}, not: map[string][]string{"runtime/core/app-a/credentials.yaml": {"s3"}}},
		{name: "custom parameters are taken out and seen by others", files: map[string]string{namespaceFile: namespaceWith("D: d", "E: ${D}", "R: r")}, with: custom(`{"deployment": {"D": "x", "F": "${APPLICATION_NAME}", "M": {"n": 1.50, "s": " x "}, "L": [true]}, "runtime": {"R": "${D}"}}`),
			want: map[string][]string{plainFile: {"E: x"}, "deployment/core/app-a/values/custom-params.yaml": {"D: x\nF: app-a\nL:\n- true\nM:\n  n: 1.5\n  s: ' x '"}, "runtime/core/app-a/credentials.yaml": {"R: x"}, gonePlain: {"E: d", "D: d", "R: r"}, goneSecret: {"R: x"}}, not: map[string][]string{plainFile: {"\nD:", "\nR:"}}},
		{name: "a custom runtime parameter that is technical, too", files: map[string]string{namespaceFile: "name: e1-core\ntechnicalConfigurationParameters: {A: tech}\n"}, with: custom(`{"runtime": {"A": "custom"}}`), want: map[string][]string{"runtime/core/app-a/credentials.yaml": {"A: tech"}, goneSecret: {"A: tech"}}, not: map[string][]string{techFile: {"A"}}, finds: CustomIgnored},
		{name: "custom parameters of a folder that is not there", with: custom(`{"namespaces": {"nowhere": {"deployment": {"A": 1}}}}`), fails: "no namespace folder nowhere"},
		{name: "pairs of namespaces in the cloud are no part of the pipeline", edits: append(inCloud("e2eParameters: {}", "e2eParameters: {A: 1}"), edit{cloudFile, "deployParameters: {}", "deployParameters: {'#credsns{U, P}': up}"}), files: map[string]string{credentialsFile: "T1-cl_1-e1-core-up: {type: usernamePassword, data: {username: u, password: p}}\n"},
			want: map[string][]string{pipePlain: {"A: 1"}, hiddenFile: {"P: p\nU: u"}}},
		{name: "what is wrong with parameters of the cloud keeps the pipeline from being calculated only where they are merged", edits: append(inCloud("e2eParameters: {}", "e2eParameters: {A: 1}", "mergeDeployParametersAndE2EParameters: false", "mergeDeployParametersAndE2EParameters: true"), edit{cloudFile, "deployParameters: {}", "deployParameters: {'#creds{U, P}': nobody}"}),
			fails: "there is no credential nobody", missing: []string{pipePlain, plainFile}},
		{name: "a consumer that requires what is not there", with: consumer(`{"properties": {"A": {}}, "required": ["A"]}`), fails: "requires A"},
		{name: "a schema without required", with: consumer(`{"properties": {"A": {}}}`), fails: "needs properties and required"},
		{name: "a default of a consumer", with: consumer(`{"properties": {"B": {"default": "b"}, "A": {"default": 5}, "C": {"default": ""}, "CLOUDNAME": {}}, "required": ["B"]}`), edits: inCloud("mergeDeployParametersAndE2EParameters: false", "mergeDeployParametersAndE2EParameters: true"), want: map[string][]string{"pipeline/ci-parameters.yaml": {"B: b\nCLOUDNAME: cl_1"}, "pipeline/ci-credentials.yaml": {""}}},
		{name: "a parameter called as a service", files: map[string]string{namespaceFile: namespaceWith("svc-a: {p: 1, s: '${creds.get(\"sec\").secret}'}")}, want: map[string][]string{"deployment/core/app-a/values/collision-deployment-parameters.yaml": {"svc-a:\n  p: 1"}, "deployment/core/app-a/values/collision-credentials.yaml": {"svc-a:\n  s: s3"},
			plainFile: {"svc-a: *id001", "  svc-a:\n    p: 1"}, hiddenFile: {"  svc-a:\n    s: s3"}}},
	})
}
