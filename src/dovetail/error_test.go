package dovetail_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestErrorText(t *testing.T) {
	tests := []struct {
		name string
		err  *dovetail.Error
		want string
	}{
		{name: "message", err: &dovetail.Error{Message: "it is wrong"}, want: "it is wrong"},
		{name: "file", err: &dovetail.Error{Message: "m", Position: dovetail.Position{File: "a.yaml"}}, want: "a.yaml: m"},
		{name: "line", err: &dovetail.Error{Message: "m", Position: dovetail.Position{File: "a.yaml", Line: 3}}, want: "a.yaml:3: m"},
		{name: "everything", err: &dovetail.Error{Message: "m", Remedy: "repair it", Position: dovetail.Position{File: "a.yaml", Line: 3, Column: 7, Path: "/spec"}}, want: "a.yaml:3:7 /spec: m; repair it"},
		{name: "path", err: &dovetail.Error{Message: "m", Position: dovetail.Position{Path: "/spec"}}, want: "/spec: m"},
		{name: "parts", err: &dovetail.Error{Message: "m", Errors: []*dovetail.Error{{Message: "a"}, {Message: "b"}}}, want: "m\na\nb"},
		{name: "the cause is not shown", err: &dovetail.Error{Message: "m", Err: io.EOF}, want: "m"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestCodeOf(t *testing.T) {
	own := dovetail.Errorf(dovetail.CodeInUse, "%d things", 3)
	tests := []struct {
		name string
		err  error
		want dovetail.Code
	}{
		{name: "nil"},
		{name: "own", err: own, want: dovetail.CodeInUse},
		{name: "wrapped", err: fmt.Errorf("more: %w", own), want: dovetail.CodeInUse},
		{name: "cancelled", err: fmt.Errorf("more: %w", context.Canceled), want: dovetail.CodeCanceled},
		{name: "too late", err: context.DeadlineExceeded, want: dovetail.CodeTimeout},
		{name: "foreign", err: io.EOF, want: dovetail.CodeInternal},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := dovetail.CodeOf(test.err); got != test.want {
				t.Errorf("code %q, want %q", got, test.want)
			}
			e := dovetail.AsError(test.err)
			if test.err == nil {
				if e != nil {
					t.Errorf("an error of nothing: %v", e)
				}
				return
			}
			if e.Code != test.want || !errors.Is(e, test.err) && !errors.Is(test.err, e) {
				t.Errorf("as a dovetail.Error: %+v", e)
			}
		})
	}
}

func TestJoin(t *testing.T) {
	a, b := &dovetail.Error{Code: dovetail.CodeMissing, Reason: "NO_A", Message: "a"}, dovetail.Errorf(dovetail.CodeInvalid, "b")
	if err := dovetail.Join("x", nil); err != nil {
		t.Errorf("of none: %v", err)
	}
	if err := dovetail.Join("x", []*dovetail.Error{a}); err != error(a) {
		t.Errorf("of one: %v", err)
	}
	err := dovetail.Join("x", []*dovetail.Error{a, b})
	if dovetail.CodeOf(err) != dovetail.CodeMissing || err.Error() != "x: 2 errors\na\nb" || !errors.Is(err, b) || dovetail.AsError(err).Reason != "NO_A" {
		t.Errorf("of two: %v", err)
	}
}

func TestWithoutIndex(t *testing.T) {
	if err := dovetail.WithoutIndex(nil); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	part := &dovetail.Error{Code: dovetail.CodeMissing, Index: 2}
	whole := &dovetail.Error{Code: dovetail.CodeMissing, Index: 1, Errors: []*dovetail.Error{part}}
	got := dovetail.AsError(dovetail.WithoutIndex(whole))
	if got.Index != 0 || got.Errors[0].Index != 0 || got.Errors[0].Code != dovetail.CodeMissing {
		t.Errorf("%+v", got)
	}
	if whole.Index != 1 || part.Index != 2 {
		t.Error("the error itself was changed")
	}
}
