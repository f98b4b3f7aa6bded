// Package matrix tests that every way to write keeps every promise of the store.
//
// A way brings a change about: a PUT, a batch, the merge of a change set, a rollback. A promise is kept by refusing some changes
// or shows after each that was made. A way does not know the promises, and a promise does not know the ways: every pair of
// them is a cell, which is tested, or for which pairs_test.go has the reason why there is nothing to test.
//
// To add a way, add an entry to ways; to add a promise, add an entry to trials or to effects.
package matrix

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
)

// TestRefusals tries by every way what each promise forbids: it is refused, for that reason, and changes nothing. What the
// promise permits is done.
func TestRefusals(t *testing.T) { backend(nil).refusals(t) }

// TestRefusalsOnMongo is TestRefusals on MongoDB.
func TestRefusalsOnMongo(t *testing.T) { onMongo(t).refusals(t) }

func (on backend) refusals(t *testing.T) {
	protections, err := os.ReadFile("testdata/protect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[string]bool)
	begin := func() map[bool]*world {
		return map[bool]*world{false: on.newWorld(t, "", used), true: on.newWorld(t, string(protections), used)}
	}
	common := begin()
	cells, reasons := 0, make(map[string]int)
	for _, way := range ways {
		worlds := common
		if way.whole {
			worlds = begin()
		}
		for _, trial := range trials {
			if !slices.Contains(way.does, trial.verb) || on != nil && !trial.conditions() {
				continue
			}
			if why := empty(way, trial); why != "" {
				reasons[why]++
				continue
			}
			cells++
			w := worlds[trial.guarded]
			t.Run(strings.Join([]string{way.name, trial.promise, trial.name, string(trial.verb)}, "/"), func(t *testing.T) {
				permitted(t, w, way, trial)
				for _, dry := range []bool{true, false} {
					if !dry || way.can&dries != 0 {
						forbidden(t, w, way, trial, dry)
					}
				}
			})
		}
	}
	t.Logf("%d cells, %d reasons for empty ones", cells, len(reasons))
	if on == nil {
		common[false].complete(t)
	}
	for _, w := range common {
		w.whole(t)
	}
}

// permitted brings about what a trial permits.
func permitted(t *testing.T, w *world, way way, trial trial) {
	t.Helper()
	if trial.promise == "managed" {
		trial.id = nil // a thing is permitted
	}
	s := w.scene(t, false)
	c, bring := w.prepare(t, way, trial, s)
	if a := bring(c); !a.done() {
		t.Fatalf("what is permitted is refused: %d %s", a.status, a.text)
	}
}

// forbidden tries what a trial forbids.
func forbidden(t *testing.T, w *world, way way, trial trial, dry bool) {
	t.Helper()
	s := w.scene(t, trial.guarded)
	c, bring := w.prepare(t, way, trial, s)
	if trial.spoil != nil {
		trial.spoil(t, w, s)
	}
	if trial.bad != nil {
		trial.bad(s, &c)
	}
	if way.can&writesAll != 0 {
		c.spec = c.spec.with(members{"secret": s.secret()})
	}
	c.dry = dry
	before := w.state(t, c.id)
	a := bring(c)
	if !a.done() && strings.Contains(a.text, canary) {
		t.Errorf("dry run %v: the refusal has a secret: %s", dry, a.text)
	}
	if trial.cascades && way.cascades {
		if !a.done() {
			t.Errorf("dry run %v: %d %s", dry, a.status, a.text)
		}
		return
	}
	says := slices.ContainsFunc(strings.Split(trial.says, "|"), func(part string) bool { return strings.Contains(a.text, part) })
	if !slices.Contains(trial.refused, a.status) || !says {
		t.Errorf("dry run %v: %d %s", dry, a.status, a.text)
	}
	if after := w.state(t, c.id); after != before {
		t.Errorf("dry run %v: what was\n%s\nis\n%s", dry, before, after)
	}
}

// TestEffects brings about by every way what is permitted, and looks whether all is as promised after it.
func TestEffects(t *testing.T) { backend(nil).effects(t) }

// TestEffectsOnMongo is TestEffects on MongoDB.
func TestEffectsOnMongo(t *testing.T) { onMongo(t).effects(t) }

// onMongo is the backend of the MongoDB server to test on. Without one, the test is skipped.
func onMongo(t *testing.T) backend {
	t.Helper()
	mongotest.Skip(t)
	return func(t testing.TB) string { return mongotest.Location(t).String() }
}

func (on backend) effects(t *testing.T) {
	common := on.newWorld(t, "", make(map[string]bool))
	cells := 0
	for _, way := range ways {
		w := common
		if way.whole {
			w = on.newWorld(t, "", make(map[string]bool))
		}
		for _, verb := range way.does {
			t.Run(way.name+"/"+string(verb), func(t *testing.T) {
				d := done(t, w, way, verb)
				for _, effect := range effects {
					if effect.verbs != nil && !slices.Contains(effect.verbs, verb) || way.can&effect.needs != effect.needs ||
						empty(way, trial{promise: effect.promise, verb: verb, any: !effect.written}) != "" {
						continue
					}
					cells++
					t.Run(effect.promise, func(t *testing.T) { effect.holds(t, w, d) })
				}
			})
		}
	}
	t.Logf("%d cells", cells)
	common.tells(t)
	common.keepsSecrets(t)
	common.whole(t)
}

// done brings a change about, after a dry run of it.
func done(t *testing.T, w *world, way way, verb verb) deed {
	t.Helper()
	s := w.scene(t, false)
	c, bring := w.prepare(t, way, trial{verb: verb, before: aDevice, spec: scene.all}, s)
	if way.can&dries != 0 {
		before := w.state(t, c.id)
		dry := c
		dry.dry = true
		if a := bring(dry); !a.done() {
			t.Errorf("the dry run: %d %s", a.status, a.text)
		}
		if after := w.state(t, c.id); after != before {
			t.Errorf("a dry run makes\n%s\nof\n%s", after, before)
		}
	}
	if way.can&repeats != 0 {
		c.key = "key-" + number(s.n)
	}
	if way.can&explains != 0 {
		c.message = "because of " + number(s.n)
	}
	if way.can&compares != 0 && verb != create {
		c.base = w.version(t, c.id)
	}
	a := bring(c)
	if !a.done() {
		t.Fatalf("it is refused: %d %s", a.status, a.text)
	}
	return deed{way, s, c, a}
}

// scene makes a place for a cell.
func (w *world) scene(t *testing.T, protected bool) scene {
	t.Helper()
	w.cells++
	s := scene{"site-" + number(w.cells), w.cells}
	if protected {
		s.site = guarded
	}
	w.put(t, s.place(), members{"limit": 100})
	return s
}

// prepare makes what there is before a change.
func (w *world) prepare(t *testing.T, way way, trial trial, s scene) (change, func(change) answer) {
	t.Helper()
	if trial.before != nil {
		trial.before(t, w, s)
	}
	c := change{verb: trial.verb, id: s.thing(), spec: members{}, who: "root"}
	if trial.id != nil {
		c.id = trial.id(s)
	}
	if trial.spec != nil {
		c.spec = trial.spec(s)
	}
	switch c.verb {
	case create:
	case update:
		w.put(t, c.id, kept(c.spec))
	default:
		w.put(t, c.id, c.spec)
	}
	return c, way.ready(t, w, c)
}
