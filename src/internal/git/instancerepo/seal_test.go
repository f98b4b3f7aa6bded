package instancerepo_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/internal/secret/ciphertext"
)

// New values of credentials are written encrypted, and those that stay keep their tokens.
func TestCredentialsAreWrittenEncrypted(t *testing.T) {
	const key, name = "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=", "environments/c/e/Credentials/credentials.yml"
	keys, err := ciphertext.ParseKeys("keys", []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	token := keys.Seal("sesame")
	old := keys.Seal("old")
	encrypted := "# ask before\na:\n  type: usernamePassword\n  data:\n    username: '" + token + "'\n    password: '" + old + "'\n"
	for _, test := range []struct {
		name    string
		file    string // "" if there is none
		data    string // of the credential a, afterwards
		keys    *ciphertext.Keys
		keeps   string // must be in the file as it stands here
		absent  string // must not be
		opens   string // what the password is, once it is opened
		problem bool
	}{
		{name: "a new password", file: encrypted, keys: keys, data: `{"username":"` + token + `","password":"new"}`, keeps: token, absent: "new", opens: "new"},
		{name: "what stays, in clear", file: encrypted, keys: keys, data: `{"username":"sesame","password":"old"}`, keeps: encrypted, opens: "old"},
		{name: "a number", file: encrypted, keys: keys, data: `{"username":"` + token + `","password":123}`, absent: "123", opens: "123"},
		{name: "without a key", file: encrypted, data: `{"username":"` + token + `","password":"new"}`, problem: true},
		{name: "without a key, unchanged", file: encrypted, data: `{"username":"` + token + `","password":"` + old + `"}`, keeps: encrypted},
		{name: "a file in clear", file: "a:\n  type: secret\n  data: {password: old}\n", keys: keys, data: `{"password":"new"}`, keeps: "new"},
		{name: "a new file", keys: keys, data: `{"password":"new"}`, absent: "new", opens: "new"},
		{name: "a new file without a key", data: `{"password":"new"}`, keeps: "new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := []instancerepo.File{{Path: "environments/c/e/cloud.yml", Data: []byte("name: x\n")}}
			if test.file != "" {
				files = append(files, instancerepo.File{Path: name, Data: []byte(test.file)})
			}
			text := "{}"
			var documents []instancerepo.Document
			for _, d := range surveyOf(t, files).Documents() {
				if key := d.ID.Key(); key[len(key)-1].Name != "environmentCredential" {
					documents = append(documents, d)
				} else if kind, _ := d.Data.At("spec", "type").Str(); kind != "" {
					text = `{"type":"` + kind + `"}`
				}
			}
			text = strings.Replace(strings.Replace(text, "{}", `{"type":"secret"}`, 1), "}", `,"data":`+test.data+`}`, 1)
			documents = append(documents, instancerepo.Document{ID: "cluster/c/environment/e/environmentCredential/a", Data: readText(t, `{"metadata":{"name":"a"},"spec":`+text+`}`)})
			edits, problems := instancerepo.Edits(files, documents, instancerepo.Sealing{Keys: test.keys})
			if test.problem != (len(problems) > 0) {
				t.Fatalf("problems %v", problems)
			}
			got := test.file
			if edit, ok := edits[name]; ok {
				got = string(edit)
			}
			if test.problem && got != test.file || !strings.Contains(got, test.keeps) || test.absent != "" && strings.Contains(got, test.absent) {
				t.Errorf("the file is\n%s", got)
			}
			if test.opens != "" {
				password, _ := readText(t, got).At("a", "data", "password").Str()
				if plain, err := keys.Open(password); err != nil || plain != test.opens {
					t.Errorf("the password is %q, %v", plain, err)
				}
			}
			if kind, _ := readText(t, got).At("a", "type").Str(); ciphertext.Is(kind) {
				t.Error("the type is encrypted")
			}
		})
	}
}
