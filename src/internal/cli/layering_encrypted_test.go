package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestLayeringEncrypted renders values and objects that SOPS and age encrypted, from real files of both.
func TestLayeringEncrypted(t *testing.T) {
	shop, err := filepath.Abs("testdata/layering-encrypted")
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(shop + "/age.key")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("config/sops/age", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "config/sops/age/keys.txt", string(key))
	if err := os.MkdirAll("shop", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"layering.yaml", "values.yaml", "secrets.yaml", "database.yaml", "tokens.yaml.age"} {
		if err := os.Rename(name, "shop/"+name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS("next", os.DirFS("shop")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "next/values.yaml", "replicas: 2\ndatabase: {host: db-2, user: reader, password: none}\n")
	run := func(want string, code int, shown ...string) string {
		t.Helper()
		stdout, stderr, got := runCommand(t.Context(), t, cli.Deps{}, want)
		for _, part := range shown {
			if !strings.Contains(stdout+stderr, part) || got != code {
				t.Errorf("%s (%d): no %q in\n%s%s", want, got, part, stdout, stderr)
			}
		}
		return stdout + stderr
	}
	const keyed = "dovetail layering "
	for _, with := range []string{"SOPS_AGE_KEY_FILE=age.key ", "XDG_CONFIG_HOME=config "} {
		run(with+keyed+"render -f shop", 0, "password: sesame\n", "since: \"2026-10-01T00:00:00Z\"", "replicas: 3", "host: db\n", "password: sesame-of-the-database", "token: sesame-of-age", "enabled: true")
	}
	render := keyed + "%s --age-key-file age.key"
	all := func(verb string) string { return strings.ReplaceAll(render, "%s", verb) }
	for _, verb := range []string{"render -f shop --redact", "render -f shop --explain . --redact", "lint -f shop", "lint -f shop --fix", "diff shop next", "impact shop -f next --complete", "impact shop -f next/secrets.yaml",
		"impact shop -f next --markdown"} {
		if out := run(all(verb), 0); strings.Contains(out, "sesame") || strings.Contains(out, "ENC[") {
			t.Errorf("%s shows a secret:\n%s", verb, out)
		}
	}
	run(all("render -f shop --explain .database.password --document shop"), 0, "secrets.yaml:3:15", "values.yaml:2:46")
	run(all("render -f shop --redact"), 0, "REDACTED")
	run(all("lint -f shop"), 0, "valid: ")
	run(all("diff shop next"), 1, "changed")

	for _, with := range []string{"", "SOPS_AGE_KEY_FILE=other.key "} {
		out := run(with+keyed+"render -f shop", 1, "shop/secrets.yaml:", "shop/database.yaml:", "shop/tokens.yaml.age:1")
		if strings.Contains(out, "ENC[") {
			t.Errorf("taken as a text:\n%s", out)
		}
	}
	run(keyed+"render -f shop", 1, "give a file of identities with --age-key-file, or in SOPS_AGE_KEY_FILE")
	run(keyed+"render -f shop --age-key-file missing.key", 6, "missing.key: the file of identities cannot be read")
	secrets, err := os.ReadFile("shop/secrets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(secrets), "sops:")
	writeFile(t, "shop/secrets.yaml", before)
	run(all("render -f shop"), 1, "shop/secrets.yaml:", "the value is encrypted with SOPS, and the file has no metadata of SOPS")
	writeFile(t, "shop/secrets.yaml", strings.Replace(string(secrets), "    replicas:", "    copies:", 1)+"more_unencrypted: 1\n")
	run(all("render -f shop"), 1, "the MAC of SOPS is not that of the file")
	writeFile(t, "shop/secrets.yaml", strings.Replace(string(secrets), "replicas:", "copies:", 1))
	run(all("render -f shop"), 1, "shop/secrets.yaml:5:9: the value cannot be decrypted: it was changed, moved from another place, or is of another file")
	run(all("put site=shop/database.yaml --server http://127.0.0.1:1"), 6, "the file is encrypted, and the document would be kept in clear on the server")
}
