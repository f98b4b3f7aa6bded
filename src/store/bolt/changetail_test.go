package bolt

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// creation creates clusters.
func creation(first, many int) (txn store.Txn) {
	for n := range many {
		txn.Puts = append(txn.Puts, &dovetail.Document{ID: dovetail.ID(fmt.Sprintf("cluster/c%d", first+n)), Kind: "cluster", UID: fmt.Sprint("u", first+n), Revision: 1})
	}
	return txn
}

// Whatever was read before, and however much the tail keeps, a reader gets what the log has, or the refusal that the log gives.
func TestTailIsTheLog(t *testing.T) {
	rounds.Checks(t, 40, 100)
	rapid.Check(t, func(rt *rapid.T) {
		history := rapid.IntRange(1, 20).Draw(rt, "history")
		path := filepath.Join(memdir.New(t), fmt.Sprint(rapid.Uint64().Draw(rt, "file")), "store.db")
		b := mustOpen(t, path, Options{History: history})
		created, last := 0, uint64(0)
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				many := rapid.SampledFrom([]int{1, 1, 1, 2, 2, 2, 3, tailChanges + 1}).Draw(rt, "size")
				if err := b.Commit(t.Context(), creation(created, many)); err != nil {
					rt.Fatal(err)
				}
				created += many
				last++
			case 1:
				if err := b.Close(); err != nil {
					rt.Fatal(err)
				}
				b = mustOpen(t, path, Options{History: history})
			default:
				after := rapid.Uint64Range(0, last+1).Draw(rt, "after")
				_ = b.do(t.Context(), func(*kv.Batch) error { return nil }) // waits until the commits before are published
				_, published := b.news.wait()
				entries, _, _, wantErr := b.readLog(t.Context(), after)
				want, err := b.decodeLog(entries, after)
				if err != nil {
					rt.Fatal(err)
				}
				got, more, gotErr := b.readChanges(t.Context(), after, published)
				expired := wantErr != nil && gotErr != nil && dovetail.CodeOf(gotErr) == dovetail.CodeOf(wantErr)
				if !expired && (gotErr != nil || wantErr != nil || more || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want)) {
					rt.Fatalf("after %d of %d, of which %d are kept: got %d, %v, %v, want %d, %v", after, last, history, len(got), more, gotErr, len(want), wantErr)
				}
			}
		}
		if err := b.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// A thousand watches that are up to date read a commit once.
func TestWatchesShareTheTail(t *testing.T) {
	b := mustOpen(t, filepath.Join(memdir.New(t), "store.db"), Options{})
	read := func(after uint64) []store.Transaction {
		_, published := b.news.wait()
		sets, _, err := b.readChanges(t.Context(), after, published)
		if err != nil {
			t.Fatal(err)
		}
		return sets
	}
	read(0)
	if err := b.Commit(t.Context(), creation(0, 1)); err != nil {
		t.Fatal(err)
	}
	<-published(b, 1)
	first := read(0)
	for range 1000 {
		if again := read(0); len(again) != 1 || &again[0] != &first[0] {
			t.Fatalf("a commit was read again: %v", again)
		}
	}
}

// published is closed when there were so many publications.
func published(b *Backend, many uint64) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			next, published := b.news.wait()
			if published >= many {
				return
			}
			<-next
		}
	}()
	return done
}

// Many readers are woken for several commits at a time, few for each one.
func TestNotifierPauses(t *testing.T) {
	woken := func(next <-chan struct{}) bool {
		select {
		case <-next:
			return true
		default:
			return false
		}
	}
	for _, test := range []struct {
		name    string
		readers int
		rests   bool
	}{{"few", 10, false}, {"many", 10_000_000, true}} {
		t.Run(test.name, func(t *testing.T) {
			var n notifier
			n.init()
			n.readers = test.readers
			next, _ := n.wait()
			n.add()
			n.notify()
			if !woken(next) {
				t.Fatal("the first commit wakes no watch")
			}
			next, published := n.wait()
			n.add()
			n.notify()
			n.add()
			n.notify()
			if woken(next) == test.rests || published != 1 || n.published != 3 {
				t.Errorf("woken %v after %d publications, now %d", woken(next), published, n.published)
			}
			if test.rests {
				n.endPause()
				if !woken(next) {
					t.Error("no watch is woken after the rest")
				}
			}
			n.close()
			if next, _ := n.wait(); !woken(next) {
				t.Error("no watch is woken at the end")
			}
		})
	}
}
