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

// expire drops the versions and entries that the position of a sequence does without, at most this many, and reports whether there
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
	for kind, limits := range retention.Kinds {
		var after dovetail.ID
		for more := true; more; {
			var erasing []earlierVersion
			err := b.view(ctx, func(v *kv.View) error {
				bounds, err := readBounds(v)
				if err != nil {
					return err
				}
				looked := 0
				more = false
				prefix, from := kindKey(kind, ""), kindKey(kind, after)
				for id := range merged(v.Scan(kinds, prefix, from), secondOf, v.Scan(oldKinds, prefix, from), secondOf) {
					if looked > chunkEntries {
						more = true
						break
					}
					after = id
					found, versions := erasable(v, id, kind, limits.Versions, keep[kind], bounds)
					erasing = append(erasing, found...)
					looked += 1 + versions
				}
				return nil
			})
			for part := range slices.Chunk(erasing, expireChunk) {
				if err == nil {
					err = b.doLogged(ctx, func(l *logWriter) error {
						for _, version := range part {
							l.eraseVersion(version.id, version.end)
						}
						return nil
					})
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// erasable returns the versions of a document, as one of the kind, that have bodies and are not kept: those that ended no later
// than a sequence, and all but the newest so many. looked is how many versions were read.
func erasable(v *kv.View, id dovetail.ID, kind string, most int, until uint64, b bounds) (found []earlierVersion, looked int) {
	if since, ok := sinceOf(v.Get(docs, []byte(id))); ok && since < b.versions {
		return nil, 0 // there are no earlier ones any more
	}
	bodies := 0
	for end, value := range earlierValues(v, id) {
		looked++
		h, readable := headOf(value)
		if !readable || h.kind != kind || isErased(value) {
			continue
		}
		if bodies++; end <= until || most > 0 && bodies > most {
			found = append(found, earlierVersion{id: id, head: h, end: end})
		}
	}
	slices.Reverse(found) // so that what has been erased need not be made whole
	return found, looked
}
