package store_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// A service writes what belongs to a request, for which the principal needs the rights that the request needs, and is the
// one on record for all of it.
func TestNeeds(t *testing.T) {
	tests := []struct {
		name     string
		needs    []store.Need
		reported string
		code     dovetail.Code // "" when it is allowed
	}{
		{name: "none", needs: []store.Need{}, reported: "ann, created project/q >1, created project/p >1"},
		{name: "one that ann has", needs: []store.Need{{Right: dovetail.RightCreate, ID: "project/p/app/a"}}, reported: "ann, created project/q >1, created project/p >1"},
		{name: "one that ann lacks", needs: []store.Need{{Right: dovetail.RightCreate, ID: "project/p"}, {Right: dovetail.RightDelete, ID: "project/p"}},
			reported: "ann, create project/p >, delete project/p >, refused", code: dovetail.CodeForbidden},
		{name: "of no kind", needs: []store.Need{{Right: dovetail.RightCreate, ID: "ship/p"}}, code: dovetail.CodeInvalid},
	}
	for _, test := range tests {
		for _, dryRun := range []bool{true, false} {
			t.Run(test.name, func(t *testing.T) {
				s, reported := audited(t)
				_, err := s.Apply(as(t, "ann"), ops(t, "create project/q", "create project/p"), store.Options{Needs: test.needs, DryRun: dryRun})
				if got := codeOf(err); got != test.code {
					t.Errorf("answered %v", err)
				}
				want := test.reported
				if dryRun {
					want = strings.Replace(want, "ann, ", "ann, dry run, ", 1)
				}
				var got string
				for _, r := range *reported {
					got += line(r)
				}
				if got != want {
					t.Errorf("on record is %q, want %q", got, want)
				}
			})
		}
	}
}

func codeOf(err error) dovetail.Code {
	if err == nil {
		return ""
	}
	return dovetail.CodeOf(err)
}
