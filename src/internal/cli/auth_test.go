package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestTokenOfNobody makes no token that an access policy file would refuse.
func TestTokenOfNobody(t *testing.T) {
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), cli.Deps{Out: &out, Err: &errs, Random: strings.NewReader(strings.Repeat("a", 32))}, []string{"auth", "token", ""})
	if code != cli.ExitUsage || out.Len() > 0 || !strings.Contains(errs.String(), "NAME is empty") {
		t.Errorf("code %d, output %q, error %q", code, out.String(), errs.String())
	}
}
