package gitsync_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/internal/git/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// pushFirst lets a commit of another writer come before the next push.
func (b *bench) pushFirst(files map[string]string) {
	b.t.Helper()
	b.Pull()
	b.Commit("foreign", files)
	b.git(b.Clone, "push", "-q", "origin", "HEAD:refs/heads/next")
	b.Hook("update", `if next=$(git rev-parse -q --verify refs/heads/next); then git update-ref refs/heads/main "$next" && git update-ref -d refs/heads/next; fi`)
}

// pushBetween lets commits of another writer, each of one file, come before pushes for whose number n a condition of the shell holds. The name of the file may have $n.
func (b *bench) pushBetween(condition, path, text string) {
	b.t.Helper()
	b.Hook("update", `n=$(($(cat pushes 2>/dev/null || echo 0) + 1)); echo $n > pushes
if [ `+condition+` ]; then
  export GIT_INDEX_FILE="$PWD/foreign-index" GIT_AUTHOR_NAME=foreign GIT_AUTHOR_EMAIL=f@example.com GIT_COMMITTER_NAME=foreign GIT_COMMITTER_EMAIL=f@example.com
  git read-tree main
  blob=$(echo '`+text+`' | git hash-object -w --stdin)
  git update-index --add --cacheinfo "100644,$blob,`+path+`"
  git update-ref refs/heads/main "$(git commit-tree -p main -m foreign "$(git write-tree)")"
fi`)
}

// TestForeignPush: a write that loses against a push of another writer is made again on what was pushed, unless the two conflict.
func TestForeignPush(t *testing.T) {
	t.Parallel()
	const e0, credentials = "environments/c1/e0/", "configuration/credentials/credentials.yml"
	const reader, theirs = "reader:\n  type: secret\n  data: {secret: s}\n", "theirs:\n  type: secret\n  data: {secret: t}\n"
	own := dovetail.ID("cluster/c1/environment/e0/environmentParamSet/own")
	credential := func(name, secret string) func(b *bench) store.Operation {
		return func(b *bench) store.Operation {
			return b.put(dovetail.ID("credential/"+name), `{"type":"secret","data":{"secret":"`+secret+`"}}`)
		}
	}
	set := func(b *bench) store.Operation { return b.put(own, `{"name":"own","parameters":{"A":"mine"}}`) }
	tests := []struct {
		name    string
		foreign map[string]string
		write   func(b *bench) store.Operation
		want    dovetail.Code
		says    string
		file    string // that both changed, and what it has in the end
		merged  string
	}{
		{name: "a file that is no document", foreign: map[string]string{"README.md": "theirs"}, write: set},
		{name: "another environment", foreign: map[string]string{"environments/c1/e1/Inventory/parameters/own.yaml": "name: own\nparameters: {B: theirs}\n"}, write: set},
		{name: "another file of the environment", foreign: map[string]string{e0 + "Inventory/parameters/other.yaml": "name: other\nparameters: {B: theirs}\n"}, write: set},
		{name: "the version that it depends on is the same", foreign: map[string]string{"README.md": "theirs"}, write: func(b *bench) store.Operation {
			op := set(b)
			op.IfMatch = []dovetail.ETag{b.get(own).ETag()}
			return op
		}},
		{name: "the same file", foreign: map[string]string{e0 + "Inventory/parameters/own.yaml": "name: own\nparameters: {B: theirs}\n"}, write: set,
			want: dovetail.CodeConflict, says: "changed the file of " + string(own)},
		{name: "the same new document", foreign: map[string]string{e0 + "Inventory/parameters/new.yml": "name: new\nparameters: {B: theirs}\n"}, want: dovetail.CodeConflict, says: "environmentParamSet/new",
			write: func(b *bench) store.Operation {
				return b.put("cluster/c1/environment/e0/environmentParamSet/new", `{"name":"new","parameters":{}}`)
			}},
		{name: "what it refers to is gone", foreign: map[string]string{credentials: gittest.Gone}, want: dovetail.CodeMissing, says: "credential/reader",
			write: func(b *bench) store.Operation {
				return b.put("registryDefinition/main", `{"name":"main","credentialsId":"reader"}`)
			}},
		{name: "another credential of the file, to a new one", foreign: map[string]string{credentials: reader + theirs}, write: credential("mine", "m"),
			file: credentials, merged: reader + theirs + "mine:\n  type: secret\n  data:\n    secret: m\n"},
		{name: "another credential of the file, to one that changes", foreign: map[string]string{credentials: reader + theirs}, write: credential("reader", "m"),
			file: credentials, merged: "reader:\n  type: secret\n  data: {secret: m}\n" + theirs},
		{name: "another credential of the file, to one that goes", foreign: map[string]string{credentials: reader + theirs}, file: credentials, merged: theirs,
			write: func(*bench) store.Operation { return store.Operation{Verb: store.Delete, ID: "credential/reader"} }},
		{name: "the same credential", foreign: map[string]string{credentials: "reader:\n  type: secret\n  data: {secret: t}\n"}, write: credential("reader", "m"),
			want: dovetail.CodeConflict, says: "changed the file of credential/reader"},
		{name: "the same credential, which goes", foreign: map[string]string{credentials: "reader:\n  type: secret\n  data: {secret: t}\n"}, want: dovetail.CodeConflict, says: "credential/reader",
			write: func(*bench) store.Operation { return store.Operation{Verb: store.Delete, ID: "credential/reader"} }},
		{name: "the same new credential", foreign: map[string]string{credentials: reader + theirs}, write: credential("theirs", "m"), want: dovetail.CodeConflict, says: "credential/theirs"},
		{name: "the credential is gone", foreign: map[string]string{credentials: theirs}, write: credential("reader", "m"), want: dovetail.CodeConflict, says: "credential/reader"},
		{name: "a new file in what it deletes", foreign: map[string]string{e0 + "Inventory/parameters/other.yaml": "name: other\nparameters: {B: theirs}\n"}, want: dovetail.CodeConflict,
			write: func(*bench) store.Operation {
				return store.Operation{Verb: store.Delete, ID: "cluster/c1/environment/e0", Cascade: true}
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, pushes := newGroups(t, 2)
			b.push(map[string]string{credentials: reader})
			if err := b.a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			op := tt.write(b)
			b.pushFirst(tt.foreign)
			applied, err := b.apply(t.Context(), op)
			if wantCode(t, err, tt.want); err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v does not say %q", err, tt.says)
			}
			if e := dovetail.AsError(err); tt.want == dovetail.CodeConflict && e.Reason != gitsync.ReasonPushConflict {
				t.Errorf("the reason is %q", e.Reason)
			}
			if tt.want == "" && (applied == nil || applied.Commit != b.Head() || pushes.Load() != 2) {
				t.Errorf("%+v after %d pushes", applied, pushes.Load())
			}
			if tt.file != "" && b.show(tt.file) != tt.merged {
				t.Errorf("%s is\n%s\nwant\n%s", tt.file, b.show(tt.file), tt.merged)
			}
			for path, text := range tt.foreign {
				if got := b.show(path); text != gittest.Gone && path != tt.file && got != strings.TrimSpace(text) && got != text {
					t.Errorf("%s is %q, want %q", path, got, text)
				}
			}
			b.agree()
			b.Fsck(b.local)
		})
	}
}

// TestForeignPushesBesideWriters: no write of eight writers, some with keys, is refused for pushes of unrelated files, though every second push is
// lost to one, and none is done twice.
func TestForeignPushesBesideWriters(t *testing.T) {
	t.Parallel()
	const writers = 8
	writes := rounds.Of(4, 20)
	b, pushes := newGroups(t, writers)
	b.pushBetween("$((n % 2)) = 1", "environments/c1/app-deployer/foreign-$n.yml", "{}")
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			id := dovetail.ID(fmt.Sprintf("cluster/c1/environment/e%d/environmentParamSet/own", w))
			for i := range writes {
				options := store.Options{}
				if w%2 == 0 {
					options = store.Options{Key: fmt.Sprintf("key-%d-%d", w, i), Request: fmt.Sprint(w, i)}
				}
				write := func() (*gitsync.Applied, error) {
					return b.a.Apply(t.Context(), []store.Operation{b.put(id, fmt.Sprintf(`{"name":"own","parameters":{"A":"%d"}}`, i))}, options, gitsync.Commit{Author: fmt.Sprint("writer ", w)})
				}
				if _, err := write(); err != nil {
					t.Error(err)
				}
				if options.Key == "" {
					continue
				}
				if again, err := write(); err != nil || again.Commit != "" {
					t.Errorf("the key is not known again: %+v, %v", again, err)
				}
			}
		})
	}
	all.Wait()
	log := b.git(b.Dir, "log", "--format=%an", "main")
	if got, want := strings.Count(log, "writer "), writers*writes; got != want {
		t.Errorf("%d commits of writers, want %d", got, want)
	}
	if got := int64(strings.Count(log, "foreign")); got == 0 || got != (pushes.Load()+1)/2 {
		t.Errorf("%d commits of others beside %d pushes", got, pushes.Load())
	}
	if err := b.a.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	b.agree()
	b.Fsck(b.local)
}

// TestForeignPushesWithoutEnd: a write beside pushes that never end is refused after some tries, or when its time is over.
func TestForeignPushesWithoutEnd(t *testing.T) {
	t.Parallel()
	b, pushes := newGroups(t, 1)
	b.pushBetween("$n -gt 0", "note-$n", "theirs")
	_, err := b.write(t.Context(), 0, "mine", gitsync.Commit{})
	wantCode(t, err, dovetail.CodeConflict)
	if got := pushes.Load(); got != 20 {
		t.Errorf("%d pushes", got)
	}
	b.Hook("pre-receive", "sleep 0.2")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err = b.write(ctx, 0, "mine", gitsync.Commit{}); err == nil || ctx.Err() == nil {
		t.Errorf("it is %v", err)
	}
	if log := b.git(b.Dir, "log", "--format=%an", "main"); strings.Count(log, "Dovetail") != 0 {
		t.Errorf("the log is %s", log)
	}
}

// TestTakenBackBesideForeignPush: a pushed commit that the store refuses is reverted, also when another writer pushes before the revert.
func TestTakenBackBesideForeignPush(t *testing.T) {
	t.Parallel()
	b, h := newHooked(t)
	b.pushBetween("$n = 2", "note", "theirs")
	op := b.put(own, `{"name":"own","parameters":{"A":"mine"}}`)
	op.IfMatch = []dovetail.ETag{b.get(own).ETag()}
	before := b.show(ownYML)
	h.before = func() error {
		_, err := b.store.Put(t.Context(), b.put(own, `{"name":"own","parameters":{"A":"past"}}`))
		return err
	}
	_, err := b.apply(t.Context(), op)
	wantCode(t, err, dovetail.CodeStale)
	if got, want := b.git(b.Dir, "log", "--format=%s", "-3", "main"), "Revert \"update "+string(own)+"\"\nforeign\nupdate "+string(own); got != want || b.show(ownYML) != before {
		t.Errorf("the log is\n%s\nthe file\n%s", got, b.show(ownYML))
	}
	if err := b.a.Compare(t.Context()); err != nil {
		t.Error(err)
	}
	b.agree()
}

// TestRefusedBesideForeignPush: a write that was refused stays refused, also when the others of its group are made again on a push after which it would be possible.
func TestRefusedBesideForeignPush(t *testing.T) {
	t.Parallel()
	b, pushes := newGroups(t, 2)
	command, begun := b.Mark()
	waits, goOn := b.Gate()
	b.Hook("pre-receive", fmt.Sprintf("[ -e begun ] || { touch begun; %s; %s; }", command, waits)) // at the first push
	b.pushBetween("$n = 2", "configuration/credentials/credentials.yml", "reader: {type: secret, data: {secret: s}}")
	refers := b.put("registryDefinition/main", `{"name":"main","credentialsId":"reader"}`)
	var all sync.WaitGroup
	for i, write := range []func() error{
		func() error { _, err := b.write(t.Context(), 0, "first", gitsync.Commit{}); return err },
		func() error { _, err := b.apply(t.Context(), refers); return err },
		func() error { _, err := b.write(t.Context(), 1, "beside", gitsync.Commit{}); return err },
	} {
		all.Go(func() {
			if err := write(); (dovetail.CodeOf(err) == dovetail.CodeMissing) != (i == 1) {
				t.Errorf("%d: %v", i, err)
			}
		})
		if i == 0 {
			begun()
		}
		b.a.AwaitQueued(i) // while the first is pushed, the others gather in this order
	}
	goOn()
	all.Wait()
	b.get("credential/reader")
	if _, err := b.store.Get(t.Context(), "registryDefinition/main"); dovetail.CodeOf(err) != dovetail.CodeNotFound || pushes.Load() != 3 {
		t.Errorf("%v after %d pushes", err, pushes.Load())
	}
	b.agree()
}
