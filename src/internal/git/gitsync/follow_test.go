package gitsync_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
)

// Commits of others come into the store, whatever they do.
func TestForeignCommits(t *testing.T) {
	t.Parallel()
	const inventory = "environments/c1/dev/Inventory/env_definition.yml"
	tests := []struct {
		name   string
		before map[string]string // beside the small ones
		commit map[string]string // "" removes
		gone   []dovetail.ID
		there  []dovetail.ID
	}{
		{"a parameter", nil, map[string]string{ownYML: "name: own\nparameters: {A: 5}\n"}, nil, []dovetail.ID{own}},
		{"only a comment", nil, map[string]string{ownYML: small[ownYML] + "# more\n"}, nil, []dovetail.ID{own}},
		{"nothing that is held", nil, map[string]string{"README.md": "x\n"}, nil, []dovetail.ID{own}},
		{"a ParamSet goes that is used", nil, map[string]string{ownYML: gittest.Gone}, []dovetail.ID{own}, []dovetail.ID{env}},
		{"an environment comes", nil, map[string]string{"environments/c2/e/Inventory/env_definition.yml": "a: 1\n"}, nil, []dovetail.ID{"cluster/c2/environment/e", "cluster/c2"}},
		{"an environment goes, and its cluster", nil, map[string]string{inventory: gittest.Gone, ownYML: gittest.Gone, "environments/c1/dev/Namespaces/core/namespace.yml": gittest.Gone},
			[]dovetail.ID{env, own, "cluster/c1"}, []dovetail.ID{"siteParamSet/shared"}},
		{"an environment goes, and its cluster stays", map[string]string{"environments/c1/e/cloud.yml": "name: x\n"},
			map[string]string{inventory: gittest.Gone, ownYML: gittest.Gone, "environments/c1/dev/Namespaces/core/namespace.yml": gittest.Gone}, []dovetail.ID{env, own}, []dovetail.ID{"cluster/c1"}},
		{"a shared ParamSet goes that is used", nil, map[string]string{"environments/parameters/shared.yml": gittest.Gone}, []dovetail.ID{"siteParamSet/shared"}, []dovetail.ID{env}},
		{"a shared ParamSet comes back", map[string]string{inventory: "envTemplate: {envSpecificParamsets: {core: [later, own]}}\n"},
			map[string]string{"environments/c1/parameters/later.yml": "name: later\n"}, nil, []dovetail.ID{"cluster/c1/clusterParamSet/later"}},
		{"a nearer one comes", nil, map[string]string{"environments/c1/parameters/shared.yaml": "name: shared\n"}, nil, []dovetail.ID{"cluster/c1/clusterParamSet/shared"}},
		{"another extension", nil, map[string]string{ownYML: gittest.Gone, strings.TrimSuffix(ownYML, ".yaml") + ".yml": small[ownYML]}, nil, []dovetail.ID{own}},
		{"a file that is broken", nil, map[string]string{ownYML: "a: ["}, []dovetail.ID{own}, []dovetail.ID{env}},
		{"credentials", map[string]string{"configuration/credentials/credentials.yml": "a: {}\nb: {}\n"}, map[string]string{"configuration/credentials/credentials.yml": "b: {}\nc: {}\n"},
			[]dovetail.ID{"credential/a"}, []dovetail.ID{"credential/b", "credential/c"}},
		{"effective sets", map[string]string{"environments/c1/dev/effective-set/pipeline/a.yaml": "a: 1\n"}, map[string]string{
			"environments/c1/dev/effective-set/pipeline/a.yaml": gittest.Gone, "environments/c1/dev/effective-set/pipeline/b.yaml": "b: 1\n"},
			[]dovetail.ID{env.Child("effectiveSetPart", "pipeline/a.yaml")}, []dovetail.ID{env.Child("effectiveSetPart", "pipeline/b.yaml")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(small)
			maps.Copy(files, test.before)
			b := newBench(t, files)
			b.agree()
			b.push(test.commit)
			if err := b.a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.agree()
			for _, id := range test.gone {
				_, err := b.store.Get(t.Context(), id)
				wantCode(t, err, dovetail.CodeNotFound)
			}
			for _, id := range test.there {
				b.get(id)
			}
			if err := b.a.Compare(t.Context()); err != nil {
				t.Error(err)
			}
			b.agree()
		})
	}
}

// Documents of a status of the record.
type recorded struct {
	Head    string
	Defects struct {
		Total int
		First []struct{ Reason, File, Message, Remedy string }
	}
}

func (b *bench) recorded() recorded {
	b.t.Helper()
	var r recorded
	if err := json.Unmarshal(b.get("instanceRepository/attached").Status, &r); err != nil {
		b.t.Fatal(err)
	}
	return r
}

// Defects in commits of others are reported, and the store follows everything else.
func TestDefects(t *testing.T) {
	t.Parallel()
	var reports []gitsync.Report
	b := newRemote(t, small)
	b.openStore(nil)
	if err := b.attach(gitsync.Options{Report: func(r gitsync.Report) { reports = append(reports, r) }}); err != nil {
		t.Fatal(err)
	}
	if r := b.recorded(); r.Defects.Total != 0 || r.Defects.First == nil {
		t.Errorf("at first %+v", r)
	}
	sync := func(want ...string) {
		t.Helper()
		if err := b.a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range b.recorded().Defects.First {
			got = append(got, d.Reason+" "+d.File)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") || b.recorded().Defects.Total != len(want) || reports[len(reports)-1].Defects != len(want) {
			t.Errorf("the defects are %q, want %q; %+v", got, want, reports[len(reports)-1])
		}
	}
	const broken, missing = "REPO_FILE_MALFORMED environments/c1/dev/Namespaces/core/namespace.yml", "missing regdefs/r.yml"
	b.push(map[string]string{"environments/c1/dev/Namespaces/core/namespace.yml": "a: [", ownYML: "name: own\nparameters: {A: 8}\n"})
	sync(broken)
	if !strings.Contains(string(b.get(own).Data), `"A":8`) {
		t.Error("the rest did not follow")
	}
	b.push(map[string]string{"regdefs/r.yml": "name: r\ncredentialsId: missing\n"})
	sync(broken, missing)
	b.must(b.put("siteParamSet/shared", `{"name":"shared","parameters":{"S":2}}`)) // which has nothing to do with them
	sync(broken, missing)
	b.push(map[string]string{"environments/c1/dev/Namespaces/core/namespace.yml": small["environments/c1/dev/Namespaces/core/namespace.yml"]})
	sync(missing)
	b.push(map[string]string{"configuration/credentials/credentials.yml": "missing: {type: secret, data: {secret: x}}\n"})
	sync()
	b.get("registryDefinition/r")
	b.agree()
}

// TestRegistriesOfDefinitions: that an application's definition has a registry is known again with every commit in which the definition of the registry comes or goes.
func TestRegistriesOfDefinitions(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	const site, own, registry = "appdefs/a.yml", "environments/c1/dev/AppDefs/a.yml", "regdefs/r.yml"
	const without, refused = "REPO_DEFINITION_WITHOUT_REGISTRY ", "missing "
	for _, step := range []struct {
		name string
		push map[string]string
		want []string
	}{
		{"a definition of an environment", map[string]string{own: "name: a\nregistryName: r\n"}, []string{without + own}},
		{"one of the site, which the store refuses", map[string]string{site: "name: a\nregistryName: r\n"}, []string{refused + site, without + site, without + own}},
		{"the registry comes", map[string]string{registry: "name: r\n"}, nil},
		{"something else", map[string]string{ownYML: "name: own\nparameters: {A: 9}\n"}, nil},
		{"the definition changes", map[string]string{site: "name: a\nregistryName: r\ngroupId: g\n"}, nil},
		{"the registry goes, which the store keeps", map[string]string{registry: gittest.Gone}, []string{without + site, without + own, "in-use " + registry}},
		{"the registry is back", map[string]string{registry: "name: r\n"}, nil},
	} {
		b.push(step.push)
		if err := b.a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range b.recorded().Defects.First {
			got = append(got, d.Reason+" "+d.File)
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(step.want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the defects are %q, want %q", step.name, got, want)
		}
	}
	b.agree()
}

// TestEncrypted: a file that SOPS encrypted and that is none of credentials, or that is encrypted in an unknown way, is a defect as any other broken file,
// whether it is pushed while the store follows, or while no one does.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	const credentials = "environments/c1/dev/Credentials/credentials.yml"
	b := newBench(t, small)
	before := string(b.get(own).Data)
	b.push(map[string]string{ownYML: "name: own\nparameters:\n  O: ENC[x]\nsops:\n  mac: ENC[x]\n", credentials: "a: ENC[x]\nsops:\n  mac: ENC[x]\n", "unrelated.yaml": "a: ENC[x]\nsops:\n  mac: ENC[x]\n"})
	check := func(step string) {
		t.Helper()
		var got []string
		for _, d := range b.recorded().Defects.First {
			got = append(got, d.Reason+" "+d.File)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, []string{"REPO_FILE_ENCRYPTED " + credentials, "REPO_FILE_ENCRYPTED " + ownYML}) {
			t.Errorf("%s: the defects are %q", step, got)
		}
		if b.recorded().Head != b.Head() || string(b.get(own).Data) != before {
			t.Errorf("%s: the store is at %s, of %s, and has %s", step, b.recorded().Head, b.Head(), b.get(own).Data)
		}
	}
	if err := b.attach(gitsync.Options{}); err != nil { // as another process does, which starts after the push
		t.Fatal(err)
	}
	check("at start")
	b.push(map[string]string{"environments/parameters/shared.yml": "name: shared\nparameters: {S: 3}\n"})
	if err := b.a.Sync(t.Context()); err != nil || !strings.Contains(string(b.get("siteParamSet/shared").Data), "3") {
		t.Errorf("the store does not follow: %v", err)
	}
	check("while it runs")
	_, err := b.apply(t.Context(), b.put(own, `{"name":"own","parameters":{}}`))
	if wantCode(t, err, dovetail.CodeUnprocessable); err == nil || !strings.Contains(err.Error(), "encrypted with SOPS") {
		t.Errorf("it is written: %v", err)
	}
	b.push(map[string]string{ownYML: small[ownYML], credentials: small[credentials]})
	if err := b.a.Sync(t.Context()); err != nil || b.recorded().Defects.Total != 0 {
		t.Errorf("%v, with %d defects left", err, b.recorded().Defects.Total)
	}
}

// What is wrong with the repository is not the fault of who writes, and changes nothing.
func TestWritesWithoutRepository(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		wrong func(b *bench)
		about string
	}{
		{"it is gone", func(b *bench) {
			if err := os.Rename(b.Dir, b.Dir+".gone"); err != nil {
				b.t.Fatal(err)
			}
			b.t.Cleanup(func() { _ = os.Rename(b.Dir+".gone", b.Dir) })
		}, "there is no repository"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, small)
			before := b.get(own)
			test.wrong(b)
			_, err := b.a.Apply(t.Context(), []store.Operation{b.put(own, `{"name":"own","parameters":{}}`)}, store.Options{}, gitsync.Commit{})
			wantCode(t, err, dovetail.CodeUnavailable)
			if !strings.Contains(err.Error(), test.about) {
				t.Error(err)
			}
			if b.get(own).ETag() != before.ETag() {
				t.Error("the store has changed")
			}
		})
	}
}

// A document was written when the commit was made that changed its file last, not when the store heard of it.
func TestWritten(t *testing.T) {
	t.Setenv("GIT_COMMITTER_DATE", "2026-03-01T10:00:00Z")
	b := newBench(t, small)
	t.Setenv("GIT_COMMITTER_DATE", "2026-03-02T10:00:00Z")
	b.push(map[string]string{"environments/parameters/shared.yml": "name: shared\nparameters: {S: 2}\n"})
	if err := b.a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[dovetail.ID]string{own: "2026-03-01T10:00:00Z", "siteParamSet/shared": "2026-03-02T10:00:00Z"} {
		if at, err := b.a.Written(t.Context(), b.get(id)); err != nil || at.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s was written at %v, %v", id, at, err)
		}
	}
	cluster := b.get("cluster/c1") // a folder
	if at, err := b.a.Written(t.Context(), cluster); err != nil || !at.Equal(cluster.Updated) {
		t.Errorf("the cluster was written at %v, %v", at, err)
	}
}

// History that was rewritten is followed, too.
func TestRewrittenHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	b.must(b.put("siteParamSet/z", `{"name":"z","parameters":{}}`))
	b.git(b.Clone, "commit", "-q", "--amend", "-m", "rewritten")
	b.git(b.Clone, "push", "-q", "-f", "origin", "main")
	if err := b.a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := b.store.Get(t.Context(), "siteParamSet/z")
	wantCode(t, err, dovetail.CodeNotFound)
	b.agree()
}

// The first time nothing is overwritten unless that is wanted; afterwards the repository is the truth.
func TestFirstTime(t *testing.T) {
	t.Parallel()
	b := newRemote(t, small)
	b.openStore(nil)
	for _, op := range []store.Operation{b.put("siteParamSet/shared", `{"name":"shared","parameters":{"S":1}}`), b.put("cluster/c1", `{}`), b.put("source/p", `{}`)} {
		if _, err := b.store.Put(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatalf("what agrees is refused: %v", err)
	}
	b.agree()
	if _, err := b.store.Put(t.Context(), b.put("siteParamSet/z", `{"name":"z","parameters":{}}`)); err != nil { // past the Git sync
		t.Fatal(err)
	}
	if err := b.a.Compare(t.Context()); err != nil {
		t.Error(err)
	}
	b.agree()

	other := newRemote(t, map[string]string{"environments/parameters/shared.yml": "name: shared\nparameters: {S: 7}\n"})
	other.store = b.store
	err := other.attach(gitsync.Options{})
	wantCode(t, err, dovetail.CodeConflict)
	if err == nil || !strings.Contains(err.Error(), "siteParamSet/shared is another one") || !strings.Contains(err.Error(), string(own)+" is in the store only") {
		t.Errorf("%v", err)
	}
	b.get(own)
	if err := other.attach(gitsync.Options{Replace: true}); err != nil {
		t.Fatal(err)
	}
	other.agree()
	b.get("source/p")
}

// A process that died between push and store left the store behind; so did one between commit and push,
// which left nothing.
func TestRestart(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	repository, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: b.Dir, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repository.Change(t.Context(), gitrepo.Change{Name: "x", Email: "x@x", Message: "pushed, not stored", Edit: func(d *gitrepo.Draft) error {
		return d.Write(ownYML, []byte("name: own\nparameters: {A: pushed}\n"))
	}}); err != nil {
		t.Fatal(err)
	}
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	b.agree()
	if !strings.Contains(string(b.get(own).Data), "pushed") {
		t.Error("the store does not follow")
	}
}

// A process that has lost the lease of following writes nothing of it any more, and ends.
func TestRunWithoutTheLease(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"environments/c1/dev/Inventory/env_definition.yml": "envTemplate:\n  name: t\n"})
	b.Push("more", map[string]string{"environments/c1/dev/Inventory/parameters/more.yaml": "name: more\nparameters: {N: 1}\n"})
	const id = "cluster/c1/environment/dev/environmentParamSet/more"
	lost := store.Condition{Test: store.Exists, ID: "_lease/instance-repository"}
	b.a.Run(t.Context(), time.Millisecond, lost) // it would not end while the context lasts
	if _, err := b.store.Get(t.Context(), id); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("it wrote without the lease: %v", err)
	}
	held := store.Condition{Test: store.Absent, ID: lost.ID}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go b.a.Run(ctx, time.Millisecond, held)
	apitest.Until(t, b.store, "it follows with the lease", func() bool {
		_, err := b.store.Get(t.Context(), id)
		return err == nil
	})
}
