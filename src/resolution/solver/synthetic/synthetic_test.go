package synthetic_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/solver/synthetic"
)

// What measurements are made on must not change unseen.
func TestProblem(t *testing.T) {
	tests := []struct {
		name    string
		options synthetic.Options
		want    string // the beginning of the digest
	}{
		{name: "sat", options: synthetic.Options{Mode: synthetic.Sat}, want: "64c241c9"},
		{name: "sat, light", options: synthetic.Options{Mode: synthetic.Sat, Light: true}, want: "49e90b5c"},
		{name: "unsat", options: synthetic.Options{Mode: synthetic.Unsat}, want: "9b785b0c"},
		{name: "early", options: synthetic.Options{Mode: synthetic.Early}, want: "9f3347c4"},
		{name: "maze", options: synthetic.Options{Mode: synthetic.Maze, Pigeons: 5}, want: "cc637829"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := test.options
			o.Packages, o.Versions, o.Roots, o.Seed = 200, 5, 20, 7
			sum := sha256.Sum256(synthetic.Problem(o).JSON())
			if got := hex.EncodeToString(sum[:4]); got != test.want {
				t.Errorf("digest %s, want %s", got, test.want)
			}
		})
	}
}
