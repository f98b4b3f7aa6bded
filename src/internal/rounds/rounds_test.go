package rounds_test

import (
	"testing"

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
