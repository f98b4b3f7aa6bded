package instancerepo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
	"github.com/dovetail-store/dovetail/src/value"
)

const credentialsFile = "environments/c/e/Credentials/credentials.yml"

// ofSOPS reads a file that SOPS wrote.
func ofSOPS(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "secret", "sops", "testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func keysOf(t testing.TB, name string) *ciphertext.Keys {
	t.Helper()
	keys, err := ciphertext.ParseKeys(name, []byte(ofSOPS(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func filesWith(credentials string) []instancerepo.File {
	return []instancerepo.File{{Path: credentialsFile, Data: []byte(credentials)}, {Path: "environments/c/e/cloud.yml", Data: []byte("name: x\n")}}
}

// changed are the documents of files, of which one credential has other data.
func changed(t testing.TB, files []instancerepo.File, name, path, to string) []instancerepo.Document {
	t.Helper()
	documents := surveyOf(t, files).Documents()
	i := slices.IndexFunc(documents, func(d instancerepo.Document) bool {
		return strings.HasSuffix(string(d.ID), "/environmentCredential/"+name)
	})
	if i < 0 {
		t.Fatalf("no credential %s", name)
	}
	if path == "" {
		return slices.Delete(documents, i, i+1)
	}
	data := documents[i].Data.Clone()
	names := strings.Split(path, ".")
	data.At(names[:len(names)-1]...).Set(names[len(names)-1], value.NewString(to))
	documents[i].Data = data
	return documents
}

// secretOf is the encrypted secret of the cluster.
func secretOf(contents *instancerepo.Contents) string {
	for _, d := range contents.Documents() {
		if strings.HasSuffix(string(d.ID), "/cluster-token") {
			return d.Data.At("spec", "data", "secret").Text
		}
	}
	return ""
}

func TestCredentialsOfSOPS(t *testing.T) {
	first := keysOf(t, "first.key")
	inClear := map[string]string{"credentials-data.yml": "/registry/data/more would be written in clear: the rule of SOPS in the file leaves it so"}
	for _, file := range []string{"credentials.yml", "credentials-data.yml"} {
		old := ofSOPS(t, file)
		files := filesWith(old)
		contents := surveyOf(t, files)
		for _, d := range contents.Defects {
			if d.Reason != instancerepo.ReasonValueEncrypted {
				t.Errorf("%s: %v", file, d)
			}
		}
		for _, d := range contents.Documents() {
			if strings.Contains(string(d.Data.JSON()), "sesame") {
				t.Errorf("%s is in clear", d.ID)
			}
		}
		for _, test := range []struct {
			name                 string
			credential, path, to string
			keys                 *ciphertext.Keys
			lines                int // that change, in the old text
			problem              string
			want                 func(plain *value.Value) bool
		}{
			{name: "a new password", credential: "registry", path: "spec.data.password", to: "new", keys: first, lines: 3,
				want: func(plain *value.Value) bool {
					return plain.At("registry", "data", "password").Text == "new" && plain.At("registry", "data", "username").Text == "reader" && plain.At("cluster-token", "data", "secret").Text == "sesame-of-the-cluster"
				}},
			{name: "the same in clear", credential: "registry", path: "spec.data.password", to: "sesame-of-the-registry", keys: first, lines: 2},
			{name: "a new member", credential: "registry", path: "spec.data.more", to: "new", keys: first, lines: 2, problem: inClear[file], want: func(plain *value.Value) bool { return plain.At("registry", "data", "more") != nil }},
			{name: "a credential that goes", credential: "cluster-token", keys: first, lines: 6, want: func(plain *value.Value) bool {
				return plain.Get("cluster-token") == nil && plain.Get("registry") != nil
			}},
			{name: "without a key", credential: "registry", path: "spec.data.password", to: "new", problem: "there is no identity to open it"},
			{name: "another key", credential: "registry", path: "spec.data.password", to: "new", keys: keysOf(t, "other.key"), problem: "none of the identities is one of them"},
			{name: "a value of another place", credential: "registry", path: "spec.data.password", to: secretOf(contents), keys: first, problem: "it was changed, moved from another place"},
			{name: "the metadata", credential: "sops", path: "spec.version", to: "1", keys: first, problem: "the metadata of SOPS cannot be changed here"},
			{name: "the metadata go", credential: "sops", keys: first, problem: "the metadata of SOPS cannot be changed here"},
		} {
			t.Run(file+" "+test.name, func(t *testing.T) {
				edits, problems := instancerepo.Edits(files, changed(t, files, test.credential, test.path, test.to), instancerepo.Sealing{Keys: test.keys})
				text, edited := edits[credentialsFile]
				if test.problem != "" {
					if edited || len(problems) != 1 || !strings.Contains(problems[0].Message, test.problem) || strings.Contains(problems[0].Error(), "sesame") {
						t.Fatalf("%v\n%s", problems, text)
					}
					return
				}
				if len(problems) > 0 || !edited {
					t.Fatal(problems)
				}
				lines := 0
				for _, line := range strings.SplitAfter(old, "\n") {
					if !strings.Contains(string(text), line) {
						lines++
					}
				}
				if lines > test.lines || strings.Contains(string(text), "new\n") {
					t.Errorf("%d lines change:\n%s", lines, text)
				}
				plain, err := test.keys.OpenFile("f", text)
				if err != nil || test.want != nil && !test.want(plain) {
					t.Errorf("%v: %s", err, plain.JSON())
				}
			})
		}
	}
}

// TestTamperedFileOfSOPS does not sign again what was changed without SOPS.
func TestTamperedFileOfSOPS(t *testing.T) {
	old := ofSOPS(t, "credentials-data.yml")
	files := filesWith(strings.Replace(old, "type: secret", "type: evil", 1))
	edits, problems := instancerepo.Edits(files, changed(t, files, "registry", "spec.data.password", "new"), instancerepo.Sealing{Keys: keysOf(t, "first.key")})
	if len(edits) > 0 || len(problems) != 1 || !strings.Contains(problems[0].Message, "the MAC of SOPS is not that of the file") {
		t.Errorf("%v, %v", edits, problems)
	}
	found := surveyOf(t, files).Unopened(keysOf(t, "first.key"))
	if len(found) != 1 || found[0].Reason != instancerepo.ReasonValueUnopened || found[0].Position.File != credentialsFile || found[0].Position.Line == 0 {
		t.Error(found)
	}
	if found := surveyOf(t, filesWith(old)).Unopened(keysOf(t, "first.key")); len(found) > 0 {
		t.Error(found)
	}
	if found := surveyOf(t, filesWith(old)).Unopened(keysOf(t, "other.key")); len(found) != 1 {
		t.Error(found)
	}
}

// TestNewFileOfSOPS writes documents that were of such a file into an empty folder: signed again, or not at all.
func TestNewFileOfSOPS(t *testing.T) {
	documents := surveyOf(t, filesWith(ofSOPS(t, "credentials.yml"))).Documents()
	edits, problems := instancerepo.Edits(nil, documents, instancerepo.Sealing{Keys: keysOf(t, "second.key")})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	plain, err := keysOf(t, "first.key").OpenFile("f", edits[credentialsFile])
	if err != nil || plain.At("registry", "data", "password").Text != "sesame-of-the-registry" {
		t.Errorf("%v\n%s", err, edits[credentialsFile])
	}
	edits, problems = instancerepo.Edits(nil, documents, instancerepo.Sealing{})
	if len(problems) != 1 || problems[0].Remedy != "give the identity of age with --credential-keys" || edits[credentialsFile] != nil {
		t.Errorf("%v\n%s", problems, edits[credentialsFile])
	}
}

// TestOtherFilesOfSOPS are refused, as are those that are encrypted in ways that are not known.
func TestOtherFilesOfSOPS(t *testing.T) {
	for name, file := range map[string]string{"environments/parameters/p.yaml": "credentials.yml", credentialsFile: "shamir.yaml", "environments/credentials/c.yml": "comment-regex.yaml"} {
		defects := surveyOf(t, []instancerepo.File{{Path: name, Data: []byte(ofSOPS(t, file))}}).Defects
		if !slices.ContainsFunc(defects, func(d *dovetail.Error) bool {
			return d.Reason == instancerepo.ReasonFileEncrypted && d.Position.File == name && d.Position.Line > 1
		}) && file != "shamir.yaml" { // which is two documents
			t.Errorf("%s: %v", name, defects)
		}
	}
}
