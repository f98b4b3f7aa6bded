package apptest

import (
	"sync"
	"testing"
	"time"
)

// Eventually returns once holds returns true. It is for conditions that only answers of a server show: there is no event to
// wait for. It calls holds at once, then after pauses that are short beside the time that has passed. After [Patience] the test
// fails. A test that has the store uses apitest.Until, which waits for changes.
func Eventually(t testing.TB, condition string, holds func() bool) {
	t.Helper()
	began := time.Now()
	for !holds() {
		waited := time.Since(began)
		if waited > Patience {
			t.Fatalf("not within %s: %s", Patience, condition)
		}
		time.Sleep(min(max(time.Millisecond, waited/8), 100*time.Millisecond))
	}
}

// Together runs the functions at the same time, as nearly as can be.
func Together(functions ...func()) {
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for _, f := range functions {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			f()
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}
