package bolt

import (
	"testing"
	"time"
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
	answered := make(chan error, 1)
	b.news.mu.Lock()
	go func() { answered <- b.Commit(t.Context(), put("cluster/second")) }()
	select {
	case err := <-answered:
		b.news.mu.Unlock()
		t.Fatalf("it was answered before, %v", err)
	case <-time.After(200 * time.Millisecond):
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
