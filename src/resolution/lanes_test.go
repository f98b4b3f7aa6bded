package resolution_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestHardResolutionsDelayNoEasyOne: more hard resolutions than there are workers, none of which ends, leave workers for those that come later.
func TestHardResolutionsDelayNoEasyOne(t *testing.T) {
	t.Parallel()
	w, _ := newWorld(t, 1, resolution.Options{Workers: 2, Quick: 5 * time.Millisecond})
	maze := synthetic.Problem(synthetic.Options{Packages: 10, Versions: 2, Roots: 1, Seed: 1, Mode: synthetic.Maze, Pigeons: 12})
	w.source("synthetic", string(maze.Get("sources").Items[0].JSON()))
	w.source("cat", catalog1)
	spec := maze.Get("spec")
	spec.Set("sources", value.NewList(value.NewString("synthetic")))
	spec.Set("timeoutSeconds", value.NewNumber(600))
	const hard = 6
	for i := range hard {
		w.create(fmt.Sprintf("hard-%d", i), `{"spec":`+string(spec.JSON())+`}`)
	}
	for i := range 3 {
		name := fmt.Sprintf("easy-%d", i)
		if got, want := tell(w.put(name, `{"spec":{"sources":["cat"],"constraints":["required(\"p\")"]}}`)), "Resolved=True:Resolved cat:p:1.0.0:main"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for i := range hard {
		if doc := w.get(fmt.Sprintf("hard-%d", i)); state.Settled(doc) {
			t.Errorf("%s is settled, so that it was not hard: %s", doc.ID, doc.Status)
		}
	}
}

// TestHardResolutionsEnd: what takes longer than a quick one may is answered nevertheless, also again when its source changes.
func TestHardResolutionsEnd(t *testing.T) {
	t.Parallel()
	w, _ := newWorld(t, 1, resolution.Options{Workers: 2, Quick: time.Nanosecond})
	w.source("cat", catalog1)
	for i := range 5 {
		if got, want := tell(w.put(fmt.Sprintf("r-%d", i), data(`required("p")`))), "Resolved=True:Resolved cat:p:1.0.0:main"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	w.source("cat", catalog2)
	for i := range 5 {
		w.waitFor(fmt.Sprintf("r-%d", i), "Resolved=True:Resolved cat:p:2.0.0:main")
	}
}
