package value_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/value"
)

// TestBuilder makes the maps that Value.Set makes, small and large ones.
func TestBuilder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 16, 17, 18, 100} {
		want := value.NewMap()
		var b value.Builder
		for i := range n {
			to := parse(t, fmt.Sprint(i))
			want.Set(fmt.Sprint("m", i/2), to)
			b.Set(fmt.Sprint("m", i/2), to)
		}
		if got := b.Map(); string(got.JSON()) != string(want.JSON()) {
			t.Errorf("of %d members got %s, want %s", n, got.JSON(), want.JSON())
		}
	}
}

// TestBuilderLarge makes a map that would not be made if each name were searched among all.
func TestBuilderLarge(t *testing.T) {
	t.Parallel()
	const n = 500_000
	var b value.Builder
	for i := range n {
		b.Set(fmt.Sprintf("a member with quite a long name %07d", i), nil)
	}
	if got := len(b.Map().Members); got != n {
		t.Errorf("%d members, want %d", got, n)
	}
}
