package bolt

import (
	"runtime"
	"testing"

	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// TestAnsweredChangesAreRead: a commit is answered only once those who read the changes until now know that there is more. Otherwise who has the
// answer might not find it among them.
func TestAnsweredChangesAreRead(t *testing.T) {
	b := openTemporary(t, Options{})
	commit(t, b, put("cluster/first"))
	from, err := b.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range b.ChangesUntilNow(t.Context(), from) { // from here on what was read is kept
		t.Fatalf("there are changes, %v", err)
	}
	if err := b.do(t.Context(), func(*kv.Batch) error { return nil }); err != nil { // now the writer has notified of the first
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	b.news.mu.Lock()
	go func() { answered <- b.Commit(t.Context(), put("cluster/second")) }()
	for _, err := b.Get(t.Context(), "cluster/second"); err != nil; _, err = b.Get(t.Context(), "cluster/second") {
		runtime.Gosched() // until the writer has made it, and is about to answer
	}
	for range 1000 {
		runtime.Gosched()
	}
	select {
	case err := <-answered:
		b.news.mu.Unlock()
		t.Fatalf("it was answered before, %v", err)
	default:
	}
	b.news.mu.Unlock()
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	found := 0
	for set, err := range b.ChangesUntilNow(t.Context(), from) {
		if err != nil || set.Changes[0].ID != "cluster/second" {
			t.Errorf("found %v, %v", set.Changes, err)
		}
		found++
	}
	if found != 1 {
		t.Errorf("%d changes", found)
	}
}
