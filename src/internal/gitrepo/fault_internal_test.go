package gitrepo

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A remote that is given up is not one that its caller gave up, and no error tells the password.
func TestUnreachable(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		want dovetail.Code
	}{
		{"it says nothing", t.Context(), fmt.Errorf("reading: %w", context.DeadlineExceeded), dovetail.CodeUnavailable},
		{"the caller went", gone, fmt.Errorf("reading: %w", context.Canceled), dovetail.CodeCanceled},
		{"the caller went first", gone, context.DeadlineExceeded, dovetail.CodeCanceled},
	}
	r := &Repository{options: Options{URL: "https://ann:secret@example.com/r.git"}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := r.unreachable(test.ctx, test.err)
			if dovetail.CodeOf(err) != test.want || strings.Contains(fmt.Sprintf("%+v", err), "secret") {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
