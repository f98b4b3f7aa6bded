package protocol

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// Expire deletes what the retention does not keep; see store.Historian.
func (e *Engine) Expire(ctx context.Context, retention store.Retention) error {
	if !retention.Before.IsZero() {
		if err := e.expire(ctx, func(Stamp) Stamp { return startOf(retention.Before) }); err != nil {
			return err
		}
	}
	if len(retention.Kinds) > 0 {
		if err := e.awaitVersions(ctx); err != nil {
			return err
		}
	}
	for kind, r := range retention.Kinds {
		q := store.Query{Kind: kind}
		if !r.Before.IsZero() {
			if err := e.eachEnded(ctx, q, startOf(r.Before), e.server.EraseVersions); err != nil {
				return err
			}
		}
		if r.Versions > 0 {
			if err := e.eraseEarliest(ctx, q, r.Versions); err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitVersions returns when the versions that acknowledged writes replaced are stored: a write is acknowledged before that.
func (e *Engine) awaitVersions(ctx context.Context) error {
	open, err := collect(e.server.OpenEntries(ctx))
	if err != nil {
		return err
	}
	for _, entry := range open {
		if entry.State != Committed {
			continue
		}
		if err := e.completeCommit(ctx, entry); err != nil {
			return err
		}
	}
	return e.awaitReplaced(ctx)
}

// startOf returns the first timestamp of the second of a time.
func startOf(t time.Time) Stamp { return Stamp{Seconds: uint32(max(t.Unix(), 0))} }

// Purge deletes the history that is older than a duration.
func (e *Engine) Purge(ctx context.Context, history time.Duration) error {
	return e.expire(ctx, func(now Stamp) Stamp { return now.Back(history) })
}

// expire deletes transaction records and versions from before a timestamp, which is computed from the server's current one.
func (e *Engine) expire(ctx context.Context, oldestOf func(now Stamp) Stamp) error {
	now, err := e.server.Now(ctx)
	if err != nil {
		return err
	}
	oldest := earlier(now, oldestOf(now))
	e.tail.purge(oldest)
	if err := e.server.Purge(ctx, oldest); err != nil {
		return err
	}
	if err := e.awaitReplaced(ctx); err != nil {
		return err
	}
	return e.eachEnded(ctx, store.Query{}, oldest, e.server.Forget)
}

// awaitReplaced waits until the versions that updates by a single write have replaced are stored.
func (e *Engine) awaitReplaced(ctx context.Context) error {
	made, err := collect(e.server.WithIntent(ctx, ""))
	if err != nil {
		return err
	}
	made = slices.DeleteFunc(made, func(r *Record) bool { return !r.replaced() })
	_, err = e.awaitSingle(ctx, made)
	return err
}

// Rewrite replaces what is stored of versions; see store.Backend.
func (e *Engine) Rewrite(ctx context.Context, change func(*dovetail.Document) (*dovetail.Document, error)) error {
	if err := e.awaitVersions(ctx); err != nil {
		return err
	}
	var keys []string
	for v, err := range e.server.ScanVersions(ctx, store.Query{}, "", Stamp{math.MaxUint32, math.MaxUint32}) {
		if err != nil {
			return err
		}
		if v.Gone || v.Erased {
			continue
		}
		if keys = append(keys, VersionKey(v)); len(keys) == probeBatch {
			if err := e.rewriteVersions(ctx, keys, change); err != nil {
				return err
			}
			keys = keys[:0]
		}
	}
	return e.rewriteVersions(ctx, keys, change)
}

// rewriteVersions does so for versions by their keys.
func (e *Engine) rewriteVersions(ctx context.Context, keys []string, change func(*dovetail.Document) (*dovetail.Document, error)) error {
	found, err := e.server.Version(ctx, keys)
	if err != nil {
		return err
	}
	var changed []*Record
	for _, key := range keys {
		v := found[key]
		if v == nil || v.Gone || v.Erased {
			continue
		}
		next, err := change(v.Doc)
		if err != nil {
			return err
		}
		if next != nil {
			v.Doc = next
			v.Strong, v.Weak = Links(next.References)
			changed = append(changed, v)
		}
	}
	return e.server.RewriteVersions(ctx, changed)
}

// eachEnded passes on the keys of the versions that ended before a timestamp: those whose successor committed earlier, and earlier
// deletions. The last version of a document is kept unless its record shows that another one followed.
func (e *Engine) eachEnded(ctx context.Context, q store.Query, oldest Stamp, do func(context.Context, []string) error) error {
	var last dovetail.ID
	var lasts []*Record // the last version of each document, which may not have ended
	var keys []string
	flush := func() error {
		ended, err := e.ended(ctx, lasts, oldest)
		if err != nil {
			return err
		}
		keys = append(keys, ended...)
		err = do(ctx, keys)
		lasts, keys = lasts[:0], keys[:0]
		return err
	}
	for v, err := range e.server.ScanVersions(ctx, q, "", oldest) {
		if err != nil {
			return err
		}
		if last == v.ID {
			keys = append(keys, VersionKey(v))
		} else {
			lasts = append(lasts, v)
		}
		last = v.ID
		if len(lasts)+len(keys) >= 5*probeBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// eraseEarliest erases all but the latest versions of each document that the query selects. The last one may be the current
// version, and is never erased.
func (e *Engine) eraseEarliest(ctx context.Context, q store.Query, keep int) error {
	var last dovetail.ID
	var keys []string
	kept := 0
	for v, err := range e.server.ScanVersions(ctx, q, "", Stamp{math.MaxUint32, math.MaxUint32}) {
		if err != nil {
			return err
		}
		if v.ID != last {
			last, kept = v.ID, 0
		}
		if v.Gone || v.Erased {
			continue
		}
		if kept++; kept <= keep {
			continue
		}
		if keys = append(keys, VersionKey(v)); len(keys) == 5*probeBatch {
			if err := e.server.EraseVersions(ctx, keys); err != nil {
				return err
			}
			keys = nil
		}
	}
	return e.server.EraseVersions(ctx, keys)
}

// ended returns the keys of the versions that ended before the timestamp. Each is the last version of its document before it.
func (e *Engine) ended(ctx context.Context, lasts []*Record, oldest Stamp) ([]string, error) {
	var keys []string
	ids := make([]dovetail.ID, len(lasts))
	for i, v := range lasts {
		ids[i] = v.ID
	}
	records, err := e.server.Find(ctx, ids, false)
	if err != nil {
		return nil, err
	}
	for _, v := range lasts {
		r := records[v.ID]
		followed := r != nil && r.Doc != nil && (r.Intent == nil || r.Intent.Op != Create) &&
			!r.replaced() && r.Txn != v.Txn && v.Committed().Before(r.Committed()) && !oldest.Before(r.Committed())
		if v.Gone || followed {
			keys = append(keys, VersionKey(v))
		}
	}
	return keys, nil
}
