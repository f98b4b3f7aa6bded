package override_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
)

// TestSetsWithSOPS calculates from documents of credentials that SOPS encrypted. No answer shows a secret, and no file gets one in plaintext.
func TestSetsWithSOPS(t *testing.T) {
	const fixture = "../internal/cli/testdata/effective-set-sops/"
	keys, err := ciphertext.ReadKeys(fixture + "age.key")
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := os.ReadFile(fixture + "credentials.yml")
	if err != nil {
		t.Fatal(err)
	}
	files := generatedFiles(t)
	const name = "environments/cluster-01/pl-01/Credentials/credentials.yml"
	if _, there := files[name]; !there {
		t.Fatal("there are no credentials to encrypt")
	}
	files[name] = string(credentials)
	s := newStore(t, apitest.OpenBolt(t), files)
	const query = "environmentId=cluster-01/pl-01&namespaceName=pl-01-pg&applicationName=postgres&context=deploy&view=explain"
	const body = `{"level":"namespace","parameters":{"DSN":"jdbc:${creds.get('minio-cred').password}@h","PLAIN":1}}`
	options := override.Options{Mode: override.ModeEffectiveSet, Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")}
	without := newClient(t, override.Stored{Store: s}, options)
	if text, err := json.Marshal(toBeOf(t, without, "POST", query, body)); err != nil || !strings.Contains(string(text), "encrypted with SOPS for age, and no key was given") {
		t.Errorf("without a key: %s", text)
	}
	options.Open, options.OpenFile = keys.Open, keys.OpenUnordered
	c := newClient(t, override.Stored{Store: s}, options)
	text, err := json.Marshal(toBeOf(t, c, "POST", query, body))
	if err != nil || strings.Contains(string(text), "pass-placeholder") || strings.Contains(string(text), "not-calculated") || !strings.Contains(string(text), "DSN") {
		t.Errorf("to be: %s", text)
	}
	reply := c.must("POST", overrides, "", `{"environmentId":"cluster-01/pl-01","namespaceName":"pl-01-pg","context":"deploy","parameters":{"DSN":"jdbc:${creds.get('minio-cred').password}@h","PLAIN":1}}`)
	if !strings.Contains(strings.Join(reply.Warnings, " "), "credentials.yaml is left as it is: the credentials of the environment are encrypted with SOPS") {
		t.Error(reply.Warnings)
	}
	after := committed(t, s, files)
	if !strings.Contains(after[realSetFolder+"deployment/pg/postgres/values/deployment-parameters.yaml"], "\nPLAIN: 1\n") {
		t.Error("PLAIN is not written")
	}
	for name, text := range after {
		if strings.Contains(text, "jdbc:pass-placeholder") {
			t.Errorf("%s has a secret", name)
		}
	}
	if after[name] != files[name] {
		t.Error("the file of SOPS is another one")
	}
}
