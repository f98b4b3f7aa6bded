package resolution

import (
	"context"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
)

// TestWithin shows that solving ends so early that the answer, that the time was too short, still reaches the client.
func TestWithin(t *testing.T) {
	soon, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, test := range []struct {
		name        string
		ctx         context.Context
		spec        time.Duration
		least, most time.Duration
	}{
		{name: "as the spec says", ctx: t.Context(), spec: 2 * time.Hour, least: 2 * time.Hour, most: 2 * time.Hour},
		{name: "by default", ctx: t.Context(), least: solver.DefaultTimeout, most: solver.DefaultTimeout},
		{name: "before the request ends", ctx: soon, spec: 2 * time.Hour, least: 40 * time.Minute, most: 54 * time.Minute},
		{name: "long before the request ends", ctx: soon, spec: time.Second, least: time.Second, most: time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := within(test.ctx, &solver.Spec{Timeout: test.spec}); got < test.least || got > test.most {
				t.Errorf("%s, want %s to %s", got, test.least, test.most)
			}
		})
	}
}

// TestForgets shows that nothing is kept of deleted sources, except of those that were created again.
func TestForgets(t *testing.T) {
	s := newSources()
	s.source("s").uid = "1"
	p := s.source("s").of("p")
	p.uid, p.versions["1.0.0"] = "2", heldVersion{uid: "3"}
	source := dovetail.ID("source/s").Key()
	pkg, version := dovetail.ID("source/s/package/p").Key(), dovetail.ID("source/s/package/p/packageVersion/1.0.0").Key()
	for _, step := range []struct {
		name, uid string
		key       dovetail.Key
		left      int
	}{
		{name: "an older version", uid: "0", key: version, left: 1},
		{name: "the source", uid: "1", key: source, left: 1},
		{name: "the package", uid: "2", key: pkg, left: 1},
		{name: "the version", uid: "3", key: version, left: 0},
	} {
		if s.drop(step.key, step.uid); len(s.held) != step.left {
			t.Errorf("without %s: %d sources, want %d", step.name, len(s.held), step.left)
		}
	}
}
