package bolt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// changeScript makes transactions, always the same ones: documents are created, changed in some bytes or as a whole, given other
// references and kinds, written again under their version, deleted and created again.
type changeScript struct {
	random *rand.Rand
	made   int
	state  map[dovetail.ID]*dovetail.Document
}

func newChangeScript() *changeScript {
	return &changeScript{random: rand.New(rand.NewPCG(3, 4)), state: make(map[dovetail.ID]*dovetail.Document)}
}

// next returns the next transaction.
func (s *changeScript) next() store.Txn {
	s.made++
	var txn store.Txn
	id := dovetail.ID(fmt.Sprint("project/p/app/", s.random.IntN(5)))
	old, action := s.state[id], s.random.IntN(40)
	if old != nil && action == 0 {
		delete(s.state, id)
		txn.Deletes = []dovetail.ID{id}
		return txn
	}
	d := document(id)
	d.UID, d.Revision = fmt.Sprint("uid", s.made), 1
	words := make([]string, 40)
	for i := range words {
		words[i] = fmt.Sprint(s.random.Uint32())
	}
	if old != nil {
		d = old.Clone()
		d.Revision++
		if action > 3 {
			words = strings.Fields(string(old.Data[1 : len(old.Data)-1]))
			at := s.random.IntN(len(words))
			words[at] = fmt.Sprint(s.random.Uint32())
			if action%3 == 0 {
				words = append(words[at:], words[:at]...)
			}
		}
		switch action {
		case 1:
			d.Revision--
		case 2:
			d.Kind = fmt.Sprint("kind", s.made%3)
		case 3, 4:
			d.References = []dovetail.Reference{{ID: dovetail.ID(fmt.Sprint("cluster/", s.made%4)), Kind: "cluster"}}
		}
	}
	d.Data = json.RawMessage(`"` + strings.Join(words, " ") + `"`)
	s.state[id] = d
	txn.Puts = []*dovetail.Document{d.Clone()}
	return txn
}

// commitNext commits the next n transactions.
func (s *changeScript) commitNext(t *testing.T, b *Backend, n int) {
	t.Helper()
	for range n {
		commit(t, b, s.next())
	}
}

// storedState is what a store says of a position, by a list and by single reads.
type storedState struct {
	Listed   []*dovetail.Document
	Erased   map[dovetail.ID]bool
	Versions map[dovetail.ID]uint64 // of each kind's documents and of those that refer to a cluster, the revisions
}

func stateOf(t *testing.T, b *Backend, sequence uint64) (s storedState, err error) {
	t.Helper()
	then, err := b.At(t.Context(), b.cursor(sequence))
	if err != nil {
		return s, err
	}
	s.Erased, s.Versions = make(map[dovetail.ID]bool), make(map[dovetail.ID]uint64)
	for _, kind := range []string{"", "kind", "kind0", "kind1", "kind2"} {
		after := dovetail.ID("")
		for more := true; more; {
			more = false
			for d, err := range then.List(t.Context(), store.Query{Kind: kind, After: after}) {
				if d == nil {
					t.Fatalf("a list of %q at %d: %v", kind, sequence, err)
				}
				after = d.ID
				if err != nil { // erased; the list goes on behind it
					wantCode(t, "List", err, dovetail.CodeExpired)
					s.Erased[d.ID], more = true, true
					break
				}
				s.Versions[dovetail.ID(kind)+" "+d.ID] = d.Revision
				if kind == "" {
					s.Listed = append(s.Listed, d)
					got, err := then.Get(t.Context(), d.ID)
					if err != nil || !reflect.DeepEqual(got, d) {
						t.Fatalf("%s at %d is %+v in a list, else %+v, %v", d.ID, sequence, d, got, err)
					}
				}
			}
		}
	}
	for n := range 4 {
		cluster := dovetail.ID(fmt.Sprint("cluster/", n))
		referrers, err := then.Referrers(t.Context(), []dovetail.ID{cluster}, "", 0)
		if err != nil {
			t.Fatalf("referrers of %s at %d: %v", cluster, sequence, err)
		}
		for _, id := range referrers {
			s.Versions[cluster+" "+id] = 1
		}
	}
	return s, nil
}

// wantSameHistory fails unless two stores hold the same at each position, and the same versions.
func wantSameHistory(t *testing.T, got, want *Backend) {
	t.Helper()
	head, err := want.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for sequence := range sequenceOf(t, want, head) + 1 {
		wanted, unreadable := stateOf(t, want, sequence)
		state, err := stateOf(t, got, sequence)
		if dovetail.CodeOf(err) != dovetail.CodeOf(unreadable) || !reflect.DeepEqual(state, wanted) {
			t.Fatalf("at %d there are\n%+v, %v, want\n%+v, %v", sequence, state, err, wanted, unreadable)
		}
	}
	for n := range 5 {
		id := dovetail.ID(fmt.Sprint("project/p/app/", n))
		if state, wanted := versionsOf(t, got, id), versionsOf(t, want, id); !reflect.DeepEqual(state, wanted) {
			t.Fatalf("the versions of %s are\n%+v, want\n%+v", id, state, wanted)
		}
	}
}

// versionsOf returns the versions of a document without what differs between stores: times and identities.
func versionsOf(t *testing.T, b *Backend, id dovetail.ID) (all []store.Version) {
	t.Helper()
	for v, err := range b.Versions(t.Context(), id) {
		if err != nil {
			t.Fatalf("versions of %s: %v", id, err)
		}
		v.Time = time.Time{}
		if v.Cursor != "" { // of a commit that the log still has
			v.Cursor = store.Cursor(fmt.Sprint(sequenceOf(t, b, v.Cursor)))
		}
		all = append(all, v)
	}
	return all
}

// countStored counts the earlier versions that are stored whole and as differences.
func countStored(t *testing.T, b *Backend) (wholes, asDifferences int) {
	t.Helper()
	change(t, b, func(batch *kv.Batch) {
		for _, value := range batch.Scan(versions, nil, nil) {
			if !isErased(value) {
				wholes++
			}
		}
		for range batch.Scan(differences, nil, nil) {
			asDifferences++
		}
	})
	return wholes, asDifferences
}

// TestVersionsAsDifferences compares a store that keeps differences with one that keeps all versions whole, while the end of
// the history is dropped, versions are erased by kind, and the store is opened again.
func TestVersionsAsDifferences(t *testing.T) {
	b, want := openTemporary(t, Options{History: 200}), openTemporary(t, Options{History: 200})
	makeWhole := func() {
		if err := want.doLogged(t.Context(), func(l *logWriter) error {
			var keys [][]byte
			for key := range l.batch.Scan(differences, nil, nil) {
				keys = append(keys, bytes.Clone(key))
			}
			for _, key := range keys {
				id, end, _ := splitDifferenceKey(key)
				l.makeWhole(id, end)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	script := newChangeScript()
	for round := range 4 {
		for range 100 {
			txn := script.next()
			commit(t, b, txn)
			commit(t, want, txn)
			makeWhole()
		}
		if _, differences := countStored(t, want); differences != 0 {
			t.Fatalf("%d versions are not whole", differences)
		}
		if wholes, differences := countStored(t, b); differences < 2*wholes {
			t.Errorf("%d versions are stored whole, %d as differences", wholes, differences)
		}
		wantSameHistory(t, b, want)
		wantClean(t, b)
		retention := store.Retention{Kinds: map[string]store.KindRetention{fmt.Sprint("kind", round%3): {Versions: 2}, "kind": {Versions: 10 - round}}}
		wantCode(t, "Expire", b.Expire(t.Context(), retention), "")
		wantCode(t, "Expire", want.Expire(t.Context(), retention), "")
		b = reopen(t, b)
		defer b.Close()
		wantSameHistory(t, b, want)
		wantClean(t, b)
	}
}
