package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
)

// TestWholeImpact asks again while the server gets further, and no longer.
func TestWholeImpact(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name  string
		left  []int // after each request
		fails bool
		asked int
		shown string
	}{
		{name: "at once", left: []int{0}, asked: 1},
		{name: "in three requests", left: []int{70, 20, 0}, asked: 3, shown: "100% looked at 100 environments"},
		{name: "no further", left: []int{70, 70, 0}, asked: 2, shown: "looked at 30 environments"},
		{name: "one fails", left: []int{70, -1}, fails: true, asked: 2, shown: "looked at 30 environments"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			s := &session{Deps: Deps{Err: &out, ErrTerminal: true}}
			asked := 0
			impact, err := whole(s, func() (*client.SetImpact, error) {
				asked++
				left := test.left[asked-1]
				if left < 0 {
					return nil, broken
				}
				return &client.SetImpact{Calculated: 100 - left, Unmeasured: left}, nil
			})
			if asked != test.asked || (err != nil) != test.fails || err == nil && impact.Unmeasured != test.left[asked-1] {
				t.Errorf("asked %d times: %+v, %v", asked, impact, err)
			}
			if !strings.Contains(out.String(), test.shown) {
				t.Errorf("shown: %q", out.String())
			}
		})
	}
}
