package bolt

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	"github.com/dovetail-store/dovetail/src/store"
)

// checkpoint writes a checkpoint of a store to a new file.
func checkpoint(t *testing.T, b *Backend) (path string, of store.Checkpoint) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "copy.db")
	var file bytes.Buffer
	err := b.Checkpoint(t.Context(), func(c store.Checkpoint) (io.Writer, error) { of = c; return &file, nil })
	if err == nil {
		err = os.WriteFile(path, file.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := VerifyCheckpoint(&file); err != nil || got.Position != of.Position || !got.Time.Equal(of.Time) || got.Size != of.Size {
		t.Errorf("verified: %+v, %v, want %+v", got, err, of)
	}
	return path, of
}

// past is all that a store says of what came until a position: documents, transactions and versions.
type past struct {
	documents    []*dovetail.Document
	transactions []store.Transaction
	versions     map[dovetail.ID][]store.Version
}

// pastOf reads that, with the sequences of positions in place of their names.
func pastOf(t *testing.T, b *Backend, position store.Cursor) (p past) {
	t.Helper()
	last := sequenceOf(t, b, position)
	plain := func(set store.Transaction) store.Transaction {
		set.Cursor = store.Cursor(fmt.Sprint(sequenceOf(t, b, set.Cursor)))
		return set
	}
	then, err := b.At(t.Context(), position)
	if err != nil {
		t.Fatal(err)
	}
	for d, err := range then.List(t.Context(), store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		p.documents = append(p.documents, d)
	}
	p.versions = map[dovetail.ID][]store.Version{}
	for set, err := range b.Transactions(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if sequenceOf(t, b, set.Cursor) > last {
			continue
		}
		p.transactions = append(p.transactions, plain(set))
		for _, c := range set.Changes {
			p.versions[c.ID] = nil
		}
	}
	for id := range p.versions {
		for v, err := range b.Versions(t.Context(), id) {
			if err != nil {
				t.Fatal(err)
			}
			if sequenceOf(t, b, v.Cursor) <= last {
				v.Transaction = plain(v.Transaction)
				p.versions[id] = append(p.versions[id], v)
			}
		}
	}
	return p
}

// TestCheckpointWhileWritten takes checkpoints while random writers write: each opens, without a finding, as what the store was at its position, with
// all transactions and versions until then; each writer's transactions are in it up to one of them.
func TestCheckpointWhileWritten(t *testing.T) {
	for round := range rounds.Of(1, 34) {
		t.Run(fmt.Sprint("round ", round+1), checkpointWhileWritten)
	}
}

func checkpointWhileWritten(t *testing.T) {
	b := openTemporary(t, Options{tableSize: 16 << 10})
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for writer := range writers {
		busy.Go(func() {
			for s := newScript("1", writer); ; {
				select {
				case <-stop:
					return
				default:
					txn := s.next()
					txn.Provenance = store.Provenance{Principal: fmt.Sprint("writer", writer), Message: fmt.Sprint(s.done)}
					if err := b.Commit(context.Background(), txn); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	type taken struct {
		path string
		of   store.Checkpoint
	}
	var all []taken
	for n := range 6 {
		commit(t, b, create(dovetail.ID(fmt.Sprint("round/", n)))) // the writers had time by then
		path, of := checkpoint(t, b)
		all = append(all, taken{path, of})
	}
	close(stop)
	busy.Wait()
	for _, c := range all {
		later := mustOpen(t, c.path, Options{})
		got, want := pastOf(t, later, c.of.Position), pastOf(t, b, c.of.Position)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the checkpoint of %s has %d documents, %d transactions and versions of %d documents, or others, of %d, %d and %d",
				c.of.Position, len(got.documents), len(got.transactions), len(got.versions), len(want.documents), len(want.transactions), len(want.versions))
		}
		wantClean(t, later)
		for writer := range writers {
			s, done := newScript("1", writer), 0
			for _, set := range got.transactions {
				if set.Principal == fmt.Sprint("writer", writer) {
					done++
				}
			}
			for s.done < done {
				s.next()
			}
			state := map[dovetail.ID]dovetail.ETag{}
			for _, d := range got.documents {
				if d.ID.IsDescendantOf(s.root) {
					state[d.ID] = d.ETag()
				}
			}
			if !reflect.DeepEqual(state, s.state) {
				t.Errorf("after %d transactions of writer %d the checkpoint has\n%v\nwant\n%v", done, writer, state, s.state)
			}
		}
		if err := later.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			return
		}
	}
}

// TestCheckpointPositions reads positions of a store in one that comes from it by two checkpoints: those until the checkpoint are positions
// of it, those after it are not.
func TestCheckpointPositions(t *testing.T) {
	b := openTemporary(t, Options{})
	head := func(b *Backend) store.Cursor {
		t.Helper()
		position, err := b.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return position
	}
	empty := head(b)
	commit(t, b, create("project/a"))
	one := head(b)
	path, of := checkpoint(t, b)
	if of.Position != one {
		t.Errorf("the checkpoint is of %s, after %s", of.Position, one)
	}
	commit(t, b, create("project/b"))
	after := head(b)

	first := mustOpen(t, path, Options{})
	defer func() { first.Close() }()
	if head(first) == one {
		t.Error("both stores give the same position")
	}
	commit(t, first, create("project/c"))
	two := head(first)
	path, _ = checkpoint(t, first)
	second := mustOpen(t, path, Options{})
	defer func() { second.Close() }()
	commit(t, second, create("project/d"))
	second = reopen(t, second)

	for _, test := range []struct {
		position store.Cursor
		want     []dovetail.ID // nil where it is none
	}{
		{empty, []dovetail.ID{}},
		{one, []dovetail.ID{"project/a"}},
		{two, []dovetail.ID{"project/a", "project/c"}},
		{head(second), []dovetail.ID{"project/a", "project/c", "project/d"}},
		{after, nil},
		{one + "0", nil},
		{"0" + one, nil},
	} {
		then, err := second.At(t.Context(), test.position)
		if test.want == nil {
			wantCode(t, string(test.position), err, dovetail.CodeInvalid)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", test.position, err)
		}
		got := []dovetail.ID{}
		for d, err := range then.List(t.Context(), store.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, d.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.position, got, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for set, err := range second.Changes(ctx, one) { // a watch goes on
		if err != nil || set.Changes[0].ID != "project/c" {
			t.Errorf("after %s comes %v, %v", one, set, err)
		}
		break
	}
}

// TestCheckpointCanceled ends with the context.
func TestCheckpointCanceled(t *testing.T) {
	b := openTemporary(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Checkpoint(ctx, func(store.Checkpoint) (io.Writer, error) { cancel(); return io.Discard, nil })
	wantCode(t, "canceled while it is written", err, dovetail.CodeCanceled)
	err = b.Checkpoint(ctx, func(store.Checkpoint) (io.Writer, error) { t.Error("begun"); return nil, nil })
	wantCode(t, "canceled before", err, dovetail.CodeCanceled)
}
