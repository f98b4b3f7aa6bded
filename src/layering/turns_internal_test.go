package layering

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
)

// Those who ask for one name come one after the other; other names and contexts that end do not wait.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		inside, most, done := 0, 0, 0
		for range 8 {
			go func() {
				end, err := all.take(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				defer end()
				inside++
				most = max(most, inside)
				clocktest.Advance(time.Second)
				inside--
				done++
			}()
		}
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := all.take(ended, "a"); dovetail.CodeOf(err) != dovetail.CodeOf(dovetail.AsError(context.Canceled)) {
			t.Errorf("a context that has ended gives %v", err)
		}
		end, err := all.take(ended, "b")
		if err != nil {
			t.Fatalf("the turn of another name: %v", err)
		}
		end()
		for range 8 {
			clocktest.Advance(time.Second)
		}
		synctest.Wait()
		if most != 1 || done != 8 {
			t.Errorf("%d of 8 had a turn, up to %d at once", done, most)
		}
		if len(all.busy) != 0 {
			t.Errorf("%d turns are kept", len(all.busy))
		}
	})
}
