package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// chained is a store with audit records in three blocks, and a record that is not sealed yet. The clock goes on by a
// minute with each call of later.
func chained(t *testing.T) (s *store.Store, later func()) {
	t.Helper()
	at, uid := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), 0
	s = openWith(t, testSchema, store.Config{
		Clock:  func() time.Time { return at },
		NewUID: func() string { uid++; return fmt.Sprintf("u%04d", uid) },
		Audit:  store.Audit{Keep: true},
	})
	later = func() { at = at.Add(time.Minute) }
	for block := range 3 {
		for n := range 3 {
			apply(t, s, fmt.Sprintf("create project/p%d-%d", block, n))
		}
		later()
		blocks, err := s.Seal(t.Context(), nil)
		if err != nil || len(blocks) != 1 || len(blocks[0].Records) != 3 || blocks[0].Number != uint64(block)+1 {
			t.Fatalf("sealed %+v, %v", blocks, err)
		}
	}
	apply(t, s, "create project/last")
	if blocks, err := s.Seal(t.Context(), nil); err != nil || len(blocks) > 0 {
		t.Fatalf("sealed what is too new: %+v, %v", blocks, err)
	}
	return s, later
}

func internals(t *testing.T, s *store.Store, kind string) []*dovetail.Document {
	t.Helper()
	all := collected(t, s.Backend().List(t.Context(), store.Query{Kind: kind}))
	return all
}

// TestVerifyRecords tampers with what is kept, as who can write the database could, and shows that it is found.
func TestVerifyRecords(t *testing.T) {
	commit := func(t *testing.T, s *store.Store, txn store.Txn) {
		t.Helper()
		if err := s.Backend().Commit(t.Context(), txn); err != nil {
			t.Fatal(err)
		}
	}
	put := func(t *testing.T, s *store.Store, doc *dovetail.Document) {
		doc.Revision++
		commit(t, s, store.Txn{Puts: []*dovetail.Document{doc}})
	}
	tests := []struct {
		name   string
		tamper func(t *testing.T, s *store.Store)
		expect map[uint64]string
		want   []string // problems, in order
	}{
		{name: "nothing", tamper: func(*testing.T, *store.Store) {}},
		{name: "a record is changed", want: []string{store.AuditRecordChanged}, tamper: func(t *testing.T, s *store.Store) {
			doc := internals(t, s, "_audit")[4]
			doc.Data = json.RawMessage(strings.Replace(string(doc.Data), "project/p1", "project/x1", 1))
			put(t, s, doc)
		}},
		{name: "a record is removed", want: []string{store.AuditRecordMissing}, tamper: func(t *testing.T, s *store.Store) {
			commit(t, s, store.Txn{Deletes: []dovetail.ID{internals(t, s, "_audit")[0].ID}})
		}},
		{name: "a record is inserted", want: []string{store.AuditRecordUnknown}, tamper: func(t *testing.T, s *store.Store) {
			doc := internals(t, s, "_audit")[0]
			doc.ID += "x"
			put(t, s, doc)
		}},
		{name: "a block is removed", want: []string{store.AuditBlockMissing, store.AuditRecordUnknown, store.AuditRecordUnknown, store.AuditRecordUnknown}, tamper: func(t *testing.T, s *store.Store) {
			commit(t, s, store.Txn{Deletes: []dovetail.ID{internals(t, s, "_auditblock")[1].ID}})
		}},
		{name: "the last block is removed", want: []string{store.AuditBlockMissing, store.AuditRecordUnknown, store.AuditRecordUnknown}, tamper: func(t *testing.T, s *store.Store) {
			commit(t, s, store.Txn{Deletes: []dovetail.ID{internals(t, s, "_auditblock")[2].ID}})
		}},
		{name: "a record is removed from a block", want: []string{store.AuditBlockChanged, store.AuditRecordUnknown}, tamper: func(t *testing.T, s *store.Store) {
			doc := internals(t, s, "_auditblock")[1]
			var block store.AuditBlock
			if err := json.Unmarshal(doc.Data, &block); err != nil {
				t.Fatal(err)
			}
			block.Records = block.Records[1:]
			doc.Data, _ = json.Marshal(block)
			put(t, s, doc)
		}},
		{name: "another chain", expect: map[uint64]string{2: strings.Repeat("0", 64)}, want: []string{store.AuditUnexpected}, tamper: func(*testing.T, *store.Store) {}},
		{name: "a shorter chain", expect: map[uint64]string{9: strings.Repeat("0", 64)}, want: []string{store.AuditBlockMissing}, tamper: func(*testing.T, *store.Store) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, later := chained(t)
			for range 3 { // nothing of the blocks may be late any more
				later()
			}
			tt.tamper(t, s)
			v, err := s.VerifyRecords(t.Context(), tt.expect)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range v.Findings {
				got = append(got, f.Problem)
			}
			if !slices.Equal(got, tt.want) || v.Total != len(tt.want) {
				t.Errorf("found %+v, want %v", v.Findings, tt.want)
			}
			if len(tt.want) == 0 && (v.Blocks != 3 || v.Records != 9 || v.Unsealed != 1) {
				t.Errorf("verified %+v", v)
			}
		})
	}
}

// A record that is committed late is sealed by a later block, and what is forgotten leaves a chain that verifies.
func TestSealLateAndForgotten(t *testing.T) {
	s, later := chained(t)
	late := internals(t, s, "_audit")[8] // of the last block, so that its time is just before those that are sealed
	late.ID += "late"
	if err := s.Backend().Commit(t.Context(), store.Txn{Puts: []*dovetail.Document{late}}); err != nil {
		t.Fatal(err)
	}
	later()
	if blocks, err := s.Seal(t.Context(), nil); err != nil || len(blocks) != 1 || len(blocks[0].Records) != 2 {
		t.Fatalf("sealed %+v, %v", blocks, err)
	}
	verify := func(blocks, records int) {
		t.Helper()
		later()
		if v, err := s.VerifyRecords(t.Context(), nil); err != nil || v.Total > 0 || v.Blocks != blocks || v.Records != records {
			t.Errorf("verified %+v, %v, want %d blocks and %d records", v, err, blocks, records)
		}
	}
	verify(4, 11)
	cut := internals(t, s, "_auditblock")[1].Created.Add(time.Millisecond)
	if err := s.PurgeAuditRecords(t.Context(), cut, nil); err != nil {
		t.Fatal(err)
	}
	verify(2, 1)
	for range 61 {
		later()
	}
	if err := s.PurgeAuditRecords(t.Context(), cut.Add(time.Hour), nil); err != nil {
		t.Fatal(err)
	}
	verify(0, 0)
	apply(t, s, "create project/new")
	for range 5 {
		later()
	}
	if blocks, err := s.Seal(t.Context(), nil); err != nil || len(blocks) != 1 || blocks[0].Number != 5 {
		t.Errorf("sealed %+v, %v", blocks, err)
	}
}

// TestAuditLevels shows what is recorded of reads, dry runs and requests as the level says.
func TestAuditLevels(t *testing.T) {
	var reported []store.AuditRecord
	var level store.AuditLevel
	s := openWith(t, testSchema, store.Config{
		Guard: guard{"root": {"read", "create", "update", "delete", "act"}, "ann": {"create project/p"}},
		Audit: store.Audit{Report: func(_ context.Context, r store.AuditRecord) { reported = append(reported, r) }, Level: func(e store.AuditEvent) store.AuditLevel {
			if e.Kind == "project" {
				return store.AuditNone
			}
			return level
		}},
	})
	apply := func(who string, dryRun bool, operations ...string) {
		_, _ = s.Apply(as(t, who), ops(t, operations...), store.Options{DryRun: dryRun}) // records say what came of it
	}
	apply("root", false, "create project/p", `create project/p/app/a {"x":1}`)
	tests := []struct {
		name  string
		level store.AuditLevel
		do    func()
		want  string // lines, with data behind
	}{
		{name: "nothing", do: func() { apply("root", false, `put project/p/app/a {"x":2}`) }},
		{name: "metadata", level: store.AuditMetadata, do: func() { apply("root", false, "put project/p", `put project/p/app/a {"x":3}`) }, want: "root, updated project/p/app/a 2>3"},
		{name: "a request", level: store.AuditRequest, do: func() { apply("root", false, `put project/p/app/a {"x":4}`) }, want: `root, updated project/p/app/a 3>4 {"x":4}`},
		{name: "a dry run", level: store.AuditRequest, do: func() { apply("root", true, `put project/p/app/a {"x":5}`) }, want: `root, dry run, updated project/p/app/a 4>5 {"x":5}`},
		{name: "a read", level: store.AuditMetadata, do: func() { _, _ = s.Get(as(t, "root"), "project/p/app/a") }, want: "root, read,  project/p/app/a >4"},
		{name: "a refused read", level: store.AuditMetadata, do: func() { _, _ = s.Get(as(t, "ann"), "project/p/app/a") }, want: "ann, read,  project/p/app/a >, refused"},
		{name: "several reads", level: store.AuditMetadata, do: func() { _, _ = s.GetAll(as(t, "root"), []dovetail.ID{"project/p", "project/p/app/a"}) }, want: "root, read,  project/p/app/a >4"},
		{name: "a list", level: store.AuditMetadata, do: func() { _, _ = s.List(as(t, "root"), store.ListQuery{}) }, want: "root, read,  project/p/app/a >4"},
		{name: "a read of what is not recorded", level: store.AuditMetadata, do: func() { _, _ = s.Get(as(t, "root"), "project/p") }},
		{name: "a login", level: store.AuditMetadata, do: func() { _ = s.RecordLogin(t.Context(), "10.0.0.1", "the token is not known", 3) }, want: ", login"},
	}
	for _, tt := range tests {
		reported, level = nil, tt.level
		tt.do()
		var got []string
		for _, r := range reported {
			text := line(r)
			for _, e := range r.Operations {
				if e.Data != nil {
					text += " " + string(e.Data)
				}
			}
			got = append(got, text)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s: told %q, want %q", tt.name, got, tt.want)
		}
	}
}
