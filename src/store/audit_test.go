package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// audited is a store that keeps and reports records, with a clock that goes on by a second each time.
func audited(t *testing.T) (s *store.Store, reported *[]store.AuditRecord) {
	t.Helper()
	reported = new([]store.AuditRecord)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	uid := 0
	s = openWith(t, testSchema, store.Config{
		Clock:  func() time.Time { at = at.Add(time.Second); return at },
		NewUID: func() string { uid++; return fmt.Sprintf("u%d", uid) },
		Guard:  guard{"root": {"read", "create", "update", "delete", "act"}, "ann": {"create project/p"}},
		Audit:  store.Audit{Keep: true, Report: func(_ context.Context, r store.AuditRecord) { *reported = append(*reported, r) }},
	})
	return s, reported
}

// line is a record in short: the principal, and for each document the effect and the revisions before and after.
func line(r store.AuditRecord) string {
	words := []string{r.Principal}
	if r.Event != "" {
		words = append(words, string(r.Event))
	}
	if r.DryRun {
		words = append(words, "dry run")
	}
	revision := func(version string) string { return version[strings.LastIndex(version, "-")+1:] }
	for _, e := range r.Operations {
		words = append(words, fmt.Sprintf("%s%s %s %s>%s", e.Effect, e.Verb, e.ID, revision(e.Before), revision(e.After)))
	}
	if strings.HasPrefix(r.Refused, r.Principal+" may not ") {
		words = append(words, "refused")
	}
	return strings.Join(words, ", ")
}

func records(t *testing.T, s *store.Store, q store.AuditQuery) (lines, ids []string) {
	t.Helper()
	for r, err := range s.Records(as(t, "root"), q) {
		if err != nil {
			t.Fatal(err)
		}
		lines, ids = append(lines, line(r)), append(ids, r.ID)
	}
	return lines, ids
}

func reversed(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Reverse(lines)
	return lines
}

func TestAudit(t *testing.T) {
	s, reported := audited(t)
	steps := []struct {
		who    string
		ops    []string
		dryRun bool
		want   string // the audit record; "" if there is none
		kept   bool
	}{
		{who: "root", ops: []string{"create project/p", "create project/p/app/a"}, want: "root, created project/p >1, created project/p/app/a >1", kept: true},
		{who: "ann", ops: []string{"put project/p/app/b"}, want: "ann, created project/p/app/b >1", kept: true},
		{who: "ann", ops: []string{"create project/q"}, want: "ann, create project/q >, refused", kept: true},
		{who: "ann", ops: []string{"create project/p/app/b"}},
		{who: "ann", ops: []string{"create project/p/app/b", "create project/q"}, want: "ann, create project/p/app/b >, create project/q >, refused", kept: true},
		{who: "root", ops: []string{`put project/p/app/b {"x":1}`}, want: "root, updated project/p/app/b 1>2", kept: true},
		{who: "root", ops: []string{`put project/p/app/b {"x":1}`}},
		{who: "root", ops: []string{`put project/p/app/b {"x":2}`}, dryRun: true, want: "root, dry run, updated project/p/app/b 2>3", kept: true},
		{who: "root", ops: []string{`status project/p/app/b {"x":2}`}, want: "root, updated project/p/app/b 2>3", kept: true},
		{who: "root", ops: []string{"cascade-delete project/p"}, want: "root, deleted project/p 1>, deleted project/p/app/a 1>, deleted project/p/app/b 3>", kept: true},
	}
	var kept []string
	for _, step := range steps {
		*reported = nil
		_, _ = s.Apply(as(t, step.who), ops(t, step.ops...), store.Options{DryRun: step.dryRun}) // the record says what came of it
		var got []string
		for _, r := range *reported {
			got = append(got, line(r))
		}
		if strings.Join(got, "\n") != step.want {
			t.Errorf("%s %v: told %q, want %q", step.who, step.ops, got, step.want)
		}
		if step.kept {
			kept = append(kept, step.want)
		}
	}
	all, ids := records(t, s, store.AuditQuery{})
	if !slices.Equal(all, kept) {
		t.Errorf("kept\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(kept, "\n"))
	}
	for doc, err := range s.Documents(as(t, "root"), store.ListQuery{}) {
		t.Errorf("%v is seen among the documents, %v", doc, err)
	}

	at := func(n int) time.Time {
		when, err := time.Parse("20060102T150405.000Z", ids[n][:20])
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	queries := []struct {
		name string
		q    store.AuditQuery
		want []string
	}{
		{name: "of one principal", q: store.AuditQuery{Principal: "ann"}, want: kept[1:4]},
		{name: "of a document and below", q: store.AuditQuery{Under: "project/p/app/a"}, want: []string{kept[0], kept[7]}},
		{name: "of a kind", q: store.AuditQuery{Kind: "app", Principal: "root"}, want: []string{kept[0], kept[4], kept[5], kept[6], kept[7]}},
		{name: "of an effect", q: store.AuditQuery{Action: store.AuditAction(store.WasDeleted)}, want: kept[7:]},
		{name: "of an effect on a document", q: store.AuditQuery{Action: store.AuditAction(store.WasCreated), Under: "project/p/app/b"}, want: kept[1:2]},
		{name: "refused", q: store.AuditQuery{Action: store.AuditRefused}, want: kept[2:4]},
		{name: "of reads, of which there are none", q: store.AuditQuery{Action: store.AuditAction(store.AuditRead)}},
		{name: "after a record", q: store.AuditQuery{After: ids[2]}, want: kept[3:]},
		{name: "from a time", q: store.AuditQuery{From: at(3)}, want: kept[3:]},
		{name: "to a time", q: store.AuditQuery{To: at(3)}, want: kept[:3]},
		{name: "newest first, before a record", q: store.AuditQuery{Newest: true, After: ids[3]}, want: reversed(kept[:3])},
		{name: "newest first, before a record and from a time", q: store.AuditQuery{Newest: true, After: ids[3], From: at(1), To: at(7)}, want: reversed(kept[1:3])},
		{name: "between", q: store.AuditQuery{From: at(1), To: at(3), After: ids[1]}, want: kept[2:3]},
	}
	for _, after := range []string{"x", "20260102T150405.000Z", "20260102T150405.000Z-", "yesterday-u1"} {
		for _, err := range s.Records(as(t, "root"), store.AuditQuery{After: after}) {
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Errorf("records after %q: %v", after, err)
			}
		}
	}
	for _, tt := range queries {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := records(t, s, tt.q); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.q.After != "" {
				return // the other way, it is an upper bound
			}
			tt.q.Newest = true
			if got, _ := records(t, s, tt.q); !slices.Equal(got, reversed(tt.want)) {
				t.Errorf("newest first: got %q, want %q", got, reversed(tt.want))
			}
		})
	}

	for _, err := range s.Records(as(t, "ann"), store.AuditQuery{}) {
		if dovetail.CodeOf(err) != dovetail.CodeForbidden {
			t.Errorf("ann sees who did what: %v", err)
		}
	}
	if err := s.PurgeAuditRecords(t.Context(), at(3), nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := records(t, s, store.AuditQuery{}); !slices.Equal(got, kept[3:]) {
		t.Errorf("after forgetting: %q, want %q", got, kept[3:])
	}
	requireClean(t, s)
}

// A record of a large batch stays small, and counts what it leaves out.
func TestAuditOfLargeBatch(t *testing.T) {
	s, reported := audited(t)
	lines := make([]string, 1500)
	for i := range lines {
		lines[i] = fmt.Sprintf("create project/p%d", i)
	}
	applyAs(as(t, "root"), t, s, lines...)
	if r := (*reported)[0]; len(r.Operations) != 1000 || r.Total != 1500 {
		t.Errorf("%d operations of %d", len(r.Operations), r.Total)
	}
}
