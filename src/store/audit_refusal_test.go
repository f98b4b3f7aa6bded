package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// What needs a right on everything leaves a record where it is refused, as other refusals do.
func TestRefusalsOfWhatNeedsEverything(t *testing.T) {
	tests := []struct {
		name string
		call func(s *store.Store, ctx context.Context) error
		want string // the event, and the reason
	}{
		{name: "audit records", want: "read: ann may not see who did what", call: func(s *store.Store, ctx context.Context) error {
			for _, err := range s.Records(ctx, store.AuditQuery{}) {
				return err
			}
			return nil
		}},
		{name: "verification", want: "read: ann may not verify audit records", call: func(s *store.Store, ctx context.Context) error {
			_, err := s.VerifyRecords(ctx, nil)
			return err
		}},
		{name: "impact of a schema", want: "read: ann may not see what a schema does to all documents", call: func(s *store.Store, ctx context.Context) error {
			_, _, err := s.Impact(ctx, s.Model(), 0)
			return err
		}},
		{name: "backup", want: "read: ann may not back up the store", call: func(s *store.Store, ctx context.Context) error {
			_, err := s.Backup(ctx, store.BackupOptions{})
			return err
		}},
		{name: "rotation of keys", want: ": ann may not rotate keys", call: func(s *store.Store, ctx context.Context) error {
			_, err := s.Rotate(ctx, "")
			return err
		}},
		{name: "migration", want: "read: ann may not migrate what is stored", call: func(s *store.Store, ctx context.Context) error {
			_, err := s.Migrate(ctx, &store.Migration{}, store.MigrateOptions{})
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for level, recorded := range map[store.AuditLevel]bool{store.AuditMetadata: true, store.AuditNone: false} {
				var reported, want []string
				s := openWith(t, testSchema, store.Config{Guard: guard{"ann": {"read project/p"}}, Audit: store.Audit{
					Report: func(_ context.Context, r store.AuditRecord) {
						reported = append(reported, string(r.Event)+": "+strings.TrimSpace(r.Refused))
					},
					Level: func(store.AuditEvent) store.AuditLevel { return level },
				}})
				if err := test.call(s, as(t, "ann")); dovetail.CodeOf(err) != dovetail.CodeForbidden {
					t.Errorf("it is not refused: %v", err)
				}
				if recorded {
					want = []string{test.want}
				}
				if !slices.Equal(reported, want) {
					t.Errorf("at level %v %q is recorded, want %q", level, reported, want)
				}
			}
		})
	}
}
