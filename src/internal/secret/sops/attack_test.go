package sops_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/secret/sops"
	"github.com/dovetail-store/dovetail/src/value"
)

// token returns the encrypted value of a member, the first of its name.
func token(text, name string) string {
	return regexp.MustCompile(`(?m)^\s*(?:- )?` + name + `: (ENC\[.*\])$`).FindStringSubmatch(text)[1]
}

func swap(text, a, b string) string {
	return strings.NewReplacer(a, b, b, a).Replace(text)
}

// TestAttacks changes real files: each change is refused, where it is, and nothing of the secrets is shown.
func TestAttacks(t *testing.T) {
	const wrongMAC = "the MAC of SOPS is not that of the file"
	tests := []struct {
		name, file string
		change     func(text string) string
		key        string
		want       string // of the error
	}{
		{name: "no identity", file: "all.yaml", key: "-", want: "all.yaml:46:5 /sops: the file is encrypted with SOPS for age, and there is no identity to open it"},
		{name: "another identity", file: "all.yaml", key: "other", want: "none of the identities is one of them"},
		{name: "one of two recipients", file: "shamir.yaml", want: "divided among 2 key groups (Shamir), which is not supported"},
		{name: "values chosen by comments", file: "comment-regex.yaml", want: "/sops/encrypted_comment_regex: values that are chosen by their comments are not supported"},
		{name: "a changed ciphertext", file: "credentials.yml", want: "/registry/data/password: the value cannot be decrypted: it was changed, moved", change: func(text string) string {
			of := token(text, "password")
			return strings.Replace(text, of, strings.Replace(of, "data:", "data:AA", 1), 1)
		}},
		{name: "a changed tag", file: "credentials.yml", want: "it was changed, moved", change: func(text string) string {
			of := token(text, "password")
			return strings.Replace(text, of, strings.Replace(of, "tag:", "tag:AAAA", 1), 1)
		}},
		{name: "two values swapped", file: "credentials.yml", want: "it was changed, moved", change: func(text string) string {
			return swap(text, token(text, "username"), token(text, "password"))
		}},
		{name: "two items of a list swapped, which are bound to the same names", file: "encrypted-regex.yaml", want: wrongMAC, change: func(text string) string {
			all := regexp.MustCompile(`password: (ENC\[.*\])`).FindAllStringSubmatch(text, -1)
			return swap(text, all[len(all)-2][1], all[len(all)-1][1])
		}},
		{name: "a value of another file", file: "credentials.yml", want: "it was changed, moved", change: func(text string) string {
			return strings.Replace(text, token(text, "password"), "ENC[AES256_GCM,data:Fh94rydq/9Oq,iv:LPDLKquRaR02PefaE6p0+NFBMy3zW+Re/kMvrDoobnc=,tag:e3wcmMXGJjEQ1iK5X/s5Sw==,type:str]", 1)
		}},
		{name: "a value removed", file: "credentials.yml", want: wrongMAC, change: func(text string) string {
			return strings.Replace(text, "        username: "+token(text, "username")+"\n", "", 1)
		}},
		{name: "a value in clear where all are encrypted", file: "credentials.yml", want: "/registry/data/password: the value cannot be decrypted: it is not encrypted", change: func(text string) string {
			return strings.Replace(text, token(text, "password"), "evil", 1)
		}},
		{name: "a number in clear where all are encrypted", file: "credentials.yml", want: "it is not encrypted", change: func(text string) string {
			return strings.Replace(text, token(text, "password"), "17", 1)
		}},
		{name: "a value in clear changed", file: "encrypted-regex.yaml", want: wrongMAC, change: func(text string) string {
			return strings.Replace(text, "notes_enc: hidden", "notes_enc: evil", 1)
		}},
		{name: "a value in clear added", file: "all.yaml", want: wrongMAC, change: func(text string) string { return "evil_unencrypted: x\n" + text }},
		{name: "a text made a number", file: "credentials.yml", want: "it is of a type that is not known", change: func(text string) string {
			of := token(text, "password")
			return strings.Replace(text, of, strings.Replace(of, "type:str", "type:int", 1), 1)
		}},
		{name: "another rule", file: "encrypted-regex.yaml", want: "the value is encrypted, and the metadata of SOPS say that it is not", change: func(text string) string {
			return strings.Replace(text, "encrypted_regex: ^(data|stringData|password)$", "encrypted_regex: ^(data|password)$", 1)
		}},
		{name: "the MAC over less", file: "encrypted-regex.yaml", want: wrongMAC, change: func(text string) string {
			return strings.Replace(text, "    encrypted_regex:", "    mac_only_encrypted: true\n    encrypted_regex:", 1)
		}},
		{name: "another time", file: "credentials.yml", want: wrongMAC, change: func(text string) string {
			return regexp.MustCompile(`lastmodified: "20..`).ReplaceAllString(text, `lastmodified: "2019`)
		}},
		{name: "no time", file: "credentials.yml", want: "/sops/lastmodified: this is no time", change: func(text string) string {
			return regexp.MustCompile(`lastmodified: ".*"`).ReplaceAllString(text, `lastmodified: "never"`)
		}},
		{name: "no MAC", file: "credentials.yml", want: "mac is missing", change: func(text string) string {
			return strings.Replace(text, "    mac: "+token(text, "mac")+"\n", "", 1)
		}},
		{name: "a MAC in clear", file: "credentials.yml", want: wrongMAC, change: func(text string) string { return strings.Replace(text, token(text, "mac"), "AB", 1) }},
		{name: "a rule that is not known", file: "encrypted-regex.yaml", want: "encrypted_regexp", change: func(text string) string {
			return strings.Replace(text, "    encrypted_regex:", "    encrypted_regexp:", 1)
		}},
		{name: "two rules", file: "encrypted-regex.yaml", want: "a file has one rule", change: func(text string) string {
			return strings.Replace(text, "    encrypted_regex:", "    unencrypted_suffix: _u\n    encrypted_regex:", 1)
		}},
		{name: "a rule that is no expression", file: "encrypted-regex.yaml", want: "this is no regular expression", change: func(text string) string {
			return strings.Replace(text, "encrypted_regex: ^(", "encrypted_regex: ^((", 1)
		}},
		{name: "for PGP only", file: "encrypted-regex.yaml", want: "for PGP, and not for age; add a recipient of age", change: func(text string) string {
			return regexp.MustCompile(`(?s)    age:\n.*?    encrypted_regex`).ReplaceAllString(text, "    pgp:\n        - fp: AB\n          enc: AB\n    encrypted_regex")
		}},
		{name: "a data key that is cut off", file: "credentials-data.yml", want: "none of the identities is one of them", change: func(text string) string {
			return regexp.MustCompile(`(?m)^            [A-Za-z0-9+/]{20,63}==?\n`).ReplaceAllString(text, "")
		}},
		{name: "very many recipients", file: "credentials-data.yml", want: "there are 5001 recipients, more than 1000", change: func(text string) string {
			return strings.Replace(text, "    age:\n", "    age:\n"+strings.Repeat("        - {recipient: age1x, enc: x}\n", 5000), 1)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := read(t, test.file)
			if test.change != nil {
				text := test.change(string(source.Text))
				if text == string(source.Text) {
					t.Fatal("the change changes nothing")
				}
				source = parsed(t, test.file, []byte(text))
			}
			of := identities(t, "first")
			switch test.key {
			case "-":
				of = nil
			case "other":
				of = identities(t, "other")
			}
			file, err := sops.Open(source, of)
			if err == nil {
				t.Fatalf("it is opened: %s", file.Plain[0].JSON())
			}
			text := fmt.Sprintf("%v %+v", err, err)
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(text, test.want) || !strings.Contains(text, test.file+":") {
				t.Errorf("%s", text)
			}
			if strings.Contains(text, "sesame") || strings.Contains(text, "AGE-SECRET") {
				t.Errorf("shows a secret: %s", text)
			}
		})
	}
}

// TestTruncated cuts a file off at each line: what is still YAML is refused.
func TestTruncated(t *testing.T) {
	source := read(t, "credentials.yml")
	lines := strings.SplitAfter(string(source.Text), "\n")
	for n := 1; !strings.HasPrefix(lines[n-1], "    mac: "); n++ { // what follows is the rule that holds without one, too, and the version
		text := strings.Join(lines[:n], "")
		values, err := yaml.Parse("cut.yml", []byte(text), value.Limits{})
		if err != nil || len(values) == 0 {
			continue
		}
		cut := sops.Source{Name: "cut.yml", Text: []byte(text), Values: values}
		if sops.Is(values[0]) {
			_, err = sops.Open(cut, identities(t, "first"))
		} else {
			err = sops.Stray("cut.yml", values)
		}
		if err == nil && strings.Contains(text, ": ENC[") {
			t.Errorf("%d lines are taken", n)
		}
	}
}

func TestStray(t *testing.T) {
	text := "a:\n  - b: " + token(string(read(t, "credentials.yml").Text), "password") + "\n"
	err := sops.Stray("a.yaml", parsed(t, "a.yaml", []byte(text)).Values)
	if err == nil || !strings.Contains(err.Error(), "a.yaml:2:8 /a/b: the value is encrypted with SOPS, and the file has no metadata of SOPS") {
		t.Error(err)
	}
	if err := sops.Stray("a.yaml", parsed(t, "a.yaml", []byte("a: ENC[x]\nb: 'see ENC[AES256_GCM,data:x,iv:x,tag:x,type:str] there'\n")).Values); err != nil {
		t.Error(err)
	}
}

// TestSealRefuses gives values that cannot become those of the file.
func TestSealRefuses(t *testing.T) {
	source := read(t, "credentials.yml")
	file, err := sops.Open(source, identities(t, "first"))
	if err != nil {
		t.Fatal(err)
	}
	moved := file.Plain[0].Clone()
	moved.Set("moved", value.NewString(token(string(source.Text), "password")))
	long := file.Plain[0].Clone()
	long.Set("long", &value.Value{Kind: value.Number, Text: "1234567890.12345678901234567890"})
	for name, to := range map[string]*value.Value{"moved": moved, "more digits": long} {
		if _, err := file.Seal("f", to); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseIdentities(t *testing.T) {
	for name, text := range map[string]string{"nothing": "# nothing\n", "a password": "hush\n", "a plugin": "AGE-PLUGIN-HUSH-1QQ\n", "half a key": "AGE-SECRET-KEY-1HUSH\n", "post-quantum": "AGE-SECRET-KEY-PQ-1HUSH\n"} {
		_, err := sops.ParseIdentities("keys", []byte(text))
		if dovetail.CodeOf(err) != dovetail.CodeInvalid || strings.Contains(strings.ToLower(err.Error()), "hush") || !strings.Contains(err.Error(), "keys:1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := fmt.Sprintf("%v %s", identities(t, "first"), identities(t, "first")); text != "identities identities" {
		t.Error(text)
	}
}
