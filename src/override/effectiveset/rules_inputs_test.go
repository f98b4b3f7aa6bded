package effectiveset

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

func mustJSON(t *testing.T, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRulesOfInputs has which files count, and what of them.
func TestRulesOfInputs(t *testing.T) {
	const domain = "name: bg\ntype: bgdomain\noriginNamespace: {name: E1-O, type: namespace}\npeerNamespace: {name: e1-p, type: namespace}\ncontrollerNamespace: {name: e1-c, type: namespace, credentials: up}\n"
	const app = "name: app-a\ndeployParameters: {A: app}\ntechnicalConfigurationParameters: {T: app}\n"
	runRules(t, []ruleCase{
		{name: "files that end in .yaml", files: map[string]string{namespaceFile: "", envFolder + "Namespaces/core/namespace.yaml": namespaceWith("A: 1"), cloudFile: "", envFolder + "cloud.yaml": string(baseFile(t, cloudFile))},
			want: map[string][]string{plainFile: {"A: 1", "CLOUDNAME: cl_1"}}},
		{name: "a tenant without globalE2EParameters", files: map[string]string{envFolder + "tenant.yml": "name: T1\n"}, fails: "globalE2EParameters is not there"},
		{name: "a cloud with an empty consulConfig", edits: []edit{{cloudFile, "consulConfig:\n  tokenSecret: ''\n  enabled: false\n  publicUrl: ''\n  internalUrl: ''\n", "consulConfig:\n"}}, fails: "consulConfig is not there"},
		{name: "e2eParameters of the tenant and the namespace are not used", files: map[string]string{namespaceFile: "name: e1-core\ne2eParameters: {N: 1}\n"}, edits: []edit{{envFolder + "tenant.yml", "environmentParameters: {}", "environmentParameters: {T: 1}"}},
			not: map[string][]string{pipePlain: {"N", "T"}, plainFile: {"\nN:", "\nT:"}}},
		{name: "an application is found by its name", files: map[string]string{envFolder + "Namespaces/core/Applications/app-a.yml": "name: other\ndeployParameters: {A: app}\n"}, not: map[string][]string{plainFile: {"\nA:"}}, finds: FileUnused},
		{name: "an application of another file name does not count", files: map[string]string{envFolder + "Namespaces/core/Applications/other.yml": app}, not: map[string][]string{plainFile: {"\nA:"}, techFile: {"T"}}},
		{name: "lists of ParamSets and unknown members are ignored", files: map[string]string{namespaceFile: "name: e1-core\ndeployParameterSets: [nowhere]\nlabels: {a: b}\ndeployParameters: {A: 1}\n"}, want: map[string][]string{plainFile: {"A: 1"}}},
		{name: "an origin without regard to case", files: map[string]string{envFolder + "bg_domain.yml": domain, envFolder + "Namespaces/core-origin/namespace.yml": "name: e1-o\n", namespaceFile: "", envFolder + "Namespaces/c/namespace.yml": "name: e1-c\n"},
			want: map[string][]string{"deployment/mapping.yaml": {"e1-o: /environments/c1/e1/effective-set/deployment/core-origin"}}},
		{name: "a folder of another namespace is no origin, and the peer is taken", files: map[string]string{envFolder + "bg_domain.yml": domain, envFolder + "Namespaces/core-origin/namespace.yml": "name: e1-x\n", envFolder + "Namespaces/core-peer/namespace.yml": "name: e1-p\n", namespaceFile: ""},
			want: map[string][]string{"deployment/mapping.yaml": {"e1-p: /environments/c1/e1/effective-set/deployment/core-peer"}}},
		{name: "without a domain no other folder is tried", files: map[string]string{envFolder + "Namespaces/core-origin/namespace.yml": "name: e1-o\n", namespaceFile: ""}, fails: `"core"`, missing: []string{plainFile}},
		{name: "the later one of two entries", files: map[string]string{"sboms/app-a/app-a-2.0.sbom.json": "{}"}, edits: []edit{{sdFile, "- version: app-a:1.0", "- version: app-a:2.0\n  deployPostfix: core\n- version: app-a:1.0"}}, want: map[string][]string{plainFile: {"ARTIFACT_DESCRIPTOR_VERSION: '1.0'"}}},
		{name: "a namespace that the descriptor does not name", files: map[string]string{envFolder + "Namespaces/other/namespace.yml": "name: e1-other\n"},
			want: map[string][]string{topoPlain: {"      e1-other:\n        deployPostfix: other"}, topoSecret: {"  e1-other: tok"}}, not: map[string][]string{"cleanup/mapping.yaml": {"other"}}, missing: []string{"cleanup/other/parameters.yaml"}},
		{name: "a descriptor without applications", files: map[string]string{sdFile: "applications: []\n"}, not: map[string][]string{"deployment/mapping.yaml": {"core"}}, want: map[string][]string{topoPlain: {"bg_domain: {}"}}, missing: []string{plainFile}},
		{name: "applications that are no list", files: map[string]string{sdFile: "applications: {a: 1}\n"}, fails: "are a map, not a list"},
		{name: "an application without a version", files: map[string]string{sdFile: "applications: [{version: app-a, deployPostfix: core}]\n"}, fails: "no version of the form"},
		{name: "a version without an application", files: map[string]string{sdFile: "applications: [{version: ':1.0', deployPostfix: core}]\n"}, fails: "no version of the form"},
		{name: "a namespace without a name", files: map[string]string{namespaceFile: "# nothing\n"}, fails: "the namespace has no name"},
		{name: "parameters that are no map", files: map[string]string{namespaceFile: "name: e1-core\ndeployParameters: [A]\n"}, fails: "deployParameters is a list, not a map"},
		{name: "parameters that are null", files: map[string]string{namespaceFile: "name: e1-core\ndeployParameters:\n"}, want: map[string][]string{plainFile: {"NAMESPACE: e1-core"}}},
		{name: "of a duplicate key the last one counts", files: map[string]string{namespaceFile: namespaceWith("A: 1", "B: 2", "A: 3")}, want: map[string][]string{plainFile: {"A: 3"}}, finds: DuplicateKey},
		{name: "merge keys", files: map[string]string{namespaceFile: namespaceWith("A: &a {k: 1}", "B: &b {k: 2, m: 3}", "C:", "  <<: *a", "  <<: *b", "  n: 4", "D: {<<: [*b, *a]}")},
			want: map[string][]string{plainFile: {"C: &id003\n  k: 1\n  m: 3\n  n: 4", "D: &id004\n  k: 2\n  m: 3"}}},
		{name: "a byte order mark, carriage returns and ends of documents", files: map[string]string{namespaceFile: "\ufeff---\r\nname: e1-core\r\ndeployParameters:\r\n  A: |\r\n    x\r\n    y\r\n  B: \"p\r\n    q\"\r\n...\r\n"}, want: map[string][]string{plainFile: {"A: |-\n  x\n  y", "B: p q"}}},
		{name: "long, empty and many-line keys", files: map[string]string{namespaceFile: namespaceWith("? |-", "  a", "  b", ": 1", "'': 2", "? "+longKey, ": {k: [1]}")},
			want: map[string][]string{plainFile: {"? |-\n  a\n  b\n: 1", "? ''\n: 2", "? " + longKey + "\n: &id001\n  k:\n  - 1"}}},
	})
}

// TestRulesOfValues has how values are read.
func TestRulesOfValues(t *testing.T) {
	runRules(t, []ruleCase{
		{name: "integers about 32 bits", files: map[string]string{namespaceFile: namespaceWith("A: 2147483647", "B: 2147483648", "C: -2147483648", "D: -2147483649")},
			want: map[string][]string{plainFile: {"A: 2147483647", "B: '2147483648'", "C: -2147483648", "D: '-2147483649'"}}, finds: LongInteger},
		{name: "numbers as Java prints them", files: map[string]string{namespaceFile: namespaceWith("A: 1.50", "B: 1e3", "C: 0.0001", "D: 12345678.5", "E: [1e3]", "F: 190:20:30.15", "G: 1:30")},
			want: map[string][]string{plainFile: {"A: 1.5", "B: 1000.0", "C: 1.0E-4", "D: 1.23456785E7", "E: &id001\n- 1000.0", "F: 685230.15", "G: 90"}}},
		{name: "words", files: map[string]string{namespaceFile: namespaceWith("A: Yes", "B: OFF", "C: y", "D: N", "E: {k: on}")}, want: map[string][]string{plainFile: {"A: true", "B: false", "C: y", "D: N", "E: &id001\n  k: true"}}},
		{name: "times are strings", files: map[string]string{namespaceFile: namespaceWith("A: 2024-01-02 03:04:05")}, want: map[string][]string{plainFile: {"A: '2024-01-02 03:04:05'"}}},
		{name: "nothing is an empty string, below a null", files: map[string]string{namespaceFile: namespaceWith("A:", "B: {k: }")}, want: map[string][]string{plainFile: {"A: ''", "B: &id001\n  k: null"}}},
		{name: "strings are trimmed at the top alone", files: map[string]string{namespaceFile: namespaceWith(`A: "\t x\n"`, `B: {k: " x "}`)}, want: map[string][]string{plainFile: {"A: x", "B: &id001\n  k: ' x '"}}},
		{name: "backslashes go at the top alone", files: map[string]string{namespaceFile: namespaceWith(`A: "x\\=\\\"\\'"`, `B: {k: "a\\=b"}`)}, want: map[string][]string{plainFile: {`A: x="'`, "B: &id001\n  k: a\\=b"}}},
		{name: "a structured string that is none", files: map[string]string{namespaceFile: namespaceWith(`A: "'{\"a\": '"`)}, fails: "is read as JSON or YAML"},
		{name: "what has only what is empty goes", files: map[string]string{namespaceFile: namespaceWith("A: {b: {c: []}}", "B: [{}]", "C: {d: {}, e: 1}")}, want: map[string][]string{plainFile: {"C: &id001\n  e: 1"}}, not: map[string][]string{plainFile: {"\nA:", "\nB:"}}},
		{name: "an unknown credential of a pair", files: map[string]string{namespaceFile: namespaceWith("'#creds{U, P}': nobody")}, fails: "there is no credential nobody"},
		{name: "a pair of one name", files: map[string]string{namespaceFile: namespaceWith("'#creds{U}': up")}, fails: "is not of the form #creds{USER, PASSWORD}"},
		{name: "a pair without an end", files: map[string]string{namespaceFile: namespaceWith("'#creds{U, P': up")}, fails: "is not of the form #creds{USER, PASSWORD}"},
		{name: "a pair of an unknown kind", files: map[string]string{namespaceFile: namespaceWith("'#credsx{U, P}': up")}, fails: "is not one of #creds, #credscl and #credsns"},
		{name: "a later level replaces one of a pair", edits: []edit{{cloudFile, "deployParameters: {}", "deployParameters: {'#creds{U,P}': up}"}}, files: map[string]string{namespaceFile: namespaceWith("U: mine")},
			want: map[string][]string{plainFile: {"U: mine"}, hiddenFile: {"P: p"}}},
	})
}

const longKey = "k1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
