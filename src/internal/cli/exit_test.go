package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// exitCodes is the documented meaning of every code of an error.
var exitCodes = map[dovetail.Code]int{
	dovetail.CodeNotFound: 3,

	dovetail.CodeExists: 4, dovetail.CodeMissing: 4, dovetail.CodeInUse: 4, dovetail.CodeStale: 4,
	dovetail.CodeRequired: 4, dovetail.CodeConflict: 4, dovetail.CodeExpired: 4,

	dovetail.CodeUnavailable: 5, dovetail.CodeUnknown: 5, dovetail.CodeTimeout: 5, dovetail.CodeRateLimited: 5,

	dovetail.CodeInvalid: 6, dovetail.CodeUnprocessable: 6, dovetail.CodeSchema: 6, dovetail.CodeTooLarge: 6,
	dovetail.CodeMediaType: 6, dovetail.CodeNotAcceptable: 6, dovetail.CodeMethod: 6,

	dovetail.CodeUnauthenticated: 7, dovetail.CodeForbidden: 7,

	dovetail.CodeCorrupt: 8, dovetail.CodeInternal: 8,

	dovetail.CodeCanceled: 130,
}

func TestExitCode(t *testing.T) {
	for code, want := range exitCodes {
		if got := cli.ExitCode(&dovetail.Error{Code: code}); got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
	for _, test := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing wrong", nil, 0},
		{"differences", cli.ErrDifferent, 1},
		{"usage", &dovetail.Error{Code: dovetail.CodeInvalid, Err: cli.ErrUsage}, 2},
		{"an error of cobra", errors.New("unknown flag: --x"), 2},
		{"several", dovetail.Join("x", []*dovetail.Error{{Code: dovetail.CodeInUse}, {Code: dovetail.CodeNotFound}}), 4},
		{"wrapped", fmt.Errorf("x: %w", &dovetail.Error{Code: dovetail.CodeCorrupt}), 8},
		{"interrupted", context.Canceled, 130},
		{"too slow", context.DeadlineExceeded, 5},
		{"an unknown code", &dovetail.Error{Code: "new"}, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := cli.ExitCode(test.err); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// Every code is in the table above, and named in the help.
func TestExitCodesAreComplete(t *testing.T) {
	source, err := os.ReadFile("../../dovetail/error.go")
	if err != nil {
		t.Fatal(err)
	}
	help, _, _ := runCommand(t.Context(), t, cli.Deps{}, "dovetail help exit-codes")
	count := 0
	for line := range strings.Lines(string(source)) {
		_, rest, ok := strings.Cut(line, ` Code = "`)
		if !ok {
			continue
		}
		count++
		code, _, _ := strings.Cut(rest, `"`)
		if _, known := exitCodes[dovetail.Code(code)]; !known {
			t.Errorf("%s has no exit code", code)
		}
		if !strings.Contains(help, code) {
			t.Errorf("the help does not tell of %s", code)
		}
	}
	if count != len(exitCodes) {
		t.Errorf("found %d codes, want %d", count, len(exitCodes))
	}
}
