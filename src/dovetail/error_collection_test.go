package dovetail_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestErrors(t *testing.T) {
	some := func(n int, code dovetail.Code) (errs []*dovetail.Error) {
		for range n {
			errs = append(errs, dovetail.Errorf(code, "wrong"))
		}
		return errs
	}
	tests := []struct {
		name    string
		errs    []*dovetail.Error
		counted int
		kept    int
		total   int // of the error
		code    dovetail.Code
		forbids bool
	}{
		{name: "none"},
		{name: "nil does not count", errs: []*dovetail.Error{nil}},
		{name: "one", errs: some(1, dovetail.CodeInvalid), kept: 1, code: dovetail.CodeInvalid},
		{name: "as many as fit", errs: some(dovetail.MaxErrors, dovetail.CodeInvalid), kept: dovetail.MaxErrors, code: dovetail.CodeInvalid},
		{name: "one more", errs: some(dovetail.MaxErrors+1, dovetail.CodeInvalid), kept: dovetail.MaxErrors, total: dovetail.MaxErrors + 1, code: dovetail.CodeInvalid},
		{name: "many", errs: some(1_000_000, dovetail.CodeMissing), kept: dovetail.MaxErrors, total: 1_000_000, code: dovetail.CodeMissing},
		{name: "counted beside one", errs: some(1, dovetail.CodeMissing), counted: 4, kept: 1, total: 5, code: dovetail.CodeMissing},
		{name: "only counted", counted: 2, total: 2, code: dovetail.CodeInvalid},
		{name: "forbidden at the end", errs: append(some(500, dovetail.CodeInvalid), some(3, dovetail.CodeForbidden)...),
			kept: dovetail.MaxErrors, total: 503, code: dovetail.CodeInvalid, forbids: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var c dovetail.Errors
			c.Add(test.errs...)
			c.Count(test.counted)
			if len(c.Kept()) != test.kept || c.Forbids() != test.forbids || c.Full() != (test.kept == dovetail.MaxErrors) {
				t.Errorf("kept %d, forbids %t", len(c.Kept()), c.Forbids())
			}
			err := c.Err("x")
			if dovetail.CodeOf(err) != test.code {
				t.Fatalf("%v", err)
			}
			if e := dovetail.AsError(err); e != nil && e.Total != test.total {
				t.Errorf("total %d", e.Total)
			}
			if test.forbids && !slices.ContainsFunc(dovetail.AsError(err).Errors, func(e *dovetail.Error) bool { return e.Code == dovetail.CodeForbidden }) {
				t.Error("the error that decides was left out")
			}
			if test.total > test.kept && !strings.Contains(err.Error(), " more") {
				t.Errorf("the text does not say that there is more: %.80s", err)
			}
		})
	}
}

func TestErrorsJoin(t *testing.T) {
	var inner, outer dovetail.Errors
	for range 150 {
		inner.Add(dovetail.Errorf(dovetail.CodeInvalid, "a"))
	}
	outer.Join(nil)
	outer.Join(dovetail.Errorf(dovetail.CodeInvalid, "b"))
	outer.Join(inner.Err("inner"))
	if outer.Total() != 151 || len(outer.Kept()) != dovetail.MaxErrors {
		t.Errorf("%d, kept %d", outer.Total(), len(outer.Kept()))
	}
	var merged dovetail.Errors
	merged.Merge(&outer)
	if got := dovetail.AsError(dovetail.WithoutIndex(merged.Err("merged"))); got.Total != 151 || got.Omitted() != 51 {
		t.Errorf("%d of %d are left out", got.Omitted(), got.Total)
	}
}
