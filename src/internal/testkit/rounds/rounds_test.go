package rounds_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		name, long string
		want       int
	}{
		{"usually", "", 3},
		{"in a long run", "1", 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("DOVETAIL_TEST_LONG", test.long)
			if got := rounds.Of(3, 20); got != test.want {
				t.Errorf("%d rounds, want %d", got, test.want)
			}
		})
	}
}

func TestSoak(t *testing.T) {
	for _, test := range []struct {
		name, long, soak string
		runs             bool
	}{
		{"usually", "", "", false},
		{"in a long run", "1", "", true},
		{"in a short run of soak tests", "", "short", true},
		{"in a run with an unknown size", "", "big", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("DOVETAIL_TEST_LONG", test.long)
			t.Setenv("DOVETAIL_TEST_SOAK", test.soak)
			ran := false
			t.Run("test", func(t *testing.T) {
				rounds.Soak(t)
				ran = true
			})
			if ran != test.runs {
				t.Errorf("the test ran: %v, want %v", ran, test.runs)
			}
		})
	}
}

func TestChecks(t *testing.T) {
	count := func(t *testing.T) int {
		n := 0
		rapid.Check(t, func(*rapid.T) { n++ })
		return n
	}
	before := count(t)
	for _, test := range []struct {
		name, long string
		want       int
	}{
		{"usually", "", 3},
		{"in a long run", "1", 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("DOVETAIL_TEST_LONG", test.long)
			rounds.Checks(t, 3, 20)
			if got := count(t); got != test.want {
				t.Errorf("%d cases, want %d", got, test.want)
			}
		})
	}
	if after := count(t); after != before {
		t.Errorf("%d cases afterwards, want %d as before", after, before)
	}
}
