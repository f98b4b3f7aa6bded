package app

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// audit returns the destination of audit records. The error is that of the audit policy file.
func (s *Server) audit(model *schema.Model) (store.Audit, error) {
	if s.config.Audit == "off" || s.config.Audit == "" {
		if s.config.AuditPolicy != "" {
			return store.Audit{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "--audit-policy is given, but --audit is off", Remedy: "set --audit log or --audit keep"}
		}
		return store.Audit{}, nil
	}
	policy := access.DefaultAuditPolicy()
	if file := s.config.AuditPolicy; file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return store.Audit{}, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: file}, Err: err,
				Message: "the audit policy file cannot be read: " + plainCause(err), Remedy: "name a YAML file with --audit-policy"}
		}
		if policy, err = access.ParseAuditPolicy(file, text); err != nil {
			return store.Audit{}, err
		}
		if err := policy.CheckKinds(kindsOf(model)); err != nil {
			return store.Audit{}, err
		}
	}
	return store.Audit{Keep: s.config.Audit == "keep", Report: s.logRecord, Level: func(e store.AuditEvent) store.AuditLevel {
		return auditLevels[policy.Level(access.AuditEvent{Principal: e.Principal, Verb: string(e.Verb), Kind: e.Kind, Sensitive: e.Sensitive})]
	}}, nil
}

var auditLevels = map[access.AuditLevel]store.AuditLevel{
	access.AuditNone: store.AuditNone, access.AuditMetadata: store.AuditMetadata, access.AuditRequest: store.AuditRequest,
}

func (s *Server) logRecord(ctx context.Context, r store.AuditRecord) {
	s.log.LogAttrs(ctx, slog.LevelInfo, "audit", slog.Time("at", r.At), slog.String("event", string(r.Event)), slog.String("principal", r.Principal),
		slog.Any("groups", r.Groups), slog.Any("operations", r.Operations), slog.Int("total", r.Total), slog.Bool("dryRun", r.DryRun),
		slog.String("refused", r.Refused), slog.String("address", r.Address))
}

// seal adds the audit records that are kept to their hash chain, and logs each block, so that a log server has the
// hashes too.
func (s *Server) seal(ctx context.Context, resources *store.Store, fence *store.Condition) {
	const every = 5 * time.Second
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		blocks, err := resources.Seal(ctx, fence)
		for _, b := range blocks {
			s.log.Info("audit block", "number", b.Number, "hash", b.Hash, "records", len(b.Records))
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("audit records were not sealed", "error", err, "again", every)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// refusedLogins records logins that are refused: of each address one in a while, so that guessing tokens does not fill
// the store. Those in between are counted in the next record.
type refusedLogins struct {
	record func(ctx context.Context, address, reason string, count int) error
	now    func() time.Time

	mu    sync.Mutex
	since map[string]*loginWindow
}

// loginWindow is what is known of an address.
type loginWindow struct {
	until time.Time // when the next refusal is recorded
	count int       // of refusals since the last record
}

const (
	loginEvery     = 10 * time.Second
	loginAddresses = 10_000
	otherAddresses = "other addresses"
)

// refused is httpapi.Options.LoginRefused.
func (l *refusedLogins) refused(ctx context.Context, address string, reason error) error {
	count := 0
	l.mu.Lock()
	now := l.now()
	w := l.since[address]
	if w == nil && len(l.since) >= loginAddresses {
		l.forget(now)
		if len(l.since) >= loginAddresses {
			address = otherAddresses
			w = l.since[address]
		}
	}
	if w == nil {
		w = &loginWindow{}
		l.since[address] = w
	}
	w.count++
	if !now.Before(w.until) {
		count, w.count, w.until = w.count, 0, now.Add(loginEvery)
	}
	l.mu.Unlock()
	if count == 0 {
		return nil
	}
	return l.record(ctx, address, dovetail.AsError(reason).Message, count)
}

// forget drops the addresses whose refusals are all recorded.
func (l *refusedLogins) forget(now time.Time) {
	for address, w := range l.since {
		if w.count == 0 && !now.Before(w.until) {
			delete(l.since, address)
		}
	}
}
