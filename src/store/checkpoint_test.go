package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestAuditOfCopies: a copy of the store leaves the record of the reads of all that is in it, as a backup does, before any of it is written.
func TestAuditOfCopies(t *testing.T) {
	t.Parallel()
	const schema = "resources:\n  - name: project\n  - name: secret\n    sensitive: true\n"
	sensitive := func(e store.AuditEvent) bool { return e.Sensitive }
	tests := []struct {
		name    string
		who     string
		secrets int
		records func(store.AuditEvent) bool // whether reads are
		want    []string
		backup  []string // of a refused one
	}{
		{name: "a secret", who: "root", secrets: 1, records: sensitive, want: []string{"root, read,  secret/s0000 >1; 1"}},
		{name: "only in the history", who: "root", records: sensitive, want: []string{"root, read; 0"}},
		{name: "everything", who: "root", secrets: 1, records: func(store.AuditEvent) bool { return true }, want: []string{"root, read,  project/p >1,  secret/s0000 >1; 2"}},
		{name: "nothing", who: "root", secrets: 1, records: func(store.AuditEvent) bool { return false }},
		{name: "not this principal", who: "root", secrets: 1, records: func(e store.AuditEvent) bool { return e.Principal.Name != "root" }},
		{name: "who may not read everything", who: "ann", secrets: 1, records: sensitive, want: []string{"ann, read, refused; 0"}, backup: []string{"ann, read, refused; 0"}},
		{name: "who may not read everything, where nothing is recorded", who: "ann", secrets: 1, records: func(store.AuditEvent) bool { return false }},
		{name: "many", who: "root", secrets: 1100, records: sensitive, want: []string{"1000 of 1100"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var reported []string
			report := func(_ context.Context, r store.AuditRecord) {
				switch {
				case r.Event == "":
				case len(r.Operations) > 100:
					reported = append(reported, fmt.Sprintf("%d of %d", len(r.Operations), r.Total))
				default:
					reported = append(reported, fmt.Sprintf("%s; %d", line(r), r.Total))
				}
			}
			s := openWith(t, schema, store.Config{
				Guard: guard{"root": {"read", "create", "update", "delete"}, "ann": {"read project/p"}},
				Audit: store.Audit{Keep: true, Report: report, Level: func(e store.AuditEvent) store.AuditLevel {
					if e.Verb != store.AuditRead || test.records(e) {
						return store.AuditMetadata
					}
					return store.AuditNone
				}},
			})
			operations := []store.Operation{{Verb: store.Put, ID: "project/p", Data: parse(t, `{}`)}}
			for i := range test.secrets {
				operations = append(operations, store.Operation{Verb: store.Put, ID: dovetail.ID(fmt.Sprintf("secret/s%04d", i)), Data: parse(t, `{}`)})
			}
			if _, err := s.Apply(as(t, "root"), operations, store.Options{}); err != nil {
				t.Fatal(err)
			}
			var copied bytes.Buffer
			err := s.Checkpoint(as(t, test.who), func(store.Checkpoint) (io.Writer, error) {
				if !slices.Equal(reported, test.want) {
					t.Errorf("reported %q when the copy begins, want %q", reported, test.want)
				}
				return &copied, nil
			})
			if refused := test.who != "root"; refused != (dovetail.CodeOf(err) == dovetail.CodeForbidden) || !refused && err != nil || refused == (copied.Len() > 0) {
				t.Errorf("%d bytes, %v", copied.Len(), err)
			}
			if !slices.Equal(reported, test.want) {
				t.Errorf("reported %q, want %q", reported, test.want)
			}
			if refused := test.who != "root"; refused {
				if _, err := s.Backup(as(t, test.who), store.BackupOptions{Cleartext: true}); dovetail.CodeOf(err) != dovetail.CodeForbidden {
					t.Errorf("a backup: %v", err)
				}
				if !slices.Equal(reported[len(test.want):], test.backup) {
					t.Errorf("reported %q of a backup, want %q", reported[len(test.want):], test.backup)
				}
			} else if test.want != nil && !strings.Contains(copied.String(), `"event":"read"`) {
				t.Error("the copy does not have its own record")
			}
		})
	}
}
