package bolt

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// expireChunk bounds how many commits or versions go in one batch.
const expireChunk = 256

// Expire implements store.Backend. It works in small batches, so that it delays no writer.
func (b *Backend) Expire(ctx context.Context, retention store.Retention) error {
	keep, err := b.lastBefore(ctx, retention)
	if err != nil {
		return err
	}
	for more := keep[""] > 0; more && err == nil; {
		err = b.doLogged(ctx, func(l *logWriter) error {
			more = l.expire(keep[""], expireChunk)
			return nil
		})
	}
	if err != nil || len(retention.Kinds) == 0 {
		return err
	}
	return b.eraseKinds(ctx, retention, keep)
}

// lastBefore returns the sequence of the last commit that was not later than the time of each kind's retention, and, under "",
// than that of the whole; 0 where the log does not know of any.
func (b *Backend) lastBefore(ctx context.Context, retention store.Retention) (last map[string]uint64, err error) {
	last = make(map[string]uint64)
	err = b.view(ctx, func(v *kv.View) (err error) {
		if !retention.Before.IsZero() {
			last[""], err = b.sequenceAt(v, retention.Before)
		}
		for kind, r := range retention.Kinds {
			if !r.Before.IsZero() && err == nil {
				last[kind], err = b.sequenceAt(v, r.Before)
			}
		}
		return err
	})
	return last, err
}

// expire drops the versions and entries that the position of a sequence does without, at most so many, and says whether there
// are more. The entry of the sequence itself stays: it says when that position was.
func (l *logWriter) expire(sequence uint64, limit int) (more bool) {
	b := &l.bounds
	for ; b.versions <= sequence; limit-- {
		if limit == 0 {
			return true
		}
		l.forgetVersions()
	}
	for ; b.first < sequence; limit-- {
		if limit <= 0 {
			return true
		}
		l.forgetEntry()
	}
	return false
}

// eraseKinds erases what the retention of kinds does not keep. keep is as of lastBefore.
func (b *Backend) eraseKinds(ctx context.Context, retention store.Retention, keep map[string]uint64) error {
	var document dovetail.ID
	latest := make(map[string][][]byte) // of that document, by kind, the keys of the latest versions that have bodies
	var after []byte
	for more := true; more; {
		var erasing [][]byte
		err := b.view(ctx, func(v *kv.View) error {
			looked := 0
			more = false
			for key, value := range v.Scan(versions, nil, after) {
				if looked++; looked > chunkEntries {
					more = true
					break
				}
				after = slices.Clone(key)
				id, end, _ := splitVersionKey(key)
				if id != document {
					document = id
					clear(latest)
				}
				value, _ = whole(v, id, end, value)
				h, readable := headOf(value)
				limits, limited := retention.Kinds[h.kind]
				if !readable || !limited || isErased(value) {
					continue
				}
				if end <= keep[h.kind] {
					erasing = append(erasing, after)
					continue
				}
				latest[h.kind] = append(latest[h.kind], after)
				if kept := latest[h.kind]; limits.Versions > 0 && len(kept) > limits.Versions {
					erasing = append(erasing, kept[0])
					latest[h.kind] = kept[1:]
				}
			}
			return nil
		})
		for part := range slices.Chunk(erasing, expireChunk) {
			if err == nil {
				err = b.doLogged(ctx, func(l *logWriter) error {
					for _, key := range part {
						l.eraseVersion(key)
					}
					return nil
				})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
