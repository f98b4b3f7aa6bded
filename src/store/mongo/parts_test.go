package mongo

import (
	"slices"
	"testing"
)

func TestParts(t *testing.T) {
	tests := []struct {
		name  string
		sizes []int
		want  []int // how many items each part has
	}{
		{name: "nothing"},
		{name: "few small ones", sizes: []int{1, 1, 1}, want: []int{3}},
		{name: "more than a command names", sizes: []int{1, 1, 1, 1, 1}, want: []int{4, 1}},
		{name: "as large as a command may be", sizes: []int{maxCommand / 2, maxCommand / 2, 1}, want: []int{2, 1}},
		{name: "one that is larger", sizes: []int{1, 2 * maxCommand, 1}, want: []int{1, 1, 1}},
		{name: "all are larger", sizes: []int{2 * maxCommand, 2 * maxCommand}, want: []int{1, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			var all []int
			for part := range parts(test.sizes, 4, func(size int) int { return size }) {
				got, all = append(got, len(part)), append(all, part...)
			}
			if !slices.Equal(got, test.want) || !slices.Equal(all, test.sizes) {
				t.Errorf("the parts have %v items, want %v", got, test.want)
			}
		})
	}
}
