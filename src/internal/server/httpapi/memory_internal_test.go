package httpapi

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Principals who hold all the memory that there is do not keep another one from small requests.
func TestSmallRequestsAreLetIn(t *testing.T) {
	m := newMemory(1 << 20)
	for _, test := range []struct {
		name string
		user string
		have int64
		n    int64
		want dovetail.Code // "" if there is none
	}{
		{name: "most of it", user: "ann", n: 700 << 10},
		{name: "the rest", user: "bob", n: 320 << 10},
		{name: "a large request", user: "eve", n: 100 << 10, want: dovetail.CodeUnavailable},
		{name: "a small one", user: "eve", n: 10 << 10},
		{name: "one that grows", user: "eve", have: 10 << 10, n: 10 << 10, want: dovetail.CodeUnavailable},
		{name: "a small one of who has too much", user: "ann", n: 80 << 10, want: dovetail.CodeRateLimited},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := m.hold(test.user, test.have, test.n)
			if (err == nil) != (test.want == "") || err != nil && err.Code != test.want {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
