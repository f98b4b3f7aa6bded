//go:build !race

package matrix

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	interferenceTime = flag.Duration("noninterference", 0, "how long TestNonInterference sends requests (default 400 requests)")
	interferenceSeed = flag.Uint64("noninterference-seed", 1, "seed of its requests")
)

// TestNonInterference sends both stores the same random requests of principals that may not read what differs: every
// route and verb of the description, with ids of documents that they may read, of hidden ones, and of missing ones; writes that drawn rules and
// lifecycles decide, renames, and sets for clusters. Between requests hidden documents change. The answers must be the same. One request comes after
// the other, so there is nothing for the race detector.
func TestNonInterference(t *testing.T) {
	random := rand.New(rand.NewPCG(*interferenceSeed, 7))
	w := newTwins(t, random)
	g := newInterferences(t, w, random)
	end := w.watch(t, "limited")
	began := time.Now()
	statuses := make(map[int]int)
	wanted := []int{http.StatusOK, http.StatusCreated, http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusConflict}
	lacking := func() bool {
		return slices.ContainsFunc(wanted, func(status int) bool { return statuses[status] == 0 })
	}
	found := 0
	for n := 0; found < 20 && (n < 400 || n < 4000 && lacking() || time.Since(began) < *interferenceTime); n++ {
		if n%25 == 24 {
			for of := range w.worlds {
				w.changeHidden(t, of, n)
			}
		}
		r := g.next()
		if n < len(storedByServices) {
			r = request{who: "limited", method: "GET", path: storedByServices[n]}
		}
		status, one := w.send(t, 0, r)
		other, two := w.send(t, 1, r)
		statuses[status]++
		if status != other || one != two {
			found++
			t.Errorf("request %d distinguishes the stores:\n%s\n--- one: %d\n%s\n--- other: %d\n%s", n, r, status, excerpt(one, two), other, excerpt(two, one))
		}
		for _, text := range []string{one, two} {
			if strings.Contains(text, "-hidden") && !strings.Contains(r.path, "-hidden") { // the query comes back in links
				found++
				t.Errorf("request %d is answered with what is hidden:\n%s\n%s", n, r, excerpt(text, ""))
			}
		}
	}
	t.Logf("answers by status: %v", statuses)
	for _, status := range wanted {
		if statuses[status] == 0 && found == 0 {
			t.Errorf("no request was answered with %d: the requests are not what they should be: %v", status, statuses)
		}
	}
	if seen := end(); !slices.EqualFunc(seen[0], seen[1], watched.equals) {
		at := 0
		for at < min(len(seen[0]), len(seen[1])) && seen[0][at].equals(seen[1][at]) {
			at++
		}
		t.Errorf("the watches differ after %d changes, of %d and %d\n%v\n---\n%v", at, len(seen[0]), len(seen[1]), seen[0][at:min(at+1, len(seen[0]))], seen[1][at:min(at+1, len(seen[1]))])
	} else if len(seen[0]) == 0 {
		t.Error("the watches saw nothing")
	}
}
