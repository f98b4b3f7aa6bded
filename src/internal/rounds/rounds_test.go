package rounds_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/internal/rounds"
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
