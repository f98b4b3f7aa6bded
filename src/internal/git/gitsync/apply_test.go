package gitsync_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

func TestAttach(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{"small": small, "sample": sample(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, files)
			b.agree()
			if err := b.a.Compare(t.Context()); err != nil {
				t.Error(err)
			}
			b.agree()
		})
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	ctx := dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "ann@example.com"})
	applied, err := b.apply(ctx, b.put(own, `{"name":"own","parameters":{"A":"2","B":2,"new.$":{"x":[1,null]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := "# own\nname: own\nparameters:\n  A: \"2\"  # one\n  B: 2\n  new.$:\n    x:\n      - 1\n      - null\n"; b.show(ownYML) != want {
		t.Errorf("the file is\n%s\nwant\n%s", b.show(ownYML), want)
	}
	if applied.Commit != b.Head() || applied.Result.Outcomes[0].Document.Revision != 2 {
		t.Errorf("%+v, head %s", applied, b.Head())
	}
	if got := b.git(b.Dir, "log", "-1", "--format=%an <%ae> %s", "main"); got != "ann@example.com <ann@example.com> update "+string(own) {
		t.Errorf("the commit is %s", got)
	}
	version, err := b.a.Version(t.Context(), applied.Result.Outcomes[0].Document)
	if err != nil || version != applied.Commit {
		t.Errorf("version %s, %v", version, err)
	}
	b.agree()
	before := b.Head()
	b.must(b.put(own, `{"name":"own","parameters":{"A":"2","B":2,"new.$":{"x":[1,null]}}}`))
	if b.Head() != before {
		t.Error("a write of the same made a commit")
	}
}

func association(context parameters.Context, object, kind, set string) dovetail.ID {
	location := parameters.Location{}
	if kind == "environmentParamSet" {
		location = parameters.Location{Cluster: "c1", Name: "dev"}
	}
	id := parameters.AssociationID(inventory.Environment{Cluster: "c1", Name: "dev"}, context, object, parameters.ParamSetID(location, set))
	return env.Child("paramSetAssociation", id)
}

// What is written comes to the files, with what follows from it to the store.
func TestWrites(t *testing.T) {
	t.Parallel()
	override := env.Child("environmentParamSet", "deploy-ui-override")
	overrideYAML := "environments/c1/dev/Inventory/parameters/deploy-ui-override.yaml"
	const inventory = "environments/c1/dev/Inventory/env_definition.yml"
	associate := func(b *bench) store.Operation {
		return b.put(association(parameters.Deployment, "cloud", "environmentParamSet", "deploy-ui-override"),
			`{"context":"deploy","associatedObject":"cloud","order":0,"environmentParamSet":"deploy-ui-override"}`)
	}
	ownAssociation := association(parameters.Deployment, "core", "environmentParamSet", "own")
	tests := []struct {
		name       string
		files      map[string]string // beside the small ones
		operations func(b *bench) []store.Operation
		file, want string // a file afterwards
	}{
		{"a ParamSet with its association", nil, func(b *bench) []store.Operation {
			return []store.Operation{b.put(override, `{"name":"deploy-ui-override","parameters":{"A":1}}`), associate(b)}
		}, inventory, "# dev\nenvTemplate:\n  name: t\n  envSpecificParamsets:\n    core:\n      - own   # ours\n      - shared\n    cloud:\n      - deploy-ui-override\n"},
		{"an association that the inventory named already", map[string]string{inventory: "envTemplate:\n  envSpecificParamsets:\n    cloud: [deploy-ui-override] # x\n"},
			func(b *bench) []store.Operation {
				return []store.Operation{b.put(override, `{"name":"deploy-ui-override","parameters":{"A":1}}`), associate(b)}
			}, inventory, "envTemplate:\n  envSpecificParamsets:\n    cloud: [deploy-ui-override] # x\n"},
		{"a ParamSet that the inventory named already", map[string]string{inventory: "envTemplate:\n  envSpecificParamsets:\n    cloud: [deploy-ui-override] # x\n"},
			func(b *bench) []store.Operation {
				return []store.Operation{b.put(override, `{"name":"deploy-ui-override","parameters":{"A":1}}`)}
			}, overrideYAML, "name: deploy-ui-override\nparameters:\n  A: 1\n"},
		{"an association goes", nil, func(*bench) []store.Operation {
			return []store.Operation{{Verb: store.Delete, ID: ownAssociation}, {Verb: store.Delete, ID: own}}
		}, inventory, "# dev\nenvTemplate:\n  name: t\n  envSpecificParamsets:\n    core:\n      - shared\n"},
		{"a ParamSet with those that use it", nil, func(*bench) []store.Operation {
			return []store.Operation{{Verb: store.Delete, ID: own, Cascade: true}}
		}, ownYML, "(none)"},
		{"a ParamSet of the site that inventories name", map[string]string{inventory: "envTemplate: {envSpecificParamsets: {core: [later]}}\n"},
			func(b *bench) []store.Operation {
				return []store.Operation{b.put("siteParamSet/later", `{"name":"later","parameters":{"A":1}}`)}
			}, "environments/parameters/later.yaml", "name: later\nparameters:\n  A: 1\n"},
		{"a ParamSet nearer than the one of the site", map[string]string{"environments/c1/dev2/Inventory/env_definition.yml": "envTemplate: {envSpecificParamsets: {cloud: [shared]}}\n"},
			func(b *bench) []store.Operation {
				return []store.Operation{b.put("cluster/c1/clusterParamSet/shared", `{"name":"shared","parameters":{"A":1}}`)}
			}, "environments/c1/parameters/shared.yaml", "name: shared\nparameters:\n  A: 1\n"},
		{"a patch", nil, func(b *bench) []store.Operation {
			return []store.Operation{{Verb: store.Patch, ID: own, Data: parse(b.t, `{"spec":{"parameters":{"A":null,"C":{"d":1}}}}`)}}
		}, ownYML, "# own\nname: own\nparameters:\n  B: 2\n  C:\n    d: 1\n"},
		{"a namespace with an application", nil, func(b *bench) []store.Operation {
			ns := env.Child("deployPostfix", "bss")
			return []store.Operation{b.put(ns.Child("application", "shop"), `{"name":"shop"}`), b.put(ns, `{"namespace":"dev-bss","deployParameters":{"X":"y"}}`)}
		}, "environments/c1/dev/Namespaces/bss/namespace.yml", "name: dev-bss\ndeployParameters:\n  X: \"y\"\n"},
		{"another environment of another cluster", nil, func(b *bench) []store.Operation {
			return []store.Operation{b.put("cluster/c2", `{}`), b.put("cluster/c2/environment/e", `{"definition":{"inventory":{"a":1}},"cloud":{"name":"x"}}`)}
		}, "environments/c2/e/cloud.yml", "name: x\n"},
		{"an environment goes with all in it", nil, func(*bench) []store.Operation {
			return []store.Operation{{Verb: store.Delete, ID: env, Cascade: true}}
		}, inventory, "(none)"},
		{"a solution descriptor", nil, func(b *bench) []store.Operation {
			return []store.Operation{b.put(env.Child("solutionDescriptor", "full"), `{"applications":[{"version":"a:1","deployPostfix":"core"}]}`)}
		}, "environments/c1/dev/Inventory/solution-descriptor/sd.yml", "applications:\n  - version: a:1\n    deployPostfix: core\n"},
		{"a part of an effective set", map[string]string{"environments/c1/dev/effective-set/pipeline/parameters.yaml": "A: 1 # x\n"}, func(b *bench) []store.Operation {
			return []store.Operation{b.put(env.Child("effectiveSetPart", "pipeline/parameters.yaml"), `{"parameters":{"A":2},"generated":"2026-01-02T03:04:05Z"}`)}
		}, "environments/c1/dev/effective-set/pipeline/parameters.yaml", "A: 2 # x\n"},
		{"credentials", map[string]string{"configuration/credentials/credentials.yml": "# all\na: {type: secret, data: {secret: x}} # one\n"}, func(b *bench) []store.Operation {
			return []store.Operation{b.put("credential/b", `{"type":"secret"}`), b.put("registryDefinition/r", `{"name":"r","credentialsId":"b"}`)}
		}, "configuration/credentials/credentials.yml", "# all\na: {type: secret, data: {secret: x}} # one\nb:\n  type: secret\n"},
		{"an order that no list has", nil, func(b *bench) []store.Operation {
			return []store.Operation{b.put(association(parameters.Deployment, "cloud", "siteParamSet", "shared"), `{"context":"deploy","associatedObject":"cloud","order":7,"siteParamSet":"shared"}`)}
		}, inventory, small[inventory] + "    cloud:\n      - shared\n"},
		{"two with one order", nil, func(b *bench) []store.Operation {
			return []store.Operation{b.put(override, `{"name":"deploy-ui-override","parameters":{}}`),
				b.put(association(parameters.Deployment, "core", "environmentParamSet", "deploy-ui-override"), `{"context":"deploy","associatedObject":"core","deployPostfix":"core","order":1,"environmentParamSet":"deploy-ui-override"}`)}
		}, overrideYAML, "name: deploy-ui-override\nparameters: {}\n"},
		{"a document that is not of the repository", nil, func(b *bench) []store.Operation {
			return []store.Operation{b.put("source/p", `{}`)}
		}, "README.md", small["README.md"]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(small)
			maps.Copy(files, test.files)
			b := newBench(t, files)
			before := b.Head()
			operations := test.operations(b)
			dry, err := b.a.Apply(t.Context(), operations, store.Options{DryRun: true}, gitsync.Commit{})
			if err != nil || len(dry.Result.Outcomes) != len(operations) || b.Head() != before {
				t.Errorf("the dry run: %+v, %v", dry, err)
			}
			b.agree()
			applied := b.must(operations...)
			if len(applied.Result.Outcomes) != len(operations) {
				t.Errorf("%d outcomes", len(applied.Result.Outcomes))
			}
			for i, op := range operations {
				if got := applied.Result.Outcomes[i]; got.Document.ID != op.ID || got.Effect != dry.Result.Outcomes[i].Effect {
					t.Errorf("outcome %d is %s of %s, the dry run said %s", i, got.Effect, got.Document.ID, dry.Result.Outcomes[i].Effect)
				}
			}
			if got := b.show(test.file); got != test.want {
				t.Errorf("%s is\n%s\nwant\n%s", test.file, got, test.want)
			}
			b.agree()
			if err := b.a.Compare(t.Context()); err != nil {
				t.Error(err)
			}
			b.agree()
		})
	}
}

// What is refused changes neither.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		operations func(b *bench) []store.Operation
		want       dovetail.Code
		reason     string
		about      string // in the error
	}{
		{"what the store refuses", func(b *bench) []store.Operation {
			return []store.Operation{{Verb: store.Delete, ID: own}}
		}, dovetail.CodeInUse, "", "paramSetAssociation"},
		{"an old version", func(b *bench) []store.Operation {
			op := b.put(own, `{"name":"own"}`)
			op.IfMatch = []dovetail.ETag{{UID: "x", Revision: 1}}
			return []store.Operation{op}
		}, dovetail.CodeStale, "", "version"},
		{"a description", func(b *bench) []store.Operation {
			op := b.put(own, `{"name":"own","parameters":{}}`)
			op.Data.Get("metadata").Set("description", parse(b.t, `"x"`))
			return []store.Operation{b.put("siteParamSet/z", `{"name":"z","parameters":{}}`), op}
		}, dovetail.CodeUnprocessable, gitsync.ReasonNotInFile, "/metadata/description"},
		{"a cluster alone", func(b *bench) []store.Operation {
			return []store.Operation{b.put("cluster/c9", `{}`)}
		}, dovetail.CodeUnprocessable, gitsync.ReasonNotInFile, "cluster"},
		{"a name that no file can have", func(b *bench) []store.Operation {
			return []store.Operation{b.put(env.Child("environmentParamSet", ".hidden"), `{"name":".hidden","parameters":{}}`)}
		}, dovetail.CodeUnprocessable, gitsync.ReasonNotInFile, "name of a file"},
		{"a member that its file does not have", func(b *bench) []store.Operation {
			return []store.Operation{b.put(env, `{"unheard":{"of":1}}`)}
		}, dovetail.CodeUnprocessable, gitsync.ReasonNotInFile, "/spec/unheard"},
		{"a cluster's spec", func(b *bench) []store.Operation {
			return []store.Operation{b.put("cluster/c1", `{"x":1}`)}
		}, dovetail.CodeUnprocessable, gitsync.ReasonNotInFile, "spec"},
		{"what the schema refuses", func(b *bench) []store.Operation {
			op := b.put(own, `{"name":"own"}`)
			op.Data.Set("spec", parse(b.t, `[1]`))
			return []store.Operation{op}
		}, dovetail.CodeUnprocessable, "", "/spec"},
		{"the record", func(b *bench) []store.Operation {
			return []store.Operation{{Verb: store.Delete, ID: "instanceRepository/attached"}}
		}, dovetail.CodeForbidden, "", "--instance-repo"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, small)
			before := b.Head()
			for _, dry := range []bool{true, false} {
				_, err := b.a.Apply(t.Context(), test.operations(b), store.Options{DryRun: dry}, gitsync.Commit{})
				wantCode(t, err, test.want)
				e := dovetail.AsError(err)
				if e == nil || e.Reason != test.reason || !strings.Contains(err.Error(), test.about) {
					t.Errorf("the error is %+v", err)
				}
				if test.reason == gitsync.ReasonNotInFile && !strings.Contains(err.Error(), string(e.Key)) {
					t.Errorf("the error does not name %s: %v", e.Key, err)
				}
			}
			if test.name != "the record" { // which no change set can have
				_, err := b.a.Prepare(t.Context(), test.operations(b), store.Options{}, gitsync.Commit{}, time.Unix(1e9, 0))
				wantCode(t, err, test.want)
				if e := dovetail.AsError(err); e == nil || e.Reason != test.reason || !strings.Contains(err.Error(), test.about) {
					t.Errorf("the error of a branch is %+v", err)
				}
			}
			if b.Head() != before {
				t.Error("there is a commit")
			}
			b.agree()
		})
	}
}

// A repeated request is answered as the first one.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	op := b.put(own, `{"name":"own","parameters":{"A":"9"}}`)
	apply := func(op store.Operation) (*gitsync.Applied, error) {
		return b.a.Apply(t.Context(), []store.Operation{op}, store.Options{Key: "k"}, gitsync.Commit{})
	}
	first, err := apply(op)
	if err != nil {
		t.Fatal(err)
	}
	head := b.Head()
	again, err := apply(op)
	if err != nil || !again.Result.Repeated || len(again.Result.Outcomes) != 1 || b.Head() != head {
		t.Fatalf("%+v, %v", again, err)
	}
	if got, want := again.Result.Outcomes[0].Document, first.Result.Outcomes[0].Document; got.ETag() != want.ETag() || string(got.Data) != string(want.Data) {
		t.Errorf("%+v, want %+v", got, want)
	}
	_, err = apply(b.put(own, `{"name":"own"}`))
	wantCode(t, err, dovetail.CodeUnprocessable)
}

func TestSignature(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	_, err := b.a.Apply(t.Context(), []store.Operation{b.put(own, `{"name":"own"}`)}, store.Options{},
		gitsync.Commit{Author: "Ann <\n", Email: "ann@example.com>", Message: "why\n\nbecause\n"})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.git(b.Dir, "log", "-1", "--format=%an|%ae|%cn|%B", "main"); got != "Ann|ann@example.com|Ann|why\n\nbecause" {
		t.Errorf("the commit is %q", got)
	}
	b.agree()
}

func TestStore(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	s := b.a.Attached()
	if _, err := s.Create(t.Context(), b.put("siteParamSet/z", `{"name":"z","parameters":{}}`)); err != nil {
		t.Error(err)
	}
	if doc, err := s.Put(t.Context(), b.put(own, `{"name":"own","parameters":{}}`)); err != nil || doc.Revision != 2 {
		t.Errorf("%v, %v", doc, err)
	}
	if _, err := s.Delete(t.Context(), store.Operation{ID: "siteParamSet/z"}); err != nil {
		t.Error(err)
	}
	if _, err := s.Apply(t.Context(), []store.Operation{b.put("source/p", `{}`)}, store.Options{}); err != nil {
		t.Error(err)
	}
	_, err := s.Import(t.Context(), []*dovetail.Document{b.get(own), b.get("source/p")}, store.Options{})
	wantCode(t, err, dovetail.CodeConflict)
	_, err = s.Import(t.Context(), []*dovetail.Document{b.get("source/p")}, store.Options{})
	wantCode(t, err, dovetail.CodeExists)
	b.agree()
}

// TestTransactionsNameTheirCommit: a write through the store is a commit with its message, and what others push a
// transaction with the commit as its origin.
func TestTransactionsNameTheirCommit(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	ctx := dovetail.WithPrincipal(t.Context(), &dovetail.Principal{Name: "ann@example.com"})
	if _, err := b.a.Attached().Apply(ctx, []store.Operation{b.put(own, `{"name":"own","parameters":{"A":"2"}}`)}, store.Options{Message: "Raise A\n\nIt was too low."}); err != nil {
		t.Fatal(err)
	}
	if got := b.git(b.Dir, "log", "-1", "--format=%s|%b", "main"); strings.TrimSpace(got) != "Raise A|It was too low." {
		t.Errorf("the commit says %q", got)
	}
	last := func() store.Transaction {
		t.Helper()
		page, err := b.store.Transactions(t.Context(), store.TransactionQuery{ID: own, Limit: 1})
		if err != nil || len(page.Transactions) != 1 {
			t.Fatalf("%+v, %v", page, err)
		}
		return page.Transactions[0]
	}
	want := store.Provenance{Principal: "ann@example.com", Message: "Raise A\n\nIt was too low.", Origin: "git:" + b.Head()}
	if got := last(); got.Provenance != want {
		t.Errorf("the transaction is %+v, want %+v", got.Provenance, want)
	}
	reverted := last().Cursor
	commit := b.push(map[string]string{ownYML: "name: own\nparameters:\n  A: \"3\"\n"})
	if err := b.a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := last(); got.Origin != "git:"+commit {
		t.Errorf("what was pushed is %+v, want it of %s", got.Provenance, commit)
	}
	if _, err := b.a.Attached().Revert(ctx, last().Cursor, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := b.show(ownYML); !strings.Contains(got, `A: "2"`) {
		t.Errorf("after the revert the file is\n%s", got)
	}
	if _, err := b.a.Attached().Revert(ctx, reverted, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := b.show(ownYML); !strings.Contains(got, `A: "1"`) {
		t.Errorf("after the revert of the first the file is\n%s", got)
	}
	b.agree()
}

// A change that is aborted while it is under way is in the repository and in the store, or in neither.
func TestAbort(t *testing.T) {
	t.Parallel()
	b := newBench(t, small)
	attached := b.a.Attached()
	command, reached := b.Mark()
	for i := range 6 {
		begins := func() {}
		if i%2 == 1 { // within the push
			b.Hook("pre-receive", command)
			begins = reached
		}
		key, head := fmt.Sprint("k", i), b.Head()
		op := b.put(own, fmt.Sprintf(`{"name":"own","parameters":{"A":"%d"}}`, 100+i))
		var answered *store.Result
		var refused, failed error
		var group sync.WaitGroup
		group.Go(func() { _, refused = attached.Apply(t.Context(), []store.Operation{op}, store.Options{Key: key}) })
		group.Go(func() {
			begins()
			answered, failed = attached.Abort(t.Context(), key)
		})
		group.Wait()
		if i%2 == 1 {
			b.Hook("pre-receive", "")
		}
		if failed != nil {
			t.Fatal(failed)
		}
		if committed := b.Head() != head; committed != (refused == nil) || committed != (answered != nil) {
			t.Errorf("a new commit: %t, applied: %v, answered: %v", committed, refused, answered)
		}
		b.agree()
	}
	if _, err := attached.Abort(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	head := b.Head()
	if _, err := attached.Apply(t.Context(), []store.Operation{b.put(own, `{"name":"own","parameters":{"A":"7"}}`)}, store.Options{Key: "k"}); dovetail.AsError(err).Reason != store.ReasonAborted || b.Head() != head {
		t.Errorf("a change that was aborted: %v", err)
	}
}
