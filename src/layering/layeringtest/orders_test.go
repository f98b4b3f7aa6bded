package layeringtest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
)

func TestOrders(t *testing.T) {
	for _, test := range []struct{ values, orders, different int }{
		{0, 2, 1}, {1, 2, 1}, {2, 3, 2}, {3, 7, 6}, {4, 25, 24}, {5, 32, 20}, {9, 32, 32},
	} {
		t.Run(fmt.Sprint(test.values), func(t *testing.T) {
			values := make([]int, test.values)
			for i := range values {
				values[i] = i
			}
			orders, seen := 0, make(map[string]bool)
			for order := range layeringtest.Orders(values) {
				orders++
				seen[fmt.Sprint(order)] = true
				if orders == 1 && !slices.Equal(order, values) {
					t.Errorf("begins with %v", order)
				}
				if !slices.Equal(slices.Sorted(slices.Values(order)), values) {
					t.Errorf("%v has other values", order)
				}
			}
			if orders != test.orders || len(seen) < test.different {
				t.Errorf("%d orders, %d different ones", orders, len(seen))
			}
		})
	}
}

func TestOrdersBrokenOff(t *testing.T) {
	for n := range 7 {
		left := 0
		for range layeringtest.Orders([]int{1, 2, 3}) {
			if left++; left > n {
				break
			}
		}
		if left != n+1 {
			t.Errorf("%d orders, want %d", left, n+1)
		}
	}
}
