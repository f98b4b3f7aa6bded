package solver

import "testing"

// TestSemverCompare compares versions as OLM does.
func TestSemverCompare(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       int
		wrong      bool
	}{
		{"lower", "1.9.0", "1.10.0", -1, false},
		{"equal without build", "1.0.0+a", "1.0.0+b", 0, false},
		{"pre-release", "1.0.0-rc.1", "1.0.0", -1, false},
		{"short", "v1.0", "1", 0, false},
		{"blanks and zeros", " 01.02.00 ", "1.2.0", 0, false},
		{"a fraction", "4.8", "4.8", 0, false},
		{"a number", "5", "5", 0, false},
		{"short with a pre-release", "1.0-rc", "1", 0, true},
		{"four numbers", "1.0.0.0", "1", 0, true},
		{"no version", "latest", "1", 0, true},
		{"empty", "", "0", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := semverCompare(c.a, c.b)
			if got != c.want || (err != nil) != c.wrong {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}
