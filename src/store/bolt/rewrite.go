package bolt

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// rewriteBytes is how much of the earlier versions is written again in one batch.
const rewriteBytes = 1 << 20

// newVersion is what an earlier version becomes.
type newVersion struct {
	earlierVersion
	doc *dovetail.Document
}

// Rewrite implements store.Backend. It reads outside of the writer, and writes in small batches.
func (b *Backend) Rewrite(ctx context.Context, change func(*dovetail.Document) (*dovetail.Document, error)) error {
	var after dovetail.ID
	for more := true; more; {
		var found []newVersion
		err := b.view(ctx, func(v *kv.View) (err error) {
			found, after, more, err = rewritable(v, after, change)
			return err
		})
		if err == nil && len(found) > 0 {
			err = b.doLogged(ctx, func(l *logWriter) error {
				for _, version := range found {
					l.rewriteVersion(version)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewritable returns the versions of some documents that change, of each the latest first, and the last document that has no others.
func rewritable(v *kv.View, after dovetail.ID, change func(*dovetail.Document) (*dovetail.Document, error)) (found []newVersion, last dovetail.ID, more bool, err error) {
	looked, size := 0, 0
	idOf := func(key []byte) dovetail.ID { return dovetail.ID(key) }
	behind := []byte(after)
	if after != "" {
		behind = append(behind, separator+"\xff\xff\xff\xff\xff\xff\xff\xff\xff"...) // its versions
	}
	for id := range merged(v.Scan(docs, nil, behind), idOf, v.Scan(versions, nil, behind), firstOf) {
		for end, value := range earlierValues(v, id) {
			if looked++; size >= rewriteBytes {
				return found, after, true, nil
			}
			doc, readable := decodeDocument(id, value)
			if !readable || isErased(value) {
				continue // for Check to find
			}
			next, err := change(doc)
			if err != nil {
				return nil, after, false, err
			}
			if next != nil {
				found = append(found, newVersion{earlierVersion{id, head{uid: doc.UID, revision: doc.Revision}, end}, next})
				size += bodySize(next)
			}
		}
		if after = id; looked >= chunkEntries || size >= rewriteBytes {
			return found, after, true, nil
		}
		looked++
	}
	return found, after, false, nil
}

func firstOf(key []byte) dovetail.ID {
	id, _, _ := splitVersionKey(key)
	return id
}

// rewriteVersion stores a version with what it says now, unless it has gone meanwhile. The version before it may be a difference from it.
func (l *logWriter) rewriteVersion(version newVersion) {
	id, end := version.id, version.end
	stored, _ := valueEnded(&l.batch.View, id, end)
	old, readable := headOf(stored)
	if !readable || isErased(stored) || old.uid != version.uid || old.revision != version.revision {
		return
	}
	since, _ := sinceOf(stored) // headOf has checked it
	l.makeWhole(id, since)
	links := linksOf(id, version.doc.References, version.doc.Terms)
	for _, gone := range linksOf(id, old.references, old.terms) {
		if !refers(links, gone.target) {
			l.unlinkVersion(id, gone.target, end)
		}
	}
	l.replaceVersion(id, end, setSince(encodeDocument(version.doc), since))
	now, _ := headOf(l.batch.Get(docs, []byte(id)))
	current := linksOf(id, now.references, now.terms)
	for _, link := range links {
		if key := referrerKey(link.target, id); !refers(current, link.target) && decodeSequence(l.batch.Get(oldReferrers, key)) < end {
			l.batch.Put(oldReferrers, key, sequenceKey(end))
		}
	}
}

// unlinkVersion has the old index of referrers name the version before, of those with the reference.
func (l *logWriter) unlinkVersion(id, target dovetail.ID, end uint64) {
	key := referrerKey(target, id)
	if decodeSequence(l.batch.Get(oldReferrers, key)) != end {
		return
	}
	l.batch.Delete(oldReferrers, key)
	for earlier, value := range earlierValues(&l.batch.View, id) {
		if h, _ := headOf(value); earlier < end && refers(linksOf(id, h.references, h.terms), target) {
			l.batch.Put(oldReferrers, key, sequenceKey(earlier))
			return
		}
	}
}

func refers(links []link, target dovetail.ID) bool {
	return slices.ContainsFunc(links, func(l link) bool { return l.target == target })
}

// Wipe implements store.Backend.
func (b *Backend) Wipe(ctx context.Context) error {
	if _, err := b.submit(ctx, &request{between: b.db.Flush}); err != nil {
		return err
	}
	return b.db.Wipe()
}
