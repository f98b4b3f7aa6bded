package override_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/value"
)

// encryptedFiles are files whose credentials are encrypted.
func encryptedFiles(t testing.TB, files map[string]string, keys *ciphertext.Keys) map[string]string {
	t.Helper()
	made := make(map[string]string)
	for name, text := range files {
		made[name] = text
		base := path.Base(name)
		if base != "credentials.yml" && base != "credentials.yaml" && base != "collision-credentials.yaml" {
			continue
		}
		read, err := yaml.ParseClassic(name, []byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if len(read) == 0 {
			continue
		}
		tokens := make(map[string]string)
		var seal func(v *value.Value)
		seal = func(v *value.Value) {
			for _, m := range v.Members {
				if m.Name != "type" {
					seal(m.Value)
				}
			}
			if len(v.Members) == 0 && v.Text != "" && !ciphertext.Is(v.Text) {
				if tokens[v.Text] == "" {
					tokens[v.Text] = keys.Seal(v.Text)
				}
				v.Kind, v.Text = value.String, tokens[v.Text]
			}
		}
		seal(read[0])
		made[name] = string(yaml.MarshalClassic(read[0]))
	}
	return made
}

// TestWhatIsWrittenIsEncrypted writes an override in a repository whose credentials are encrypted: the set is calculated, new secrets are encrypted, old ones keep their tokens,
// and no answer shows one.
func TestWhatIsWrittenIsEncrypted(t *testing.T) {
	keys, err := ciphertext.ParseKeys("key", []byte("cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="))
	if err != nil {
		t.Fatal(err)
	}
	files := encryptedFiles(t, generatedFiles(t), keys)
	s := newStore(t, apitest.OpenBolt(t), files)
	c := newClient(t, override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet, Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms"), Open: keys.Open, Seal: func(dovetail.ID) func(string) string { return keys.Seal }})
	const secret = "pass-placeholder-123"
	place := `"environmentId":"cluster-01/pl-01","namespaceName":"pl-01-pg","context":"deploy"`
	parameters := `{"DSN":"jdbc:${creds.get('minio-cred').password}@h","PLAIN":1}`
	const query = "environmentId=cluster-01/pl-01&namespaceName=pl-01-pg&applicationName=postgres&context=deploy&view=explain"
	for name, reply := range map[string]any{
		"to be":  toBeOf(t, c, "POST", query, `{"level":"namespace","parameters":`+parameters+`}`),
		"impact": impactOf(t, c, "", `{"override":{`+place+`,"parameters":`+parameters+`}}`),
	} {
		text, err := json.Marshal(reply)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret) || !strings.Contains(string(text), "DSN") {
			t.Errorf("%s: %s", name, text)
		}
	}
	reply := c.must("POST", overrides, "", "{"+place+`,"parameters":`+parameters+`}`)
	if strings.Contains(strings.Join(reply.Warnings, " "), "not-calculated") {
		t.Error(reply.Warnings)
	}
	after := committed(t, s, files)
	const written = realSetFolder + "deployment/pg/postgres/values/credentials.yaml"
	if !strings.Contains(after[realSetFolder+"deployment/pg/postgres/values/deployment-parameters.yaml"], "\nPLAIN: 1\n") {
		t.Error("PLAIN is not written")
	}
	for name, text := range after {
		if strings.Contains(text, secret) && !strings.Contains(files[name], secret) { // as EnvGene's calculator writes some
			t.Errorf("%s shows a secret", name)
		}
	}
	read, err := yaml.ParseClassic(written, []byte(after[written]), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := keys.Open(read[0].Get("DSN").Text); err != nil || plain != "jdbc:"+secret+"@h" || !ciphertext.Is(read[0].Get("DSN").Text) {
		t.Errorf("DSN is %s: %v", read[0].Get("DSN").Text, err)
	}
	for _, line := range strings.Split(after[written], "\n") {
		if ciphertext.Is(strings.Trim(line[strings.IndexByte(line, ':')+1:], " '")) && !strings.Contains(files[written], line) && !strings.Contains(line, "DSN") {
			t.Errorf("the token of %s is another one", line)
		}
	}
	if !strings.Contains(after[written], "\npatroni-core: *id001\n") {
		t.Error("what stands at several places is not one value")
	}
}
