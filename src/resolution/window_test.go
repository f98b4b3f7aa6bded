package resolution_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/clock/clocktest"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/state"
)

// TestWindows activates in windows only, and what is selected when they open. Time passes in a bubble.
func TestWindows(t *testing.T) { synctest.Test(t, testWindows) }

func testWindows(t *testing.T) {
	w, _ := newWorld(t, 1, resolution.Options{})
	began := time.Now() // midnight in UTC, one o'clock in Berlin
	w.source("cat", fmt.Sprintf(catalogImages, ""))
	const windows = `,"windows":[{"schedule":"0 22 * * *","timeZone":"Europe/Berlin","duration":"2h"}]`
	waiting := w.put("r", activated(windows))
	const outside = "Resolved=True:Resolved Activated=False:AwaitingWindow cat:p:"
	if got := tell(waiting); got != outside+"1.0.0:main" || waiting.Entities != nil || waiting.Activation != nil {
		t.Fatalf("%s, %+v", got, waiting)
	}
	if got := waiting.Conditions[1].Message; got != "waits for a window, of which the next opens at 2000-01-01T22:00:00+01:00 (Europe/Berlin)" {
		t.Error(got)
	}
	clocktest.Advance(20*time.Hour + 50*time.Minute)
	if s := state.ReadStatus(w.get("r")); tell(s) != outside+"1.0.0:main" {
		t.Error(tell(s))
	}
	clocktest.Advance(11 * time.Minute)
	first := w.wait("r", isPlan("[]"))
	if at := first.Activation.Time; at.Sub(began) < 21*time.Hour || at.Sub(began) > 21*time.Hour+2*time.Minute || first.Entities[0].Image != "p1" {
		t.Errorf("%+v", first.Activation)
	}

	clocktest.Advance(3 * time.Hour) // the window is closed again
	w.source("cat", fmt.Sprintf(catalogImages, `,{"version":"1.1.0","channels":["main"],"image":"p11","replaces":"1.0.0"}`))
	second := w.wait("r", isPlan("[p 1.0.0 -> 1.1.0]"))
	if got := tell(second); got != outside+"1.1.0:main" || second.Entities[0].Image != "p1" || second.Activation.Installed[0].Version != "1.0.0" {
		t.Errorf("%s, %+v", got, second)
	}
	// Without windows it is activated at once.
	w.put("r", activated(""))
	third := w.wait("r", func(_ *dovetail.Document, s *state.Status) bool { return strings.Contains(tell(s), "Activated=True") })
	if third.Activation.Installed[0].Version != "1.1.0" || third.Entities[0].Image != "p11" {
		t.Errorf("%+v", third)
	}
}
