package gitsync_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// link puts a symbolic link into the clone of another writer, in the place of what is there.
func (b *bench) link(to, at string) {
	b.t.Helper()
	b.Pull()
	full := filepath.Join(b.Clone, at)
	for _, err := range []error{os.RemoveAll(full), os.MkdirAll(filepath.Dir(full), 0o755), os.Symlink(to, full)} {
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// irregular are the files that the record calls so.
func (b *bench) irregular() []string { return b.defective(instancerepo.ReasonFileIrregular) }

// defective are the files that the record names for a reason.
func (b *bench) defective(reason string) (files []string) {
	b.t.Helper()
	for _, d := range b.recorded().Defects.First {
		if d.Reason == reason {
			files = append(files, d.File)
		}
	}
	return files
}

// TestSymbolicLinks: links in a repository are not followed, and found when it is attached, when commits of others bring them, and beside writes; they are forgotten when they go.
func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	const sets, readme, file, folder = "environments/c1/parameters", "notes/link.md", "environments/c1/dev/tenant.yml", "environments/c1/other"
	b := newRemote(t, small)
	b.link("../parameters", sets)
	b.link("../README.md", readme)
	b.push(nil)
	b.openStore(nil)
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	want := func(files ...string) {
		t.Helper()
		b.agree()
		slices.Sort(files)
		if got := b.irregular(); !slices.Equal(got, files) {
			t.Errorf("irregular are %v, want %v", got, files)
		}
	}
	follow := func(files map[string]string) {
		t.Helper()
		b.push(files)
		if err := b.a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want(sets, readme)
	b.link("../dev/cloud.yml", file)
	b.link("dev", folder)
	follow(nil)
	want(sets, readme, file, folder)
	b.must(b.put(own, `{"name":"own","parameters":{"A":"3"}}`))
	want(sets, readme, file, folder)
	if before, ok := b.Show(file); !ok || before != "../dev/cloud.yml" {
		t.Errorf("the link is %q now", before)
	}
	follow(map[string]string{readme: gittest.Gone, folder: gittest.Gone})
	want(sets, file)
	b.link("anywhere", ownYML) // in the place of a ParamSet, which is gone then
	follow(map[string]string{file: gittest.Gone})
	want(sets, ownYML)
	follow(map[string]string{sets: gittest.Gone, ownYML: gittest.Gone})
	follow(map[string]string{ownYML: small[ownYML]})
	want()
}

// TestFilesTwice: a second file of a document is named once it is pushed, also outside of environments, the one that counts is the one that is followed and written, and the defect goes
// with either.
func TestFilesTwice(t *testing.T) {
	t.Parallel()
	const yml, yaml, template = "environments/parameters/p.yml", "environments/parameters/p.yaml", "environments/parameters/p.yml.j2"
	const id = "siteParamSet/p"
	b := newRemote(t, small)
	b.push(map[string]string{yaml: "name: p\nparameters: {a: yaml}\n"})
	b.openStore(nil)
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	follow := func(text string, files map[string]string, want ...string) {
		t.Helper()
		b.push(files)
		if err := b.a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.agree()
		if got := b.defective(instancerepo.ReasonFileTwice); !slices.Equal(got, want) {
			t.Errorf("named are %v, want %v", got, want)
		}
		if got := string(b.get(id).Data); !strings.Contains(got, text) {
			t.Errorf("it is %s, want %s", got, text)
		}
	}
	follow("yaml", nil)
	follow(`"yml"`, map[string]string{yml: "name: p\nparameters: {a: yml}\n"}, yaml)
	b.must(b.put(id, `{"name":"p","parameters":{"a":"written"}}`))
	if got := b.show(yml); !strings.Contains(got, "written") {
		t.Errorf("the file that counts is %s", got)
	}
	follow("written", map[string]string{template: "{{ p }}"}, yaml, yml)
	follow(`"yaml"`, map[string]string{yml: gittest.Gone}, yaml)
	follow(`"yaml"`, map[string]string{template: gittest.Gone})
}

// TestMisspeltMembers: a member whose name is misspelt is named when the repository is attached, and when it is pushed, until it is repaired.
func TestMisspeltMembers(t *testing.T) {
	t.Parallel()
	const namespace, shared = "environments/c1/dev/Namespaces/core/namespace.yml", "environments/parameters/p.yml"
	b := newRemote(t, small)
	b.push(map[string]string{namespace: "name: dev-core\ndeployParamters: {A: 1}\n"})
	b.openStore(nil)
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	follow := func(files map[string]string, want ...string) {
		t.Helper()
		b.push(files)
		if err := b.a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.defective(instancerepo.ReasonMemberMisspelt); !slices.Equal(got, want) {
			t.Errorf("named are %v, want %v", got, want)
		}
	}
	follow(nil, namespace)
	follow(map[string]string{shared: "name: p\nparameters: {a: 1}\naplications: []\n"}, namespace, shared)
	follow(map[string]string{namespace: "name: dev-core\ndeployParameters: {A: 1}\n"}, shared)
	follow(map[string]string{shared: gittest.Gone})
}

// TestMissingFiles: a file that an inventory names and that is not there is named when the repository is attached, when a commit takes the file away or another inventory names it, and
// beside writes, until it is there, at whatever level.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	const dev, other = "environments/c1/dev/Inventory/env_definition.yml", "environments/c2/e/Inventory/env_definition.yml"
	const site, cluster, template = "environments/credentials/keys.yml", "environments/c1/credentials/keys.yaml", "environments/c2/credentials/keys.yml.j2"
	const inventory = "envTemplate: {sharedMasterCredentialFiles: [keys]}\n"
	b := newRemote(t, small)
	b.push(map[string]string{dev: inventory})
	b.openStore(nil)
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	want := func(files ...string) {
		t.Helper()
		b.agree()
		if got := b.defective(instancerepo.ReasonFileMissing); !slices.Equal(got, files) {
			t.Errorf("named are %v, want %v", got, files)
		}
	}
	follow := func(files map[string]string, named ...string) {
		t.Helper()
		b.push(files)
		if err := b.a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		want(named...)
	}
	want(dev)
	follow(map[string]string{other: inventory}, dev, other)
	follow(map[string]string{cluster: "[malformed\n"}, other)
	follow(map[string]string{template: "{{ x }}\n"})
	follow(map[string]string{cluster: gittest.Gone, template: gittest.Gone}, dev, other)
	remedy := func(part string) {
		t.Helper()
		for _, d := range b.recorded().Defects.First {
			if d.Reason == instancerepo.ReasonFileMissing && (strings.Contains(d.Remedy, "did you mean") != (part != "") || !strings.Contains(d.Remedy, part)) {
				t.Errorf("the remedy is %s", d.Remedy)
			}
		}
	}
	remedy("")
	follow(map[string]string{"environments/credentials/keyss.yml": "{}\n"}, dev, other) // which may be what was meant
	remedy("did you mean keyss?")
	follow(map[string]string{site: "a: {type: secret, data: {secret: x}}\n"})
	b.must(store.Operation{Verb: store.Delete, ID: "credentialSet/keys"})
	want(dev, other)
	b.must(b.put("cluster/c2/clusterCredentialSet/keys", `{"a":{"type":"secret","data":{"secret":"y"}}}`))
	want(dev)
	b.must(b.put(own, `{"name":"own","parameters":{"A":"3"}}`)) // of the same environment
	want(dev)
}
