package gitsync_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/store"
)

// environmentOf are the files of an environment with a ParamSet.
func environmentOf(cluster, name, value string) map[string]string {
	folder := "environments/" + cluster + "/" + name + "/"
	return map[string]string{
		folder + "Inventory/env_definition.yml":  "envTemplate:\n  name: t\n",
		folder + "Inventory/parameters/own.yaml": "name: own\nparameters:\n  A: \"" + value + "\"\n",
	}
}

func together(all ...map[string]string) map[string]string {
	files := make(map[string]string)
	for _, some := range all {
		maps.Copy(files, some)
	}
	return files
}

func setOf(cluster, environment string) dovetail.ID {
	return dovetail.ID("cluster/" + cluster + "/environment/" + environment + "/environmentParamSet/own")
}

// several are repositories that are attached to one store.
type several struct {
	*bench  // for its store
	remotes map[string]*gittest.Remote
	shares  []gitsync.Share
	all     *gitsync.Repositories
	syncers map[string]*gitsync.Syncer
	divided *gitsync.Shares
}

// newSeveral attaches repositories, in the order of their shares.
func newSeveral(t testing.TB, shares []gitsync.Share, files map[string]map[string]string) *several {
	t.Helper()
	s := &several{bench: &bench{t: t}, remotes: make(map[string]*gittest.Remote), shares: shares}
	for _, share := range shares {
		s.remotes[share.Name] = gittest.New(t, files[share.Name])
	}
	s.openStore(nil)
	s.reopen()
	for _, share := range shares {
		s.add(share.Name, "main")
	}
	return s
}

// reopen is what a process does that is started, before its repositories are attached.
func (s *several) reopen() {
	s.divided = gitsync.NewShares(s.shares)
	s.all, s.syncers = gitsync.NewRepositories(s.store, s.divided), make(map[string]*gitsync.Syncer)
}

func (s *several) add(name, branch string) {
	s.t.Helper()
	repository, err := gitrepo.Open(s.t.Context(), gitrepo.Options{URL: s.remotes[name].Dir, Branch: branch, Dir: filepath.Join(s.t.TempDir(), name+".git")})
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := gitsync.New(s.t.Context(), s.store, repository, gitsync.Options{URL: s.remotes[name].Dir, Branch: branch, Name: name, Shares: s.divided})
	if err != nil {
		s.t.Fatal(err)
	}
	s.syncers[name] = a
	s.all.Add(a)
}

// sync lets all follow until none has anything left to do: what one finds may let another find something.
func (s *several) sync() {
	s.t.Helper()
	for range 2 {
		for _, share := range s.shares {
			if a := s.syncers[share.Name]; a != nil {
				if err := a.Sync(s.t.Context()); err != nil {
					s.t.Fatal(err)
				}
			}
		}
	}
}

// findings are the reasons and files of what the record of a repository says, without those in other reasons.
func (s *several) findings(name string, reasons ...string) []string {
	s.t.Helper()
	var status struct {
		Defects struct {
			First []struct{ Reason, File, Message string }
		}
	}
	if err := json.Unmarshal(s.get(gitsync.RecordID(name)).Status, &status); err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, d := range status.Defects.First {
		if len(reasons) == 0 || slices.Contains(reasons, d.Reason) {
			all = append(all, d.Reason+" "+d.File)
		}
	}
	return all
}

func (s *several) put(id dovetail.ID, spec string, by gitsync.Commit) (*gitsync.Applied, error) {
	return s.all.Apply(s.t.Context(), []store.Operation{s.bench.put(id, spec)}, store.Options{}, by)
}

// has says what the store has of a document; "" if there is nothing.
func (s *several) has(id dovetail.ID) string {
	s.t.Helper()
	doc, err := s.store.Get(s.t.Context(), id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return ""
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return string(doc.Data)
}

var regions = []gitsync.Share{{Name: "eu", Clusters: []string{"eu-*"}}, {Name: "us", Clusters: []string{"us-*", "pacific"}, New: true}}

func newRegions(t testing.TB) *several {
	t.Helper()
	return newSeveral(t, regions, map[string]map[string]string{
		"eu": together(environmentOf("eu-1", "dev", "1"), map[string]string{"environments/parameters/eu.yaml": "name: eu\nparameters: {E: 1}\n"}),
		"us": together(environmentOf("us-1", "dev", "1"), environmentOf("pacific", "dev", "1"), map[string]string{"environments/parameters/us.yaml": "name: us\nparameters: {U: 1}\n"}),
	})
}

// TestSeveralRepositories: each write is one commit of the repository that holds the document, and each follows commits of others.
func TestSeveralRepositories(t *testing.T) {
	t.Parallel()
	s := newRegions(t)
	for _, id := range []dovetail.ID{setOf("eu-1", "dev"), setOf("us-1", "dev"), setOf("pacific", "dev"), "siteParamSet/eu", "siteParamSet/us"} {
		if s.has(id) == "" {
			t.Errorf("%s is not stored", id)
		}
	}
	heads := map[string]string{"eu": s.remotes["eu"].Head(), "us": s.remotes["us"].Head()}
	for _, test := range []struct {
		name, repository, other, file string
		id                            dovetail.ID
	}{
		{"of a pattern", "eu", "us", "environments/eu-1/dev/Inventory/parameters/own.yaml", setOf("eu-1", "dev")},
		{"of a name", "us", "eu", "environments/pacific/dev/Inventory/parameters/own.yaml", setOf("pacific", "dev")},
		{"outside of clusters", "eu", "us", "environments/parameters/eu.yaml", "siteParamSet/eu"},
		{"new, outside of clusters", "us", "eu", "environments/parameters/fresh.yaml", "siteParamSet/fresh"},
		{"a new cluster", "eu", "us", "environments/eu-2/parameters/own.yaml", "cluster/eu-2/clusterParamSet/own"},
	} {
		name := test.id.Key()[len(test.id.Key())-1].Value
		operations := []store.Operation{s.bench.put(test.id, `{"name":"`+name+`","parameters":{"A":"mine"}}`)}
		if cluster := test.id.Key()[0]; test.name == "a new cluster" {
			operations = append(operations, store.Operation{Verb: store.Create, ID: dovetail.ID("").Child("cluster", cluster.Value), Data: parse(t, `{"metadata":{"name":"`+cluster.Value+`"}}`)})
		}
		applied, err := s.all.Apply(t.Context(), operations, store.Options{}, gitsync.Commit{Author: "Ann", Email: "ann@example.com", Message: test.name})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		remote := s.remotes[test.repository]
		if text, _ := remote.Show(test.file); !strings.Contains(text, "mine") {
			t.Errorf("%s: %s is %q in %s", test.name, test.file, text, test.repository)
		}
		if remote.Head() != applied.Commit || s.remotes[test.other].Head() != heads[test.other] {
			t.Errorf("%s: the heads are %s and %s", test.name, remote.Head(), s.remotes[test.other].Head())
		}
		if log := s.git(remote.Dir, "log", "-1", "--format=%an %ae %s", "main"); !strings.HasPrefix(log, "Ann ann@example.com "+test.name) {
			t.Errorf("%s: the commit is %s", test.name, log)
		}
		if version, err := s.all.Version(t.Context(), s.get(test.id)); err != nil || version != applied.Commit {
			t.Errorf("%s: the version is %s, %v", test.name, version, err)
		}
		heads[test.repository] = applied.Commit
	}
	for name, cluster := range map[string]string{"eu": "eu-1", "us": "us-1"} {
		s.remotes[name].Push("foreign", environmentOf(cluster, "dev", "pushed to "+name))
	}
	s.sync()
	for name, cluster := range map[string]string{"eu": "eu-1", "us": "us-1"} {
		if !strings.Contains(s.has(setOf(cluster, "dev")), "pushed to "+name) {
			t.Errorf("%s is not followed: %s", name, s.has(setOf(cluster, "dev")))
		}
		if status := string(s.get(gitsync.RecordID(name)).Status); !strings.Contains(status, s.remotes[name].Head()) || strings.Contains(status, "REPO_DOCUMENT") {
			t.Errorf("%s: %s", name, status)
		}
	}
	for finding, err := range s.store.Check(t.Context(), false) {
		t.Errorf("dovetail fsck: %v, %v", finding, err)
	}
}

// TestRefusedOfSeveral: what no single commit can say, or belongs to no repository, is refused by name, and changes nothing.
func TestRefusedOfSeveral(t *testing.T) {
	t.Parallel()
	s := newRegions(t)
	spec := `{"name":"own","parameters":{"A":"2"}}`
	before := s.remotes["eu"].Head() + s.remotes["us"].Head()
	for _, test := range []struct {
		name       string
		operations []store.Operation
		code       dovetail.Code
		reason     string
		says       []string
	}{
		{"two repositories", []store.Operation{s.bench.put(setOf("eu-1", "dev"), spec), s.bench.put(setOf("us-1", "dev"), spec)}, dovetail.CodeUnprocessable, gitsync.ReasonSeveral,
			[]string{"cluster/eu-1/environment/dev/environmentParamSet/own is held by the instance repository eu", "by the instance repository us"}},
		{"a cluster of none", []store.Operation{{Verb: store.Create, ID: "cluster/asia-1", Data: parse(t, `{"metadata":{"name":"asia-1"}}`)}}, dovetail.CodeUnprocessable, gitsync.ReasonNoHolder, []string{"asia-1", "eu, us"}},
		{"a record", []store.Operation{{Verb: store.Delete, ID: gitsync.RecordID("eu")}}, dovetail.CodeForbidden, "", nil},
	} {
		_, err := s.all.Apply(t.Context(), test.operations, store.Options{}, gitsync.Commit{})
		e := dovetail.AsError(err)
		if e == nil || e.Code != test.code || e.Reason != test.reason && (len(e.Errors) == 0 || e.Errors[0].Reason != test.reason) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		text := err.Error()
		for _, part := range e.Errors {
			text += "\n" + part.Error()
		}
		for _, want := range test.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", test.name, want, text)
			}
		}
	}
	if s.remotes["eu"].Head()+s.remotes["us"].Head() != before || strings.Contains(s.has(setOf("eu-1", "dev")), `"2"`) {
		t.Error("something was changed")
	}
	s.shares = slices.Clone(regions)
	s.shares[1].New = false
	s.reopen()
	s.add("eu", "main")
	s.add("us", "main")
	_, err := s.put("siteParamSet/fresh", `{"name":"fresh","parameters":{}}`, gitsync.Commit{})
	if err == nil || !strings.Contains(err.Error(), "eu, us") {
		t.Errorf("new outside of clusters: %v", err)
	}
}

// TestReferencesBetweenRepositories: a document of one repository may refer to one of another, which then cannot be deleted.
func TestReferencesBetweenRepositories(t *testing.T) {
	t.Parallel()
	s := newRegions(t)
	shared := "name: eu\nparameters: {E: 1}\n"
	s.remotes["us"].Push("use the ParamSet of eu", map[string]string{
		"environments/parameters/eu.yaml":                       shared,
		"environments/us-1/dev/Inventory/env_definition.yml":    "envTemplate:\n  name: t\n  envSpecificParamsets:\n    cloud: [eu]\n",
		"environments/us-1/later/Inventory/env_definition.yaml": "envTemplate: {name: t}\n",
	})
	s.sync()
	if found := s.findings("us", gitsync.ReasonDocumentElsewhere); found != nil {
		t.Errorf("equal documents are found: %v", found)
	}
	remove := []store.Operation{{Verb: store.Delete, ID: "siteParamSet/eu"}}
	if _, err := s.all.Apply(t.Context(), remove, store.Options{}, gitsync.Commit{}); dovetail.CodeOf(err) != dovetail.CodeInUse {
		t.Errorf("deleted by request: %v", err)
	}
	s.remotes["eu"].Push("without it", map[string]string{"environments/parameters/eu.yaml": gittest.Gone})
	s.sync()
	if s.has("siteParamSet/eu") == "" {
		t.Error("it is gone, though an environment refers to it")
	}
	if _, err := s.put("siteParamSet/eu", `{"name":"eu","parameters":{"E":"2"}}`, gitsync.Commit{}); err != nil {
		t.Fatal(err)
	}
	if text, _ := s.remotes["us"].Show("environments/parameters/eu.yaml"); !strings.Contains(text, "2") {
		t.Errorf("us holds it now, and has %s", text)
	}
	for finding, err := range s.store.Check(t.Context(), false) {
		t.Errorf("dovetail fsck: %v, %v", finding, err)
	}
}

// TestDocumentInSeveral: a document outside of clusters is that of the first repository that has it.
func TestDocumentInSeveral(t *testing.T) {
	t.Parallel()
	const file, id = "environments/parameters/both.yaml", dovetail.ID("siteParamSet/both")
	text := func(v string) string { return "name: both\nparameters: {V: " + v + "}\n" }
	s := newRegions(t)
	for i, step := range []struct {
		repository, text string
		want             string
		found            []string // in us
	}{
		{"us", text("us"), "us", nil},
		{"eu", text("eu"), "eu", []string{"REPO_DOCUMENT_ELSEWHERE " + file}},
		{"us", text("us2"), "eu", []string{"REPO_DOCUMENT_ELSEWHERE " + file}},
		{"us", text("eu"), "eu", nil},
		{"us", text("us3"), "eu", []string{"REPO_DOCUMENT_ELSEWHERE " + file}},
		{"eu", gittest.Gone, "us3", nil},
		{"us", gittest.Gone, "", nil},
	} {
		s.remotes[step.repository].Push("step", map[string]string{file: step.text})
		s.sync()
		if got := s.has(id); step.want == "" && got != "" || !strings.Contains(got, step.want) {
			t.Errorf("step %d: the store has %s", i, got)
		}
		if found := s.findings("us", gitsync.ReasonDocumentElsewhere); !slices.Equal(found, step.found) {
			t.Errorf("step %d: found %v", i, found)
		}
	}
}

// TestClusterInSeveral: a cluster is read from the repository that holds it, as a whole, and the other folders are named.
func TestClusterInSeveral(t *testing.T) {
	t.Parallel()
	files := map[string]map[string]string{
		"eu": together(environmentOf("one", "dev", "eu"), environmentOf("one", "prod", "eu")),
		"us": together(environmentOf("one", "dev", "us"), environmentOf("one", "test", "us"), environmentOf("two", "dev", "us")),
	}
	const elsewhere = "REPO_CLUSTER_ELSEWHERE environments/"
	for _, test := range []struct {
		name   string
		shares []gitsync.Share
		dev    string // whose one/dev is stored
		eu, us []string
	}{
		{"by name", []gitsync.Share{{Name: "eu", Clusters: []string{"one"}}, {Name: "us", Clusters: []string{"two"}}}, "eu", nil, []string{elsewhere + "one"}},
		{"by the rest", []gitsync.Share{{Name: "eu", Clusters: []string{"eu-*"}}, {Name: "us", Clusters: []string{"*"}}}, "us", []string{elsewhere + "one"}, nil},
		{"names before the rest", []gitsync.Share{{Name: "eu", Clusters: []string{"*"}}, {Name: "us", Clusters: []string{"o?e"}}}, "us", []string{elsewhere + "one"}, []string{elsewhere + "two"}},
		{"by two", []gitsync.Share{{Name: "eu", Clusters: []string{"on*"}}, {Name: "us", Clusters: []string{"*ne", "two"}}}, "", []string{elsewhere + "one"}, []string{elsewhere + "one"}},
		{"by none", []gitsync.Share{{Name: "eu", Clusters: []string{"x"}}, {Name: "us", Clusters: []string{"two"}}}, "", []string{elsewhere + "one"}, []string{elsewhere + "one"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSeveral(t, test.shares, files)
			for range 2 {
				got := s.has(setOf("one", "dev"))
				if (got == "") != (test.dev == "") || !strings.Contains(got, test.dev) {
					t.Errorf("the store has %s", got)
				}
				if prod, other := s.has(setOf("one", "prod")), s.has(setOf("one", "test")); (prod != "") != (test.dev == "eu") || (other != "") != (test.dev == "us") {
					t.Errorf("a cluster is stored in part: %q, %q", prod, other)
				}
				if eu, us := s.findings("eu", gitsync.ReasonClusterElsewhere), s.findings("us", gitsync.ReasonClusterElsewhere); !slices.Equal(eu, test.eu) || !slices.Equal(us, test.us) {
					t.Errorf("found %v in eu, and %v in us", eu, us)
				}
				s.remotes["us"].Push("foreign", map[string]string{"environments/one/dev/tenant.yml": "name: t\n"})
				s.sync()
			}
			if test.name == "by two" {
				if _, err := s.put(setOf("one", "dev"), `{"name":"own"}`, gitsync.Commit{}); err == nil || !strings.Contains(err.Error(), "eu, us") {
					t.Errorf("written: %v", err)
				}
			}
		})
	}
}

// TestBranchesOfOneRepository: two branches are attached as two repositories are.
func TestBranchesOfOneRepository(t *testing.T) {
	t.Parallel()
	shares := []gitsync.Share{{Name: "main", Clusters: []string{"*"}, New: true}, {Name: "staging", Clusters: []string{"stg-*"}}}
	s := &several{bench: &bench{t: t}, remotes: make(map[string]*gittest.Remote), shares: shares}
	remote := gittest.New(t, together(environmentOf("prd-1", "live", "main"), environmentOf("stg-1", "test", "main"), map[string]string{"environments/parameters/site.yaml": "name: site\nparameters: {}\n"}))
	remote.Pull()
	s.git(remote.Clone, "checkout", "-q", "-b", "staging")
	remote.Commit("of staging", environmentOf("stg-1", "test", "staging"))
	s.git(remote.Clone, "push", "-q", "origin", "staging")
	s.git(remote.Clone, "checkout", "-q", "main")
	s.remotes["main"], s.remotes["staging"] = remote, remote
	s.openStore(nil)
	s.reopen()
	s.add("main", "main")
	s.add("staging", "staging")
	if live, test := s.has(setOf("prd-1", "live")), s.has(setOf("stg-1", "test")); !strings.Contains(live, "main") || !strings.Contains(test, "staging") {
		t.Errorf("the store has %s and %s", live, test)
	}
	head := remote.Head()
	if _, err := s.put(setOf("stg-1", "test"), `{"name":"own","parameters":{"A":"mine"}}`, gitsync.Commit{}); err != nil {
		t.Fatal(err)
	}
	if text := s.git(remote.Dir, "show", "staging:environments/stg-1/test/Inventory/parameters/own.yaml"); !strings.Contains(text, "mine") || remote.Head() != head {
		t.Errorf("staging has %s", text)
	}
}

// TestOneOfSeveralIsDown: writes to the others go on, and all reads.
func TestOneOfSeveralIsDown(t *testing.T) {
	t.Parallel()
	s := newRegions(t)
	us := s.syncers["us"]
	spec := `{"name":"own","parameters":{"A":"2"}}`
	s.reopen() // us was not reached since
	s.add("eu", "main")
	for _, state := range []string{"since the start", "later"} {
		if state == "later" {
			s.all.Add(us)
			if err := os.Rename(s.remotes["us"].Dir, s.remotes["us"].Dir+".away"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := s.put(setOf("us-1", "dev"), spec, gitsync.Commit{})
		if dovetail.CodeOf(err) != dovetail.CodeUnavailable || !strings.Contains(err.Error(), "us") {
			t.Errorf("%s: a write to it: %v", state, err)
		}
		if _, err := s.put(setOf("eu-1", "dev"), `{"name":"own","parameters":{"A":"`+state+`"}}`, gitsync.Commit{}); err != nil {
			t.Errorf("%s: a write to another: %v", state, err)
		}
		if s.has(setOf("us-1", "dev")) == "" || s.has("siteParamSet/us") == "" {
			t.Errorf("%s: what it holds is gone", state)
		}
		if version, err := s.all.Version(t.Context(), s.get(setOf("us-1", "dev"))); err != nil || version == "" {
			t.Errorf("%s: the version is %q, %v", state, version, err)
		}
		if err := s.syncers["eu"].Compare(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestDetached: what a repository held that is attached no more stays, may be deleted, and is not written.
func TestDetached(t *testing.T) {
	t.Parallel()
	s := newRegions(t)
	s.shares = s.shares[:1]
	s.reopen()
	gone, err := s.all.Forget(t.Context())
	if err != nil || !slices.Equal(gone, []string{"us"}) {
		t.Fatal(gone, err)
	}
	s.add("eu", "main")
	if err := s.syncers["eu"].Compare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.has(setOf("us-1", "dev")) == "" || s.has("siteParamSet/us") == "" {
		t.Error("what it held is gone")
	}
	if found := s.findings("eu", gitsync.ReasonNowhere); !slices.Equal(found, []string{"REPO_DOCUMENT_NOWHERE environments/parameters/us.yaml"}) {
		t.Errorf("found %v", found)
	}
	if _, err := s.put(setOf("us-1", "dev"), `{"name":"own"}`, gitsync.Commit{}); dovetail.CodeOf(err) != dovetail.CodeUnprocessable {
		t.Errorf("written: %v", err)
	}
	head := s.remotes["us"].Head() + s.remotes["eu"].Head()
	for _, op := range []store.Operation{{Verb: store.Delete, ID: "cluster/us-1", Cascade: true}, {Verb: store.Delete, ID: "siteParamSet/us"}} {
		if _, err := s.all.Apply(t.Context(), []store.Operation{op}, store.Options{}, gitsync.Commit{}); err != nil {
			t.Errorf("%s: %v", op.ID, err)
		}
	}
	if s.has("cluster/us-1") != "" || s.has("siteParamSet/us") != "" || s.remotes["us"].Head()+s.remotes["eu"].Head() != head {
		t.Error("it is not deleted from the store alone")
	}
	s.shares = regions
	s.reopen()
	s.add("eu", "main")
	s.add("us", "main")
	if s.has(setOf("us-1", "dev")) == "" || s.has("siteParamSet/us") == "" {
		t.Error("it is not attached again")
	}
	s.sync()
	if found := append(s.findings("eu"), s.findings("us")...); slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, gitsync.ReasonNowhere) }) {
		t.Errorf("found %v", found)
	}
}
