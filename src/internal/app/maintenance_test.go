package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// The process that does the upkeep deletes expired audit records, under its fence.
func TestUpkeepForgets(t *testing.T) {
	server := start(t, map[string]string{"audit": "keep", "audit-retention": "1h", "log-level": "info"})
	server.must(t, 201, "POST", "/v2/clusters", named("c1"))
	count := func(r *running) int {
		return strings.Count(r.must(t, 200, "GET", "/v2/audit", ""), `"at"`)
	}
	if n := count(server); n != 1 {
		t.Fatalf("%d records", n)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	again := start(t, map[string]string{"store": server.config.Store, "audit": "keep", "audit-retention": "1ns", "log-level": "info"})
	eventually(t, "the record is deleted", func() bool { return count(again) == 0 })
}

// ahead is a database whose clock is ahead of that of the process.
type ahead struct {
	store.Backend
	by time.Duration
}

func (a ahead) Time(ctx context.Context) (time.Time, error) {
	now, err := a.Backend.Time(ctx)
	return now.Add(a.by), err
}

// TestForgetsByClockOfDatabase forgets idempotency keys by the clock of the database, not that of the process.
func TestForgetsByClockOfDatabase(t *testing.T) {
	for _, test := range []struct {
		name  string
		by    time.Duration
		known bool
	}{
		{"the same time", 0, true},
		{"a day and a half ahead", 36 * time.Hour, false},
		{"a day and a half behind", -36 * time.Hour, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			backend, err := bolt.Open(filepath.Join(memdir.New(t), "store.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer backend.Close()
			model, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte("resources: [{name: site}]")}})
			if err != nil {
				t.Fatal(err)
			}
			resources, err := store.Open(t.Context(), backend, model, store.Config{})
			if err != nil {
				t.Fatal(err)
			}
			data, err := value.ParseJSON([]byte(`{"metadata":{"name":"a"}}`), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			operations := []store.Operation{{Verb: store.Create, ID: "site/a", Data: data}}
			if _, err := resources.Apply(t.Context(), operations, store.Options{Key: "k"}); err != nil {
				t.Fatal(err)
			}
			s := &Server{backend: ahead{backend, test.by}, log: slog.New(slog.DiscardHandler)}
			s.config.AuditRetention = time.Hour
			now, err := s.backend.Time(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); s.forgetOld(ctx, resources, nil) }()
			known := func() bool {
				result, err := resources.Replay(t.Context(), operations, store.Options{Key: "k"})
				if err != nil {
					t.Fatal(err)
				}
				return result != nil
			}
			if !test.known {
				eventually(t, "the key is forgotten", func() bool { return !known() })
			} else if s.forgetBefore(t.Context(), resources, now, 0, nil); !known() {
				t.Error("the key is forgotten")
			}
			cancel()
			<-ended
		})
	}
}
