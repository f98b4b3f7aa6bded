package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestUniqueInSetModel puts constraints in force on documents that were stored without, and takes them away.
func TestUniqueInSetModel(t *testing.T) {
	const plain = "resources:\n- name: site\n- name: device\n  parent: site\n"
	const unique = plain + "  unique: [spec.serial]\n"
	given := []string{"create site/s", `create site/s/device/a {"spec":{"serial":"1"}}`, `create site/s/device/b {"spec":{"serial":2}}`, "create site/s/device/c"}

	s := open(t, plain)
	for _, line := range given {
		apply(t, s, line)
	}
	apply(t, s, `create site/s/device/d {"spec":{"serial":2.0}}`)
	findings, total, err := s.Impact(t.Context(), compile(t, unique), 0)
	if err != nil || total != 1 || findings[0].ID != "site/s/device/d" || findings[0].Other != "site/s/device/b" || findings[0].Problem != store.ProblemNotUnique {
		t.Fatalf("impact: %+v: %v", findings, err)
	}
	err = s.SetModel(t.Context(), compile(t, unique))
	if dovetail.CodeOf(err) != dovetail.CodeSchema || !strings.Contains(err.Error(), "site/s/device/b") || !strings.Contains(err.Error(), "site/s/device/d") {
		t.Fatalf("with duplicates: %v", err)
	}
	if got := claimsOf(t, s); len(got) != 0 {
		t.Fatalf("a refused schema left %q", got)
	}
	apply(t, s, "delete site/s/device/d")
	setModel(t, s, compile(t, unique))
	want := []string{"site/s/device/a device: unique spec.serial", "site/s/device/b device: unique spec.serial"}
	if got := claimsOf(t, s); !slices.Equal(got, want) {
		t.Fatalf("claims are %q, want %q", got, want)
	}
	requireClean(t, s)
	if _, err := s.Apply(t.Context(), ops(t, `create site/s/device/e {"spec":{"serial":"1"}}`), store.Options{}); dovetail.AsError(err).Reason != store.ReasonNotUnique {
		t.Fatalf("a duplicate: %v", err)
	}
	again := openOn(t, s.Backend(), compile(t, plain+"  unique: {paths: [spec.serial], within: site}\n"), store.Config{})
	want = []string{"site/s/device/a device: unique spec.serial, within one site", "site/s/device/b device: unique spec.serial, within one site"}
	if got := claimsOf(t, again); !slices.Equal(got, want) {
		t.Fatalf("claims are %q, want %q", got, want)
	}
	requireClean(t, again)
	setModel(t, again, compile(t, plain))
	if got := claimsOf(t, again); len(got) != 0 {
		t.Fatalf("without the constraint there are %q", got)
	}
	apply(t, again, `create site/s/device/e {"spec":{"serial":"1"}}`)
	requireClean(t, again)
}

// TestNewExclusiveChoice puts an exclusive rule that leaves a choice in force on documents that were stored without it.
func TestNewExclusiveChoice(t *testing.T) {
	const plain = "resources:\n- name: host\n- name: vm\n- name: duty\n"
	exclusive := compile(t, plain+"  references:\n  - {oneOf: [host, vm], field: on, exclusive: true}\n")
	s := open(t, plain)
	for _, line := range []string{"create host/h", "create vm/v", `create duty/a {"spec":{"on":"h"}}`, `create duty/b {"spec":{"on":"v"}}`, `create duty/c {"spec":{"on":"h"}}`} {
		apply(t, s, line)
	}
	findings, total, err := s.Impact(t.Context(), exclusive, 0)
	if err != nil || total != 1 || findings[0].ID != "duty/c" || findings[0].Other != "duty/a" || findings[0].Problem != store.ProblemNotUnique {
		t.Fatalf("impact: %d %+v: %v", total, findings, err)
	}
	err = s.SetModel(t.Context(), exclusive)
	if dovetail.CodeOf(err) != dovetail.CodeSchema || !strings.Contains(err.Error(), "duty/a") || !strings.Contains(err.Error(), "duty/c") {
		t.Fatalf("with duplicates: %v", err)
	}
	if got := claimsOf(t, s); len(got) != 0 {
		t.Fatalf("a refused schema left %q", got)
	}
	apply(t, s, "delete duty/c")
	setModel(t, s, exclusive)
	requireClean(t, s)
	_, err = s.Apply(t.Context(), ops(t, `create duty/d {"spec":{"on":"v"}}`), store.Options{})
	if got := conflicts(err); !slices.Equal(got, []string{"1 TAKEN duty/d  by duty/b"}) {
		t.Fatalf("a second duty: %q", got)
	}
}

// TestBrokenOffConstraint puts a constraint in force again after an attempt that ended before the commit.
func TestBrokenOffConstraint(t *testing.T) {
	const plain = "resources:\n- name: device\n"
	s := open(t, plain)
	apply(t, s, `create device/a {"spec":{"serial":1}}`)
	broken := &failing{Backend: s.Backend(), left: 2} // the claims are written, the model is not
	model := compile(t, plain+"  unique: [spec.serial]\n")
	if _, err := store.Open(t.Context(), broken, model, store.Config{}); err == nil {
		t.Fatal("the commit did not fail")
	}
	if got := claimsOf(t, s); len(got) != 1 {
		t.Fatalf("there are %q", got)
	}
	apply(t, s, "delete device/a", `create device/b {"spec":{"serial":1}}`)
	setModel(t, s, model)
	requireClean(t, s)
}

// TestClaimFindings damages claims behind the store's back, and wants a check to find and repair that.
func TestClaimFindings(t *testing.T) {
	s := open(t, exclusiveSchema)
	apply(t, s, "create site/s", "create site/s/port/1", "create site/s/port/2", `create site/s/cable/x {"spec":{"a":"1"}}`, `create site/s/cable/y {"spec":{"a":"2"}}`)
	var damage store.Txn
	for doc, err := range s.Backend().List(t.Context(), store.Query{Kind: "_claim"}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(damage.Deletes) == 0 {
			damage.Deletes = append(damage.Deletes, doc.ID) // one is missing
			continue
		}
		stale := doc.Clone()
		stale.ID, stale.UID = "_claim/0000", "other"
		damage.Puts = append(damage.Puts, stale) // one is of nothing
	}
	if err := s.Backend().Commit(t.Context(), damage); err != nil {
		t.Fatal(err)
	}
	result, err := s.Scrub(t.Context(), func(context.Context) error { return nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	problems := func(findings []store.Finding) (all []string) {
		for _, f := range findings {
			all = append(all, f.Problem)
		}
		return all
	}
	want := []string{store.ProblemClaimMissing, store.ProblemClaimStale}
	if got := problems(result.Findings); !slices.Equal(got, want) {
		t.Fatalf("the scrub found %+v", result.Findings)
	}
	for _, repair := range []bool{false, true} {
		var found []store.Finding
		for f, err := range s.Check(t.Context(), repair) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Repaired != repair {
				t.Errorf("repair %t: %+v", repair, f)
			}
			found = append(found, f)
		}
		if got := problems(found); !slices.Equal(got, want) {
			t.Fatalf("repair %t: found %+v", repair, found)
		}
	}
	requireClean(t, s)
	if len(claimsOf(t, s)) != 2 {
		t.Errorf("claims are %q", claimsOf(t, s))
	}
}

// TestRestoreClaims wants a restore to make claims, and to refuse a backup that breaks them.
func TestRestoreClaims(t *testing.T) {
	s := open(t, claimSchema)
	apply(t, s, "create site/s", `create site/s/device/a {"spec":{"serial":"1","macs":["x","y"]}}`, `create site/s/device/b {"spec":{"serial":"2"}}`)
	b := backupOf(t, s, "")
	backend := newBackend(t)
	if _, err := store.Restore(t.Context(), backend, restoration(b), store.Config{}); err != nil {
		t.Fatal(err)
	}
	restored := openOn(t, backend, compile(t, claimSchema), store.Config{})
	if got, want := claimsOf(t, restored), claimsOf(t, s); !slices.Equal(got, want) {
		t.Errorf("claims are %q, want %q", got, want)
	}
	requireClean(t, restored)

	broken := restoration(b)
	broken.Documents = func(yield func(*dovetail.Document, error) bool) {
		for doc, err := range b.Documents {
			if doc.ID == "site/s/device/b" {
				doc.Data = []byte(`{"spec":{"serial":"1"}}`)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
	_, err := store.Restore(t.Context(), newBackend(t), broken, store.Config{})
	if dovetail.CodeOf(err) != dovetail.CodeCorrupt || !strings.Contains(err.Error(), "site/s/device/b") || !strings.Contains(err.Error(), "site/s/device/a") {
		t.Errorf("a backup with duplicates: %v", err)
	}
	var e *dovetail.Error
	if !errors.As(err, &e) || len(e.Errors) != 1 {
		t.Errorf("%+v", e)
	}
}

// TestUniqueInOverlay stages documents with unique values: they count in the view, and in the store once they are merged.
func TestUniqueInOverlay(t *testing.T) {
	s := open(t, claimSchema)
	apply(t, s, "create site/s", `create site/s/device/a {"spec":{"serial":"1"}}`, `create site/s/device/b {"spec":{"serial":"2"}}`)
	claims := claimsOf(t, s)
	staged := staging{}
	view := overlayOf(t, s, staged)
	for _, test := range []struct {
		line string
		want []string
	}{
		{`create site/s/device/c {"spec":{"serial":"1"}}`, []string{"1 NOT_UNIQUE site/s/device/c /spec/serial by site/s/device/a"}},
		{`put site/s/device/a {"spec":{"serial":"3"}}`, nil},
		{`create site/s/device/c {"spec":{"serial":"1"}}`, nil},
		{`create site/s/device/d {"spec":{"serial":"3"}}`, []string{"1 NOT_UNIQUE site/s/device/d /spec/serial by site/s/device/a"}},
		{`delete site/s/device/b`, nil},
		{`create site/s/device/d {"spec":{"serial":"2"}}`, nil},
		{`patch site/s/device/c {"spec":{"serial":"2"}}`, []string{"1 NOT_UNIQUE site/s/device/c /spec/serial by site/s/device/d"}},
	} {
		_, err := view.Apply(t.Context(), ops(t, test.line), store.Options{})
		if got := conflicts(err); !slices.Equal(got, test.want) {
			t.Fatalf("%s: %q, want %q", test.line, got, test.want)
		}
	}
	if got := claimsOf(t, s); !slices.Equal(got, claims) {
		t.Fatalf("what is staged changed claims of the store: %q", got)
	}
	again := overlayOf(t, s, staged) // as another process opens it
	if _, err := again.Apply(t.Context(), ops(t, `create site/s/device/e {"spec":{"serial":"2"}}`), store.Options{}); dovetail.AsError(err).Reason != store.ReasonNotUnique {
		t.Fatalf("%v", err)
	}
	operations, merge, err := s.MergeOperations(t.Context(), staged.list(), nil)
	if err != nil || len(merge) > 0 {
		t.Fatal(err, merge)
	}
	apply(t, s, `create site/s/device/late {"spec":{"serial":"3"}}`)
	_, err = s.Apply(t.Context(), operations, store.Options{})
	if got := conflicts(err); len(got) != 1 || !strings.Contains(got[0], "NOT_UNIQUE site/s/device/a /spec/serial by site/s/device/late") {
		t.Fatalf("merged with a value that was taken meanwhile: %q", got)
	}
	apply(t, s, "delete site/s/device/late")
	if _, err = s.Apply(t.Context(), operations, store.Options{}); err != nil {
		t.Fatal(err)
	}
	requireClean(t, s)
}
