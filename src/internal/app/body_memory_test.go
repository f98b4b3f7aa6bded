package app

import (
	"math"
	"testing"
)

func TestBodiesOf(t *testing.T) {
	tests := []struct {
		name      string
		available int64
		want      int64
	}{
		{name: "no limit", available: math.MaxInt64, want: 512 << 20},
		{name: "a pod", available: 512 << 20, want: 64 << 20},
		{name: "much", available: 64 << 30, want: 512 << 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := bodiesOf(test.available); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
