package suggest_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

func TestMisspells(t *testing.T) {
	for _, c := range []struct {
		written, name string
		want          bool
	}{
		{"sepc", "spec", true},
		{"Spec", "spec", true},
		{"specs", "spec", true},
		{"spec", "spec", false},
		{"spec2", "spec", false},
		{"aspect", "spec", false},
		{"data", "metadata", false},
		{"metdaata", "metadata", true},
		{"divice", "device", true},
		{"devices", "device", true},
		{"service", "device", false},
		{"clusterLabel", "cluster", false},
		{"clusterPrvidr", "clusterProvider", true},
		{"ap", "app", false},
		{"App", "app", true},
		{"", "spec", false},
	} {
		t.Run(c.written+" for "+c.name, func(t *testing.T) {
			if got := suggest.Misspells(c.written, c.name); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
