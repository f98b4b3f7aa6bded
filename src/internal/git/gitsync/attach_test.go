package gitsync_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/store"
)

// portioned are so many environments that they are attached in several portions.
const portioned = 80

// attached is how many environments the record says that a store has which is being attached.
func (b *bench) attached() (n int) {
	if doc, err := b.store.Get(b.t.Context(), "instanceRepository/attached"); err == nil {
		if _, after, found := strings.Cut(string(doc.Status), `"environments":`); found {
			_, _ = fmt.Sscan(after, &n)
		}
	}
	return n
}

// newPortioned is a store that is not attached yet to a repository of many environments. Before each of its commits is done at is called; its error is what comes of
// the commit.
func newPortioned(t *testing.T, at func() error) *bench {
	t.Helper()
	b := &bench{Remote: gittest.NewLarge(t, fleet(t, portioned)), t: t, local: t.TempDir() + "/local.git"}
	h := &hooked{}
	var before func() error
	before = func() error {
		h.before = before
		return at()
	}
	b.openStore(func(backend store.Backend) store.Backend { h.Backend = backend; return h })
	h.before = before
	return b
}

// TestAttachIsTakenUp lets the process that attaches a repository die between two portions. What the store has then is without dangling references, and says how
// far it is; the next process goes on, to the commit that was begun, and then to what was pushed since.
func TestAttachIsTakenUp(t *testing.T) {
	dead := true
	var b *bench
	b = newPortioned(t, func() error {
		if dead && b.attached() > 0 {
			return &dovetail.Error{Code: dovetail.CodeInternal, Message: "the process dies"}
		}
		return nil
	})
	if err := b.attach(gitsync.Options{}); dovetail.CodeOf(err) != dovetail.CodeInternal {
		t.Fatalf("attached: %v", err)
	}
	status := string(b.get("instanceRepository/attached").Status)
	if strings.Contains(status, `"head"`) || !strings.Contains(status, `"commit":"`+b.Head()) || !strings.Contains(status, fmt.Sprintf(`"of":%d`, portioned)) {
		t.Errorf("the status is %s", status)
	}
	stored := 0
	for _, err := range b.store.Documents(t.Context(), store.ListQuery{Kind: "environment"}) {
		if err != nil {
			t.Fatal(err)
		}
		stored++
	}
	if stored == 0 || stored == portioned || !strings.Contains(status, fmt.Sprintf(`"environments":%d`, stored)) {
		t.Errorf("%d environments are stored, and the status is %s", stored, status)
	}
	for finding, err := range b.store.Check(t.Context(), false) {
		t.Errorf("dovetail fsck: %v, %v", finding, err)
	}
	b.Import("foreign", maps.All(map[string]string{
		"environments/cluster-00/env-00000/tenant.yml":                        gittest.Gone,
		"environments/cluster-01/env-00001/Inventory/parameters/another.yml":  "name: another\nparameters: {}\n",
		"environments/cluster-19/env-00079/Inventory/parameters/another.yaml": "name: another\nparameters: {}\n",
	}))
	dead = false
	if err := b.attach(gitsync.Options{}); err != nil {
		t.Fatal(err)
	}
	if status := string(b.get("instanceRepository/attached").Status); strings.Contains(status, "attaching") {
		t.Errorf("the status is %s", status)
	}
	b.agree()
}

// TestAttachByTwo lets a second process attach the repository between two portions of the first, which then finds its work done.
func TestAttachByTwo(t *testing.T) {
	for _, test := range []struct {
		name string
		push bool // the second process has a later commit
	}{
		{name: "the same commit"},
		{"a later commit", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b *bench
			second := false
			b = newPortioned(t, func() error {
				if !second && b.attached() > 0 {
					second = true
					if test.push {
						b.Import("foreign", maps.All(map[string]string{"environments/parameters/prod-shared.yml": "name: prod-shared\nparameters: {NEW: 1}\n"}))
					}
					b.another()
				}
				return nil
			})
			if err := b.attach(gitsync.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := b.a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.agree()
		})
	}
}

// TestAttachRefusesFirst finds what only the store has before anything is written.
func TestAttachRefusesFirst(t *testing.T) {
	b := newPortioned(t, func() error { return nil })
	last := dovetail.ID("cluster/cluster-19/environment/env-00079")
	if _, err := b.store.Apply(t.Context(), []store.Operation{
		{Verb: store.Create, ID: "cluster/cluster-19", Data: parse(t, `{"metadata":{"name":"cluster-19"},"spec":{}}`)},
		{Verb: store.Create, ID: last, Data: parse(t, `{"metadata":{"name":"env-00079"},"spec":{}}`)},
		{Verb: store.Create, ID: last + "/environmentParamSet/mine", Data: parse(t, `{"metadata":{"name":"mine"},"spec":{"name":"mine","parameters":{}}}`)},
	}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, b.attach(gitsync.Options{}), dovetail.CodeConflict)
	if _, err := b.store.Get(t.Context(), "cluster/cluster-00"); dovetail.CodeOf(err) != dovetail.CodeNotFound {
		t.Errorf("something was written: %v", err)
	}
	if err := b.attach(gitsync.Options{Replace: true}); err != nil {
		t.Fatal(err)
	}
	b.agree()
}

// TestLastOfCluster deletes the last environments of clusters, by commits of others and by writes: the documents of clusters go if there is nothing else.
func TestLastOfCluster(t *testing.T) {
	files := maps.Clone(small)
	for _, name := range []string{"c2/one", "c3/one"} {
		files["environments/"+name+"/tenant.yml"] = "name: t\n"
	}
	files["environments/c3/parameters/p.yml"] = "name: p\nparameters: {}\n"
	for _, by := range []string{"another", "us"} {
		t.Run(by, func(t *testing.T) {
			b := newBench(t, files)
			if by == "another" {
				b.push(map[string]string{"environments/c2/one": gittest.Gone, "environments/c3/one": gittest.Gone})
				if err := b.a.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else {
				for _, id := range []dovetail.ID{"cluster/c2/environment/one", "cluster/c3/environment/one"} {
					b.must(store.Operation{Verb: store.Delete, ID: id})
				}
			}
			for id, there := range map[dovetail.ID]bool{"cluster/c1": true, "cluster/c2": false, "cluster/c3": true, "cluster/c3/environment/one": false} {
				if _, err := b.store.Get(t.Context(), id); (err == nil) != there {
					t.Errorf("%s: %v", id, err)
				}
			}
			b.agree()
			if by == "another" {
				b.push(map[string]string{"environments/c3/parameters/p.yml": gittest.Gone})
				if err := b.a.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else {
				b.must(store.Operation{Verb: store.Delete, ID: "cluster/c3/clusterParamSet/p"})
				if err := b.a.Compare(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			b.agree()
		})
	}
}

// TestRecordOfEarlierVersion follows on where the record of an earlier version has the user of the URL, and forgets the user.
func TestRecordOfEarlierVersion(t *testing.T) {
	b := newBench(t, map[string]string{"environments/parameters/a.yaml": "name: a\nparameters: {}\napplications: []\n"})
	const url = "https://git.example.com/x.git"
	earlier := parse(t, `{"metadata":{"name":"attached"},"spec":{"url":"https://token@git.example.com/x.git","branch":"main"}}`)
	if _, err := b.store.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: gitsync.RecordID(gitsync.DefaultName), Data: earlier}}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	was := b.get(gitsync.RecordID(gitsync.DefaultName))
	repository, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: b.Dir, Dir: b.local})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.New(t.Context(), b.store, repository, gitsync.Options{URL: url, Branch: "main"}); err != nil {
		t.Fatal(err)
	}
	if is := b.get(gitsync.RecordID(gitsync.DefaultName)); !strings.Contains(string(is.Data), url) || strings.Contains(string(is.Data), "token") || is.UID != was.UID || string(is.Status) != string(was.Status) {
		t.Errorf("the record is %s with %s", is.Data, is.Status)
	}
}

// protecting lets everything be done, but keeps some documents as they are.
type protecting struct{ dovetail.Protection }

func (protecting) Permissions(context.Context) dovetail.Permissions { return nil }

func (p protecting) Protections(context.Context) []dovetail.Protection {
	return []dovetail.Protection{p.Protection}
}

// TestAttachProtected attaches a repository with protected documents, which the store has then, also in place of its own if the operator says so. What is
// pushed afterwards leaves them as they are.
func TestAttachProtected(t *testing.T) {
	t.Parallel()
	for _, replace := range []bool{false, true} {
		t.Run(fmt.Sprintf("replace %t", replace), func(t *testing.T) {
			t.Parallel()
			b := newRemote(t, small)
			b.openStore(nil)
			open := func(config store.Config) {
				t.Helper()
				model, err := shipped()
				if err != nil {
					t.Fatal(err)
				}
				if b.store, err = store.Open(t.Context(), b.store.Backend(), model, config); err != nil {
					t.Fatal(err)
				}
			}
			if replace {
				operations := []store.Operation{{Verb: store.Put, ID: "cluster/c1", Data: parse(t, `{"spec":{}}`)}, {Verb: store.Put, ID: "cluster/c1/environment/gone", Data: parse(t, `{"spec":{"definition":{}}}`)}}
				if _, err := b.store.Apply(t.Context(), operations, store.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			open(store.Config{Guard: protecting{dovetail.Protection{On: []string{"cluster/c1"}, Approvals: 1}}})
			if err := b.attach(gitsync.Options{Replace: replace}); err != nil {
				t.Fatal(err)
			}
			b.agree()
			if refused := b.defective(store.ReasonProtected); len(refused) > 0 {
				t.Errorf("refused are %v", refused)
			}
			if string(b.get(own).Data) == "" || b.get("cluster/c1") == nil {
				t.Error("the store lacks what is protected")
			}
			before := b.get(own).ETag()
			b.push(map[string]string{ownYML: "name: own\nparameters:\n  A: pushed\n"})
			if err := b.a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if after := b.get(own).ETag(); after != before || len(b.defective(store.ReasonProtected)) == 0 {
				t.Errorf("a push brought %v to %v, and is no defect: %v", before, after, b.recorded().Defects)
			}
		})
	}
}
